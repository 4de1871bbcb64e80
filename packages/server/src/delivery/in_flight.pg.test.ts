import { suiteBooks } from "../../testing/books.ts";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { publicIdOf } from "../booking/operator_fixture.ts";
import {
  readEndpoint,
  readRetries,
  redeliver,
  redeliveryItem,
  testWebhook,
  webhookTestItem,
} from "../booking/redelivery/redelivery_fixture.ts";
import { numbersOf } from "./delivery_fixture.ts";
import { startManualWorker } from "./manual_worker_fixture.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";

describe("requests while a worker has the event in flight", () => {
  const books = suiteBooks();

  /**
   * A partner with this many events in order, the worker that holds its endpoint, and the first event's UUID.
   */
  async function held(events: number) {
    const client = await books.createClient();
    for (let n = 0; n < events; n++) await testWebhook(books.api, webhookTestItem(client));
    await books.sql`delete from gold.retry where client_id = ${client}`;
    const [first] = await books.sql`select id from gold.event where client_id = ${client} and sequence = 1`;
    const worker = await startManualWorker(books, client);
    assertEquals(await worker.claim(), 0);
    return { client, worker, event: first!.id as string, publicId: await publicIdOf(books, client) };
  }
  const askers: Record<string, (client: number, event: string) => Promise<unknown>> = {
    "the partner": (client, event) => redeliver(books.api, redeliveryItem(client, event)),
    "the operator": async (_, event) => await books.sql`select gold.redeliver_event(${event}::uuid)`,
  };

  it("a redelivery requested during the first attempt is sent, whatever the attempt's result", async () => {
    for (const [asker, ask] of Object.entries(askers)) {
      for (const status of [200, 500]) {
        const { client, worker, event } = await held(1);
        const taken = await worker.take(0);
        assertEquals(taken.map(({ sequence, ticket }) => [sequence, ticket]), [["1", null]]);
        await ask(client, event);
        assert(await worker.settle(taken, status, { from: 0, passed: 1 }));
        assertEquals(await readRetries(books.sql, client), ["1 0 due"], `${asker} ${status}`);
        const again = await worker.take(1);
        assertEquals(again.map(({ sequence, ticket }) => [sequence, ticket !== null]), [["1", true]]);
        assert(await worker.settle(again, 200, { from: 1, passed: 1 }));
        assertEquals(await readRetries(books.sql, client), []);
      }
    }
  });

  it("a redelivery requested during a retry is sent, whatever the retry's result", async () => {
    for (const [asker, ask] of Object.entries(askers)) {
      for (const status of [200, 500]) {
        const { client, worker, event } = await held(1);
        assert(await worker.settle(await worker.take(0), 500, { from: 0, passed: 1 }));
        await ask(client, event);
        const taken = await worker.take(1);
        assertEquals(taken.length, 1);
        await ask(client, event);
        assert(await worker.settle(taken, status, { from: 1, passed: 1 }));
        assertEquals(await readRetries(books.sql, client), ["1 0 due"], `${asker} ${status}`);
      }
    }
  });

  it("a replay releases the endpoint, and attempts in flight do not move the mark forward", async () => {
    const { client, worker, publicId } = await held(4);
    assert(await worker.settle(await worker.take(0, 2), 200, { from: 0, passed: 2 }));
    const inFlight = await worker.take(2);
    assertEquals(numbersOf(inFlight), [3, 4]);
    const [replay] = await books
      .sql`select gold.replay_events(${publicId}, ${EPOCH}::text::timestamptz)::int as events`;
    assertEquals([replay!.events, await readEndpoint(books.sql, client)], [4, "0 free 0"]);
    assertEquals(await worker.settle(inFlight.slice(0, 1), 200, { from: 2, passed: 3 }), false);
    assertEquals(await readEndpoint(books.sql, client), "0 free 0");
    // Claim the endpoint again by the same worker, and only then settle the other attempt.
    assertEquals(await worker.claim(), 0);
    assertEquals(await worker.settle(inFlight.slice(1), 200, { from: 2, passed: 4 }), false);
    assertEquals(await readEndpoint(books.sql, client), "0 held 0");
    assertEquals(numbersOf(await worker.take(0)), [1, 2, 3, 4]);
    assertEquals(await readRetries(books.sql, client), []);
  });

  it("a replay keeps retries due that were in flight when it was requested", async () => {
    const { client, worker, publicId } = await held(2);
    assert(await worker.settle(await worker.take(0), 500, { from: 0, passed: 2 }));
    await books
      .sql`update gold.retry set due_at = clock_timestamp() - interval '1 second' where client_id = ${client}`;
    const inFlight = await worker.take(2);
    await books.sql`select gold.replay_events(${publicId}, ${EPOCH}::text::timestamptz)`;
    await worker.settle(inFlight, 200, { from: 2, passed: 2 });
    assertEquals(await readRetries(books.sql, client), ["1 0 due", "2 0 due"]);
  });

  it("a new URL releases the endpoint, so that failures of the old URL do not count", async () => {
    const { client, worker, publicId } = await held(1);
    const taken = await worker.take(0);
    await books
      .sql`select gold.set_partner(${publicId}, null, null, 'https://elsewhere.example/', null, null, null)`;
    assertEquals(await worker.settle(taken, 410, { from: 0, passed: 1 }), false);
    assertEquals([await readEndpoint(books.sql, client), await readRetries(books.sql, client)], [
      "0 free 0",
      [],
    ]);
    assertEquals(await worker.claim(), 0);
    // The funding, and the event of the new URL.
    assertEquals((await worker.take(0)).length, 2);
  });

  it("concurrent redeliveries, replays and a worker do not deadlock", async () => {
    const { client, worker, event, publicId } = await held(8);
    const rounds = Array.from({ length: 15 });
    const repeat = async (one: () => Promise<unknown>) => {
      for (const _ of rounds) await one();
    };
    await Promise.all([
      repeat(async () => {
        const from = await worker.claim();
        if (from === undefined) return;
        const taken = await worker.take(from);
        await worker.settle(taken, 200, {
          from,
          passed: Math.max(from, ...numbersOf(taken)),
        });
      }),
      repeat(() => redeliver(books.api, redeliveryItem(client, event))),
      repeat(() => testWebhook(books.api, webhookTestItem(client))),
      repeat(async () => await books.sql`select gold.redeliver_event(${event}::uuid)`),
      repeat(async () =>
        await books.sql`select gold.replay_events(${publicId}, ${EPOCH}::text::timestamptz)`
      ),
    ]);
    const [account] = await books
      .sql`select event_sequence::int from gold.account where client_id = ${client}`;
    assertEquals(account!.event_sequence, 8 + rounds.length);
  });
});
