import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { after, before, describe, it } from "node:test";
import type { ReservedSql } from "postgres";
import { byAmount, byGrams, quoteItem, wordOf } from "../fixture.ts";
import {
  bookBothWays,
  CLIENTS,
  drawnOrder,
  type OrderDraw,
  type QuoteDraw,
  stageHoldings,
  stageQuotes,
  uuidOf,
} from "./batch_fixture.ts";
import { type OrderItem, sendOrders } from "./book_orders.ts";
import { type QuoteItem, sendQuotes } from "./book_quotes.ts";
import { seedTests } from "../../../../../tools/testing/seed.ts";
import { suiteBooks } from "../../../testing/books.ts";

seedTests(import.meta.url);

const SETTINGS = { numRuns: 100 };

// Quantities are small, so that balances and the vault run out in the middle of a batch, and a sell refills
// them.
const holding = fc.record({ grams: fc.nat(30), halalas: fc.nat(400) });
const quoteDraw: fc.Arbitrary<QuoteDraw> = fc.record({
  owner: fc.nat(CLIENTS.length - 1),
  side: fc.constantFrom("buy", "sell"),
  grams: fc.integer({ min: 1, max: 20 }),
  expired: rarely(6),
});
const QUOTES = 30;

function rarely(oneIn: number): fc.Arbitrary<boolean> {
  return fc.nat(oneIn - 1).map((n) => n === 1);
}

/**
 * Some keys and nonces repeat within the batch, and some repeat keys and nonces of the history before the
 * batch.
 */
function orderDraw(quotes: readonly QuoteDraw[]): fc.Arbitrary<OrderDraw> {
  const quote = fc.option(fc.nat(QUOTES + 1), { freq: 30 });
  return fc.record({
    quote,
    someone: fc.nat(CLIENTS.length - 1),
    foreign: rarely(15),
    key: fc.nat(90),
    nonce: fc.nat(150),
    fingerprint: fc.nat(5),
    stale: rarely(20),
  }).map(({ quote, someone, foreign, fingerprint, ...draw }) => ({
    ...draw,
    quote,
    client: foreign || quote === null ? someone : quotes[quote]?.owner ?? someone,
    fingerprint: fingerprint === 1 ? 1 : 0,
  }));
}

const orderCase = fc.array(quoteDraw, { minLength: QUOTES, maxLength: QUOTES }).chain((quotes) =>
  fc.record({
    holdings: fc.array(holding, { minLength: CLIENTS.length, maxLength: CLIENTS.length }),
    free: fc.integer({ min: 1, max: 80 }),
    quotes: fc.constant(quotes),
    history: fc.array(orderDraw(quotes), { maxLength: 12 }),
    batch: fc.array(orderDraw(quotes), { minLength: 1, maxLength: 64, size: "max" }),
  })
);

const quoteDrawn = fc.record({
  client: fc.nat(CLIENTS.length - 1),
  key: fc.nat(60),
  fingerprint: fc.nat(5),
  side: fc.constantFrom("buy" as const, "sell" as const),
  grams: fc.option(fc.bigInt({ min: 1n, max: 1_200n })),
  amount: fc.bigInt({ min: 1n, max: 40_000n }),
  stale: rarely(15),
});

const limitDraw = fc.option(
  fc.record({
    quotes: fc.option(fc.integer({ min: 1, max: 6 })),
    grams: fc.option(fc.integer({ min: 1, max: 4_000 })),
    records: fc.option(fc.integer({ min: 1, max: 9 })),
  }),
  { freq: 2 },
);

describe("a batch", () => {
  const books = suiteBooks();
  let sql: ReservedSql;
  before(async () => void (sql = await books.sql.reserve()));
  after(() => sql.release());

  it("of orders gives the same answers, balances and rows as its orders one by one", async () => {
    await fc.assert(
      fc.asyncProperty(orderCase, async ({ holdings, free, quotes, history, batch }) => {
        const { singly, batched } = await bookBothWays<OrderItem>(
          sql,
          sendOrders,
          async (sql) => {
            await stageHoldings(sql, holdings, free);
            const ids = await stageQuotes(sql, quotes);
            const items = [...history, ...batch].map((draw, n) => drawnOrder(draw, n, ids));
            return { history: items.slice(0, history.length), batch: items.slice(history.length) };
          },
        );
        assertEquals(batched, singly);
        assertEquals(batched.defects, []);
      }),
      SETTINGS,
    );
  });

  it("of quotes gives the same results as its quotes one by one", async () => {
    const quoteCase = fc.record({
      source: fc.constantFrom("fixed", "simulated"),
      ageSeconds: fc.constantFrom(0, 1000),
      limits: fc.array(limitDraw, { minLength: CLIENTS.length, maxLength: CLIENTS.length }),
      history: fc.array(quoteDrawn, { maxLength: 12 }),
      batch: fc.array(quoteDrawn, { minLength: 1, maxLength: 64, size: "max" }),
    });
    await fc.assert(
      fc.asyncProperty(quoteCase, async ({ source, ageSeconds, limits, history, batch }) => {
        const { singly, batched } = await bookBothWays<QuoteItem>(
          sql,
          sendQuotes,
          async (sql) => {
            await stageHoldings(sql, CLIENTS.map(() => ({ grams: 1, halalas: 0 })), 1);
            for (const [index, limit] of limits.entries()) {
              if (!limit) continue;
              const client = CLIENTS[index]!;
              await sql`
                insert into gold.allowance (bucket, client_id, maximum_open_quotes, maximum_open_grams, maximum_daily_records, open_from, counted_sequence)
                values (${
                client % 64
              }, ${client}, ${limit.quotes}, ${limit.grams}, ${limit.records}, '00000000-0000-0000-0000-000000000000', 0)`;
            }
            await sql`update gold.price set source = ${source}, as_of = clock_timestamp() - make_interval(secs => ${ageSeconds})`;
            const items = [...history, ...batch].map((
              { client, key, fingerprint, side, grams, amount, stale },
              n,
            ) =>
              quoteItem(CLIENTS[client]!, grams === null ? byAmount(side, amount) : byGrams(side, grams), {
                admissionVersion: stale ? "2" : "1",
                key: `key-${key}`,
                asked: {
                  ...grams === null ? byAmount(side, amount) : byGrams(side, grams),
                  reference: key % 2 === 0 ? `"R"\\ ${key}` : undefined,
                  account_label: key % 3 === 0 ? `{م,${n}}` : undefined,
                },
                fingerprint: fingerprint === 1 ? "01".repeat(32) : "00".repeat(32),
                maximumTenthMilligrams: 1_000n,
                id: uuidOf(4, n),
                requestId: uuidOf(3, n),
              })
            );
            return { history: items.slice(0, history.length), batch: items.slice(history.length) };
          },
        );
        assertEquals(batched, singly);
        assertEquals(batched.defects, []);
      }),
      SETTINGS,
    );
  });

  describe("of five orders, one of them with this outcome, gives the same results as single orders:", () => {
    const quote = (given: Partial<QuoteDraw> = {}): QuoteDraw => ({
      owner: 0,
      side: "buy",
      grams: 1,
      expired: false,
      ...given,
    });
    const order = (given: Partial<OrderDraw> = {}): OrderDraw => ({
      client: 0,
      key: 50,
      nonce: 50,
      fingerprint: 0,
      quote: 5,
      stale: false,
      ...given,
    });
    // Quotes 0 to 4 belong to the ordinary orders. They have the same client as the special order.
    const ordinary = [0, 1, 2, 3, 4].map((n) => order({ key: n, nonce: n, quote: n }));
    const earlier = order({ key: 60, nonce: 60, quote: 6 });
    const refusedEarlier = order({ key: 61, nonce: 61, quote: 99 });
    const SPECIAL: Record<string, { special: OrderDraw; quoted?: QuoteDraw }> = {
      "answered 201": { special: order() },
      "replayed 201": { special: order({ key: 60, quote: 6 }) },
      "replayed not_found": { special: order({ key: 61, quote: 99 }) },
      "idempotency_key_conflict": { special: order({ key: 60, fingerprint: 1 }) },
      "nonce_reused": { special: order({ nonce: 60 }) },
      "admission_changed": { special: order({ stale: true }) },
      "answered not_found": { special: order({ quote: null }) },
      "answered quote_already_executed": { special: order({ quote: 6 }) },
      "answered quote_expired": { special: order(), quoted: quote({ expired: true }) },
      "answered insufficient_funds": { special: order(), quoted: quote({ grams: 1_000 }) },
      "answered insufficient_gold": { special: order(), quoted: quote({ side: "sell", grams: 1_000 }) },
      "answered insufficient_inventory": { special: order(), quoted: quote({ grams: 100 }) },
    };
    for (const [word, { special, quoted = quote() }] of Object.entries(SPECIAL)) {
      it(word, async () => {
        for (const position of [0, 1, 2, 3, 4]) {
          const draws = ordinary.with(position, special);
          const { singly, batched } = await bookBothWays<OrderItem>(
            sql,
            sendOrders,
            async (sql) => {
              await stageHoldings(sql, [{ grams: 5, halalas: 1_000 }], 50);
              const ids = await stageQuotes(sql, [...ordinary.map(() => quote()), quoted, quote()]);
              const [history, batch] = [[earlier, refusedEarlier], draws].map((some, part) =>
                some.map((draw, n) => drawnOrder(draw, part * 10 + n, ids))
              );
              return { history: history!, batch: batch! };
            },
          );
          const expected = ordinary.map(() => "answered 201").with(position, word);
          assertEquals(batched.outcomes.map(wordOf), expected);
          assertEquals(batched, singly);
          assertEquals(batched.defects, []);
        }
      });
    }
  });
});
