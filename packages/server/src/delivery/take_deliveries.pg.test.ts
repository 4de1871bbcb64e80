import { suiteBooks } from "../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { bookOrder, bookWithdrawal, orderItem, withdrawalItem } from "../booking/fixture.ts";
import {
  ageHeartbeat,
  askForTest,
  attemptOf,
  createReceiver,
  createWorker,
  endpointAt,
  FAILED,
  numbersOf,
  PARKED,
  postEvents,
  redeliver,
  retriesOf,
  type TestWorker,
} from "./delivery_fixture.ts";

describe("take_deliveries", () => {
  const books = suiteBooks();
  let worker: TestWorker;
  before(async () => {
    await books.addBar(1_000_000n);
    worker = await createWorker(books);
  });

  /** Creates a partner with this many events and lets the worker claim its endpoint. */
  async function hold(events: number): Promise<number> {
    const client = await createReceiver(books, events);
    await worker.claim([client], 1);
    return client;
  }
  const take = (client: number, after: number, room: number, from = worker) =>
    from.take([{ client, after, room }]);

  it("returns the events after a number, in order, for many endpoints, up to each one's room", async () => {
    const [one, two, none] = [await hold(5), await hold(3), await hold(1)];
    const events = await worker.take([
      { client: one, after: 1, room: 3 },
      { client: two, after: 0, room: 9 },
      { client: none, after: 1, room: 9 },
    ]);
    const of = (client: number) => numbersOf(events.filter((event) => event.client === client));
    assertEquals([of(one), of(two), of(none)], [[2, 3, 4], [1, 2, 3], []]);
    assertEquals(events.map(({ tries, ticket }) => [tries, ticket]), events.map(() => [0, null]));
    assertEquals(numbersOf(await take(one, 4, 0)), []);
  });

  it("returns the same bytes as the events API for each event, at every attempt", async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    await bookOrder(books.api, orderItem(client, await books.quote(client, "buy", 10_000n)));
    await bookWithdrawal(books.api, withdrawalItem(client, 5n));
    await worker.claim([client], 1);
    const first = await take(client, 0, 9);
    assertEquals(first.map(({ body }) => JSON.parse(body!).type), [
      "funding.completed",
      "order.executed",
      "withdrawal.created",
    ]);
    const read = await books.api<{ body: string }[]>`select body from gold.list_events(${client}, 0, 9)`;
    const [owner] = await books.sql`select public_id from gold.partner where id = ${client}`;
    const added = (n: number) => `,"previous_sequence":${n || null},"client_id":"${owner!.public_id}"}`;
    assertEquals(
      read.map(({ body }, n) => body.replace(/,"delivery":.*$/, added(n))),
      first.map(({ body }) => body!),
    );
    for (const sequence of [1, 2, 3]) await redeliver(books, client, sequence);
    const again = await take(client, 3, 9);
    assertEquals(again.map(({ body }) => body).sort(), first.map(({ body }) => body).sort());
  });

  it("seals unsealed events before it returns them, and otherwise seals nothing", async () => {
    const client = await hold(3);
    const [event] = await take(client, 0, 1);
    const [tail] = await books
      .sql`select sequence, encode(head, 'hex') as head from gold.chain_tail where client_id = ${client}`;
    assertEquals(tail!.sequence, "3");
    assertEquals(JSON.parse(event!.body!).data.chain_head.length, 64);
    await postEvents(books, client, 1);
    await take(client, 0, 2);
    assertEquals((await books.sql`select from gold.chain_link where client_id = ${client}`).length, 3);
    // The event stays due, because it is not sealed.
    await redeliver(books, client, 4);
    assertEquals(numbersOf(await take(client, 0, 1)), [1]);
    assertEquals(await retriesOf(books, client), "4 due");
    assertEquals(numbersOf(await take(client, 3, 1)), [4]);
  });

  it("returns nothing and takes no ticket for an endpoint that the worker does not hold", async () => {
    const client = await hold(2);
    await redeliver(books, client, 1);
    const other = await createWorker(books);
    assertEquals(numbersOf(await take(client, 0, 9, other)), []);
    assertEquals(await retriesOf(books, client), "1 due");
  });

  it("returns due retries first, the longest due first, and fills the room with new events", async () => {
    const client = await hold(6);
    for (const sequence of [3, 1, 2]) await redeliver(books, client, sequence);
    await books
      .sql`update gold.retry set due_at = now() - sequence * interval '1 minute' where client_id = ${client}`;
    const events = await take(client, 3, 5);
    const [due, fresh] = [
      events.filter(({ ticket }) => ticket !== null),
      events.filter(({ ticket }) => ticket === null),
    ];
    assertEquals([numbersOf(due).sort(), numbersOf(fresh)], [[1, 2, 3], [4, 5]]);
    await books
      .sql`update gold.retry set due_at = now() - sequence * interval '1 minute' where client_id = ${client}`;
    assertEquals(numbersOf(await take(client, 3, 1)), [3]);
  });

  it("reserves a due retry for twenty seconds, after which another worker can take it", async () => {
    const client = await hold(1);
    await redeliver(books, client, 1);
    const [event] = await take(client, 1, 1);
    assertEquals(await retriesOf(books, client), "1 waits");
    const aheadMs = Date.parse(event!.ticket!) - Date.now();
    assert(aheadMs > 15_000 && aheadMs <= 20_000, `${aheadMs}`);
    assertEquals(numbersOf(await take(client, 1, 1)), []);
    // Let another worker claim the endpoint, as if the first one had died before it settled the event.
    const next = await createWorker(books);
    await ageHeartbeat(books, worker, 6);
    await books
      .sql`update gold.retry set due_at = due_at - interval '21 seconds' where client_id = ${client}`;
    await next.claim([client], 1);
    assertEquals(numbersOf(await take(client, 1, 1, next)), [1]);
    await next.dismiss();
    await worker.renew();
  });

  it("returns events with a retry row (due, parked or delivered) in sequence without a body", async () => {
    const client = await hold(5);
    const events = await take(client, 0, 4);
    for (const sequence of [1, 2, 3]) await redeliver(books, client, sequence);
    const beside = await take(client, 4, 6);
    const [due, parked, delivered] = [1, 2, 3].map((n) =>
      beside.find(({ sequence }) => Number(sequence) === n)!
    );
    await worker.settle(
      [attemptOf(due!, FAILED), attemptOf(parked!, PARKED), attemptOf(delivered!)],
      [endpointAt(client, 0, 0)],
    );
    assertEquals(await retriesOf(books, client), "1 waits, 2 parked, 3 delivered");
    const again = await take(client, 0, 9);
    assertEquals(again.map(({ sequence, body }) => [Number(sequence), body === null]), [
      [1, true],
      [2, true],
      [3, true],
      [4, false],
      [5, false],
    ]);
    assertEquals(again[3]!.body, events[3]!.body);
  });

  it("returns only tests for a disabled endpoint, and leaves other due retries unchanged", async () => {
    const client = await hold(2);
    await redeliver(books, client, 1);
    await worker.settle([], [endpointAt(client, 0, 0, { disabled: true })]);
    await askForTest(books, client);
    const events = await take(client, 0, 9);
    assertEquals(events.map(({ sequence, body }) => [sequence, JSON.parse(body!).type]), [[
      "3",
      "webhook.test",
    ]]);
    assertEquals(await retriesOf(books, client), "1 due, 3 waits");
  });

  it("returns a test that was just requested before the retries of earlier tests", async () => {
    const client = await hold(1);
    for (let tests = 0; tests < 3; tests++) await askForTest(books, client);
    await books
      .sql`update gold.retry set due_at = now() - interval '1 minute' where client_id = ${client} and sequence < 4`;
    await worker.settle([], [endpointAt(client, 0, 0, { disabled: true })]);
    assertEquals(numbersOf(await take(client, 1, 1)), [4]);
    assertEquals(numbersOf(await take(client, 1, 9)).sort(), [2, 3]);
  });

  it("returns nothing for the worker's earlier claim, and leaves retries to its current claim", async () => {
    const client = await hold(1);
    await redeliver(books, client, 1);
    await books.sql`update gold.endpoint set worker = null where client_id = ${client}`;
    assertEquals((await worker.claim([client], 1)).map(({ tenure }) => tenure), [2]);
    assertEquals(numbersOf(await worker.take([{ client, tenure: 1, after: 0, room: 8 }])), []);
    assertEquals(await retriesOf(books, client), "1 due");
    assertEquals(numbersOf(await worker.take([{ client, after: 1, room: 8 }])), [1]);
  });

  it("gives retries at most half of the room, and returns tests in addition", async () => {
    const client = await hold(9);
    for (const sequence of [1, 2, 3, 4]) await redeliver(books, client, sequence);
    await askForTest(books, client);
    const events = await take(client, 4, 4);
    assertEquals(
      events.filter(({ ticket }) => ticket !== null).map(({ sequence }) => Number(sequence)).sort(),
      [
        1,
        10,
        2,
      ],
    );
    assertEquals(events.filter(({ ticket }) => ticket === null).map(({ sequence }) => sequence), ["5"]);
  });
});
