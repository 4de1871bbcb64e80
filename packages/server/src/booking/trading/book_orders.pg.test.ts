import { orderCreatedReply, type ProblemCode } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { suiteBooks, testBooks } from "../../../testing/books.ts";
import { assertStartsWith } from "../../../testing/assert_starts_with.ts";
import { before, describe, it } from "node:test";
import type { Outcome } from "../outcome.ts";
import {
  bookOrder,
  maskInstants,
  newUuid,
  orderItem,
  plantQuote,
  problemIn,
  readBooks,
  wordOf,
} from "../fixture.ts";
import { sendOrders } from "./book_orders.ts";

const GRAM = 10_000n;
const TERMS = { side: "buy", grams: 100n, price: 3_210_000n, ageSeconds: 0 } as const;

describe("book_orders", () => {
  const books = suiteBooks();
  before(() => books.addBar(100_000n * GRAM));

  const order = (client: number, quote: string | null, given = {}, sending = {}): Promise<Outcome> =>
    bookOrder(books.api, orderItem(client, quote, given), sending);

  /** Asserts the refusal's body: the registry's entry with this detail. */
  function assertRefusal(outcome: Outcome, code: ProblemCode, detail: string): void {
    const { detail: said, request_id } = problemIn(outcome, code);
    assertMatch(request_id, /^req_/);
    assertStartsWith(said, `${detail} This answer is bound to the Idempotency-Key: `);
  }

  it("executes a buy and answers with the balances after it", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    await books.setPrice(3_210_000n, 3_190_000n);
    const quote = await books.quote(client, "buy", 15_000n);
    const outcome = await order(client, quote);
    assertEquals([outcome.outcome, outcome.status], ["answered", 201]);
    assertEquals(
      maskInstants(outcome.body!),
      `{"order_id":"ord_${quote}","quote_id":"qt_${quote}","side":"buy","gold_grams":1.5,"price_per_gram_sar":321,` +
        `"total_sar":481.5,"status":"executed","executed_at":"<instant>",` +
        `"reserves_list_id":"lst_2","balances":{"sar":{"available":518.5,"held":0},"gold":{"grams":1.5},"as_of":"<instant>"}}`,
    );
    const { executed_at, balances } = orderCreatedReply.strict().parse(JSON.parse(outcome.body!));
    assertEquals(balances.as_of, executed_at);
  });

  it("executes a sell and answers with the balances after it", async () => {
    const client = await books.createClient({ tenthMilligrams: 20_000n });
    await books.setPrice(3_210_000n, 3_190_001n);
    const quote = await books.quote(client, "sell", 15_001n);
    const outcome = await order(client, quote);
    const reply = orderCreatedReply.strict().parse(JSON.parse(outcome.body!));
    const { side, gold_grams, price_per_gram_sar, total_sar, balances: { sar, gold } } = reply;
    assertEquals([side, gold_grams, price_per_gram_sar, total_sar], ["sell", 1.5001, 319.0001, 478.53]);
    assertEquals([sar, gold], [{ available: 478.53, held: 0 }, { grams: 0.4999 }]);
  });

  it("writes an order as two transfers, one event and one key under the next sequence number", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    await books.setPrice(3_210_000n, 3_190_000n);
    const quote = await books.quote(client, "buy", 10_001n);
    const item = orderItem(client, quote);
    await bookOrder(books.api, item);
    const written = await books.sql`
      select o.id, o.sequence, o.rounding_gain, e.type, e.subject, k.request_id, k.result_id, k.result_kind, k.status,
        (select string_agg(concat_ws(' ', t.leg, t.debit, t.credit, t.asset, t.amount, t.sar_available_after, t.gold_after), '; ' order by t.leg)
         from gold.transfer t where t.client_id = o.client_id and t.sequence = o.sequence) as transfers,
        o.executed_at = e.created_at and o.executed_at = k.created_at
          and o.executed_at = a.last_posted_at and a.event_sequence = o.sequence as at_once
      from gold.orders o
      join gold.account a using (bucket, client_id)
      join gold.event e using (bucket, client_id, sequence)
      join gold.idempotency_key k using (bucket, client_id)
      where o.client_id = ${client} and k.key = ${item.key}`;
    assertEquals([...written], [{
      id: quote,
      sequence: "2",
      rounding_gain: "790000",
      type: "order.executed",
      subject: quote,
      request_id: item.requestId,
      result_id: quote,
      result_kind: "order",
      status: 201,
      transfers: "1 available house SAR 32104 67896 0; 2 vault gold XAU 10001 67896 10001",
      at_once: true,
    }]);
  });

  it("refuses an unknown, a foreign and a malformed quote with the same answer", async () => {
    const [client, other] = [
      await books.createClient({ halalas: 100_000n }),
      await books.createClient({ halalas: 100_000n }),
    ];
    const foreign = await books.quote(other, "buy", GRAM);
    for (const quote of [newUuid(), foreign, null]) {
      assertRefusal(
        await order(client, quote),
        "not_found",
        "There is no quote of yours with this quote_id.",
      );
    }
    assertEquals((await order(other, foreign)).status, 201);
  });

  it("refuses a quote that another key has executed, and names the order", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const quote = await books.quote(client, "buy", GRAM);
    assertEquals((await order(client, quote)).status, 201);
    const detail = `The quote was executed as ord_${quote}.`;
    assertRefusal(await order(client, quote), "quote_already_executed", detail);
  });

  it("refuses a buy beyond the available SAR, to the halala", async () => {
    const client = await books.createClient({ halalas: 32_099n });
    await books.setPrice(3_210_000n, 3_190_000n);
    const quote = await books.quote(client, "buy", GRAM);
    const detail = "The order needs 321 SAR and 320.99 SAR are available.";
    assertRefusal(await order(client, quote), "insufficient_funds", detail);
    const affordable = await books.createClient({ halalas: 32_100n });
    const outcome = await order(affordable, await books.quote(affordable, "buy", GRAM));
    assertEquals(JSON.parse(outcome.body!).balances.sar.available, 0);
  });

  it("refuses a sell beyond the client's gold, to 0.0001 g", async () => {
    const client = await books.createClient({ tenthMilligrams: 9_999n });
    const detail = "The order needs 1 g and you hold 0.9999 g.";
    const outcome = await order(client, await books.quote(client, "sell", GRAM));
    assertRefusal(outcome, "insufficient_gold", detail);
    const exact = await order(client, await books.quote(client, "sell", 9_999n));
    assertEquals(JSON.parse(exact.body!).balances.gold.grams, 0);
  });

  it("refuses a buy beyond the vault's free gold, to 0.0001 g", async () => {
    const small = await testBooks();
    try {
      await small.addBar(GRAM);
      const client = await small.createClient({ halalas: 10_000_000n });
      const tooMuch = await bookOrder(
        small.api,
        orderItem(client, await small.quote(client, "buy", 10_001n)),
      );
      const detail = "The vault does not hold 1.0001 g that are free to sell.";
      assertRefusal(tooMuch, "insufficient_inventory", detail);
      const all = await bookOrder(small.api, orderItem(client, await small.quote(client, "buy", GRAM)));
      assertEquals(all.status, 201);
      const [vault] = await small.sql`select free from gold.vault`;
      assertEquals(vault!.free, "0");
      assertEquals(await small.defects(), []);
    } finally {
      await small.stop();
    }
  });

  it("checks in this sequence: executed, expired, funds, inventory", async () => {
    const client = await books.createClient({ halalas: 50_000n });
    const old = { client, side: "buy", price: 3_210_000n, ageSeconds: 61 } as const;
    const expiredAndDear = await plantQuote(books.sql, { ...old, grams: 900_000_000n });
    assertEquals(wordOf(await order(client, expiredAndDear)), "answered quote_expired");
    const fresh = await plantQuote(books.sql, { ...old, grams: GRAM, ageSeconds: 0 });
    assertEquals((await order(client, fresh)).status, 201);
    await books.sql`alter table gold.quote disable trigger append_only`;
    await books
      .sql`update gold.quote set expires_at = clock_timestamp() - interval '1 millisecond' where id = ${fresh}`;
    await books.sql`alter table gold.quote enable trigger append_only`;
    assertEquals(wordOf(await order(client, fresh)), "answered quote_already_executed");
    const dear = await plantQuote(books.sql, { ...old, grams: 1_000_000_000n, ageSeconds: 0 });
    assertEquals(wordOf(await order(client, dear)), "answered insufficient_funds");
  });

  it("spends nothing if the admission version is not the account's current one", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const item = orderItem(client, await books.quote(client, "buy", GRAM), { admissionVersion: "2" });
    const before = await readBooks(books.sql);
    const outcome = await bookOrder(books.api, item);
    assertEquals(outcome, { item: 1, outcome: "admission_changed", status: null, body: null } as Outcome);
    assertEquals(await readBooks(books.sql), before);
    assertEquals((await bookOrder(books.api, { ...item, admissionVersion: "1" })).status, 201);
  });

  it("never posts before the client's last posting, even if the clock is behind it", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    await books
      .sql`update gold.account set last_posted_at = clock_timestamp() + interval '4 seconds' where client_id = ${client}`;
    const [account] = await books.sql`select last_posted_at from gold.account where client_id = ${client}`;
    const { body } = await order(client, await plantQuote(books.sql, { ...TERMS, client }));
    assertEquals(JSON.parse(body!).executed_at, (account!.last_posted_at as Date).toISOString());
    const next = await plantQuote(books.sql, { ...TERMS, client });
    assertEquals((await order(client, next)).status, 201);
  });

  it("posts at a full millisecond that is not in the past, so that past balances never change", async () => {
    const client = await books.createClient({ halalas: 1_000_000n });
    const session = await books.api.reserve();
    for (let n = 0; n < 20; n++) {
      const quote = await plantQuote(books.sql, { ...TERMS, client });
      // The session runs both at once, most often in the same millisecond.
      const [[before]] = await Promise.all([
        session`select clock_timestamp()::text as at`.execute(),
        bookOrder(session, orderItem(client, quote)),
      ]);
      const [row] = await books.sql`
        select executed_at >= ${before!.at}::text::timestamptz as after from gold.orders where id = ${quote}`;
      assertEquals(row!.after, true);
    }
    session.release();
  });

  it("books 256 orders of one client in one batch", async () => {
    const client = await books.createClient({ halalas: 10_000_000n });
    const quotes = await Promise.all(
      Array.from({ length: 256 }, () => books.quote(client, "buy", 100n)),
    );
    const items = quotes.map((quote) => orderItem(client, quote));
    const outcomes = await sendOrders(books.api)(items, { wait: false, settle: false });
    assertEquals(outcomes.filter(({ status }) => status === 201).length, 256);
    assertEquals(await books.defects(), []);
  });

  it("leaves no defects in the books", async () => {
    assert((await books.sql`select from gold.orders`).length > 256);
    assertEquals(await books.defects(), []);
  });
});
