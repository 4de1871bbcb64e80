import { JsonNumber } from "@gold-partner/canonical";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { describe, it } from "node:test";
import {
  formatGrams,
  formatHalalas,
  formatPrice,
  gramsNumber,
  parseDecimal,
  parseGrams,
  parseHalalas,
  parsePrice,
  parseSignedDecimal,
  priceNumber,
  QuantityError,
  type QuantityReason,
  sarNumber,
} from "./quantity.ts";
import {
  AMOUNT_MAX_HALALAS,
  BALANCE_MAX_HALALAS,
  GOLD_MAX_TENTH_MILLIGRAMS,
  GRAM_DECIMALS,
  PRICE_MAX_PIPS,
  SAR_DECIMALS,
} from "./quantity_range.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

function reasonOf(read: () => unknown): QuantityReason {
  return assertThrows(read, QuantityError).reason;
}

const RUNS = { numRuns: 2_000 };

describe("parseDecimal()", () => {
  it("reads what formatDecimal() writes, over the whole range of each quantity", () => {
    const quantities = [
      [AMOUNT_MAX_HALALAS, parseHalalas, formatHalalas],
      [GOLD_MAX_TENTH_MILLIGRAMS, parseGrams, formatGrams],
      [PRICE_MAX_PIPS, parsePrice, formatPrice],
    ] as const;
    for (const [max, parse, format] of quantities) {
      fc.assert(
        fc.property(fc.bigInt({ min: 1n, max }), (units) => assertEquals(parse(format(units)), units)),
        RUNS,
      );
      for (const units of [1n, max]) assertEquals(parse(format(units)), units);
    }
  });

  it("reads every spelling of a value as the same value", () => {
    const spelling = fc.record({
      units: fc.bigInt({ min: 1n, max: 10n ** 12n }),
      shift: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(spelling, ({ units, shift }) => {
        const noughts = "0".repeat(shift);
        assertEquals(parseGrams(`${units}${noughts}e-${shift + 4}`), units);
        assertEquals(
          parseGrams(`0.${noughts}${units}E+${shift + `${units}`.length - 4}`.replace("+-", "-")),
          units,
        );
        assertEquals(parseGrams(`${units}.${noughts}0e-0004`), units);
      }),
      RUNS,
    );
  });

  it("refuses a number larger than a double and reads the largest double", () => {
    const largest = 2n ** 1024n - 2n ** 971n;
    assertEquals(BigInt(Number.MAX_VALUE), largest);
    assertEquals(parseDecimal(`${largest}`, GRAM_DECIMALS), largest * 10_000n);
    for (const source of [`${largest + 1n}`, `${largest}.0001`, `1${"0".repeat(400)}`]) {
      assertEquals(reasonOf(() => parseGrams(source)), "too_large");
    }
    assertEquals(parseGrams("1e308"), 10n ** 312n);
  });

  it("handles a huge exponent and a long text quickly", () => {
    // The texts are longer than any body may be. For such a text, linear code takes less than 30 s even on a
    // loaded machine, but a quadratic pattern takes more than a minute.
    const zeros = "0".repeat(250_000);
    const started = performance.now();
    assertEquals(reasonOf(() => parseGrams("1e999999999999999999")), "too_large");
    assertEquals(reasonOf(() => parseGrams("1e-999999999999999999")), "too_many_decimals");
    assertEquals(reasonOf(() => parseGrams(`1e${zeros}9${zeros}`)), "too_large");
    assertEquals(reasonOf(() => parseGrams(`0.${zeros}1`)), "too_many_decimals");
    assertEquals(reasonOf(() => parseGrams(`1${zeros}1`)), "too_large");
    assertEquals(reasonOf(() => parseGrams("9".repeat(250_000))), "too_large");
    assertEquals(parseGrams(`1.5${zeros}`), 15_000n);
    assertEquals(parseGrams(`1${zeros}e-250000`), 10_000n);
    assertEquals(parseGrams(`0.${zeros}1e250000`), 1_000n);
    assertEquals(parseGrams(`1.5e${zeros}1`), 150_000n);
    const nines = "9".repeat(1_000_000);
    for (let run = 0; run < 200; run++) assertEquals(reasonOf(() => parseGrams(`1e${nines}`)), "too_large");
    assert(performance.now() - started < 30_000, "the parser must take linear time");
  });

  it("rejects a text that is not a JSON number, and shortens it in the error", () => {
    for (const source of ["1 ", "1\n", "1n"]) {
      assertEquals(reasonOf(() => parseGrams(source)), "not_a_number", source);
    }
    assert(assertThrows(() => parseGrams("x".repeat(60_000)), QuantityError).message.length < 200);
  });

  it("agrees with JSON.parse() about which texts are JSON numbers", () => {
    const text = fc.string({ unit: fc.constantFrom(..."00159.eE+-"), maxLength: 8 });
    fc.assert(
      fc.property(text, (source) => {
        const number = (() => {
          try {
            return typeof JSON.parse(source) === "number";
          } catch {
            return false;
          }
        })();
        const reason = (() => {
          try {
            parseGrams(source);
          } catch (error) {
            return (error as QuantityError).reason;
          }
        })();
        assertEquals(reason !== "not_a_number", number, source);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe("parseSignedDecimal()", () => {
  it("reads what formatDecimal() writes: balances, zero and negative changes", () => {
    const units = fc.bigInt({ min: -BALANCE_MAX_HALALAS, max: BALANCE_MAX_HALALAS });
    fc.assert(
      fc.property(
        units,
        (halalas) => assertEquals(parseSignedDecimal(formatHalalas(halalas), SAR_DECIMALS), halalas),
      ),
      RUNS,
    );
    assertEquals(parseSignedDecimal("0.00", SAR_DECIMALS), 0n);
    assertEquals(parseSignedDecimal("-1.5", SAR_DECIMALS), -150n);
    assertEquals(reasonOf(() => parseSignedDecimal("-0", SAR_DECIMALS)), "negative");
  });

  it("reads the text of a double back exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -BALANCE_MAX_HALALAS, max: BALANCE_MAX_HALALAS }), (halalas) => {
        const received: number = JSON.parse(formatHalalas(halalas));
        assertEquals(parseSignedDecimal(`${received}`, SAR_DECIMALS), halalas);
      }),
      RUNS,
    );
  });
});

describe("sarNumber(), gramsNumber() and priceNumber()", () => {
  it("make reply numbers with the shortest text", () => {
    assertEquals(sarNumber(150n), new JsonNumber("1.5"));
    assertEquals(gramsNumber(15_000n), new JsonNumber("1.5"));
    assertEquals(priceNumber(4_123_456n), new JsonNumber("412.3456"));
  });
});
