import { afterEach, before, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual, assertMatch, assertThrows } from "@std/assert";
import { type Delivery, testReceiver } from "../../testing/receiver.ts";
import { createTestPartner } from "../../testing/partner.ts";
import { newWebhookSecret, parseWebhookSecret, WebhookError } from "@gold-partner/protocol";
import { readKeys } from "../settings/key_source.ts";
import { createSealing } from "../settings/sealing.ts";
import {
  attemptsOf,
  endWaits,
  eventOf,
  fund,
  fundAtOnce,
  order,
  pause,
  retriesOf,
  sequencesOf,
  stateOf,
  suiteDelivery,
  untilNotified,
  untilState,
  verify,
} from "./webhook_fixture.ts";
import { until } from "../../../../tools/testing/until.ts";
import { valueOf } from "../../testing/rows.ts";

const TIMEOUT_MS = 30_000;

describe("delivery", () => {
  const { service, receiver } = suiteDelivery();
  before(async () => {
    await service.books.addBar(1_000_000n);
    await fund(service);
    await receiver.awaitDeliveries(1);
    receiver.deliveries.splice(0);
  });
  afterEach(async () => {
    receiver.answer(204);
    // endWaits() can make an in-flight retry due a second time. The pause lets that second attempt end before
    // the next test.
    do {
      await endWaits(service);
      await pause(200);
      await untilSettled();
    } while ((await retriesOf(service)).some(([, , state]) => state === "due"));
    receiver.deliveries.splice(0);
  });

  const latest = () =>
    valueOf<number>(service.books.sql`
      select event_sequence::int as latest from gold.account where client_id = ${service.partner.client}`);
  const untilSettled = async () => {
    const last = await latest();
    return await untilState(service, ({ passed }) => passed === last);
  };
  const untilTries = async (tries: number | undefined) => {
    await until(async () => (await retriesOf(service))[0]?.[1] === tries, () => retriesOf(service));
  };
  const lastLog = (event: string) =>
    service.log.map((line) => JSON.parse(line)).filter((line) => line.event === event).at(-1);

  it("sends an order's event without delay, signed, with the body of GET /v1/events/{id}", async () => {
    let id = "";
    await untilNotified(service, async () => {
      receiver.deliveries.splice(0);
      id = await order(service);
      await receiver.awaitDeliveries(1);
    });
    const [delivery] = receiver.deliveries;
    const event = eventOf(delivery!);
    assertEquals([event.type, event.id, event.sequence], ["order.executed", delivery!.id, await latest()]);
    assertMatch(delivery!.body, new RegExp(`"order_id":"${id}"`));
    assertEquals(delivery!.path, "/webhooks");
    verify(service, delivery!, service.partner.webhookSecret);
    const read = await service.send(`/v1/events/${event.id}`, { method: "GET" });
    const { delivery: _, deliveries: __, line: ___, ...listed } = await read.json() as Readonly<
      Record<string, unknown>
    >;
    const { previous_sequence: previous, client_id, ...sent } = event;
    assertEquals<unknown>([listed, previous, client_id], [
      sent,
      event.sequence - 1,
      service.partner.clientId,
    ]);
  });

  it("sends each of 30 concurrent events once, and reuses open connections", async () => {
    const before = await latest();
    await fund(service, 30);
    const deliveries = await receiver.awaitDeliveries(30);
    await untilSettled();
    await pause(100);
    assertEquals(receiver.deliveries.length, 30);
    assertEquals(
      sequencesOf(deliveries).sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, n) => before + 1 + n),
    );
    assertEquals(await attemptsOf(service, before + 1), [[204, null, null]]);
    // Count the connections only after this event, because their number so far depends on how fast the events
    // were answered. Events that are sent one after another reuse a connection. Only the first of them may
    // open a new one, because an idle connection is closed after some seconds.
    await fund(service);
    await receiver.awaitDeliveries(31);
    const connections = receiver.connections();
    for (let count = 32; count <= 36; count++) {
      await fund(service);
      await receiver.awaitDeliveries(count);
    }
    assertEquals(receiver.connections(), connections);
  });

  it("retries a failed event while others continue, with the same body and a fresh signature", async () => {
    receiver.answer(({ id }) =>
      id === receiver.deliveries[0]!.id && receiver.deliveries.length < 4
        ? { status: 500, body: "oops" }
        : 204
    );
    await fund(service);
    const first = (await receiver.awaitDeliveries(1))[0]!;
    await untilState(service, ({ passed }) => passed === eventOf(first).sequence);
    assertEquals(await retriesOf(service), [[eventOf(first).sequence, 1, "due"]]);
    const [row] = await service.books.sql`
      select extract(epoch from r.due_at - a.attempted_at)::float8 as wait
      from gold.retry r join gold.attempt a using (bucket, client_id, sequence)
      where client_id = ${service.partner.client}`;
    // Keep the retry away, because it could be sent before the other event below.
    await service.books
      .sql`update gold.retry set due_at = clock_timestamp() + interval '1 hour'
        where client_id = ${service.partner.client}`;
    // The first retry is due about five seconds after the attempt was recorded, with jitter. The second wait
    // would be thirty seconds.
    assert(row!.wait > 3 && row!.wait <= 15, `${row!.wait}`);
    // Checks that other events do not wait for the failed event.
    await fund(service);
    await receiver.awaitDeliveries(2);
    await service.books
      .sql`update gold.retry set due_at = clock_timestamp() - interval '1 second'
        where client_id = ${service.partner.client}`;
    const again = (await receiver.awaitDeliveries(3))[2]!;
    assertEquals([again.id, again.body], [first.id, first.body]);
    verify(service, again, service.partner.webhookSecret);
    await untilTries(2);
    await endWaits(service);
    await receiver.awaitDeliveries(4);
    await untilTries(undefined);
    assertEquals(await attemptsOf(service, eventOf(first).sequence), [
      [500, null, "oops"],
      [500, null, "oops"],
      [204, null, null],
    ]);
  });
  it("counts an event as waiting until it is delivered, and its endpoint as failing until an attempt succeeds", async () => {
    const read = async () => {
      const [row] = await service.books.sql`
        select b.waiting::int, s.failing::int, s.unsent_seconds > 0 as unsent, coalesce((
          select b.oldest_seconds between extract(epoch from now() - e.created_at)
            and extract(epoch from clock_timestamp() - e.created_at)
          from gold.event e join gold.retry r on r.client_id = e.client_id and r.sequence = e.sequence
          where r.due_at is not null order by e.sequence limit 1), b.oldest_seconds = 0) as oldest
        from gold.read_backlog() b, gold.read_sending() s`;
      return { ...row };
    };
    assertEquals(await read(), { waiting: 0, failing: 0, unsent: false, oldest: true });
    receiver.answer(500);
    await fund(service, 2);
    await receiver.awaitDeliveries(2);
    await untilSettled();
    await service.books.sql`
      update gold.retry set due_at = clock_timestamp() + interval '1 hour' where client_id = ${service.partner.client}`;
    assertEquals(await read(), { waiting: 2, failing: 1, unsent: false, oldest: true });
    receiver.answer(204);
    await fund(service);
    await receiver.awaitDeliveries(3);
    await untilState(service, ({ failures }) => failures === 0);
    await untilSettled();
    assertEquals(await read(), { waiting: 2, failing: 0, unsent: false, oldest: true });
    await endWaits(service);
    await receiver.awaitDeliveries(5);
    await untilTries(undefined);
    assertEquals(await read(), { waiting: 0, failing: 0, unsent: false, oldest: true });
  });

  it("names a new partner when its endpoint fails, before the registry is polled again", async () => {
    // A receiver of its own, because later tests count what theirs gets.
    const failing = await testReceiver();
    failing.answer(500);
    const [[pepper], [sealingKey]] = await Promise.all([
      readKeys(service.config.pepperSource),
      readKeys(service.config.sealingKeySource),
    ]);
    const keys = { pepper: pepper!, sealingKey: sealingKey! };
    const partners = await Promise.all(Array.from({ length: 5 }, async () => {
      const partner = await createTestPartner(service.books.sql, keys, { webhook: failing.url });
      await fundAtOnce(service, 8, partner);
      return partner;
    }));
    const named = () =>
      service.log.map((line) => JSON.parse(line)).filter(({ event }) => event === "webhook endpoint fails")
        .slice(-partners.length).map(({ client_id }) => client_id);
    const expected = partners.map(({ clientId }) => clientId).sort();
    await Promise.all(partners.map((one) => untilState(service, ({ failures }) => failures >= 5, one)));
    await until(() => named().sort().join() === expected.join(), named);
    await service.books.sql`update gold.receiver set removed_at = now() where id = any (${
      partners.map(({ client }) => client)
    })`;
    await failing.stop();
  });

  it("parks and logs an event after its last attempt, and continues with the other events", async () => {
    const before = await latest();
    receiver.answer(404);
    await fund(service);
    await untilState(service, ({ passed }) => passed === before + 1);
    await service.books.sql`update gold.retry set tries = 12 where client_id = ${service.partner.client}`;
    await endWaits(service);
    await until(async () => (await retriesOf(service))[0]?.[2] === "parked");
    assertEquals(await retriesOf(service), [[before + 1, 13, "parked"]]);
    const { client_id, event_id, status } = lastLog("webhook event parked");
    assertEquals([client_id, event_id, status], [service.partner.clientId, receiver.deliveries[0]!.id, 404]);
    receiver.answer(204);
    await fund(service);
    await receiver.awaitDeliveries(3);
    await untilSettled();
    assertEquals((await service.send(`/v1/events/${event_id}/redeliver`)).status, 201);
    assertEquals((await receiver.awaitDeliveries(4))[3]!.id, event_id);
    await untilTries(undefined);
  });

  it("sends nothing after 429 until the receiver's Retry-After has passed", async () => {
    await fund(service);
    await receiver.awaitDeliveries(1);
    receiver.answer({ status: 429, headers: { "Retry-After": "30" } });
    await fund(service);
    const { restsMs, failures } = await untilState(service, ({ restsMs }) => restsMs > 0);
    assert(restsMs > 15_000 && restsMs <= 30_000, `${restsMs}`);
    assertEquals([failures, (await retriesOf(service)).length], [1, 1]);
    await fund(service, 3);
    await pause(1500);
    assertEquals(receiver.deliveries.length, 2);
    receiver.answer(204);
    await endWaits(service);
    await receiver.awaitDeliveries(6);
  });

  it("pauses an endpoint after five failures in a row, and logs the failure once", async () => {
    const lines = () => service.log.filter((line) => line.includes("webhook endpoint fails")).length;
    const before = lines();
    receiver.answer("cut");
    await fund(service, 8);
    await untilState(service, ({ restsMs, failures }) => restsMs > 0 && failures >= 5);
    await pause(300);
    const sent = receiver.deliveries.length;
    assertLessOrEqual(sent, 16);
    assertEquals(lines(), before + 1);
    assertEquals(lastLog("webhook endpoint fails").code, "reset");
    receiver.answer(204);
    await endWaits(service);
    await receiver.awaitDeliveries(sent + 8);
    await untilSettled();
    assertEquals(lastLog("webhook endpoint works again").status, 204);
    const arrived = new Set(sequencesOf(receiver.deliveries.slice(sent)));
    assertEquals(arrived.size, 8);
  });

  it("sends nothing after 410 until a test is delivered, and then sends all waiting events", async () => {
    const before = await latest();
    receiver.answer(410);
    await fund(service);
    await untilState(service, ({ disabled, worker }) => disabled && worker === null);
    assertEquals(lastLog("webhook endpoint disabled").client_id, service.partner.clientId);
    receiver.answer(204);
    await fund(service, 3);
    await pause(1500);
    assertEquals(receiver.deliveries.length, 1);
    const tested = await service.send("/v1/webhook/test");
    assertEquals(tested.status, 201);
    const deliveries = await receiver.awaitDeliveries(6);
    assertEquals(eventOf(deliveries[1]!).type, "webhook.test");
    assertEquals(sequencesOf(deliveries.slice(2)).sort((a, b) => a - b), [1, 2, 3, 4].map((n) => before + n));
    await untilState(service, ({ disabled }) => !disabled);
  });

  it("sends a test although the endpoint refuses all earlier events", async () => {
    receiver.answer((delivery) => eventOf(delivery).type === "webhook.test" ? 204 : 500);
    await fund(service, 3);
    await receiver.awaitDeliveries(3);
    assertEquals((await service.send("/v1/webhook/test")).status, 201);
    const isTested = () => receiver.deliveries.some((one) => eventOf(one).type === "webhook.test");
    await until(isTested);
    assert(isTested());
  });

  const isBy = (delivery: Delivery, secret: string) => {
    try {
      verify(service, delivery, secret);
      return true;
    } catch {
      return false;
    }
  };
  /**
   * Sends events until a delivery matches and returns it. If none matches in time, returns the last delivery.
   */
  const untilSigned = async (so: (delivery: Delivery) => boolean): Promise<Delivery> => {
    for (const endMs = performance.now() + TIMEOUT_MS;; await pause(50)) {
      receiver.deliveries.splice(0);
      await fund(service);
      const [delivery] = await receiver.awaitDeliveries(1) as [Delivery];
      if (so(delivery) || performance.now() > endMs) return delivery;
    }
  };

  it("signs with both secrets during a rotation, and only with the new secret afterwards", async () => {
    const [sealingKey] = await readKeys(service.config.sealingKeySource);
    const sealing = await createSealing([sealingKey!]);
    const newer = newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
    const { client, clientId, webhookSecret } = service.partner;
    await fund(service);
    await receiver.awaitDeliveries(1);
    await service.books.sql`
      select gold.rotate_webhook_secret(${clientId}, ${await sealing.seal(
      newer,
    )}::bytea, ${sealing.currentKeyName}, 86400)`;
    const both = await untilSigned((delivery) => isBy(delivery, newer));
    verify(service, both, webhookSecret);
    verify(service, both, newer);
    await service.books.sql`
      update gold.webhook_secret set retire_at = clock_timestamp() - interval '1 second' where partner_id = ${client} and retire_at is not null`;
    const alone = await untilSigned((delivery) => !isBy(delivery, webhookSecret));
    verify(service, alone, newer);
    assertThrows(() => verify(service, alone, webhookSecret), WebhookError);
    await service.books.sql`
      update gold.webhook_secret set sealed = ${await sealing.seal(
      webhookSecret,
    )}::bytea where partner_id = ${client} and retire_at is null`;
    parseWebhookSecret(newer);
  });

  it("records when a webhook secret was last used", async () => {
    await fund(service);
    await until(async () => {
      const [row] = await service.books.sql`
        select max(last_used_at) as used from gold.webhook_secret where partner_id = ${service.partner.client}`;
      return row!.used;
    });
  });

  it("leaves books in which verify_ledger() finds no defect", async () => {
    assertEquals(await service.books.defects(), []);
    assertEquals((await stateOf(service)).failures, 0);
  });
});
