import { AMOUNT_MAX_HALALAS, quoteReply, type QuoteRequest } from "@gold-partner/protocol";
import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Outcome } from "../outcome.ts";
import {
  bookOrder,
  bookQuote,
  byAmount,
  byGrams,
  lockAccount,
  maskInstants,
  newUuid,
  orderItem,
  problemIn,
  quoteItem,
  readBooks,
  untilWaiting,
  wordOf,
} from "../fixture.ts";
import { sendQuotes } from "./book_quotes.ts";

const BOUND =
  "This answer is bound to the Idempotency-Key: send a quantity within the limits with a new key.";
const GRAM = byGrams("buy", 10_000n);

describe("book_quotes", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    client = await books.createClient();
    await books.setPrice(3_210_000n, 3_190_000n);
  });

  const quote = (asked: QuoteRequest, given = {}, sending = {}): Promise<Outcome> =>
    bookQuote(books.api, quoteItem(client, asked, given), sending);

  it("makes a quote that is firm for sixty seconds of the database's clock, bound to its key", async () => {
    const item = quoteItem(client, GRAM);
    const [before] = await books.sql`select clock_timestamp() as at`;
    const outcome = await bookQuote(books.api, item);
    const [after] = await books.sql`select clock_timestamp() as at`;
    assertEquals([outcome.outcome, outcome.status], ["answered", 201]);
    assertEquals(
      maskInstants(outcome.body!),
      `{"quote_id":"qt_${item.id}","side":"buy","gold_grams":1,"price_per_gram_sar":321,"total_sar":321,` +
        `"status":"open","created_at":"<instant>","expires_at":"<instant>"}`,
    );
    const { created_at, expires_at } = quoteReply.strict().parse(JSON.parse(outcome.body!));
    const createdMs = Date.parse(created_at);
    assert(before!.at.getTime() <= createdMs && createdMs <= after!.at.getTime() + 1, created_at);
    assertEquals(Date.parse(expires_at) - createdMs, 60_000);
    const written = await books.sql`
      select q.created_at, q.expires_at, k.result_kind, k.result_id, k.request_id, k.status
      from gold.quote q join gold.idempotency_key k using (bucket, client_id) where q.id = ${item.id} and k.key = ${item.key}`;
    assertEquals([...written], [{
      created_at: new Date(created_at),
      expires_at: new Date(expires_at),
      result_kind: "quote",
      result_id: item.id,
      request_id: item.requestId,
      status: 201,
    }]);
  });

  it("reserves nothing: money, gold and event sequence do not change", async () => {
    const rowsOf = (lines: string[]) => lines.filter((line) => !/^(quote|idempotency_key) /.test(line));
    const before = rowsOf(await readBooks(books.sql));
    await quote(GRAM);
    assertEquals(rowsOf(await readBooks(books.sql)), before);
  });

  it("refuses a quote outside the partner's limits or of no value, and binds the refusal", async () => {
    const bounds = { maximumTenthMilligrams: 15_000n };
    const cases: [QuoteRequest, string][] = [
      [byGrams("buy", 15_001n), "."],
      [byAmount("sell", 47_853n), "; this amount comes to 1.5001 g."],
      [byAmount("buy", 3n), "; this amount comes to 0 g."],
      // The largest amount. The service cuts a larger amount to one halala above it, so the answer to a
      // larger amount does not state the grams.
      [byAmount("buy", AMOUNT_MAX_HALALAS), "; this amount comes to 31152647.975 g."],
      [byAmount("buy", AMOUNT_MAX_HALALAS + 1n), "."],
    ];
    for (const [asked, end] of cases) {
      const item = quoteItem(client, asked, bounds);
      const outcome = await bookQuote(books.api, item);
      const { request_id, detail } = problemIn(outcome, "limit_exceeded");
      assertEquals(request_id, `req_${item.requestId}`);
      assertEquals(
        detail,
        `An order is between 0.0001 g and 1.5 g and moves at least 0.01 SAR${end} ${BOUND}`,
      );
      const again = await bookQuote(books.api, { ...item, requestId: newUuid() });
      assertEquals(again, { ...outcome, outcome: "replayed" });
    }
    for (const goldTenthMilligrams of [1n, 15_000n]) {
      assertEquals((await quote(byGrams("buy", goldTenthMilligrams), bounds)).status, 201);
    }
    await books.setPrice(3_210_000n, 9_999n);
    const [nothing, something] = await sendQuotes(books.api)([
      quoteItem(client, byGrams("sell", 100n)),
      quoteItem(client, byGrams("sell", 101n)),
    ], { wait: true, settle: false });
    assertEquals([nothing!, something!].map(wordOf), ["answered limit_exceeded", "answered 201"]);
    await books.setPrice(3_210_000n, 3_190_000n);
  });

  it("replays byte for byte at any later price, and refuses the key with another fingerprint", async () => {
    const item = quoteItem(client, GRAM);
    const first = await bookQuote(books.api, item);
    await books.setPrice(5_000_000n, 4_000_000n);
    const retry = { ...item, id: newUuid(), requestId: newUuid() };
    assertEquals(await bookQuote(books.api, retry), { ...first, outcome: "replayed" });
    assertEquals(
      wordOf(await bookQuote(books.api, { ...retry, fingerprint: "0b".repeat(32) })),
      "idempotency_key_conflict",
    );
    await books.setPrice(3_210_000n, 3_190_000n);
  });

  it("refuses an order with the idempotency key of a quote, and the other way round", async () => {
    const [first, second] = [quoteItem(client, GRAM), orderItem(client, null)];
    await bookQuote(books.api, first);
    await bookOrder(books.api, second);
    const order = orderItem(client, null, { key: first.key, fingerprint: "0b".repeat(32) });
    assertEquals(wordOf(await bookOrder(books.api, order)), "idempotency_key_conflict");
    const conflicting = await quote(GRAM, { key: second.key, fingerprint: "0b".repeat(32) });
    assertEquals(wordOf(conflicting), "idempotency_key_conflict");
  });

  it("stores nothing if the price is stale or the admission version is not the current one", async () => {
    const item = quoteItem(client, GRAM);
    const before = await readBooks(books.sql);
    await books
      .sql`update gold.price set source = 'simulated', stale_after_seconds = 60, as_of = clock_timestamp() - interval '60 seconds'`;
    assertEquals(wordOf(await bookQuote(books.api, item)), "price_unavailable");
    await books
      .sql`update gold.price set as_of = clock_timestamp() - interval '50 seconds'`;
    assertEquals(wordOf(await bookQuote(books.api, { ...item, admissionVersion: "2" })), "admission_changed");
    assertEquals(await readBooks(books.sql), before);
    assertEquals(wordOf(await bookQuote(books.api, item)), "answered 201");
    await books.sql`update gold.price set source = 'fixed', as_of = clock_timestamp() - interval '1 year'`;
    assertEquals(wordOf(await quote(GRAM)), "answered 201");
  });

  it("answers price_unavailable while no price has ever been set", async () => {
    const message = await books.sql.begin(async (sql) => {
      await sql`delete from gold.price`;
      const outcome = await bookQuote(sql as never, quoteItem(client, GRAM));
      throw new Error(wordOf(outcome));
    }).catch((error: Error) => error.message);
    assertEquals(message, "price_unavailable");
  });

  it("checks the limits on grams before the market's hours and before the price", async () => {
    const [beyond, within, amount]: QuoteRequest[] = [
      byGrams("buy", 15_001n),
      byGrams("buy", 15_000n),
      byAmount("buy", 100_000_000n),
    ];
    const words = async () => {
      const said: string[] = [];
      for (const asked of [beyond, within, amount]) {
        said.push(wordOf(await quote(asked!, { maximumTenthMilligrams: 15_000n })));
      }
      return said;
    };
    await books.sql`select gold.set_market_hours(false, '[]')`;
    assertEquals(await words(), ["answered limit_exceeded", "market_closed", "market_closed"]);
    await books.sql`select gold.set_market_hours(true, '[]')`;
    await books.sql`update gold.price set source = 'simulated', as_of = 'epoch'`;
    assertEquals(await words(), ["answered limit_exceeded", "price_unavailable", "price_unavailable"]);
    await books.setPrice(3_210_000n, 3_190_000n);
    assertEquals(await words(), ["answered limit_exceeded", "answered 201", "answered limit_exceeded"]);
  });

  it("returns the first answer if a request was committed before its connection was lost", async () => {
    for (const asked of [GRAM, byGrams("buy", 0n)]) {
      const item = quoteItem(client, asked);
      const first = await bookQuote(books.api, item);
      const committed = await readBooks(books.sql);
      assertEquals(await bookQuote(books.api, item, { settle: true }), first);
      assertEquals(wordOf(await bookQuote(books.api, item)), wordOf(first).replace("answered", "replayed"));
      assertEquals(await readBooks(books.sql), committed);
      assertEquals(
        (await bookQuote(books.api, quoteItem(client, asked), { settle: true })).status,
        first.status,
      );
    }
  });

  it("takes its instant after the account's lock, so that a wait does not shorten the quote", async () => {
    const holder = await lockAccount(books.sql, client);
    const waiting = quote(GRAM);
    await untilWaiting(books.sql);
    const [released] = await holder.sql`select clock_timestamp() as at`;
    await holder.release();
    const { created_at } = JSON.parse((await waiting).body!);
    assert(
      Date.parse(created_at) >= released!.at.getTime(),
      `${created_at} after ${released!.at.toISOString()}`,
    );
  });

  itLeavesNoDefects(books);
});
