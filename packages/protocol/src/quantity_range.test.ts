import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { formatGrams, formatHalalas, formatPrice } from "./quantity.ts";
import * as range from "./quantity_range.ts";

const INT64_MAX = 2n ** 63n - 1n;
const DOUBLE_DIGITS = 15;

describe("ranges of quantities", () => {
  it("keep every product and every dividend of the database within 64 bits", () => {
    const largestOrder = range.GOLD_MAX_TENTH_MILLIGRAMS * range.PRICE_MAX_PIPS;
    assert(largestOrder + range.MICROHALALAS_PER_HALALA <= INT64_MAX);
    assert(range.AMOUNT_MAX_HALALAS * range.MICROHALALAS_PER_HALALA + range.PRICE_MAX_PIPS <= INT64_MAX);
    assert(largestOrder <= range.AMOUNT_MAX_HALALAS * range.MICROHALALAS_PER_HALALA);
  });

  it("have fewer than 15 digits, so that a double represents each number exactly", () => {
    for (const [name, value] of Object.entries(range)) assert(`${value}`.length < DOUBLE_DIGITS, name);
  });

  it("match the documentation", () => {
    assertEquals(formatGrams(range.GOLD_MIN_TENTH_MILLIGRAMS), "0.0001");
    assertEquals(formatGrams(range.GOLD_DEFAULT_MAX_TENTH_MILLIGRAMS), "1000");
    assertEquals(formatGrams(range.GOLD_MAX_TENTH_MILLIGRAMS), "100000");
    assertEquals(formatPrice(range.PRICE_MIN_PIPS), "0.0001");
    assertEquals(formatPrice(range.PRICE_MAX_PIPS), "99999.9999");
    assertEquals(formatHalalas(range.AMOUNT_MIN_HALALAS), "0.01");
    assertEquals(formatHalalas(range.AMOUNT_MAX_HALALAS), "10000000000");
    assertEquals(formatHalalas(range.BALANCE_MAX_HALALAS), "999999999999.99");
    assertEquals(formatGrams(range.BALANCE_MAX_TENTH_MILLIGRAMS), "9999999999.9999");
  });
});
