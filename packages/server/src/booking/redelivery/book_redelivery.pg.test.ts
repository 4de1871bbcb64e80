import { suiteBooks, type TestBooks } from "../../../testing/books.ts";
import { type EventReply, eventReply } from "@gold-partner/protocol";
import { describe, it } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import { refusalOf } from "../booking.ts";
import type { Outcome } from "../outcome.ts";
import { newUuid, untilWaiting, wordOf } from "../fixture.ts";
import {
  plantEndpoint,
  plantRetry,
  readRetries,
  redeliver,
  redeliveryItem,
  testWebhook,
  webhookTestItem,
} from "./redelivery_fixture.ts";

const eventIn = ({ body }: Outcome): EventReply => eventReply.parse(JSON.parse(body!));

/** Returns the event as a read does, but without its line of the chain, which only reads have. */
async function readWithoutLine({ sql }: TestBooks, client: number, id: string): Promise<string> {
  const [row] = await sql`select gold.find_event(${client}, ${id}::uuid) as body`;
  return (row!.body as string).replace(/,"line":"[^"]*"/, "");
}

describe("book_redelivery", () => {
  const books = suiteBooks();

  /** Creates a client with this many events. Returns their uuids in order. */
  async function clientWith(events: number): Promise<{ client: number; ids: string[] }> {
    const client = await books.createClient();
    for (let n = 0; n < events; n++) {
      assertEquals((await testWebhook(books.api, webhookTestItem(client))).status, 201);
    }
    await books.sql`delete from gold.retry where client_id = ${client}`;
    const rows = await books.sql`select id from gold.event where client_id = ${client} order by sequence`;
    return { client, ids: rows.map(({ id }) => id as string) };
  }

  it("makes an event of any status due now, and returns it as a read does", async () => {
    const { client, ids } = await clientWith(4);
    await plantEndpoint(books.sql, client, { passed: 3 });
    await plantRetry(books.sql, client, 2, { tries: 13, state: "parked" });
    await plantRetry(books.sql, client, 3, { tries: 4, state: "later" });
    for (const id of ids) {
      const outcome = await redeliver(books.api, redeliveryItem(client, id));
      assertEquals(wordOf(outcome), "answered 201");
      assertEquals(outcome.body, await readWithoutLine(books, client, id));
      assertEquals([eventIn(outcome).id, eventIn(outcome).delivery.status], [`evt_${id}`, "pending"]);
    }
    assertEquals(await readRetries(books.sql, client), ["1 0 due", "2 0 due", "3 0 due", "4 0 due"]);
  });

  it("ends the endpoint's pause after failures, and takes the endpoint from its worker", async () => {
    const { client, ids } = await clientWith(2);
    await plantEndpoint(books.sql, client, { passed: 2, failures: 7 });
    await plantRetry(books.sql, client, 1, { state: "due" });
    const put = await books.sql`
      select n.rests_until = (e.body::json #>> '{delivery,next_attempt_at}')::timestamptz as off
      from gold.endpoint n, (select gold.find_event(${client}, ${ids[
      0
    ]!}::uuid) as body) e where n.client_id = ${client}`;
    assertEquals(put[0]!.off, true);
    assertEquals(wordOf(await redeliver(books.api, redeliveryItem(client, ids[1]!))), "answered 201");
    const [row] = await books.sql`
      select worker, rests_until, failures from gold.endpoint where client_id = ${client}`;
    assertEquals(row, { worker: null, rests_until: null, failures: 7 });
  });

  it("seals an unsealed event before it returns the event", async () => {
    const client = await books.createClient({ halalas: 100n });
    const [event] = await books.sql`select id from gold.event where client_id = ${client}`;
    const outcome = await redeliver(books.api, redeliveryItem(client, event!.id));
    assertEquals([eventIn(outcome).type, eventIn(outcome).sequence], ["funding.completed", 1]);
  });

  it("replays its first answer for the same key, without another redelivery", async () => {
    const { client, ids: [id] } = await clientWith(1);
    const item = redeliveryItem(client, id!);
    const first = await redeliver(books.api, item);
    await books.sql`delete from gold.retry where client_id = ${client}`;
    assertEquals(await redeliver(books.api, { ...item, requestId: newUuid() }), {
      ...first,
      outcome: "replayed",
    });
    assertEquals(await redeliver(books.api, item, true), first);
    assertEquals(
      wordOf(await redeliver(books.api, { ...item, fingerprint: "0b".repeat(32) })),
      "idempotency_key_conflict",
    );
    assertEquals(await readRetries(books.sql, client), []);
  });

  it("answers not_found to an unknown, foreign or malformed id, and stores no key", async () => {
    const { client, ids: [id] } = await clientWith(1);
    const { ids: [foreign] } = await clientWith(1);
    const key = newUuid();
    for (const event of [newUuid(), foreign!, null]) {
      const outcome = await redeliver(books.api, redeliveryItem(client, event, { key }));
      assertEquals(outcome, { outcome: "not_found", status: null, body: null });
    }
    assertEquals(wordOf(await redeliver(books.api, redeliveryItem(client, id!, { key }))), "answered 201");
  });

  it("changes nothing under an outdated admission version", async () => {
    const { client, ids: [id] } = await clientWith(1);
    const stale = { admissionVersion: "0" };
    assertEquals(wordOf(await redeliver(books.api, redeliveryItem(client, id!, stale))), "admission_changed");
    assertEquals(wordOf(await testWebhook(books.api, webhookTestItem(client, stale))), "admission_changed");
    assertEquals(await readRetries(books.sql, client), []);
    const [account] = await books.sql`select event_sequence from gold.account where client_id = ${client}`;
    assertEquals(account!.event_sequence, "1");
  });

  it("changes the due instant, so that an in-flight attempt does not complete the redelivery", async () => {
    const { client, ids: [id] } = await clientWith(1);
    const seen = new Set<string>();
    // A due instant in the past, in this millisecond, and in the future.
    for (const offset of ["-1 hour", "0", "0", "20 seconds"]) {
      await books.sql`
        insert into gold.retry (bucket, client_id, sequence, tries, due_at)
        values (${
        client % 64
      }, ${client}, 1, 3, date_trunc('milliseconds', clock_timestamp()) + ${offset}::text::interval)
        on conflict (bucket, client_id, sequence) do update set due_at = excluded.due_at`;
      const dueAt = async () => {
        const [row] = await books
          .sql`select due_at::text, due_at <= clock_timestamp() as due from gold.retry where client_id = ${client}`;
        return row!;
      };
      const ticket = await dueAt();
      assertEquals(wordOf(await redeliver(books.api, redeliveryItem(client, id!))), "answered 201");
      const redelivered = await dueAt();
      assertNotEquals(redelivered.due_at, ticket.due_at);
      assertEquals(redelivered.due, true);
      seen.add(redelivered.due_at);
    }
    assertEquals(seen.size, 4);
  });

  it("accepts two concurrent redeliveries of an event, and makes the event due once", async () => {
    const { client, ids: [id] } = await clientWith(1);
    const holder = books.connect("superuser", 1);
    let both: Promise<Outcome[]> | undefined;
    await holder.begin(async (sql) => {
      await sql`select from gold.account where client_id = ${client} for no key update`;
      both = Promise.all([1, 2].map(() => redeliver(books.api, redeliveryItem(client, id!))));
      await untilWaiting(books.sql, 2);
    });
    assertEquals((await both!).map(wordOf), ["answered 201", "answered 201"]);
    assertEquals(await readRetries(books.sql, client), ["1 0 due"]);
  });

  it("notifies the workers of a known event, and not of an unknown one", async () => {
    const { client, ids: [id] } = await clientWith(1);
    const listener = books.connect("superuser", 1);
    const heard: string[] = [];
    const { unlisten } = await listener.listen("gold_event", (payload) => void heard.push(payload));
    await redeliver(books.api, redeliveryItem(client, newUuid()));
    await redeliver(books.api, redeliveryItem(client, id!));
    await books.sql`select pg_notify('gold_event', 'end')`;
    while (!heard.includes("end")) await new Promise((resolve) => setTimeout(resolve, 5));
    await unlisten();
    assertEquals(heard, [`${client}`, "end"]);
  });
});

describe("book_webhook_test", () => {
  const books = suiteBooks();

  it("creates the partner's next event, sealed and due at once", async () => {
    const client = await books.createClient({ halalas: 100n });
    const item = webhookTestItem(client);
    const outcome = await testWebhook(books.api, item);
    assertEquals(wordOf(outcome), "answered 201");
    const event = eventIn(outcome);
    const [link] = await books.sql`
      select encode(hash, 'hex') as head from gold.chain_link where client_id = ${client} and sequence = 2`;
    assertEquals([event.type, event.id, event.sequence, event.delivery.status], [
      "webhook.test",
      `evt_${item.id}`,
      2,
      "pending",
    ]);
    assertEquals<unknown>(event.data, { chain_head: link!.head });
    assertEquals(await readRetries(books.sql, client), ["2 0 due"]);
    assertEquals(outcome.body, await readWithoutLine(books, client, item.id));
  });

  it("creates one event per idempotency key", async () => {
    const client = await books.createClient();
    const item = webhookTestItem(client);
    const first = await testWebhook(books.api, item);
    const again = { ...item, id: newUuid(), requestId: newUuid() };
    assertEquals(await testWebhook(books.api, again), { ...first, outcome: "replayed" });
    assertEquals(await testWebhook(books.api, item, true), first);
    const conflicting = { ...again, fingerprint: "0b".repeat(32) };
    assertEquals(wordOf(await testWebhook(books.api, conflicting)), "idempotency_key_conflict");
    const events = await books.sql`select from gold.event where client_id = ${client}`;
    assertEquals(events.length, 1);
  });

  it("fails while a backlog is too large to be sealed at once, and succeeds afterwards", async () => {
    const client = await books.createClient();
    await books.sql.begin(async (sql) => {
      await sql`
        insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type)
        select ${
        client % 64
      }, ${client}, n, lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n), 32, '0')::uuid, now(), 'webhook.test'
        from generate_series(1, 5000) n`;
      await sql`update gold.account set event_sequence = 5000, last_posted_at = now() where client_id = ${client}`;
    });
    const item = webhookTestItem(client);
    const refusal = await testWebhook(books.api, item).catch((error) => error);
    assertEquals([refusal.code, refusalOf(refusal)?.code], ["53000", "service_unavailable"]);
    await books.delivery`select gold.seal_chain(${client})`;
    assertEquals(eventIn(await testWebhook(books.api, item)).sequence, 5001);
  });

  it("leaves no defects in the books, and dates no event before the account's newest posting", async () => {
    const client = await books.createClient({ halalas: 100n });
    await books
      .sql`update gold.account set last_posted_at = clock_timestamp() + interval '1 hour' where client_id = ${client}`;
    const [ahead] = await books.sql`select last_posted_at from gold.account where client_id = ${client}`;
    const event = eventIn(await testWebhook(books.api, webhookTestItem(client)));
    assertEquals(Date.parse(event.created_at), ahead!.last_posted_at.getTime());
    assertEquals(await books.defects(), []);
  });
});
