import { afterEach, before, describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import type { Delivery } from "../../testing/receiver.ts";
import {
  attemptsOf,
  endWaits,
  eventOf,
  fund,
  fundAtOnce,
  sequencesOf,
  suiteDelivery,
  verify,
} from "./webhook_fixture.ts";
import { itLeavesNoDefects } from "../../testing/books.ts";

describe("POST /sandbox/simulate/webhooks", () => {
  const { service, receiver } = suiteDelivery();
  let first: number;
  before(async () => {
    await fund(service);
    await receiver.awaitDeliveries(1);
  });
  afterEach(async () => {
    const { status } = await service.send("/sandbox/simulate/reset");
    assertEquals(status, 201);
    receiver.deliveries.length = 0;
  });

  /** Requests the simulation, and remembers the number of the next event. */
  async function arm(body: Record<string, unknown>): Promise<void> {
    const [row] = await service.books.sql`
      select event_sequence::int as newest from gold.account where client_id = ${service.partner.client}`;
    first = row!.newest + 1;
    receiver.deliveries.length = 0;
    const reply = await service.send("/sandbox/simulate/webhooks", { body: JSON.stringify(body) });
    assertEquals(reply.status, 201, await reply.text());
  }
  const armed = async () => {
    const reply = await service.send("/sandbox/simulations", { method: "GET" });
    return (await reply.json() as { webhooks: { remaining: number } | null }).webhooks?.remaining;
  };
  const numbers = (deliveries: readonly Delivery[]) => sequencesOf(deliveries).map((each) => each - first);

  it("twice: the next events come twice with the same bytes, and the one after them once", async () => {
    await arm({ kind: "twice", count: 2 });
    assertEquals(await armed(), 2);
    await fund(service, 3);
    const deliveries = await receiver.awaitDeliveries(5);
    assertEquals(numbers(deliveries).sort(), [0, 0, 1, 1, 2]);
    assertEquals(new Set(deliveries.map(({ id, body }) => id + body)).size, 3);
    await until(async () => (await attemptsOf(service, first)).length === 2);
    assertEquals(await armed(), undefined);
  });

  it("late: the next event comes after the seconds, signed at that time, and the others at once", async () => {
    await arm({ kind: "late", seconds: 3 });
    const startedMs = performance.now();
    await fundAtOnce(service, 2);
    const deliveries = await receiver.awaitDeliveries(2);
    assertEquals(numbers(deliveries), [1, 0]);
    const late = deliveries[1]!;
    assert(late.receivedMs - startedMs >= 2990);
    const signedSeconds = Number(late.headers["webhook-timestamp"]);
    assert(signedSeconds - Date.parse(createdAt(late)) / 1000 >= 2);
    verify(service, late, service.partner.webhookSecret);
  });

  it("out_of_order: every other event is overtaken by the next one", async () => {
    await arm({ kind: "out_of_order", count: 4 });
    await fundAtOnce(service, 4);
    const order = numbers(await receiver.awaitDeliveries(4));
    assertEquals(order.slice(0, 2).sort(), [1, 3]);
    assertEquals(order.slice(2).sort(), [0, 2]);
  });

  it("other_secret: another secret signs the first attempt, and the partner's secret signs the retry", async () => {
    receiver.answer((delivery) => isSigned(delivery) ? 204 : 401);
    await arm({ kind: "other_secret" });
    await fund(service);
    const [forged] = await receiver.awaitDeliveries(1);
    assertThrows(() => verify(service, forged!, service.partner.webhookSecret));
    await until(async () => (await attemptsOf(service, first)).length === 1);
    await endWaits(service);
    const [, genuine] = await receiver.awaitDeliveries(2);
    verify(service, genuine!, service.partner.webhookSecret);
    assertEquals(genuine!.body, forged!.body);
    receiver.answer(204);
  });

  it("affects only the partner that requested it, and only later events", async () => {
    const other = await service.addPartner({ webhook: receiver.url });
    await arm({ kind: "twice", count: 10 });
    const [known] = await service.books.sql`
      select id from gold.event where client_id = ${service.partner.client} order by sequence limit 1`;
    await fund(service, 1, other);
    const reply = await service.send(`/v1/events/evt_${known!.id}/redeliver`);
    assertEquals(reply.status, 201);
    await receiver.awaitDeliveries(2);
    await fund(service);
    await receiver.awaitDeliveries(4);
    await until(() => receiver.deliveries.length >= 4);
    assertEquals(receiver.deliveries.length, 4);
  });

  function isSigned(delivery: Delivery): boolean {
    try {
      verify(service, delivery, service.partner.webhookSecret);
      return true;
    } catch {
      return false;
    }
  }

  itLeavesNoDefects(() => service.books);
});

const createdAt = (delivery: Delivery) => (eventOf(delivery) as unknown as { created_at: string }).created_at;
