import { before, beforeEach, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import type { Sql } from "postgres";
import { seedTests } from "../../../../../tools/testing/seed.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { bookOrder, orderItem, plantQuote, untilWaiting, wordOf } from "../fixture.ts";
import { verdictOf } from "../operator_fixture.ts";
import type { Outcome } from "../outcome.ts";
import { type OrderItem, sendOrders } from "../trading/book_orders.ts";

seedTests(import.meta.url);

const STRIPES = 4;
/** In 0.0001 g. */
const STOCK = 4_000n;
const PRICE = 3_210_000n;
const WAITING = { wait: true, settle: false };
const WORKERS = 6;
const BATCHES = 25;

describe("the stripes of the vault", () => {
  const books = suiteBooks();
  before(() => books.addBar(STOCK));
  beforeEach(() => setStripes(STRIPES));

  const setStripes = (count: number) => books.sql`select gold.set_stripes(${count})`;
  const rich = () => books.createClient({ halalas: 1_000_000_000n });
  const stock = async (): Promise<readonly bigint[]> => {
    const rows = await books.sql`select free::text from gold.vault order by stripe`;
    return rows.map(({ free }) => BigInt(free));
  };
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n);
  async function order(client: number, side: "buy" | "sell", grams: bigint): Promise<OrderItem> {
    const quote = await plantQuote(books.sql, { client, side, grams, price: PRICE, ageSeconds: -3600 });
    return orderItem(client, quote);
  }
  /** Buys, and returns the gold afterwards, so that each test finds the same stock. */
  async function borrow(client: number, grams: bigint, api = books.api): Promise<string> {
    const word = wordOf(await bookOrder(api, await order(client, "buy", grams)));
    if (word === "answered 201") await bookOrder(books.api, await order(client, "sell", grams));
    return word;
  }
  /** Like the service's batcher, sends a batch again that Postgres rolled back because a stripe changed. */
  const sendAgain = async (api: Sql, items: readonly OrderItem[]): Promise<readonly Outcome[]> => {
    for (;;) {
      try {
        return await sendOrders(api)(items, WAITING);
      } catch (error) {
        if ((error as { code?: string }).code !== "40001") throw error;
      }
    }
  };
  /** A connection that has booked this buy and not committed yet. */
  async function bookUncommitted(grams: bigint): Promise<{ commit(): Promise<void> }> {
    const item = await order(await rich(), "buy", grams);
    const session = await books.connect("gold_api", 1).reserve();
    // A batch that waits for a stripe must fail, and must not keep other sessions waiting.
    await session`set lock_timeout = '1s'`;
    await session`set idle_in_transaction_session_timeout = '10s'`;
    await session`begin`;
    assertEquals((await sendOrders(session as unknown as Sql)([item], WAITING)).map(wordOf), [
      "answered 201",
    ]);
    return {
      async commit() {
        await session`commit`;
        session.release();
      },
    };
  }

  it("let batches on other connections go on while a commit waits", async () => {
    const held = [await bookUncommitted(100n), await bookUncommitted(100n), await bookUncommitted(100n)];
    const impatient = books.connect("gold_api", 1);
    await impatient`set lock_timeout = '1s'`;
    const word = await borrow(await rich(), 100n, impatient).catch(({ code }) => code);
    for (const { commit } of held) await commit();
    assertEquals(word, "answered 201");
    const used = await books.sql`
      select distinct stripe from gold.transfer where asset = 'XAU' and client_id <> 0 order by stripe`;
    assertEquals(used.map(({ stripe }) => stripe), [0, 1, 2, 3]);
    assertEquals(await books.defects(), []);
  });

  it("are short only if all of them together are short", async () => {
    const client = await rich();
    const free = sum(await stock());
    assertEquals((await stock()).every((one) => one < free), true);
    assertEquals(await borrow(client, free), "answered 201");
    assertEquals(await borrow(client, free + 1n), "answered insufficient_inventory");
    assertEquals(await borrow(client, free), "answered 201");
    assertEquals([sum(await stock()), await books.defects()], [free, []]);
  });

  it("wait for the batches that hold the other stripes before an order is refused", async () => {
    const free = sum(await stock());
    const held = await bookUncommitted(100n);
    const waiting = borrow(await rich(), free);
    await untilWaiting(books.sql);
    await held.commit();
    assertEquals(await waiting, "answered insufficient_inventory");
    assertEquals(await borrow(await rich(), free - 100n), "answered 201");
  });

  it("are never waited for by a batch that holds one of them, because two such batches could deadlock", async () => {
    await setStripes(1);
    await setStripes(STRIPES);
    const free = sum(await stock());
    const client = await rich();
    const item = await order(client, "buy", free);
    const verdict = await verdictOf(books.sql.begin(async (sql) => {
      await sql`select from gold.vault where stripe = 3 for no key update`;
      await sendOrders(sql as unknown as Sql)([item], WAITING);
    }));
    assertMatch(verdict, /40001 a stripe changed while it was locked/);
    assertEquals(await borrow(client, free), "answered 201");
  });

  it("keep their sum and never deadlock, whatever trades and whichever number is set meanwhile", async () => {
    const free = sum(await stock());
    const seen = new Set<string>();
    const trade = async (draws: readonly number[]) => {
      const clients = [await rich(), await rich()];
      const api = books.connect("gold_api", 1);
      const send = async (side: "buy" | "sell", traders: readonly number[], grams: bigint) => {
        const items = await Promise.all(traders.map((client) => order(client, side, grams)));
        const outcomes = items.length > 0 ? await sendAgain(api, items) : [];
        for (const outcome of outcomes) seen.add(wordOf(outcome));
        return traders.filter((_, n) => outcomes[n]!.status === 201);
      };
      for (const drawn of draws) {
        const grams = 1n + free * BigInt(drawn) / 6_000n;
        await send("sell", await send("buy", clients, grams), grams);
      }
    };
    const change = async (draws: readonly number[]) => {
      for (const drawn of draws) await setStripes(1 + drawn % 5);
    };
    const drawn = fc.array(fc.nat(999), { minLength: BATCHES, maxLength: BATCHES });
    const workers = fc.array(drawn, { minLength: WORKERS, maxLength: WORKERS });
    const property = fc.asyncProperty(drawn, workers, async (counts, draws) => {
      await Promise.all([change(counts), ...draws.map(trade)]);
      const words = [...seen].filter((word) => word !== "answered insufficient_inventory");
      assertEquals(words, ["answered 201"]);
      assertEquals([sum(await stock()), await books.defects()], [free, []]);
    });
    await fc.assert(property, { numRuns: 3, endOnFailure: true });
  });

  it("cover a bar that leaves, and all name the list in force", async () => {
    const bar = await books.addBar(2_000n);
    const free = sum(await stock());
    const lists = async () => {
      const rows = await books.sql`select distinct list_id from gold.vault`;
      return rows.length;
    };
    assertEquals(await lists(), 1);
    await books.sql`select gold.remove_bar(${bar})`;
    assertEquals([sum(await stock()), await lists(), await books.defects()], [free - 2_000n, 1, []]);
  });

  it("count the exposure in one place, and all have its limit", async () => {
    const client = await rich();
    await books.sql`select gold.set_exposure(1000)`;
    await setStripes(3);
    const read = () =>
      books
        .sql`select maximum_exposure::text as maximum, day_net::int as net from gold.vault order by stripe`;
    const [{ net }] = await read() as unknown as [{ net: number }];
    await bookOrder(books.api, await order(client, "buy", 700n));
    assertEquals((await read()).map((row) => ({ ...row })), [
      { maximum: "1000", net: net + 700 },
      { maximum: "1000", net: 0 },
      { maximum: "1000", net: 0 },
    ]);
    await books.sql`select gold.set_exposure(null)`;
    const [{ count }] = await books.sql<[{ count: number }]>`
      select count(*)::int as count from gold.vault where maximum_exposure is null`;
    assertEquals([count, await books.defects()], [3, []]);
  });

  it("are 1 to 64, spread evenly, in the audit trail once for each change", async () => {
    for (const count of [0, 65]) {
      assertMatch(await verdictOf(setStripes(count)), /the vault can have 1 to 64 stripes; got/);
    }
    const free = sum(await stock());
    await setStripes(3);
    await setStripes(3);
    assertEquals(await stock(), [free / 3n + free % 3n, free / 3n, free / 3n]);
    const [last] = await books.sql`
      select action, subject, detail - 'mode' as detail from gold.audit order by id desc limit 1`;
    assertEquals({ ...last }, { action: "deployment.stripes", subject: "3", detail: { before: STRIPES } });
    await setStripes(1);
    assertEquals(await stock(), [free]);
  });

  it("must exist: a transfer to another one is refused", async () => {
    const verdict = await verdictOf(books.sql`
      insert into gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after,
        sar_held_after, gold_after, posted_at, stripe)
      select 0, 0, 1, event_sequence + 1, 'bars', 'vault', 'XAU', 1, 0, 0, 0, clock_timestamp(), 63
      from gold.account where client_id = 0`);
    assertMatch(verdict, /GB001 the transfers name a stripe that the vault does not have/);
  });
});
