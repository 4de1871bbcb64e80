import { suiteBooks } from "../../../testing/books.ts";
import { moveDayEndAway } from "../../../testing/close_today.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Outcome } from "../outcome.ts";
import { sendQuotes } from "../trading/book_quotes.ts";
import { bookOrder, bookQuote, byGrams, orderItem, quoteItem, readBooks, wordOf } from "../fixture.ts";
import { limitClient } from "./allowance_fixture.ts";

const REFUSED = "answered net_position_exceeded";
const MADE = "answered 201";

describe("the limit on a partner's net position", () => {
  const books = suiteBooks();
  before(async () => {
    await moveDayEndAway(books.sql);
    await books.setPrice(3_210_000n, 3_190_000n);
    await books.addBar(10_000_000n);
  });

  async function limited(netGrams: number): Promise<number> {
    const client = await books.createClient({ halalas: 100_000_000n });
    await limitClient(books.sql, client, { net_grams: netGrams });
    return client;
  }
  const quote = (client: number, side: "buy" | "sell", tenthMilligrams: bigint) =>
    bookQuote(books.api, quoteItem(client, byGrams(side, tenthMilligrams)));
  const execute = (client: number, { body }: Outcome) =>
    bookOrder(books.api, orderItem(client, (JSON.parse(body!) as { quote_id: string }).quote_id.slice(3)));
  /** Moves the partner's records and counts a day back, as if the day had ended. */
  const endDay = (client: number) =>
    books.sql.begin(async (sql) => {
      for (const table of ["quote", "orders", "transfer", "event"]) {
        await sql.unsafe(`alter table gold.${table} disable trigger user`);
      }
      const day = sql`interval '24 hours'`;
      await sql`update gold.quote set created_at = created_at - ${day}, expires_at = expires_at - ${day} where client_id = ${client}`;
      await sql`update gold.orders set executed_at = executed_at - ${day} where client_id = ${client}`;
      await sql`update gold.transfer set posted_at = posted_at - ${day} where client_id = ${client}`;
      await sql`update gold.event set created_at = created_at - ${day} where client_id = ${client}`;
      await sql`update gold.account set last_posted_at = last_posted_at - ${day} where client_id = ${client}`;
      await sql`
        update gold.allowance set exact_until = exact_until - ${day}, day_ends_at = day_ends_at - ${day} where client_id = ${client}`;
      for (const table of ["quote", "orders", "transfer", "event"]) {
        await sql.unsafe(`alter table gold.${table} enable trigger user`);
      }
    });

  it("counts open quotes of a side as if they were executed, and each side alone", async () => {
    const client = await limited(50_000);
    assertEquals(wordOf(await quote(client, "buy", 30_000n)), MADE);
    assertEquals(wordOf(await quote(client, "buy", 20_001n)), REFUSED);
    assertEquals(wordOf(await quote(client, "buy", 20_000n)), MADE);
    assertEquals(wordOf(await quote(client, "sell", 50_000n)), MADE);
    assertEquals(wordOf(await quote(client, "sell", 1n)), REFUSED);
  });

  it("counts an executed quote once, and lets trades in the other direction make room", async () => {
    const client = await limited(50_000);
    const bought = await quote(client, "buy", 50_000n);
    assertEquals(wordOf(await quote(client, "buy", 1n)), REFUSED);
    assertEquals((await execute(client, bought)).status, 201);
    assertEquals(wordOf(await quote(client, "buy", 1n)), REFUSED);
    // The partner is 5 g long, so it can sell these and 5 g more.
    assertEquals(wordOf(await quote(client, "sell", 100_001n)), REFUSED);
    const sold = await quote(client, "sell", 30_000n);
    assertEquals(wordOf(await quote(client, "buy", 1n)), REFUSED, "an open sale makes no room");
    assertEquals((await execute(client, sold)).status, 201);
    assertEquals(wordOf(await quote(client, "buy", 30_000n)), MADE);
    assertEquals(wordOf(await quote(client, "buy", 1n)), REFUSED);
  });

  it("says how much is left and when the day ends, binds no key and stores nothing", async () => {
    const client = await limited(50_000);
    const open = await quote(client, "buy", 20_000n);
    await quote(client, "buy", 30_001n);
    const before = await readBooks(books.sql);
    const item = quoteItem(client, byGrams("buy", 30_001n));
    const outcome = await bookQuote(books.api, item);
    assertEquals([outcome.status, wordOf(outcome)], [429, REFUSED]);
    assertEquals(await readBooks(books.sql), before);
    const { detail, limit } = JSON.parse(outcome.body!);
    assertMatch(detail, /limit of 5 g a day; at most 3 g on this side are left/);
    const { reset_seconds, ...policy } = limit;
    assertEquals(policy, { policy: "net_position", quota: 5, window_seconds: 86_400, remaining: 3 });
    assert(reset_seconds > 0 && reset_seconds <= 86_400, `${reset_seconds}`);
    assertEquals((await execute(client, open)).status, 201);
    await execute(client, await quote(client, "sell", 1n));
    assertEquals(wordOf(await bookQuote(books.api, item)), MADE);
  });

  it("never refuses the order of a firm quote, even if the limit is lower now", async () => {
    const client = await limited(50_000);
    const made = await quote(client, "buy", 50_000n);
    await limitClient(books.sql, client, { net_grams: 1 });
    assertEquals((await execute(client, made)).status, 201);
    assertEquals(wordOf(await quote(client, "buy", 1n)), REFUSED);
  });

  it("counts what was traded and quoted today before the limit was set", async () => {
    const client = await books.createClient({ halalas: 100_000_000n });
    await execute(client, await quote(client, "buy", 20_000n));
    await quote(client, "buy", 10_000n);
    await limitClient(books.sql, client, { net_grams: 50_000 });
    assertEquals(wordOf(await quote(client, "buy", 20_001n)), REFUSED);
    assertEquals(wordOf(await quote(client, "buy", 20_000n)), MADE);
  });

  it("starts at zero with each day", async () => {
    const client = await limited(50_000);
    await execute(client, await quote(client, "buy", 50_000n));
    assertEquals(wordOf(await quote(client, "buy", 1n)), REFUSED);
    await endDay(client);
    assertEquals(wordOf(await quote(client, "buy", 50_001n)), REFUSED);
    assertEquals(wordOf(await quote(client, "buy", 50_000n)), MADE);
  });

  it("counts today's orders again after the clock stepped back from a later day", async () => {
    const client = await limited(50_000);
    await execute(client, await quote(client, "buy", 40_000n));
    await books
      .sql`update gold.allowance set day_gold = day_gold + 40000, day_ends_at = day_ends_at + interval '3 days' where client_id = ${client}`;
    assertEquals(wordOf(await quote(client, "buy", 10_001n)), REFUSED);
    assertEquals(wordOf(await quote(client, "buy", 10_000n)), MADE);
  });

  it("does not let sales of today make room for a quote that can be executed tomorrow", async () => {
    const client = await limited(50_000);
    await execute(client, await quote(client, "buy", 50_000n));
    await endDay(client);
    await execute(client, await quote(client, "sell", 50_000n));
    const midnightIn = (seconds: number) =>
      books.sql`
        update gold.allowance set day_ends_at = clock_timestamp() + make_interval(secs => ${seconds}) where client_id = ${client}`;
    await midnightIn(30);
    assertEquals(wordOf(await quote(client, "buy", 50_001n)), REFUSED);
    await midnightIn(90);
    assertEquals(wordOf(await quote(client, "buy", 100_001n)), REFUSED);
    assertEquals(wordOf(await quote(client, "buy", 100_000n)), MADE);
  });

  it("holds for concurrent quotes of several connections, even if all are executed", async () => {
    const client = await limited(100_000);
    const pools = [books.connect("gold_api", 5), books.connect("gold_api", 5)];
    const outcomes = await Promise.all(
      Array.from(
        { length: 60 },
        (_, n) => bookQuote(pools[n % 2]!, quoteItem(client, byGrams("buy", 10_000n))),
      ),
    );
    const made = outcomes.filter((outcome) => wordOf(outcome) === MADE);
    assertEquals([made.length, outcomes.filter((outcome) => wordOf(outcome) === REFUSED).length], [10, 50]);
    const orders = await Promise.all(made.map((outcome) => execute(client, outcome)));
    assertEquals(orders.map(({ status }) => status), orders.map(() => 201));
  });

  it("applies within a batch, to each of its partners separately", async () => {
    const [one, other] = [await limited(20_000), await limited(10_000)];
    const outcomes = await sendQuotes(books.api)(
      [one, other, one, other, one].map((client) => quoteItem(client, byGrams("sell", 10_000n))),
      { wait: true, settle: false },
    );
    assertEquals(outcomes.map(wordOf), [MADE, MADE, MADE, REFUSED, REFUSED]);
  });
});
