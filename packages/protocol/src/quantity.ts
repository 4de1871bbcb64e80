// Decimal text to smallest units and back. A float never touches a quantity: 0.1 + 0.2 is why.
import { JsonNumber } from "@gold-partner/canonical";
import { GRAM_DECIMALS, PRICE_DECIMALS, SAR_DECIMALS } from "./quantity_range.ts";

/** Why a quantity was refused. Stable: callers may decide by it. */
export type QuantityReason = "not_a_number" | "zero" | "negative" | "too_many_decimals" | "too_large";

export class QuantityError extends Error {
  override readonly name: string = "QuantityError";
  readonly reason: QuantityReason;

  constructor(reason: QuantityReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const JSON_NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/;
const DOUBLE_MAX = (2n ** 53n - 1n) * 2n ** 971n;
const DOUBLE_MAX_DIGITS = 309n;

/**
 * A quantity above 0 from its source text, in units of 10^-decimals: `1.5`, `1.50` and `15e-1` are the same.
 * What is well formed is read however large it is (to the limit of a double): a range is the business's to refuse.
 */
export function parseDecimal(source: string, decimals: bigint): bigint {
  const units = parseSignedDecimal(source, decimals);
  if (units === 0n) throw new QuantityError("zero", "It is 0; send a quantity above 0.");
  if (units < 0n) {
    throw new QuantityError(
      "negative",
      "It is negative; send a quantity above 0: the endpoint or the side gives the direction.",
    );
  }
  return units;
}

/** As `parseDecimal()`, but 0 and negative numbers are read, too: what a balance or a statement holds. */
export function parseSignedDecimal(source: string, decimals: bigint): bigint {
  const match = JSON_NUMBER.exec(source);
  if (!match) {
    throw new QuantityError(
      "not_a_number",
      `"${source.slice(0, 40)}" is not a JSON number; write it as in 1.5.`,
    );
  }
  const [, minus, whole = "", fraction = "", exponentSign, exponentDigits = "0"] = match;
  const padded = withoutLeadingZeros(whole + fraction);
  const digits = withoutTrailingZeros(padded);
  if (digits === "") {
    if (minus) throw new QuantityError("negative", "It is -0; send 0 without the sign where 0 is meant.");
    return 0n;
  }
  const exponent = signed(exponentSign === "-", boundedExponent(exponentDigits)) - count(fraction) +
    count(padded) - count(digits);
  const magnitude = unitsOf(digits, exponent, decimals);
  return signed(minus === "-", magnitude);
}

/** digits x 10^exponent, counted in 10^-decimals. The sizes are judged before anything large is computed. */
function unitsOf(digits: string, exponent: bigint, decimals: bigint): bigint {
  if (exponent + decimals < 0n) {
    throw new QuantityError(
      "too_many_decimals",
      `It has more than ${decimals} decimals; the service never rounds what you send, so round it yourself.`,
    );
  }
  if (count(digits) + exponent <= DOUBLE_MAX_DIGITS) {
    const units = BigInt(digits) * 10n ** (exponent + decimals);
    if (units <= DOUBLE_MAX * 10n ** decimals) return units;
  }
  throw new QuantityError(
    "too_large",
    "It is larger than any double can carry; send a quantity within your limits.",
  );
}

/** No text has 10^9 digits to make up for such an exponent, so a longer one is as good: BigInt() of it takes long. */
function boundedExponent(digits: string): bigint {
  const significant = withoutLeadingZeros(digits);
  return significant.length > 9 ? 10n ** 9n : BigInt(significant);
}

// Loops, not /0+$/: that pattern takes quadratic time on a long run of zeros that ends in another digit.
function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === "0") start++;
  return digits.slice(start);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

const count = (digits: string): bigint => BigInt(digits.length);
const signed = (negative: boolean, magnitude: bigint): bigint => negative ? -magnitude : magnitude;

/** The shortest decimal text: `1.5`, `150`, never `1.50`. */
export function formatDecimal(units: bigint, decimals: bigint): string {
  const one = 10n ** decimals;
  const magnitude = signed(units < 0n, units);
  const fraction = withoutTrailingZeros((magnitude % one + one).toString().slice(1));
  return `${units < 0n ? "-" : ""}${magnitude / one}${fraction && `.${fraction}`}`;
}

/** SAR to halalas. */
export const parseHalalas = (source: string): bigint => parseDecimal(source, SAR_DECIMALS);
/** Grams of gold to tenth-milligrams. */
export const parseGrams = (source: string): bigint => parseDecimal(source, GRAM_DECIMALS);
/** SAR per gram to pips. */
export const parsePrice = (source: string): bigint => parseDecimal(source, PRICE_DECIMALS);

export const formatHalalas = (halalas: bigint): string => formatDecimal(halalas, SAR_DECIMALS);
export const formatGrams = (tenthMilligrams: bigint): string => formatDecimal(tenthMilligrams, GRAM_DECIMALS);
export const formatPrice = (pips: bigint): string => formatDecimal(pips, PRICE_DECIMALS);

/** The same as numbers of a reply; `writeJson()` puts them on the wire digit by digit. */
export const sarNumber = (halalas: bigint): JsonNumber => new JsonNumber(formatHalalas(halalas));
export const gramsNumber = (tenthMilligrams: bigint): JsonNumber =>
  new JsonNumber(formatGrams(tenthMilligrams));
export const priceNumber = (pips: bigint): JsonNumber => new JsonNumber(formatPrice(pips));
