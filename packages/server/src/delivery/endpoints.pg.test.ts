import { after, before, beforeEach, describe, it } from "node:test";
import { accountReply, credentialsReply, newWebhookSecret } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { type Delivery, type TestReceiver, testReceiver } from "../../testing/receiver.ts";
import { valueOf } from "../../testing/rows.ts";
import { verdictOf } from "../booking/operator_fixture.ts";
import { readKeys } from "../settings/key_source.ts";
import { createSealing } from "../settings/sealing.ts";
import { eventOf, fund, order, suiteDelivery, verify } from "./webhook_fixture.ts";

interface Endpoint {
  readonly receiver: TestReceiver;
  readonly number: number;
  readonly secret: string;
}

describe("a partner's webhook endpoints", () => {
  const { service, receiver: first } = suiteDelivery();
  const opened: TestReceiver[] = [];
  const numbers: number[] = [];
  before(async () => {
    await service.books.addBar(1_000_000n);
    await fund(service);
  });
  beforeEach(async () => {
    for (const number of numbers.splice(0)) await remove(number);
    await untilAllPassed();
    first.deliveries.splice(0);
  });
  after(() => Promise.all(opened.map((receiver) => receiver.stop())));

  async function add(types: readonly string[] | null): Promise<Endpoint> {
    const receiver = await testReceiver();
    opened.push(receiver);
    const [sealingKey] = await readKeys(service.config.sealingKeySource);
    const sealing = await createSealing([sealingKey!]);
    const secret = newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
    const [row] = await service.books.sql`
      select endpoint from gold.add_endpoint(${service.partner.clientId}, ${receiver.url}, ${
      types && `{${types.join()}}`
    }::text::text[], ${await sealing.seal(secret)}::bytea, ${sealing.currentKeyName})`;
    numbers.push(row!.endpoint);
    return { receiver, number: row!.endpoint, secret };
  }
  const remove = (number: number) =>
    service.books.sql`select gold.remove_endpoint(${service.partner.clientId}, ${number})`.catch(() => {});
  const set = (number: number, url: string | null, types: readonly string[] | null) =>
    service.books.sql`select gold.set_endpoint(${service.partner.clientId}, ${number}, ${url}, ${
      types && `{${types.join()}}`
    }::text::text[])`;
  /** Lets an endpoint rest that no worker holds. */
  const restFor = (number: number, length: string) =>
    service.books.sql`
      update gold.endpoint n set worker = null, rests_until = clock_timestamp() + ${length}::text::interval
      from gold.receiver r
      where r.partner_id = ${service.partner.client} and r.number = ${number} and n.client_id = r.id`;
  const latest = () =>
    valueOf<number>(service.books.sql`
      select event_sequence::int as latest from gold.account where client_id = ${service.partner.client}`);
  /** The status of `delivery` and of each delivery, as GET /v1/events shows them. Operators see the same ones. */
  async function shown(sequence: number): Promise<string[]> {
    const { items: [event] } = await read(`/v1/events?after=${sequence - 1}&limit=1`) as {
      items: {
        id: string;
        delivery: { status: string };
        deliveries: { endpoint: number; status: string }[];
      }[];
    };
    const [row] = await service.books.sql`
      select gold.trace_event(${event!.id.slice(4)}::uuid) -> 'deliveries' as traced`;
    const statusOf = ({ endpoint, status }: { endpoint: number; status: string }) => `${endpoint} ${status}`;
    assertEquals(row!.traced.map(statusOf), event!.deliveries.map(statusOf));
    return [
      event!.delivery.status,
      ...event!.deliveries.map(statusOf),
    ];
  }
  const untilAllPassed = () =>
    until(async () => {
      const [row] = await service.books.sql`
        select count(*)::int as behind from gold.receiver r
        join gold.account a on a.client_id = r.partner_id
        left join gold.endpoint n on n.client_id = r.id
        where r.partner_id = ${service.partner.client} and r.removed_at is null
          and a.event_sequence > coalesce(n.passed, r.added_after)`;
      return row!.behind === 0;
    });
  const told = (delivery: Delivery) => {
    const { type, sequence, previous_sequence: previous } = eventOf(delivery);
    return [type, sequence, previous] as const;
  };
  /** In the order of the numbers, because several deliveries are in flight at once. */
  const toldTo = ({ deliveries }: TestReceiver) =>
    deliveries.map(told).sort(([, one], [, other]) => one - other);
  const read = async (path: string) => (await service.send(path, { method: "GET" })).json();

  it("get only events of their types, signed with their own secret, each naming the one before it", async () => {
    const trades = await add(["order.executed"]);
    const rest = await add(["funding.completed", "credential.added"]);
    const from = await latest();
    await order(service);
    await fund(service, 2);
    await order(service);
    await untilAllPassed();
    assertEquals(toldTo(trades.receiver), [
      ["order.executed", from + 1, null],
      ["order.executed", from + 4, from + 1],
    ]);
    // Its own secret is an event of the endpoint, and the second event after its addition.
    assertEquals(toldTo(rest.receiver), [
      ["credential.added", from, null],
      ["funding.completed", from + 2, from],
      ["funding.completed", from + 3, from + 2],
    ]);
    for (const { receiver, secret } of [trades, rest]) {
      for (const delivery of receiver.deliveries) verify(service, delivery, secret);
    }
    // The first endpoint also got the events of both additions.
    const numbers = Array.from({ length: 8 }, (_, n) => from - 3 + n);
    assertEquals(
      toldTo(first).map(([, sequence, previous]) => [sequence, previous]),
      numbers.map((number) => [number, number - 1]),
    );
  });

  it("do not wait for an endpoint that fails or hangs, which gets its events later", async () => {
    const [dead, slow, well] = [await add(null), await add(null), await add(null)];
    await untilAllPassed();
    for (const { receiver } of [dead, slow, well]) receiver.deliveries.splice(0);
    dead.receiver.answer(500);
    slow.receiver.answer({ status: 204, delayMs: 2000 });
    await fund(service, 20);
    await well.receiver.awaitDeliveries(20, 1500);
    dead.receiver.answer(204);
    await service.books
      .sql`select gold.enable_receiver(o.id) from gold.receiver o where o.number = ${dead.number}`;
    await until(() => new Set(dead.receiver.deliveries.map((one) => eventOf(one).sequence)).size === 20);
    await slow.receiver.awaitDeliveries(20);
  });

  it("all get a test, and those that take its type a redelivery", async () => {
    const days = await add(["day.closed"]);
    await untilAllPassed();
    first.deliveries.splice(0);
    const reply = await service.send("/v1/webhook/test", {});
    const test = await reply.json() as { id: string; deliveries: { endpoint: number }[] };
    assertEquals(test.deliveries.map(({ endpoint }) => endpoint), [1, days.number]);
    await Promise.all([days.receiver, first].map((receiver) => receiver.awaitDeliveries(1)));
    assertEquals(days.receiver.deliveries.map(({ id }) => id), [test.id]);
    await fund(service);
    await first.awaitDeliveries(2);
    const { id } = eventOf(first.deliveries[1]!);
    const again = await service.send(`/v1/events/${id}/redeliver`, {});
    const { deliveries } = await again.json() as { deliveries: unknown[] };
    assertEquals([again.status, deliveries.length], [201, 1]);
    await first.awaitDeliveries(3);
    await untilAllPassed();
    assertEquals(days.receiver.deliveries.length, 1);
  });

  it("begin a new chain of events with other types, and get the events that wait by these types", async () => {
    const { receiver, number } = await add(["order.executed"]);
    await fund(service);
    await order(service);
    await untilAllPassed();
    const delivered = await latest();
    // One order fails and waits in `retry`; an order and a funding wait after the mark.
    receiver.answer(500);
    await order(service);
    await untilAllPassed();
    receiver.answer(204);
    await restFor(number, "1 hour");
    await order(service);
    await fund(service);
    await set(number, null, ["funding.completed"]);
    await restFor(number, "0");
    await untilAllPassed();
    const from = await latest();
    await order(service);
    await fund(service, 2);
    await untilAllPassed();
    assertEquals(toldTo(receiver).slice(1), [
      ["order.executed", delivered + 1, delivered],
      ["funding.completed", delivered + 3, null],
      ["funding.completed", from + 2, null],
      ["funding.completed", from + 3, from + 2],
    ]);
    assertEquals(await shown(delivered), ["delivered", "1 delivered", `${number} delivered`]);
    assertEquals(await shown(delivered + 1), ["delivered", "1 delivered"]);
    assertEquals(await shown(delivered + 2), ["delivered", "1 delivered"]);
    assertEquals(await shown(delivered + 3), ["delivered", "1 delivered", `${number} delivered`]);
    const [left] = await service.books.sql`
      select count(*)::int as retries from gold.retry t join gold.receiver r on r.id = t.client_id
      where r.partner_id = ${service.partner.client}`;
    assertEquals(left!.retries, 0);
    const sql = service.books.sql;
    const listed = await sql`
      select sequence::int from gold.list_deliveries(${service.partner.clientId}, 'delivered', 100, ${number})`;
    assertEquals(listed.map(({ sequence }) => sequence), [from + 3, from + 2, delivered + 3, delivered]);
    await set(number, null, []);
    await fund(service);
    await untilAllPassed();
    assertEquals(toldTo(receiver).at(-1), ["funding.completed", from + 5, from + 4]);
  });

  it("show an event that no endpoint gets as filtered", async () => {
    await set(1, null, ["funding.completed"]);
    try {
      await order(service);
      await untilAllPassed();
      assertEquals(await shown(await latest()), ["filtered"]);
    } finally {
      await set(1, null, []);
    }
  });

  it("are shown in GET /v1/account and with each event", async () => {
    const { number, receiver } = await add(["order.executed", "day.closed"]);
    await fund(service);
    await order(service);
    await untilAllPassed();
    const { webhook_endpoints: endpoints } = accountReply.parse(await read("/v1/account"));
    assertEquals(
      endpoints.map(({ endpoint, url, types, delivered_to }) => ({ endpoint, url, types, delivered_to })),
      [
        { endpoint: 1, url: first.url, types: null, delivered_to: await latest() },
        {
          endpoint: number,
          url: receiver.url,
          types: ["day.closed", "order.executed"],
          delivered_to: await latest(),
        },
      ],
    );
    const last = await latest();
    assertEquals(await shown(last - 1), ["delivered", "1 delivered"]);
    assertEquals(await shown(last), ["delivered", "1 delivered", `${number} delivered`]);
  });

  it("end with their removal: waiting events are dropped, and the number is not used again", async () => {
    const { receiver, number } = await add(null);
    receiver.answer(500);
    await fund(service, 3);
    // Those of its addition and of its secret, and three fundings. After five failures, the endpoint rests.
    await receiver.awaitDeliveries(5);
    const { webhook_secrets: secrets } = credentialsReply.parse(await read("/v1/credentials"));
    assertEquals(secrets.map(({ endpoint }) => endpoint).filter((endpoint) => endpoint === number), [number]);
    await service.books.sql`select gold.remove_endpoint(${service.partner.clientId}, ${number})`;
    const [left] = await service.books.sql`
      select (select count(*)::int from gold.retry r where r.client_id = o.id) as retries,
        (select count(*)::int from gold.endpoint n where n.client_id = o.id) as states,
        (select s.retire_at = o.removed_at from gold.webhook_secret s where s.receiver_id = o.id) as retired
      from gold.receiver o where o.partner_id = ${service.partner.client} and o.number = ${number}`;
    assertEquals({ ...left }, { retries: 0, states: 0, retired: true });
    const arrived = receiver.deliveries.length;
    await fund(service);
    await untilAllPassed();
    assertEquals(receiver.deliveries.length, arrived);
    const next = await add(null);
    assertEquals(next.number, number + 1);
  });

  it("are five at most, the first of which stays, and have only known types", async () => {
    for (let n = 0; n < 4; n++) await add(null);
    const { clientId } = service.partner;
    const verdicts = await Promise.all([
      service.books.sql`select gold.add_endpoint(${clientId}, 'https://localhost/', null, '\\x00', 'k')`,
      service.books.sql`select gold.remove_endpoint(${clientId}, 1)`,
      service.books.sql`select gold.remove_endpoint(${clientId}, 99)`,
      service.books.sql`select gold.set_endpoint(${clientId}, 1, null, '{order.made}')`,
    ].map(verdictOf));
    assertEquals(verdicts, [
      `GR409 ${clientId} has 5 webhook endpoints, which is the maximum: remove one that is no longer used`,
      "GR409 the first webhook endpoint cannot be removed: set another URL, or other types",
      `GR404 ${clientId} has no webhook endpoint 99`,
      "GR409 there are no events of the type order.made",
    ]);
  });
});
