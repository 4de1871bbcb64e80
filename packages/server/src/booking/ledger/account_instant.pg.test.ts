import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openAccountReads } from "../../reads/account_reads.ts";
import { openRecordReads } from "../../reads/record_reads.ts";
import { sendOrders } from "../trading/book_orders.ts";
import { sendQuotes } from "../trading/book_quotes.ts";
import {
  bookFunding,
  bookOrder,
  bookQuote,
  bookWithdrawal,
  byGrams,
  fundingItem,
  newUuid,
  orderItem,
  plantQuote,
  quoteItem,
  readBooks,
  withdrawalItem,
  wordOf,
} from "../fixture.ts";
import { valueOf } from "../../../testing/rows.ts";

const GRAM = byGrams("buy", 10_000n);
const TERMS = { side: "buy", grams: 10_000n, price: 3_210_000n } as const;
const BATCH = { wait: true, settle: false };

describe("the time of an account whose newest posting is ahead of the clock", () => {
  const books = suiteBooks();
  before(() => books.addBar(100_000_000n));

  const reads = () => openAccountReads(books.api);
  const rich = () => books.createClient({ halalas: 100_000_000n });
  const set = (client: number, column: "last_posted_at" | "closed_until", seconds: number) =>
    valueOf(books.sql`
      update gold.account set ${books.sql(column)} = clock_timestamp() + make_interval(secs => ${seconds})
      where client_id = ${client} returning ${books.sql(column)} as at`);
  const post = async (client: number): Promise<Date> => {
    const { body } = await bookFunding(books.api, fundingItem(client, 1n));
    return new Date((JSON.parse(body!) as { created_at: string }).created_at);
  };
  const atLeast = (later: Date, earlier: Date) =>
    assert(later >= earlier, `${later.toISOString()} is before ${earlier.toISOString()}`);

  it("is the instant of quotes and orders, so that an order is never before its quote", async () => {
    const client = await rich();
    const ahead = await set(client, "last_posted_at", 4.5);
    const quoted = JSON.parse((await bookQuote(books.api, quoteItem(client, GRAM))).body!);
    atLeast(new Date(quoted.created_at), ahead);
    assertEquals(Date.parse(quoted.expires_at) - Date.parse(quoted.created_at), 60_000);
    const quote = quoted.quote_id.slice("qt_".length);
    const executed = JSON.parse((await bookOrder(books.api, orderItem(client, quote))).body!);
    atLeast(new Date(executed.executed_at), new Date(quoted.created_at));
  });

  it("decides whether a quote has expired, both for an order and for a read", async () => {
    const client = await rich();
    await set(client, "last_posted_at", 4.5);
    // Firm for two more seconds by the clock.
    const ended = await plantQuote(books.sql, { ...TERMS, client, ageSeconds: 58 });
    const open = await plantQuote(books.sql, { ...TERMS, client, ageSeconds: 0 });
    const find = async (id: string) => {
      const text = await openRecordReads(books.api).find("quote", client, id);
      return (JSON.parse(text!) as { status: string }).status;
    };
    assertEquals([await find(ended), await find(open)], ["expired", "open"]);
    assertEquals(wordOf(await bookOrder(books.api, orderItem(client, ended))), "answered quote_expired");
    assertEquals(wordOf(await bookOrder(books.api, orderItem(client, open))), "answered 201");
  });

  for (const seconds of [75, 3600]) {
    it(`refuses quotes and orders only for this account if the clock is ${seconds} s behind`, async () => {
      const [client, other] = [await rich(), await rich()];
      const known = orderItem(client, await books.quote(client, "buy", 10_000n));
      const first = await bookOrder(books.api, known);
      const order = orderItem(client, await books.quote(client, "buy", 10_000n));
      const otherOrder = orderItem(other, await books.quote(other, "buy", 10_000n));
      const quote = quoteItem(client, GRAM);
      await set(client, "last_posted_at", seconds);
      const before = await readBooks(books.sql);
      for (const refused of [await bookOrder(books.api, order), await bookQuote(books.api, quote)]) {
        assertEquals([refused.outcome, refused.status], ["service_unavailable", null]);
        assert(Math.abs(Number(refused.body) - seconds) < 5, `${refused.body} s`);
      }
      assertEquals(await readBooks(books.sql), before);
      const orders = await sendOrders(books.api)([order, otherOrder], BATCH);
      const quotes = await sendQuotes(books.api)([quote, quoteItem(other, GRAM)], BATCH);
      for (const outcomes of [orders, quotes]) {
        assertEquals(outcomes.map(({ outcome }) => outcome), ["service_unavailable", "answered"]);
        assertEquals(outcomes[1]!.status, 201);
      }
      // Expect the same answer for an order that was answered before.
      assertEquals(await bookOrder(books.api, known, { settle: true }), first);
      const retry = { ...known, nonce: newUuid(), requestId: newUuid() };
      assertEquals(await bookOrder(books.api, retry), { ...first, outcome: "replayed" });
      await set(client, "last_posted_at", 0);
      assertEquals(wordOf(await bookOrder(books.api, order)), "answered 201");
      assertEquals(wordOf(await bookQuote(books.api, quote)), "answered 201");
    });

    it(`returns a final balance as of the newest posting if the clock is ${seconds} s behind`, async () => {
      const client = await rich();
      const ahead = await set(client, "last_posted_at", seconds);
      const { asOf, ...answered } = await reads().balances(client);
      assertEquals(asOf, ahead);
      assertEquals(await reads().balancesAt(client, ahead.toISOString()), answered);
      assertEquals(await reads().balancesAt(client, new Date(ahead.getTime() + 1).toISOString()), undefined);
      const posted = await post(client);
      assertEquals(posted.getTime(), ahead.getTime() + 1);
      assertEquals(await reads().balancesAt(client, ahead.toISOString()), answered);
      const after = await reads().balances(client);
      assertEquals([after.asOf, after.sarAvailable], [posted, answered.sarAvailable + 1n]);
    });
  }

  for (const seconds of [6, 75, 3600]) {
    it(`keeps a balance that was read before the clock stepped back by ${seconds} s`, async () => {
      const client = await rich();
      await set(client, "last_posted_at", seconds - 1);
      const read = await set(client, "closed_until", seconds);
      const first = await reads().balancesAt(client, read.toISOString());
      const { asOf } = await reads().balances(client);
      const posted = await post(client);
      assert(posted > read && posted > asOf, `${posted.toISOString()} is not after ${read.toISOString()}`);
      assertEquals(await reads().balancesAt(client, read.toISOString()), first);
    });
  }

  it("refuses an order for a quote that is more than 5 s ahead of the clock", async () => {
    const client = await rich();
    const quote = await plantQuote(books.sql, { ...TERMS, client, ageSeconds: 0, madeAheadSeconds: 75 });
    const order = orderItem(client, quote);
    const before = await readBooks(books.sql);
    const { outcome, body } = await bookOrder(books.api, order);
    assertEquals(outcome, "service_unavailable");
    assert(Math.abs(Number(body) - 75) < 5, `${body} s`);
    assertEquals(await readBooks(books.sql), before);
    const soon = await plantQuote(books.sql, { ...TERMS, client, ageSeconds: 0, madeAheadSeconds: 4 });
    const executed = JSON.parse((await bookOrder(books.api, orderItem(client, soon))).body!);
    const [made] = await books.sql`select created_at from gold.quote where id = ${soon}`;
    atLeast(new Date(executed.executed_at), made!.created_at);
  });

  it("is never before the newest posting for withdrawals and fundings", async () => {
    const client = await rich();
    const ahead = await set(client, "last_posted_at", 75);
    const withdrawn = JSON.parse((await bookWithdrawal(books.api, withdrawalItem(client, 1n))).body!);
    atLeast(new Date(withdrawn.created_at), ahead);
    atLeast(await post(client), ahead);
  });

  it("is later than the instant of any balance that was read, also after a small step back", async () => {
    const client = await rich();
    for (const read of [() => reads().balances(client).then(({ asOf }) => asOf), readAt(0), readAt(500)]) {
      const at = await read();
      // Expect that the instant is closed already, because it is before the newest posting.
      const [row] = await books.sql`
        select greatest(closed_until, last_posted_at - interval '1 millisecond') as closed
        from gold.account where client_id = ${client}`;
      atLeast(row!.closed, at);
      const posted = await post(client);
      assert(posted > at, `${posted.toISOString()} is not after ${at.toISOString()}`);
    }
    const closed = await set(client, "closed_until", 3);
    assert(await post(client) > closed);

    function readAt(agoMs: number): () => Promise<Date> {
      return async () => {
        const [row] = await books.sql`select date_trunc('milliseconds', clock_timestamp()) as at`;
        const at = new Date((row!.at as Date).getTime() - agoMs);
        assert(await reads().balancesAt(client, at.toISOString()));
        return at;
      };
    }
  });

  it("is the clock's time if no posting is later, even after a read and then a large step back", async () => {
    const client = await rich();
    await set(client, "last_posted_at", -1);
    const read = await set(client, "closed_until", 75);
    const quoted = JSON.parse((await bookQuote(books.api, quoteItem(client, GRAM))).body!);
    assert(Date.parse(quoted.created_at) < read.getTime() - 60_000);
    const outcome = await bookOrder(books.api, orderItem(client, quoted.quote_id.slice("qt_".length)));
    assertEquals(wordOf(outcome), "answered 201");
    const ahead = new Date(read.getTime() - 1000).toISOString();
    assertEquals(await reads().balancesAt(client, ahead), undefined);
    const { asOf } = await reads().balances(client);
    assert(asOf.getTime() < read.getTime() - 60_000);
    assert(await post(client) > asOf);
  });

  it("does not run ahead of the clock if a partner posts and reads in a loop", async () => {
    const client = await rich();
    for (let n = 0; n < 200; n++) {
      await post(client);
      await reads().balances(client);
    }
    const [row] = await books.sql`
      select extract(epoch from last_posted_at - clock_timestamp())::float as ahead from gold.account where client_id = ${client}`;
    assert(row!.ahead < 0.05, `${row!.ahead} s ahead`);
  });

  it("treats a price that is later than the clock as stale, because the price's age is unknown", async () => {
    const client = await rich();
    const price = async (source: string, seconds: number) => {
      await books
        .sql`update gold.price set source = ${source}, as_of = clock_timestamp() + make_interval(secs => ${seconds})`;
      const [row] = await books.api`select stale from gold.current_price`;
      return [row!.stale, (await bookQuote(books.api, quoteItem(client, GRAM))).outcome];
    };
    assertEquals(await price("simulated", -1), [false, "answered"]);
    assertEquals(await price("simulated", 75), [true, "price_unavailable"]);
    assertEquals(await price("fixed", 75), [false, "answered"]);
  });

  itLeavesNoDefects(books);
});
