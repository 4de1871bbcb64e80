import { suiteBooks } from "../../../testing/books.ts";
import { moveDayEndAway } from "../../../testing/close_today.ts";
import { PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { before, beforeEach, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import type { Outcome } from "../outcome.ts";
import { sendQuotes } from "../trading/book_quotes.ts";
import {
  bookOrder,
  bookQuote,
  byGrams,
  orderItem,
  problemIn,
  quoteItem,
  readBooks,
  untilWaiting,
  wordOf,
} from "../fixture.ts";
import { valueOf, withoutTriggers } from "../../../testing/rows.ts";

const REFUSED = "answered exposure_exceeded";
const MADE = "answered 201";

describe("the limit on the operator's exposure", () => {
  const books = suiteBooks();
  let clients: number[];
  before(async () => {
    await moveDayEndAway(books.sql);
    await books.setPrice(3_210_000n, 3_190_000n);
    await books.addBar(100_000_000n);
  });
  beforeEach(async () => {
    const holdings = { halalas: 1_000_000_000n, tenthMilligrams: 1_000_000n };
    clients = [await books.createClient(holdings), await books.createClient(holdings)];
  });

  /** Sets a limit above what earlier tests used. The gold of new clients was not bought. */
  async function limit(tenthMilligrams: number | null): Promise<void> {
    await books.sql`select gold.set_exposure(null)`;
    await books.sql.begin(async (sql) => {
      await sql`alter table gold.quote disable trigger append_only`;
      await sql`update gold.quote set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour'`;
      await sql`alter table gold.quote enable trigger append_only`;
    });
    await books.sql`select gold.set_exposure(${tenthMilligrams}::bigint)`;
    await books.sql`update gold.vault set day_net = 0`;
  }
  const quote = (client: number, side: "buy" | "sell", tenthMilligrams: bigint) =>
    bookQuote(books.api, quoteItem(client, byGrams(side, tenthMilligrams)));
  const execute = (client: number, { body }: Outcome) =>
    bookOrder(books.api, orderItem(client, (JSON.parse(body!) as { quote_id: string }).quote_id.slice(3)));
  /** Changes the instants of these clients' past orders, and of all that belongs to them. */
  const moveTrades = (by: string, clients: readonly number[]) =>
    withoutTriggers(books.sql, async (sql) => {
      const columns = [
        "orders.executed_at",
        "transfer.posted_at",
        "event.created_at",
        "account.last_posted_at",
      ];
      for (const column of columns) {
        const [table, name] = column.split(".");
        await sql.unsafe(
          `update gold.${table} set ${name} = ${name} + interval '${by}' where client_id in (${clients})`,
        );
      }
    });
  const counted = async () => {
    const [row] = await books.sql`
      select day_net::int, open_buys::int, open_sells::int from gold.exposure_overview`;
    return row;
  };

  it("is one for all partners, and counts their open quotes as if they were executed", async () => {
    const [one, other] = clients as [number, number];
    await limit(50_000);
    const bought = await quote(one, "buy", 30_000n);
    assertEquals(wordOf(await quote(other, "buy", 20_001n)), REFUSED);
    assertEquals(wordOf(await quote(other, "buy", 20_000n)), MADE);
    assertEquals((await execute(one, bought)).status, 201);
    assertEquals({ ...await counted() }, { day_net: 30_000, open_buys: 20_000, open_sells: 0 });
    assertEquals(wordOf(await quote(one, "buy", 1n)), REFUSED);
    const sold = await quote(other, "sell", 80_000n);
    assertEquals([wordOf(sold), wordOf(await quote(one, "sell", 1n))], [MADE, REFUSED]);
    assertEquals((await execute(other, sold)).status, 201);
    assertEquals({ ...await counted() }, { day_net: -50_000, open_buys: 20_000, open_sells: 0 });
    assertEquals([wordOf(await quote(one, "sell", 1n)), wordOf(await quote(one, "buy", 80_000n))], [
      REFUSED,
      MADE,
    ]);
  });

  it("rounds what is used up to a step, so that refusals do not show the exact trades of other partners", async () => {
    const [one, other] = clients as [number, number];
    // The largest quote that the other partner gets, after quotes of the first one. The limit's step is 0.1
    // g.
    const largest = async (side: "buy" | "sell", open: bigint) => {
      await limit(10_000);
      await quote(one, side, open);
      const sizes = [8_000n, 8_001n, 9_000n, 9_001n];
      const pool = books.connect("gold_api", 1);
      const words: string[] = [];
      for (const size of sizes) {
        // Undo each quote, so that it does not count at the next one.
        await pool.begin(async (sql) => {
          words.push(wordOf(await bookQuote(sql as unknown as Sql, quoteItem(other, byGrams(side, size)))));
          throw new Error("undone");
        }).catch(() => {});
      }
      return sizes.findLast((_, n) => words[n] === MADE);
    };
    for (const side of ["buy", "sell"] as const) {
      const opens = [1n, 500n, 1_000n, 1_001n, 2_000n];
      const found = [];
      for (const open of opens) found.push(await largest(side, open));
      assertEquals(found, [9_000n, 9_000n, 9_000n, 8_000n, 8_000n]);
    }
    const steps = await books.sql`
      select gold.exposure_step(m)::int as step from unnest(array[0, 9, 50000, 10000000, 10000000000]::bigint[]) m`;
    assertEquals(steps.map(({ step }) => step), [1, 1, 5_000, 1_000_000, 1_000_000]);
    const [never] = await books.sql`
      select bool_and(gold.coarse_exposure(u, m) >= u and gold.coarse_exposure(u, m) < u + gold.exposure_step(m)) as holds
      from generate_series(-20000::bigint, 20000, 77) u, unnest(array[1, 15, 500, 20000]::bigint[]) m`;
    assertEquals(never!.holds, true);
  });

  it("refuses with a complete problem that binds no key and stores nothing", async () => {
    const [one, other] = clients as [number, number];
    await limit(10_000);
    const open = await quote(one, "buy", 10_000n);
    const before = await readBooks(books.sql);
    const item = quoteItem(other, byGrams("buy", 1n));
    const outcome = await bookQuote(books.api, item);
    const { status, retryable, binds_key } = PROBLEM_REGISTRY.exposure_exceeded;
    assertEquals([outcome.status, status, retryable, binds_key], [422, 422, true, false]);
    assertEquals(problemIn(outcome, "exposure_exceeded").request_id, `req_${item.requestId}`);
    assertEquals(await readBooks(books.sql), before);
    await execute(one, open);
    await execute(one, await quote(one, "sell", 10_000n));
    assertEquals(wordOf(await bookQuote(books.api, item)), MADE);
  });

  it("counts a quote until it has ended, and starts each day at zero", async () => {
    const [one, other] = clients as [number, number];
    await limit(10_000);
    await quote(one, "buy", 10_000n);
    assertEquals(wordOf(await quote(other, "buy", 1n)), REFUSED);
    await books.sql`update gold.open_exposure set ends_at = clock_timestamp() - interval '2 minutes'`;
    await execute(other, await quote(other, "buy", 10_000n));
    assertEquals(wordOf(await quote(one, "buy", 1n)), REFUSED);
    assertEquals((await books.sql`select from gold.open_exposure`).length, 1, "ended quotes are forgotten");
    await books.sql`update gold.vault set day_ends_at = day_ends_at - interval '1 day'`;
    const everyone = await books.sql`select client_id from gold.account`;
    await moveTrades("-1 day", everyone.map(({ client_id }) => client_id as number));
    assertEquals(wordOf(await quote(one, "buy", 10_000n)), MADE);
    assertEquals({ ...await counted() }, { day_net: 0, open_buys: 10_000, open_sells: 0 });
  });

  it("counts the day's orders again after the clock stepped back, and those of the later day twice", async () => {
    const [one, other] = clients as [number, number];
    /** Leaves what the first quote of a later day leaves. */
    const turnDay = () =>
      books
        .sql`update gold.vault set day_net = 0, day_ends_at = day_ends_at + interval '3 days' where stripe = 0`;
    const today = () =>
      valueOf<boolean>(
        books
          .sql`select day_ends_at = gold.day_end(clock_timestamp()) as today from gold.vault where stripe = 0`,
      );
    await limit(null);
    await books.sql`select gold.set_exposure(1000000000)`;
    const before = (await counted())!.day_net as number;
    await books.sql`select gold.set_exposure(${before + 9_000_000})`;
    const open = await quote(other, "buy", 3_000_000n);
    await execute(one, await quote(one, "buy", 4_000_000n));
    await moveTrades("3 days", [one]);
    await turnDay();
    assertEquals(wordOf(await quote(other, "buy", 5_000_000n)), REFUSED);
    assertEquals([(await counted())!.day_net, await today()], [before + 4_000_000, true]);
    await turnDay();
    await execute(other, open);
    assertEquals([(await counted())!.day_net, await today()], [before + 7_000_000, true]);
    await books.sql`update gold.vault set day_ends_at = day_ends_at - interval '1 day' where stripe = 0`;
    assertEquals(wordOf(await quote(other, "buy", 3_000_000n)), REFUSED, "a day begins with its orders");
    const [later] = await books
      .sql`select gold.net_of_day(clock_timestamp() + interval '2 days')::int as net`;
    // The gold that the fixture gave to the client has moved along.
    assertEquals(later!.net, 4_000_000 + 1_000_000);
  });

  it("does not let sales of today make room for a quote that can be executed tomorrow", async () => {
    const [one] = clients as [number];
    await limit(50_000);
    await execute(one, await quote(one, "sell", 50_000n));
    await books.sql`update gold.vault set day_ends_at = clock_timestamp() + interval '30 seconds'`;
    assertEquals([wordOf(await quote(one, "buy", 50_001n)), wordOf(await quote(one, "buy", 50_000n))], [
      REFUSED,
      MADE,
    ]);
  });

  it("stores no counts without a limit, but the position can be read, and is the one that is stored with a limit", async () => {
    const [one, other] = clients as [number, number];
    await limit(null);
    await execute(one, await quote(one, "buy", 20_000n));
    await quote(one, "buy", 10_000n);
    await quote(other, "sell", 3_000n);
    const [stored] = await books.sql`
      select sum(day_net)::int as net, (select count(*)::int from gold.open_exposure) as open from gold.vault`;
    assertEquals({ ...stored }, { net: 0, open: 0 });
    const unlimited = { ...await counted() };
    await books.sql`select gold.set_exposure(1000000000)`;
    const [traded] = await books.sql`
      select sum(case side when 'buy' then grams else -grams end)::int as net from gold.orders
      where executed_at >= gold.day_end(clock_timestamp()) - interval '24 hours'`;
    const holdings = await books.sql`
      select coalesce(sum(t.amount), 0)::int as given from gold.transfer t
      where t.credit = 'gold' and t.posted_at >= gold.day_end(clock_timestamp()) - interval '24 hours'
        and not exists (select from gold.orders o where o.client_id = t.client_id and o.sequence = t.sequence)`;
    const position = {
      day_net: (traded!.net as number) + (holdings[0]!.given as number),
      open_buys: 10_000,
      open_sells: 3_000,
    };
    assertEquals([unlimited, { ...await counted() }], [position, position]);
  });

  it("counts a quote that is being made while the limit is set", async () => {
    const [one] = clients as [number];
    await limit(null);
    const pool = books.connect("superuser", 3);
    let release = () => {};
    const released = new Promise<void>((resolve) => release = resolve);
    let held: Promise<unknown> = Promise.resolve();
    await new Promise<void>((locked) => {
      held = pool.begin(async (sql) => {
        await sql`select from gold.account where client_id = ${one} for no key update`;
        locked();
        await released;
      });
    });
    const quoting = quote(one, "buy", 10_000n);
    await untilWaiting(pool);
    const set = pool`select gold.set_exposure(1000000000)`.then(() => {});
    await untilWaiting(pool, 2).finally(release);
    await held;
    assertEquals(wordOf(await quoting), MADE);
    await set;
    assertEquals((await counted())!.open_buys, 10_000);
  });

  it("holds for concurrent quotes and orders of several partners and connections", async () => {
    await limit(100_000);
    const pools = [books.connect("gold_api", 6), books.connect("gold_api", 6)];
    const quoted = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const client = clients[n % 2]!;
        const outcome = await bookQuote(pools[n % 2]!, quoteItem(client, byGrams("buy", 10_000n)));
        return { client, outcome };
      }),
    );
    const made = quoted.filter(({ outcome }) => wordOf(outcome) === MADE);
    assertEquals([made.length, quoted.filter(({ outcome }) => wordOf(outcome) === REFUSED).length], [10, 50]);
    const mixed = await Promise.all(
      made.flatMap(({ client, outcome }) => [
        execute(client, outcome),
        bookQuote(pools[1]!, quoteItem(client, byGrams("buy", 1n))),
      ]),
    );
    assertEquals(mixed.filter(({ status }) => status === 201).length, 10);
    assertEquals({ ...await counted() }, { day_net: 100_000, open_buys: 0, open_sells: 0 });
  });

  it("lets a quote wait for another partner's quote that is not committed yet", async () => {
    const [one, other] = clients as [number, number];
    await limit(10_000);
    const second = await books.connect("gold_api", 1).begin(async (sql) => {
      const first = await bookQuote(sql as unknown as Sql, quoteItem(one, byGrams("buy", 10_000n)));
      assertEquals(wordOf(first), MADE);
      const waiting = quote(other, "buy", 10_000n);
      await untilWaiting(books.sql);
      return { waiting };
    });
    assertEquals(wordOf(await second.waiting), REFUSED);
  });

  it("applies within a batch of several partners", async () => {
    await limit(20_000);
    const outcomes = await sendQuotes(books.api)(
      [...clients, ...clients].map((client) => quoteItem(client, byGrams("sell", 10_000n))),
      { wait: true, settle: false },
    );
    assertEquals(outcomes.map(wordOf), [MADE, MADE, REFUSED, REFUSED]);
  });
});
