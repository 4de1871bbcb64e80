import { type TestBooks, testBooks } from "../../../testing/books.ts";
import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "node:test";
import type { Sql } from "postgres";
import { arrayLiteral } from "../../database/array_literal.ts";
import { bookFunding, byGrams, fundingItem, nonceItem, orderItem, quoteItem, wordOf } from "../fixture.ts";
import { sendNonces } from "../nonce/spend_nonces.ts";
import { sendOrders } from "./book_orders.ts";
import { sendQuotes } from "./book_quotes.ts";

const ROWS = 100_000;
const ROUNDS = 12;
const CLIENTS = 16;
/** The tables that grow. The others have one row or a small list. */
const GROWING = ["account", "event", "idempotency_key", "nonce", "orders", "quote", "transfer"];
/** The number of rows of a table that one item may read. */
const ROWS_AN_ITEM = 12;

describe("the booking functions' plans", () => {
  let books: TestBooks;
  let clients: number[];
  before(async () => {
    books = await testBooks();
    await books.addBar(1_000_000_000n);
    clients = await Promise.all(
      Array.from({ length: CLIENTS }, () => books.createClient({ halalas: 1_000_000_000n })),
    );
  });
  after(() => books.stop());

  /**
   * Books quotes and orders of every client in batches, and a funding and a nonce alone, and seals their
   * records. Returns the number of items.
   */
  async function bookRounds(sql: Sql): Promise<number> {
    const sending = { wait: false, settle: false };
    let items = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const quotes = clients.flatMap((client) =>
        (["buy", "sell"] as const).map((side) => quoteItem(client, byGrams(side, 100n)))
      );
      const orders = quotes.map(({ client, id }) => orderItem(client, id));
      const outcomes = [...await sendQuotes(sql)(quotes, sending), ...await sendOrders(sql)(orders, sending)];
      outcomes.push(await bookFunding(sql, fundingItem(clients[0]!, 1n)));
      assertEquals(outcomes.filter((outcome) => wordOf(outcome) !== "answered 201"), []);
      await sendNonces(sql)([nonceItem(clients[0]!)], sending);
      await sql`select gold.seal_next(${arrayLiteral(clients)}::text::int[])`;
      items += outcomes.length + 1;
    }
    return items;
  }

  /**
   * Inserts rows of other clients, as many as a busy month leaves. Without autovacuum, the planner gets no
   * statistics of these rows before the test runs `analyze`.
   */
  async function fillTables(): Promise<void> {
    await books.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      for (const table of GROWING) {
        await sql`alter table gold.${sql(table)} set (autovacuum_enabled = false)`;
      }
      await sql`create temp table filler on commit drop as
        select (1000 + n % 5000)::int as client, ((1000 + n % 5000) % 64)::smallint as bucket, n, gen_random_uuid() as id from generate_series(1, ${ROWS}::int) n`;
      await sql`insert into gold.account (bucket, client_id) select distinct bucket, client from filler`;
      await sql`insert into gold.quote select bucket, client, 'buy', id, 10000, 3210000, 32100, now(), now() from filler`;
      await sql`insert into gold.orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
        select bucket, client, 'buy', id, n, 10000, 3210000, 32100, now(), 0, 0, 0 from filler`;
      await sql`insert into gold.transfer select bucket, client, 1, 0, n, 'available', 'house', 'SAR', 32100, 0, 0, 0, now() from filler`;
      await sql`insert into gold.event select bucket, client, n, id, id, now(), 'order.executed' from filler`;
      await sql`insert into gold.nonce select bucket, client, id, id from filler`;
      await sql`insert into gold.idempotency_key select bucket, client, 201, id::text, '\\x00', id, id, now(), 'order', '{}' from filler`;
    });
  }

  interface Reads {
    readonly scans: number;
    readonly rows: number;
  }

  /** For each table, the sequential scans and the rows read by any scan, until now. */
  async function readsOf(session: Sql): Promise<Map<string, Reads>> {
    // A session reports its counters with a delay. pg_stat_force_next_flush() makes its own session report
    // them at once, so the test calls the function in each session of both pools.
    const others = await Promise.all(Array.from({ length: 4 }, () => books.sql.reserve()));
    for (const each of [session, ...others]) {
      await each`select pg_stat_force_next_flush()`;
      await each`select 1`;
    }
    for (const each of others) each.release();
    const rows = await books.sql`
      select relname, seq_scan::int as scans, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_user_tables where schemaname = 'gold' and relname = any(${GROWING})`;
    return new Map(rows.map(({ relname, scans, rows }) => [relname, { scans, rows }]));
  }

  async function assertIndexed(session: Sql): Promise<void> {
    const before = await readsOf(session);
    const items = await bookRounds(session);
    const after = await readsOf(session);
    for (const [table, { scans, rows }] of after) {
      const read = rows - before.get(table)!.rows;
      assertEquals(scans - before.get(table)!.scans, 0, `sequential scans of ${table}`);
      if (table === "account" || table === "quote") assert(read > 0, `no row of ${table} was counted`);
      assert(read <= items * ROWS_AN_ITEM, `${read} rows of ${table} were read for ${items} items`);
    }
  }

  it("use the indexes, whether the plans were made for empty tables or for full tables", async () => {
    const early = books.connect("gold_api", 1);
    await bookRounds(early);
    await fillTables();
    await assertIndexed(early);
    await assertIndexed(books.connect("gold_api", 1));
    await books.sql`analyze`;
    await assertIndexed(early);
    await assertIndexed(books.connect("gold_api", 1));
  });
});
