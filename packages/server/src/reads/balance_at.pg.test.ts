import { suiteBooks } from "../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import type { Balance } from "../booking/ledger/history_fixture.ts";
import { sendOrders } from "../booking/trading/book_orders.ts";
import { bookFunding, fundingItem, orderItem, plantQuote, untilWaiting } from "../booking/fixture.ts";
import { type AccountReads, openAccountReads } from "./account_reads.ts";
import { playLongHistory } from "./long_history_fixture.ts";

const OPERATIONS = 10_000;
const RANDOM_INSTANTS = 2000;
const ASKING_MS = 3000;

/** A random generator that draws the same numbers in every run. */
function drawFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % bound;
  };
}

const NOTHING: Balance = { available: 0n, held: 0n, gold: 0n };
const textOf = ({ available, held, gold }: Balance) => `${available} ${held} ${gold}`;

describe("the balance at an instant", () => {
  const books = suiteBooks();
  before(async () => {
    // Do not wait for the disk: this test makes thousands of commits, which do not have to survive a power
    // cut.
    await books.sql.unsafe(
      `alter database ${new URL(books.url).pathname.slice(1)} set synchronous_commit = off`,
    );
    await books.addBar(1_000_000_000n);
  });

  /** The balance that the service's function returns for each instant, given in milliseconds. */
  async function askAll(sql: Sql, client: number, instants: readonly number[]): Promise<string[]> {
    const rows = await sql<{ balance: string | null }[]>`
      select b.available || ' ' || b.held || ' ' || b.gold as balance
      from unnest(${`{${
      instants.map((ms) => new Date(ms).toISOString()).join(",")
    }}`}::text::timestamptz[]) with ordinality given (at, n)
      left join lateral gold.balance_at(${client}, given.at) b on true order by given.n`;
    return rows.map(({ balance }) => balance ?? "future");
  }

  /**
   * Compares the service's balances with the model's. `past` contains the model's balance after each of the
   * client's events.
   */
  async function assertMatches(
    client: number,
    past: readonly Balance[],
    draw: (bound: number) => number,
  ): Promise<void> {
    const events = await books.sql<{ at: Date }[]>`
      select created_at as at from gold.event where client_id = ${client} order by sequence`;
    assertEquals(events.length, past.length);
    const times = events.map(({ at }) => at.getTime());
    const [first, last] = [times[0]!, times.at(-1)!];
    const random = Array.from({ length: RANDOM_INSTANTS }, () => first - 1000 + draw(last - first + 1000));
    const instants = [0, ...times.flatMap((ms) => [ms - 1, ms]), ...random];
    const expected = instants.map((ms) => textOf(past[times.filter((at) => at <= ms).length - 1] ?? NOTHING));
    assertEquals(await askAll(books.api, client, instants), expected);
  }

  it("equals an independent model's balance at, just before and between 10,000 operations", async () => {
    const clients = [await books.createClient(), await books.createClient(), await books.createClient()];
    const draw = drawFrom(42);
    const { past } = await playLongHistory(books, clients, OPERATIONS, draw);
    for (const [n, client] of clients.entries()) {
      assert(past[n]!.length > OPERATIONS / 8, `client ${client} has ${past[n]!.length} events`);
      await assertMatches(client, past[n]!, draw);
    }
    assertEquals(await books.defects(), []);
  });

  it("never changes after it was returned, even while orders are executed", async () => {
    const client = await books.createClient({ halalas: 1_000_000_000n });
    const returned = new Map<number, string>();
    const startedMs = performance.now();
    let booked = 0;
    // Run for at least ASKING_MS, and longer on a busy machine, until there are enough orders and balances to
    // compare.
    const enough = () => performance.now() - startedMs > ASKING_MS && booked > 50 && returned.size > 500;
    const api = books.connect("gold_api", 8);
    const trade = async () => {
      while (!enough()) {
        const terms = { client, side: "buy", grams: 1n, price: 3_210_000n, ageSeconds: 0 } as const;
        const quotes = await Promise.all(Array.from({ length: 10 }, () => plantQuote(books.sql, terms)));
        for (const quote of quotes) {
          await sendOrders(books.api)([orderItem(client, quote)], { wait: true, settle: false });
          booked++;
        }
      }
    };
    const ask = async (aheadMs: number) => {
      while (!enough()) {
        const [row] = await api<
          { ms: string }[]
        >`select trunc(extract(epoch from clock_timestamp()) * 1000)::text as ms`;
        const ms = Number(row!.ms) + aheadMs;
        const [balance] = await askAll(api, client, [ms]);
        if (balance === "future") continue;
        assertEquals(returned.get(ms) ?? balance, balance, "a later read of the same instant differs");
        returned.set(ms, balance!);
      }
    };
    await Promise.all([trade(), ask(0), ask(0), ask(0), ask(1), ask(1)]);
    assertEquals(await askAll(api, client, [...returned.keys()]), [...returned.values()]);
  });

  it("waits for an in-flight posting, whose instant may be earlier than the requested instant", async () => {
    const client = await books.createClient({ halalas: 100n });
    const posting = books.connect("gold_api", 1);
    let pending: Promise<string[]> | undefined;
    await posting.begin(async (sql) => {
      await bookFunding(sql as unknown as Sql, fundingItem(client, 11n));
      await new Promise((resolve) => setTimeout(resolve, 5));
      pending = askAll(books.api, client, [Date.now() - 2]);
      await untilWaiting(books.sql);
    });
    assertEquals(await pending, ["111 0 0"]);
  });

  it("is undefined for a future instant, but not for the as_of that a posting just returned", async () => {
    const client = await books.createClient();
    const reads = openAccountReads(books.api);
    for (const aheadMs of [5000, 60_000, 1e12]) {
      assertEquals(await reads.balancesAt(client, new Date(Date.now() + aheadMs).toISOString()), undefined);
    }
    for (let n = 1; n <= 50; n++) {
      const { body } = await bookFunding(books.api, fundingItem(client, 1n));
      const { as_of } = (JSON.parse(body!) as { balances: { as_of: string } }).balances;
      assertEquals((await reads.balancesAt(client, as_of))?.sarAvailable, BigInt(n));
    }
  });

  it("waits for an in-flight posting if no instant is given, and has no earlier as_of", async () => {
    const client = await books.createClient({ halalas: 100n });
    const posting = books.connect("gold_api", 1);
    let [pending, posted]: [ReturnType<AccountReads["balances"]> | undefined, string] = [undefined, ""];
    await posting.begin(async (sql) => {
      const { body } = await bookFunding(sql as unknown as Sql, fundingItem(client, 11n));
      posted = (JSON.parse(body!) as { balances: { as_of: string } }).balances.as_of;
      pending = openAccountReads(books.api).balances(client);
      await untilWaiting(books.sql);
    });
    const { sarAvailable, asOf } = await pending!;
    assertEquals(sarAvailable, 111n);
    assert(asOf.toISOString() >= posted, `${asOf.toISOString()} after ${posted}`);
  });

  it("without an instant, returns an as_of that is not before the newest posting, even if the posting is ahead of the clock", async () => {
    const client = await books.createClient({ halalas: 100n });
    const ahead = new Date(Date.now() + 500);
    await books.sql`
      update gold.account set last_posted_at = ${ahead.toISOString()}::text::timestamptz where client_id = ${client}`;
    const { asOf } = await openAccountReads(books.api).balances(client);
    assert(asOf >= ahead, `${asOf.toISOString()} is before ${ahead.toISOString()}`);
  });
});
