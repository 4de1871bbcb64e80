import { assert, assertEquals, assertThrows } from "@std/assert";
import Big from "big.js";
import fc from "fast-check";
import { describe, it } from "node:test";
import { formatGrams, formatHalalas, formatPrice } from "./quantity.ts";
import {
  AMOUNT_MAX_HALALAS,
  GOLD_MAX_TENTH_MILLIGRAMS,
  MICROHALALAS_PER_HALALA,
  PRICE_MAX_PIPS,
} from "./quantity_range.ts";
import {
  pricesFromMid,
  quoteByAmount,
  quoteByGrams,
  type QuoteOutcome,
  type QuoteTerms,
  type Side,
  smallestTrade,
} from "./rounding.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const RUNS = { numRuns: 3_000 };

/**
 * Draws every number of digits equally often, because a plain range would hardly ever give a small number.
 */
const upTo = (max: bigint) =>
  fc.bigInt({ min: 1n, max: BigInt(`${max}`.length) }).chain((digits) => {
    const top = 10n ** digits;
    return fc.bigInt({ min: 1n, max: top < max ? top : max });
  });
const side = fc.constantFrom<Side>("buy", "sell");
const gold = upTo(GOLD_MAX_TENTH_MILLIGRAMS);
const amount = upTo(AMOUNT_MAX_HALALAS);
const price = upTo(PRICE_MAX_PIPS);

function termsOf(outcome: QuoteOutcome): QuoteTerms {
  assert(outcome.ok, "expected terms, got a refusal");
  return outcome;
}

function assertRefused(outcome: QuoteOutcome, says: string): void {
  assert(!outcome.ok, "expected a refusal, got terms");
  assertEquals(outcome.code, "limit_exceeded");
  assert(outcome.detail.includes(says), outcome.detail);
}

/** The total in SAR, as big.js computes it. */
function totalOf(of: Side, tenthMilligrams: bigint, pips: bigint): Big {
  const exact = new Big(formatGrams(tenthMilligrams)).times(formatPrice(pips));
  return exact.round(2, of === "buy" ? Big.roundUp : Big.roundDown);
}

describe("quoteByGrams()", () => {
  it("computes totals like big.js: a buy rounds up, a sell rounds down, and 0 SAR is refused", () => {
    fc.assert(
      fc.property(side, gold, price, (side, gold, price) => {
        const expected = totalOf(side, gold, price);
        const outcome = quoteByGrams(side, gold, price);
        if (expected.eq(0)) assertRefused(outcome, "less than 0.01 SAR");
        else assertEquals(formatHalalas(termsOf(outcome).totalHalalas), expected.toFixed());
      }),
      RUNS,
    );
  });

  it("records the exact rounding gain: less than a halala, and never negative", () => {
    fc.assert(
      fc.property(side, gold, price, (side, gold, price) => {
        const outcome = quoteByGrams(side, gold, price);
        if (!outcome.ok) return;
        const { roundingGainMicrohalalas, totalHalalas } = outcome;
        assert(roundingGainMicrohalalas >= 0n && roundingGainMicrohalalas < MICROHALALAS_PER_HALALA);
        const exact = new Big(formatGrams(gold)).times(formatPrice(price));
        const gain = new Big(formatHalalas(totalHalalas)).minus(exact).times(side === "buy" ? 1 : -1);
        assertEquals(gain.times("1e8").toFixed(), `${roundingGainMicrohalalas}`);
      }),
      RUNS,
    );
  });

  it("returns the given side, gold and price unchanged", () => {
    const { side, goldTenthMilligrams, pricePips } = termsOf(quoteByGrams("sell", 15_000n, 4_123_456n));
    assertEquals({ side, goldTenthMilligrams, pricePips }, {
      side: "sell",
      goldTenthMilligrams: 15_000n,
      pricePips: 4_123_456n,
    });
  });

  it("refuses every quantity above the largest order", () => {
    assert(quoteByGrams("buy", GOLD_MAX_TENTH_MILLIGRAMS, PRICE_MAX_PIPS).ok);
    for (const gold of [GOLD_MAX_TENTH_MILLIGRAMS + 1n, 10n ** 312n, 0n, -1n]) {
      assertRefused(quoteByGrams("buy", gold, 1n), "from 0.0001 g to 100000 g");
    }
  });
});

describe("quoteByAmount()", () => {
  it("buys floor(amount / price) like big.js, for at most the amount", () => {
    fc.assert(
      fc.property(amount, price, (amount, price) => {
        const expected = quotient(amount, price, Big.roundDown);
        const outcome = quoteByAmount("buy", amount, price);
        if (expected === 0n) return assertRefused(outcome, "too little to buy gold");
        if (expected > GOLD_MAX_TENTH_MILLIGRAMS) return assertRefused(outcome, "100000 g");
        const { goldTenthMilligrams, totalHalalas } = termsOf(outcome);
        assertEquals(goldTenthMilligrams, expected);
        assertEquals(formatHalalas(totalHalalas), totalOf("buy", expected, price).toFixed());
        assert(totalHalalas <= amount && totalHalalas > 0n);
        const more = quoteByGrams("buy", expected + 1n, price);
        assert(!more.ok || more.totalHalalas > amount, "one more step must cost more than the amount");
      }),
      RUNS,
    );
  });

  it("sells ceil(amount / price) like big.js, for at least the amount", () => {
    fc.assert(
      fc.property(amount, price, (amount, price) => {
        const expected = quotient(amount, price, Big.roundUp);
        const outcome = quoteByAmount("sell", amount, price);
        if (expected > GOLD_MAX_TENTH_MILLIGRAMS) return assertRefused(outcome, "100000 g");
        const { goldTenthMilligrams, totalHalalas } = termsOf(outcome);
        assertEquals(goldTenthMilligrams, expected);
        assertEquals(formatHalalas(totalHalalas), totalOf("sell", expected, price).toFixed());
        assert(totalHalalas >= amount);
        assert(
          (totalHalalas - amount) * MICROHALALAS_PER_HALALA < price,
          "the total may exceed the amount only by less than the price of one step of gold",
        );
        const less = quoteByGrams("sell", expected - 1n, price);
        assert(!less.ok || less.totalHalalas < amount, "one step less must bring less than the amount");
      }),
      RUNS,
    );
  });

  it("refuses every amount outside its range, and an amount that buys too much gold", () => {
    assertRefused(quoteByAmount("buy", AMOUNT_MAX_HALALAS, PRICE_MAX_PIPS), "100000 g");
    for (const amount of [AMOUNT_MAX_HALALAS + 1n, 10n ** 310n, 0n, -1n]) {
      assertRefused(quoteByAmount("sell", amount, PRICE_MAX_PIPS), "from 0.01 SAR to 10000000000 SAR");
    }
  });

  function quotient(halalas: bigint, pips: bigint, mode: 0 | 3): bigint {
    const Whole = Big();
    Whole.DP = 0;
    Whole.RM = mode;
    return BigInt(new Whole(formatHalalas(halalas)).times(10_000).div(formatPrice(pips)).toFixed());
  }
});

describe("smallestTrade()", () => {
  it("is a quote, and no quote has less gold", () => {
    fc.assert(
      fc.property(side, price, (side, price) => {
        const { goldTenthMilligrams, totalHalalas } = smallestTrade(side, price);
        assert(totalHalalas >= 1n);
        assertEquals(quoteByGrams(side, goldTenthMilligrams, price).ok, true);
        assertEquals(quoteByGrams(side, goldTenthMilligrams - 1n, price).ok, false);
        assertEquals(quoteByAmount(side, totalHalalas, price).ok, true);
        if (side === "buy" && totalHalalas > 1n) {
          assertEquals(quoteByAmount(side, totalHalalas - 1n, price).ok, false);
        }
      }),
      RUNS,
    );
  });
});

describe("pricesFromMid()", () => {
  it("rounds the buy price up and the sell price down like big.js, and keeps buy above sell", () => {
    const mid = fc.bigInt({ min: 2n, max: PRICE_MAX_PIPS / 2n });
    fc.assert(
      fc.property(mid, fc.bigInt({ min: 1n, max: 9_999n }), (mid, spread) => {
        const half = new Big(`${spread}`).times("0.00005");
        const { buyPricePips, sellPricePips } = pricesFromMid(mid, spread);
        const exact = new Big(formatPrice(mid));
        assertEquals(formatPrice(buyPricePips), exact.times(half.plus(1)).round(4, Big.roundUp).toFixed());
        assertEquals(
          formatPrice(sellPricePips),
          exact.times(new Big(1).minus(half)).round(4, Big.roundDown).toFixed(),
        );
        assert(buyPricePips > sellPricePips && buyPricePips > mid && sellPricePips < mid);
      }),
      RUNS,
    );
  });

  it("throws for a spread or a mid price that cannot give two valid prices", () => {
    for (const spread of [0n, -1n, 20_000n, 20_001n]) {
      assertThrows(() => pricesFromMid(4_000_000n, spread), RangeError, "basis points");
    }
    for (const mid of [0n, 1n, PRICE_MAX_PIPS]) {
      assertThrows(() => pricesFromMid(mid, 1n), RangeError, "price source");
    }
    assertEquals(pricesFromMid(2n, 1n), { buyPricePips: 3n, sellPricePips: 1n });
  });
});

describe("quoteByGrams() and quoteByAmount()", () => {
  it("throw for a price outside its range", () => {
    for (const price of [0n, -1n, PRICE_MAX_PIPS + 1n]) {
      assertThrows(() => quoteByGrams("buy", 1n, price), RangeError, "price source");
      assertThrows(() => quoteByAmount("buy", 1n, price), RangeError, "price source");
    }
  });
});
