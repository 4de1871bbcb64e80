import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import makeVectors from "../../../vectors/make/money.ts";
import {
  formatDecimal,
  formatGrams,
  formatHalalas,
  formatPrice,
  parseGrams,
  parseHalalas,
  parsePrice,
  QuantityError,
} from "./quantity.ts";
import { pricesFromMid, quoteByAmount, quoteByGrams, type QuoteOutcome, type Side } from "./rounding.ts";

type Case = Record<string, string>;

const PARSE: Record<string, (source: string) => bigint> = {
  sar: parseHalalas,
  grams: parseGrams,
  price: parsePrice,
};
const FORMAT: Record<string, (units: bigint) => string> = {
  sar: formatHalalas,
  grams: formatGrams,
  price: formatPrice,
};

const cases = makeVectors().cases as Case[];
const of = (operation: string): Case[] => {
  const found = cases.filter((one) => one["operation"] === operation);
  assert(found.length >= 5, `${operation} must have at least 5 cases`);
  return found;
};

function assertOutcome(
  outcome: QuoteOutcome,
  { name, refused, gold_grams, total_sar, rounding_gain_sar }: Case,
): void {
  if (refused) return assertEquals(outcome.ok ? "terms" : outcome.code, refused, name);
  assert(outcome.ok, name);
  assertEquals(formatGrams(outcome.goldTenthMilligrams), gold_grams!, name);
  assertEquals(formatHalalas(outcome.totalHalalas), total_sar!, name);
  assertEquals(formatDecimal(outcome.roundingGainMicrohalalas, 8n), rounding_gain_sar!, name);
}

describe("money vectors", () => {
  it("parseX() returns each vector's value, and rejects each invalid text with the vector's reason", () => {
    for (const { name, quantity, json, units, reason } of of("parse")) {
      const parse = () => PARSE[quantity!]!(json!);
      if (reason) assertEquals(assertThrows(parse, QuantityError).reason, reason, name);
      else assertEquals(parse(), BigInt(units!), name);
    }
  });

  it("formatX() returns each vector's text", () => {
    for (const { name, quantity, units, text } of of("format")) {
      assertEquals(FORMAT[quantity!]!(BigInt(units!)), text!, name);
    }
  });

  it("quoteByGrams() returns each vector's outcome", () => {
    for (const one of of("quote_by_grams")) {
      const price = parsePrice(one["price_per_gram_sar"]!);
      const outcome = quoteByGrams(one["side"] as Side, parseGrams(one["gold_grams"]!), price);
      assertOutcome(outcome, one);
    }
  });

  it("quoteByAmount() returns each vector's outcome", () => {
    for (const one of of("quote_by_amount")) {
      const price = parsePrice(one["price_per_gram_sar"]!);
      assertOutcome(quoteByAmount(one["side"] as Side, parseHalalas(one["amount_sar"]!), price), one);
    }
  });

  it("pricesFromMid() returns each vector's buy and sell price", () => {
    for (const { name, mid_price, spread_basis_points, buy_price, sell_price } of of("prices_from_mid")) {
      const { buyPricePips, sellPricePips } = pricesFromMid(
        parsePrice(mid_price!),
        BigInt(spread_basis_points!),
      );
      assertEquals([formatPrice(buyPricePips), formatPrice(sellPricePips)], [buy_price!, sell_price!], name);
    }
  });
});
