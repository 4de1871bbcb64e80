import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { canonicalRequest } from "@gold-partner/canonical";
import { hostBytes } from "../../bytes.ts";
import { isId } from "../../id.ts";
import { parseDecimal, parseSignedDecimal } from "../../quantity.ts";
import { GRAM_DECIMALS, PRICE_DECIMALS, SAR_DECIMALS } from "../../quantity_range.ts";
import { quoteByAmount, quoteByGrams } from "../../rounding.ts";
import type { OrderReply, QuoteReply } from "../../schema/mod.ts";
import { METADATA, VERDICTS } from "./access.ts";
import { RESERVES, STATEMENT, STATEMENT_CSV } from "./books.ts";
import { FUNDING, WITHDRAWAL } from "./money.ts";
import { sentExample } from "./sent.ts";
import { BALANCES, ID, INSTANT } from "./example_values.ts";
import { ORDER_REQUESTS, ORDERS, PRICES, QUOTE_REQUESTS, QUOTES } from "./trading.ts";

const halalas = (value: number) => parseSignedDecimal(`${value}`, SAR_DECIMALS);
const tenthMilligrams = (value: number) => parseSignedDecimal(`${value}`, GRAM_DECIMALS);
const pips = (value: number) => parseDecimal(`${value}`, PRICE_DECIMALS);

interface Holdings {
  readonly sar: { readonly available: number; readonly held: number };
  readonly gold: { readonly grams: number };
}
const holdings = ({ sar, gold }: Holdings) =>
  [halalas(sar.available), halalas(sar.held), tenthMilligrams(gold.grams)] as const;

describe("the OpenAPI examples", () => {
  it("have quotes whose totals follow from the prices and the rounding rules", () => {
    const { buy_by_grams: buy, sell_by_amount: sell } = QUOTE_REQUESTS;
    const bought = quoteByGrams("buy", tenthMilligrams(buy.gold_grams), pips(PRICES.buy_price));
    const sold = quoteByAmount("sell", halalas(sell.amount_sar), pips(PRICES.sell_price));
    for (const [terms, quote] of [[bought, QUOTES.buy_by_grams], [sold, QUOTES.sell_by_amount]] as const) {
      assert(terms.ok);
      assertEquals(
        [terms.side, terms.goldTenthMilligrams, terms.pricePips, terms.totalHalalas],
        [
          quote.side,
          tenthMilligrams(quote.gold_grams),
          pips(quote.price_per_gram_sar),
          halalas(quote.total_sar),
        ],
      );
      assertEquals(Date.parse(quote.expires_at) - Date.parse(quote.created_at), 60_000);
    }
  });

  it("have orders with the quoted quantities, executed while the quotes are firm", () => {
    const pairs = [[ORDERS.buy, QUOTES.buy_by_grams], [ORDERS.sell, QUOTES.sell_by_amount]] as const;
    const termsOf = (
      { quote_id, side, gold_grams, price_per_gram_sar, total_sar }: OrderReply | QuoteReply,
    ) => [quote_id, side, gold_grams, price_per_gram_sar, total_sar];
    for (const [order, quote] of pairs) {
      assertEquals(termsOf(order), termsOf(quote));
      assert(quote.created_at < order.executed_at && order.executed_at < quote.expires_at);
    }
    assertEquals([ORDER_REQUESTS.buy.quote_id, ORDER_REQUESTS.sell.quote_id], [ID.buyQuote, ID.sellQuote]);
  });

  it("have balances that change by exactly the funded, ordered and withdrawn quantities", () => {
    const [funded, bought, sold, withdrawn] = [
      holdings(BALANCES.funded),
      holdings(BALANCES.bought),
      holdings(BALANCES.sold),
      holdings(BALANCES.withdrawn),
    ];
    const { buy, sell } = ORDERS;
    assertEquals(funded, [halalas(FUNDING.amount_sar), 0n, 0n]);
    assertEquals(bought, [
      funded[0] - halalas(buy.total_sar),
      0n,
      funded[2] + tenthMilligrams(buy.gold_grams),
    ]);
    assertEquals(sold, [
      bought[0] + halalas(sell.total_sar),
      0n,
      bought[2] - tenthMilligrams(sell.gold_grams),
    ]);
    const amount = halalas(WITHDRAWAL.amount_sar);
    assertEquals(withdrawn, [sold[0] - amount, amount, sold[2]]);
    assertEquals(holdings(BALANCES.now), withdrawn);
  });

  it("have a statement whose postings add up to the closing balance", () => {
    const sums = { available_sar: 0n, held_sar: 0n, gold_grams: 0n };
    for (const { account, change, balance_after } of STATEMENT.postings) {
      const read = account === "gold_grams" ? tenthMilligrams : halalas;
      sums[account] += read(change);
      assertEquals(read(balance_after), sums[account]);
    }
    const { available_sar, held_sar, gold_grams } = STATEMENT.closing_balance;
    const closing = { sar: { available: available_sar, held: held_sar }, gold: { grams: gold_grams } };
    assertEquals(Object.values(sums), [...holdings(closing)]);
    assertEquals(holdings(closing), holdings(BALANCES.now));
    assertEquals(STATEMENT_CSV.split("\r\n").length, STATEMENT.postings.length + 2 * 3 + 2);
  });

  it("have reserves that follow from the bars and the balances", () => {
    const [bar] = RESERVES.bars;
    const gross = tenthMilligrams(bar!.gross_grams);
    assertEquals(tenthMilligrams(bar!.fine_grams), gross * 9999n / 10_000n);
    assertEquals(RESERVES.fine_grams, bar!.fine_grams);
    assertEquals(RESERVES.owed_grams, BALANCES.now.gold.grams);
    const coverage = tenthMilligrams(RESERVES.fine_grams) * 10_000n / tenthMilligrams(RESERVES.owed_grams);
    assertEquals(tenthMilligrams(RESERVES.coverage), coverage);
  });

  it("show the exact string that the probe verifies", () => {
    for (const [name, verdict] of Object.entries(VERDICTS)) {
      const canonical = canonicalRequest({
        method: "POST",
        url: `${METADATA.issuer}/v1/signed-probe`,
        bodySha256: hostBytes.sha256Hex(hostBytes.utf8(JSON.stringify(ORDER_REQUESTS.buy))),
        ...sentExample("probeSignature", name),
      });
      assertEquals(verdict.canonical_string, canonical);
      assertEquals(verdict.canonical_sha256, hostBytes.sha256Hex(hostBytes.utf8(canonical)));
    }
  });

  it("have ids whose time matches their timestamps", () => {
    const made: [string, string][] = [
      [ID.funding, INSTANT.funded],
      [ID.buyQuote, INSTANT.quotedBuy],
      [ID.sellQuote, INSTANT.quotedSell],
      [ID.withdrawal, INSTANT.withdrawn],
    ];
    for (const [id, at] of made) {
      const [, uuid] = id.split("_");
      assertEquals(Number.parseInt(uuid!.replace("-", "").slice(0, 12), 16), Date.parse(at), id);
    }
    assert(isId("req_", ID.request));
  });
});
