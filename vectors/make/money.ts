import Big from "big.js";
import type { VectorFile } from "./vector_file.ts";

type Case = Record<string, unknown> & { readonly name: string };

const DECIMALS = { sar: 2, grams: 4, price: 4 };
type Quantity = keyof typeof DECIMALS;

// big.js computes each value, independently of the service's code.
// The constructor's rounding mode applies to divisions.
const Down = rounding(Big.roundDown);
const Up = rounding(Big.roundUp);

function rounding(mode: 0 | 1 | 2 | 3): typeof Big {
  const constructor = Big();
  constructor.DP = 0;
  constructor.RM = mode;
  return constructor;
}

const unitsOf = (text: string, decimals: number): string =>
  new Big(text).times(new Big(10).pow(decimals)).toFixed();

const ACCEPTED: readonly (readonly [Quantity, string])[] = [
  ["grams", "1.5"],
  ["grams", "1.50"],
  ["grams", "15e-1"],
  ["grams", "15E-1"],
  ["grams", "0.15e+1"],
  ["grams", "0.15e1"],
  ["grams", "0.0001"],
  ["grams", "1e-4"],
  ["grams", "100000e-9"],
  ["grams", "1.50000"],
  ["grams", "1.5e00"],
  ["grams", "999.9999"],
  ["grams", "1e5"],
  ["grams", "100000.0001"],
  ["grams", "123456789012345678901234567890"],
  ["sar", "0.01"],
  ["sar", "0.10"],
  ["sar", "1000"],
  ["sar", "1000.00"],
  ["sar", "1e3"],
  ["sar", "10000000000"],
  ["sar", "10000000000.01"],
  ["sar", "1e308"],
  ["price", "0.0001"],
  ["price", "412.3456"],
  ["price", "99999.9999"],
];

const REFUSED: readonly (readonly [Quantity, string, string])[] = [
  ["grams", "0", "zero"],
  ["grams", "0.0", "zero"],
  ["grams", "0e5", "zero"],
  ["grams", "0e999999999999", "zero"],
  ["grams", "-0", "negative"],
  ["grams", "-0.0e3", "negative"],
  ["grams", "-1", "negative"],
  ["grams", "-0.0001", "negative"],
  ["grams", "0.00001", "too_many_decimals"],
  ["grams", "1.00001", "too_many_decimals"],
  ["grams", "1.00000000000000001", "too_many_decimals"],
  ["grams", "1e-5", "too_many_decimals"],
  ["grams", "1e-400", "too_many_decimals"],
  ["grams", "1e-999999999999", "too_many_decimals"],
  ["sar", "0.001", "too_many_decimals"],
  ["sar", "1.005", "too_many_decimals"],
  ["price", "412.34567", "too_many_decimals"],
  ["grams", "1e309", "too_large"],
  ["grams", "1e400", "too_large"],
  ["grams", "1e999999999999", "too_large"],
  ["sar", "1.8e308", "too_large"],
  ["grams", "", "not_a_number"],
  ["grams", "+1", "not_a_number"],
  ["grams", "01", "not_a_number"],
  ["grams", ".5", "not_a_number"],
  ["grams", "5.", "not_a_number"],
  ["grams", "1e", "not_a_number"],
  ["grams", " 1", "not_a_number"],
  ["grams", "0x1F", "not_a_number"],
  ["grams", "1,5", "not_a_number"],
  ["grams", "1_000", "not_a_number"],
  ["grams", "Infinity", "not_a_number"],
  ["grams", "NaN", "not_a_number"],
  ["grams", "١", "not_a_number"],
];

const FORMATTED: readonly (readonly [Quantity, string])[] = [
  ["grams", "0"],
  ["grams", "1"],
  ["grams", "15000"],
  ["grams", "1500000"],
  ["grams", "-15000"],
  ["grams", "99999999999999"],
  ["sar", "1"],
  ["sar", "10"],
  ["sar", "15000"],
  ["sar", "-1"],
  ["sar", "99999999999999"],
  ["price", "4123456"],
  ["price", "999999999"],
];

/**
 * Prices and quantities chosen by hand:
 * exact results, halves, one unit above and below, and the ends of the ranges.
 */
const PRICES = ["0.0001", "0.0099", "1", "99.9999", "100", "412.3456", "500", "99999.9999"];
const GRAMS = ["0.0001", "0.0003", "1", "1.5", "31.1035", "999.9999", "1000", "100000"];
const AMOUNTS = ["0.01", "0.04", "1", "99.99", "100", "1000", "412345.67", "10000000000"];
const OUT_OF_RANGE = { grams: ["100000.0001", "1e300"], amounts: ["10000000000.01", "1e300"] };
const MAX_GRAMS = "100000";

function byGrams(side: string, gold_grams: string, price_per_gram_sar: string): Case {
  const terms = termsOf(side, new Big(gold_grams), new Big(price_per_gram_sar));
  const name = `${side} ${gold_grams} g at ${price_per_gram_sar}`;
  return { name, operation: "quote_by_grams", side, gold_grams, price_per_gram_sar, ...terms };
}

function byAmount(side: string, amount_sar: string, price_per_gram_sar: string): Case {
  const Quotient = side === "buy" ? Down : Up;
  const price = new Big(price_per_gram_sar);
  const units = new Quotient(amount_sar).times(10_000).div(price);
  const terms = new Big(amount_sar).gt("10000000000")
    ? { refused: "limit_exceeded" }
    : termsOf(side, new Big(units).times("0.0001"), price);
  const name = `${side} for ${amount_sar} SAR at ${price_per_gram_sar}`;
  return { name, operation: "quote_by_amount", side, amount_sar, price_per_gram_sar, ...terms };
}

function termsOf(side: string, grams: Big, price: Big): Record<string, string> {
  const exact = grams.times(price);
  const total = exact.round(2, side === "buy" ? Big.roundUp : Big.roundDown);
  if (grams.eq(0) || grams.gt(MAX_GRAMS) || total.eq(0)) return { refused: "limit_exceeded" };
  const rounding_gain_sar = total.minus(exact).abs().toFixed();
  return { gold_grams: grams.toFixed(), total_sar: total.toFixed(), rounding_gain_sar };
}

function prices(mid_price: string, spread_basis_points: number): Case {
  const half = new Big(spread_basis_points).times("0.00005");
  const mid = new Big(mid_price);
  return {
    name: `prices from a mid of ${mid_price} and ${spread_basis_points} basis points`,
    operation: "prices_from_mid",
    mid_price,
    spread_basis_points,
    buy_price: mid.times(half.plus(1)).round(4, Big.roundUp).toFixed(),
    sell_price: mid.times(new Big(1).minus(half)).round(4, Big.roundDown).toFixed(),
  };
}

const each = (
  first: readonly string[],
  second: readonly string[],
  of: (side: string, a: string, b: string) => Case,
) => ["buy", "sell"].flatMap((side) => first.flatMap((a) => second.map((b) => of(side, a, b))));

export default function make(): VectorFile {
  return {
    description:
      "Quantities: conversion from JSON text to units and back, and every rounding rule. Quantities are strings here, so that no " +
      "JSON parser rounds them to a double. `parse`: the source text of a JSON number gives `units` (of 0.01 SAR, 0.0001 g or " +
      "0.0001 SAR per gram) or is refused with `reason`. `format`: units give the shortest text. `quote_by_grams` and " +
      "`quote_by_amount` give gold, total and the house's rounding gain, or are refused. `prices_from_mid`: half of the spread " +
      "is on each side of the mid price.",
    origin:
      "Inputs and reasons were chosen by hand. Every computed number comes from big.js, not from the service's code.",
    cases: [
      ...ACCEPTED.map(([quantity, json]) => ({
        name: `parse ${quantity} ${json}`,
        operation: "parse",
        quantity,
        json,
        units: unitsOf(json, DECIMALS[quantity]),
      })),
      ...REFUSED.map(([quantity, json, reason]) => ({
        name: `refuse ${quantity} ${JSON.stringify(json)}`,
        operation: "parse",
        quantity,
        json,
        reason,
      })),
      ...FORMATTED.map(([quantity, units]) => ({
        name: `format ${units} as ${quantity}`,
        operation: "format",
        quantity,
        units,
        text: new Big(units).times(new Big(10).pow(-DECIMALS[quantity])).toFixed(),
      })),
      ...each([...GRAMS, ...OUT_OF_RANGE.grams], PRICES, byGrams),
      ...each([...AMOUNTS, ...OUT_OF_RANGE.amounts], PRICES, byAmount),
      prices("412.3456", 1),
      prices("412.3456", 50),
      prices("400", 100),
      prices("0.0002", 1),
      prices("49999.9999", 19_999),
    ],
  };
}
