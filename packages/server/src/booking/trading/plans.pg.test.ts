import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { arrayLiteral } from "../../database/array_literal.ts";
import {
  bookFunding,
  byGrams,
  fundingItem,
  newUuid,
  nonceItem,
  orderItem,
  quoteItem,
  wordOf,
} from "../fixture.ts";
import { limitClient } from "../allowance/allowance_fixture.ts";
import { type NonceItem, sendNonces } from "../nonce/spend_nonces.ts";
import { sendOrders } from "./book_orders.ts";
import { sendQuotes } from "./book_quotes.ts";
import { withoutTriggers } from "../../../testing/rows.ts";

const ROWS = 100_000;
const ROUNDS = 12;
const CLIENTS = 16;
/** The tables that grow. The others have one row or a small list. */
const GROWING = ["account", "allowance", "event", "idempotency_key", "nonce", "orders", "quote", "transfer"];
/** Limits that the test does not reach. */
const LIMITS = { open_quotes: 1_000_000, open_grams: 1_000_000_000, daily_records: 1_000_000 };
/** The number of rows of a table that one item may read. */
const ROWS_AN_ITEM = 12;

describe("the booking functions' plans", () => {
  const books = suiteBooks();
  let clients: number[];
  before(async () => {
    await books.addBar(1_000_000_000n);
    clients = await Promise.all(
      Array.from({ length: CLIENTS }, () => books.createClient({ halalas: 1_000_000_000n })),
    );
  });

  /**
   * Books quotes and orders of every client in batches, and a funding alone, spends a nonce of each twice,
   * and seals their records. Returns the number of items.
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
      const nonces = clients.map((client) => nonceItem(client));
      const words = async (items: NonceItem[]) =>
        (await sendNonces(sql)(items, sending)).map(({ outcome }) => outcome);
      assertEquals(await words(nonces), nonces.map(() => "answered"));
      const reused = nonces.map((item) => ({ ...item, requestId: newUuid() }));
      assertEquals(await words(reused), reused.map(() => "nonce_reused"));
      await sql`set role gold_delivery`;
      await sql`select gold.seal_next(${arrayLiteral(clients)}::text::int[])`;
      await sql`set role gold_api`;
      items += outcomes.length + nonces.length + reused.length;
    }
    return items;
  }

  /**
   * Stores statistics of empty tables for the planner. Autovacuum is off, so these statistics stay until the
   * test runs `analyze`.
   */
  async function keepStatistics(): Promise<void> {
    for (const table of GROWING) {
      await books.sql`alter table gold.${books.sql(table)} set (autovacuum_enabled = false)`;
    }
    // Autovacuum also summarizes ranges for these indexes, and each range counts as a sequential scan.
    const summarized = await books.sql`
      select relname from pg_class where relkind = 'i' and reloptions @> '{autosummarize=true}'`;
    for (const { relname } of summarized) {
      await books.sql`alter index gold.${books.sql(relname)} set (autosummarize = off)`;
    }
    await books.sql`vacuum analyze`;
  }

  /**
   * Inserts rows of other clients, as many as a busy month leaves. It makes no temporary table, because the
   * first one of a session makes a schema, and then every session makes its plans again.
   */
  async function fillTables(): Promise<void> {
    await withoutTriggers(books.sql, async (sql) => {
      await sql`create table public.filler as
        select (1000 + n % 5000)::int as client, ((1000 + n % 5000) % 64)::smallint as bucket, n, gen_random_uuid() as id from generate_series(1, ${ROWS}::int) n`;
      await sql`insert into gold.account (bucket, client_id) select distinct bucket, client from public.filler`;
      await sql`insert into gold.allowance (bucket, client_id, open_from, counted_sequence)
        select distinct bucket, client, gold.first_id_at(now()), 0 from public.filler`;
      await sql`insert into gold.quote select bucket, client, 'buy', id, 10000, 3210000, 32100, now(), now() from public.filler`;
      await sql`insert into gold.orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
        select bucket, client, 'buy', id, n, 10000, 3210000, 32100, now(), 0, 0, 0 from public.filler`;
      await sql`insert into gold.transfer select bucket, client, 1, 0, n, 'available', 'house', 'SAR', 32100, 0, 0, 0, now() from public.filler`;
      await sql`insert into gold.event select bucket, client, n, id, id, now(), 'order.executed' from public.filler`;
      await sql`insert into gold.nonce select bucket, client, id, id from public.filler`;
      await sql`insert into gold.idempotency_key select bucket, client, 201, id::text, '\\x00', id, id, now(), 'order', '{}',
        '\\xab', sha256('') from public.filler`;
    });
  }

  interface Reads {
    readonly scans: number;
    readonly rows: number;
  }

  /** For each table with its partitions, the sequential scans and the rows read by any scan, until now. */
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
      select root.relname, sum(s.seq_scan)::int as scans, sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0))::int as rows
      from pg_stat_user_tables s join pg_class root on root.oid = coalesce(pg_partition_root(s.relid), s.relid)
      where s.schemaname = 'gold' and root.relname = any(${GROWING}) group by root.relname`;
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
    await keepStatistics();
    const early = books.connect("gold_api", 1);
    await bookRounds(early);
    await fillTables();
    for (const client of clients) await limitClient(books.sql, client, LIMITS);
    await assertIndexed(early);
    await assertIndexed(books.connect("gold_api", 1));
    await books.sql`analyze`;
    await assertIndexed(early);
    await assertIndexed(books.connect("gold_api", 1));
  });
});
