import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type TestBooks, testBooks } from "@gold-partner/server/testing";

const FUNDS = 10_000_000n;
const EACH = 4;

/**
 * The tables whose rows are compared. Columns in OWN and INSTANTS are left out, because their values differ
 * between the two clients even when both made the same orders.
 */
const ROWS = ["quote", "nonce", "orders", "transfer", "event", "idempotency_key", "account", "chain_tail"];
/**
 * The history has version 1 of the chain's line, as 0.3.0 wrote it. But a new database demands a signed
 * request with each order, which 0.3.0 did not store.
 */
const NEWER = ["request", "signing_thumbprint"];
const OWN = [
  ...NEWER,
  "bucket",
  "client_id",
  "id",
  "nonce",
  "key",
  "request_id",
  "result_id",
  "subject",
  "head",
];
const INSTANTS = ["created_at", "expires_at", "executed_at", "posted_at", "last_posted_at"];

describe("peer.preload()", () => {
  let books: TestBooks;
  before(async () => {
    books = await testBooks();
    await books.sql.unsafe(readFileSync(new URL("../peers/book_orders_schema.sql", import.meta.url), "utf8"));
    await books.sql.unsafe(readFileSync(new URL("./preload.sql", import.meta.url), "utf8"));
    await books.addBar(10_000_000n);
  });
  after(() => books.stop());

  it("writes the same rows as the service does, and leaves the books consistent and sealed", async () => {
    const { sql } = books;
    const [preloaded, traded] = [
      await books.createClient({ halalas: FUNDS }),
      await books.createClient({ halalas: FUNDS }),
    ];
    await sql`select peer.preload(${preloaded}, 1, ${EACH})`;
    await tradeTheSame(preloaded, traded);
    const [rows, expected] = [await rowsOf(preloaded), await rowsOf(traded)];
    assertEquals(rows, expected);
    assertEquals(rows.find(({ table }) => table === "transfer")!.rows.length, 2 * EACH + 1);
    assertEquals(await books.defects(), []);
    assertEquals([...await sql`select * from gold.unsealed_tail()`], []);
  });

  it("continues from the current books, and does not change the vault or other clients", async () => {
    const { sql } = books;
    const clients = [];
    for (let index = 0; index < 3; index++) clients.push(await books.createClient({ halalas: FUNDS }));
    const free = () => sql`select free::text from gold.vault order by stripe`;
    const before = [...await free()];
    for (const each of [2, 4]) await sql`select peer.preload(${clients[0]!}, 2, ${each})`;
    const counts = await sql`
      select client_id, event_sequence::int as events, gold::int from gold.account where client_id in ${
      sql(clients)
    } order by 1`;
    assertEquals(counts.map(({ events, gold }) => [events, gold]), [[7, 0], [7, 0], [1, 0]]);
    assertEquals([...await free()], before);
    assertEquals(await books.defects(), []);
  });

  /** Copies the quotes of one client to the other, and executes each copy with gold.book_orders. */
  async function tradeTheSame(from: number, to: number): Promise<void> {
    const { sql } = books;
    const quotes = await sql<{ id: string }[]>`
      insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
      select ${to} % 64, ${to}, q.side, gen_random_uuid(), q.grams, q.price, q.total, clock_timestamp(), clock_timestamp() + interval '30 seconds'
      from gold.quote q join gold.orders o using (client_id, id) where client_id = ${from} order by o.sequence
      returning id`;
    for (const { id } of quotes) {
      await sql`
        select from gold.book_orders(true, false, array[${to}::int], array[1::bigint], array[gen_random_uuid()],
          array[gen_random_uuid()::text], array[decode(repeat('ab', 32), 'hex')], array[${id}::uuid], array[gen_random_uuid()], null, null, null, null)`;
    }
    await sql`select gold.seal_chain(${to})`;
  }

  async function rowsOf(client: number) {
    const all = [];
    for (const table of ROWS) {
      const rows = await books.sql<{ row: Record<string, unknown> }[]>`
        select to_jsonb(t) as row from gold.${books.sql(table)} t where client_id = ${client}`;
      const texts = rows.map(({ row }) =>
        JSON.stringify(
          Object.fromEntries(
            Object.entries(row).filter(([name]) => !OWN.includes(name) && !INSTANTS.includes(name)),
          ),
        ).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID").replaceAll(
          /[0-9-]{10}T[0-9:.]{12}Z/g,
          "AT",
        )
      );
      all.push({ table, rows: texts.sort() });
    }
    return all;
  }
});
