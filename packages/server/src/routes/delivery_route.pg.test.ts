import { expectProblem } from "../../testing/problem.ts";
import type { TestPartner } from "../../testing/partner.ts";
import { type EventReply, eventReply, eventsReply } from "@gold-partner/protocol";
import { randomUUID } from "node:crypto";
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { until } from "../../../../tools/testing/until.ts";
import { suiteService } from "../../testing/service.ts";
import { suiteDelivery } from "../delivery/webhook_fixture.ts";

describe("webhook tests and redeliveries", () => {
  const service = suiteService();

  const TEST = "/v1/webhook/test";
  const redeliverPath = (id: string) => `/v1/events/${id}/redeliver`;
  async function post(path: string, partner: TestPartner): Promise<EventReply> {
    const reply = await service.send(path, { partner });
    const text = await reply.text();
    assertEquals([reply.status, reply.headers.get("Content-Type")], [201, "application/json"], text);
    const event = JSON.parse(text);
    assertEquals(eventReply.parse(event), event);
    return event;
  }
  async function read(id: string, partner: TestPartner): Promise<EventReply> {
    const reply = await service.send(`/v1/events/${id}`, { method: "GET", partner });
    const { line, ...event } = eventReply.parse(await reply.json());
    assert(line);
    return event as EventReply;
  }

  it("return the same event as GET /v1/events/{id}, without its line of the chain", async () => {
    const partner = await service.addPartner();
    const test = await post(TEST, partner);
    assertEquals([test.type, test.sequence, test.delivery.status], ["webhook.test", 1, "pending"]);
    assertEquals(await read(test.id, partner), test);
    const again = await post(redeliverPath(test.id), partner);
    assertEquals({ ...again, delivery: test.delivery, deliveries: test.deliveries }, test);
    assertEquals(await read(test.id, partner), again);
    assertEquals((await post(TEST, partner)).sequence, 2);
  });

  it("return the same bytes to a repeat, with an empty object or without a body", async () => {
    const partner = await service.addPartner();
    const { id } = await post(TEST, partner);
    for (const path of [TEST, redeliverPath(id)]) {
      const headers = { "Idempotency-Key": randomUUID() };
      const first = await service.send(path, { partner, headers });
      const text = await first.text();
      assertEquals(first.status, 201, text);
      for (const body of [{}, { body: "" }, { body: "{}" }, { body: " { } " }]) {
        const again = await service.send(path, { partner, headers, ...body });
        assertEquals([again.status, again.headers.get("Idempotent-Replayed")], [200, "true"]);
        assertEquals(await again.text(), text);
      }
    }
    assertEquals((await post(TEST, partner)).sequence, 3);
  });

  it("require no media type without a body, but check a body that is sent", async () => {
    const bare = { headers: { "Content-Type": null } };
    assertEquals((await service.send(TEST, bare)).status, 201);
    await expectProblem(service.send(TEST, { ...bare, body: "{}" }), "unsupported_media_type");
    for (const body of ['{"a":1}', "[]", "null", "{", " "]) {
      await expectProblem(service.send(TEST, { body }), "invalid_request");
    }
    await expectProblem(service.send(TEST, { body: " ".repeat(65_537) }), "body_too_large");
    await expectProblem(service.send(`${TEST}?type=order`), "invalid_request");
  });

  it("require a token and an idempotency key, and bind the key to one event", async () => {
    const partner = await service.addPartner();
    const [one, other] = [await post(TEST, partner), await post(TEST, partner)];
    const path = redeliverPath(one.id);
    await expectProblem(service.send(path, { partner, headers: { Authorization: null } }), "token_missing");
    await expectProblem(
      service.send(path, { partner, headers: { "Idempotency-Key": null } }),
      "idempotency_key_missing",
    );
    const headers = { "Idempotency-Key": randomUUID() };
    assertEquals((await service.send(path, { partner, headers })).status, 201);
    for (const elsewhere of [redeliverPath(other.id), TEST]) {
      await expectProblem(service.send(elsewhere, { partner, headers }), "idempotency_key_conflict");
    }
  });

  it("return 404 for another partner's event as for an unknown one, and do not bind the key", async () => {
    const [partner, stranger] = [await service.addPartner(), await service.addPartner()];
    const { id } = await post(TEST, partner);
    const headers = { "Idempotency-Key": randomUUID() };
    const details = new Set<string>();
    for (const unknown of [id, id.replace(/.{12}$/, "000000000000"), id.toUpperCase(), "evt_", "x"]) {
      const reply = await service.send(redeliverPath(unknown), { partner: stranger, headers });
      assert(!reply.headers.has("Idempotent-Replayed"));
      details.add((await expectProblem(reply, "not_found")).detail);
    }
    assertEquals(details.size, 1);
    assertEquals((await service.send(TEST, { partner: stranger, headers })).status, 201);
  });

  it("are refused for a partner that was suspended after it got its token", async () => {
    const partner = await service.addPartner();
    const { id } = await post(TEST, partner);
    await service.token(partner);
    await service.books.sql`select gold.suspend_partner(${partner.clientId})`;
    for (const path of [TEST, redeliverPath(id)]) {
      await expectProblem(service.send(path, { partner }), "partner_suspended");
    }
    const events = await service.books.sql`select from gold.event where client_id = ${partner.client}`;
    assertEquals(events.length, 1);
  });
});

describe("the delivery of tests, redeliveries and replays", () => {
  const { service, receiver } = suiteDelivery();

  const ids = () => receiver.deliveries.map(({ id }) => id);
  async function post(path: string): Promise<string> {
    const reply = await service.send(path);
    assertEquals(reply.status, 201);
    return eventReply.parse(await reply.json()).id;
  }

  it("sends a test, the same bytes again for a redelivery, and all events for a replay", async () => {
    const [one, two] = [await post("/v1/webhook/test"), await post("/v1/webhook/test")];
    await receiver.awaitDeliveries(2);
    assertEquals(ids().sort(), [one, two].sort());
    await post(`/v1/events/${one}/redeliver`);
    await receiver.awaitDeliveries(3);
    const bodies = receiver.deliveries.filter(({ id }) => id === one).map(({ body }) => `${body}`);
    assertEquals([bodies.length, new Set(bodies).size], [2, 1]);
    await service.books
      .sql`select gold.replay_events(${service.partner.clientId}, '1970-01-01T00:00:00.000Z')`;
    await receiver.awaitDeliveries(5);
    assertEquals(ids().slice(3).sort(), [one, two].sort());
  });

  it("delays a redelivery while the endpoint is disabled, until a delivered test enables it", async () => {
    receiver.answer(410);
    const sent = receiver.deliveries.length;
    const gone = await post("/v1/webhook/test");
    await receiver.awaitDeliveries(sent + 1);
    await untilDisabled();
    receiver.answer(204);
    const funding = await fund();
    await post(`/v1/events/${funding}/redeliver`);
    assert(!ids().includes(funding));
    await post("/v1/webhook/test");
    await receiver.awaitDeliveries(sent + 4);
    assertEquals([gone, funding].filter((id) => !ids().slice(sent + 1).includes(id)), []);
  });

  async function untilDisabled(): Promise<void> {
    await until(async () => {
      const [row] = await service.books.sql`
        select disabled_at from gold.endpoint where client_id = ${service.partner.client}`;
      return row?.disabled_at;
    });
  }

  async function fund(): Promise<string> {
    assertEquals((await service.send("/sandbox/fund", { body: '{"amount_sar":1}' })).status, 201);
    const reply = await service.send("/v1/events?limit=200", { method: "GET" });
    return eventsReply.parse(await reply.json()).items.at(-1)!.id;
  }
});
