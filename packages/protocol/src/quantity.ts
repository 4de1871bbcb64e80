// Converts decimal text to smallest units and back. Floats are not exact (0.1 + 0.2), so no quantity is
// ever a float.
import { JsonNumber } from "@gold-partner/canonical";
import { GRAM_DECIMALS, PRICE_DECIMALS, SAR_DECIMALS } from "./quantity_range.ts";

/** Why a quantity was refused. The names are stable, so callers can branch on them. */
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
 * Reads a quantity above 0. It accepts every well-formed number up to the largest double. The range of a
 * quantity is a business rule and is not checked here.
 *
 * @param source The source text of a JSON number. `1.5`, `1.50` and `15e-1` are the same quantity.
 * @param decimals The decimals of the smallest unit.
 * @returns The quantity in units of 10^-decimals.
 * @throws QuantityError whose `reason` says what is wrong: not a number, zero, negative, too many decimals or
 * too large.
 * @example
 * ```ts
 * import { GRAM_DECIMALS, parseDecimal } from "@gold-partner/protocol";
 *
 * console.log(parseDecimal("1.5", GRAM_DECIMALS)); // 15000n
 * ```
 */
export function parseDecimal(source: string, decimals: bigint): bigint {
  const units = parseSignedDecimal(source, decimals);
  if (units === 0n) throw new QuantityError("zero", "The quantity is 0; send a quantity above 0.");
  if (units < 0n) {
    throw new QuantityError(
      "negative",
      "The quantity is negative; send a quantity above 0, because the endpoint or `side` gives the direction.",
    );
  }
  return units;
}

/** A decimal string, which a request may send instead of a number. */
export const DECIMAL_TEXT = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/**
 * Reads a quantity that may be 0 or negative, as in a balance or a statement. Otherwise it works like
 * `parseDecimal()`.
 *
 * @param source The source text of a JSON number.
 * @param decimals The decimals of the smallest unit.
 * @returns The quantity in units of 10^-decimals.
 * @throws QuantityError when the text is not a JSON number, is -0, has too many decimals or is too large.
 * @example
 * ```ts
 * import { parseSignedDecimal, SAR_DECIMALS } from "@gold-partner/protocol";
 *
 * console.log(parseSignedDecimal("-4953.06", SAR_DECIMALS)); // -495306n
 * ```
 */
export function parseSignedDecimal(source: string, decimals: bigint): bigint {
  const match = JSON_NUMBER.exec(source);
  if (!match) {
    throw new QuantityError(
      "not_a_number",
      `"${source.slice(0, 40)}" is not a JSON number; write it like 1.5.`,
    );
  }
  const [, minus, whole = "", fraction = "", exponentSign, exponentDigits = "0"] = match;
  const padded = withoutLeadingZeros(whole + fraction);
  const digits = withoutTrailingZeros(padded);
  if (digits === "") {
    if (minus) throw new QuantityError("negative", "The quantity is -0; send 0 without the minus sign.");
    return 0n;
  }
  const exponent = signed(exponentSign === "-", boundedExponent(exponentDigits)) - count(fraction) +
    count(padded) - count(digits);
  const magnitude = unitsOf(digits, exponent, decimals);
  return signed(minus === "-", magnitude);
}

/**
 * Returns digits x 10^exponent in units of 10^-decimals. Checks the sizes before it computes a large number.
 */
function unitsOf(digits: string, exponent: bigint, decimals: bigint): bigint {
  if (exponent + decimals < 0n) {
    throw new QuantityError(
      "too_many_decimals",
      `The quantity has more than ${decimals} decimals; the service never rounds your input, so round it yourself.`,
    );
  }
  if (count(digits) + exponent <= DOUBLE_MAX_DIGITS) {
    const units = BigInt(digits) * 10n ** (exponent + decimals);
    if (units <= DOUBLE_MAX * 10n ** decimals) return units;
  }
  throw new QuantityError(
    "too_large",
    "The quantity is larger than the largest double; send a quantity within your limits.",
  );
}

/**
 * Replaces an exponent of more than 9 digits by 10^9, because BigInt() of a long text is slow. The result is
 * the same: either number is refused, because no text has the 10^9 digits that could compensate for such an
 * exponent.
 */
function boundedExponent(digits: string): bigint {
  const significant = withoutLeadingZeros(digits);
  return significant.length > 9 ? 10n ** 9n : BigInt(significant);
}

// Loops, because the pattern /0+$/ takes quadratic time on a long run of zeros that ends in another digit.
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

/**
 * Writes a quantity as its shortest decimal text: `1.5`, never `1.50`.
 *
 * @param units The quantity in units of 10^-decimals.
 * @param decimals The decimals of the smallest unit.
 * @example
 * ```ts
 * import { formatDecimal, GRAM_DECIMALS } from "@gold-partner/protocol";
 *
 * console.log(formatDecimal(15_000n, GRAM_DECIMALS)); // 1.5
 * ```
 */
export function formatDecimal(units: bigint, decimals: bigint): string {
  const one = 10n ** decimals;
  const magnitude = signed(units < 0n, units);
  const fraction = withoutTrailingZeros((magnitude % one + one).toString().slice(1));
  return `${units < 0n ? "-" : ""}${magnitude / one}${fraction && `.${fraction}`}`;
}

/**
 * Reads money.
 *
 * @param source The source text of a JSON number in SAR.
 * @returns Halalas (0.01 SAR).
 * @throws QuantityError when the text is not a quantity above 0 with at most 2 decimals.
 * @example
 * ```ts
 * import { parseHalalas } from "@gold-partner/protocol";
 *
 * console.log(parseHalalas("752.25")); // 75225n
 * ```
 */
export const parseHalalas = (source: string): bigint => parseDecimal(source, SAR_DECIMALS);
/**
 * Reads a weight of gold.
 *
 * @param source The source text of a JSON number in grams.
 * @returns Tenth-milligrams (0.0001 g).
 * @throws QuantityError when the text is not a quantity above 0 with at most 4 decimals.
 * @example
 * ```ts
 * import { parseGrams } from "@gold-partner/protocol";
 *
 * console.log(parseGrams("1.5")); // 15000n
 * ```
 */
export const parseGrams = (source: string): bigint => parseDecimal(source, GRAM_DECIMALS);
/**
 * Reads a price.
 *
 * @param source The source text of a JSON number in SAR per gram.
 * @returns Pips (0.0001 SAR per gram).
 * @throws QuantityError when the text is not a quantity above 0 with at most 4 decimals.
 * @example
 * ```ts
 * import { parsePrice } from "@gold-partner/protocol";
 *
 * console.log(parsePrice("412.3456")); // 4123456n
 * ```
 */
export const parsePrice = (source: string): bigint => parseDecimal(source, PRICE_DECIMALS);

/**
 * Writes money as decimal text.
 *
 * @param halalas Money in halalas (0.01 SAR).
 * @example
 * ```ts
 * import { formatHalalas } from "@gold-partner/protocol";
 *
 * console.log(formatHalalas(75_225n)); // 752.25
 * ```
 */
export const formatHalalas = (halalas: bigint): string => formatDecimal(halalas, SAR_DECIMALS);
/**
 * Writes a weight of gold as decimal text.
 *
 * @param tenthMilligrams Gold in tenth-milligrams (0.0001 g).
 * @example
 * ```ts
 * import { formatGrams } from "@gold-partner/protocol";
 *
 * console.log(formatGrams(15_000n)); // 1.5
 * ```
 */
export const formatGrams = (tenthMilligrams: bigint): string => formatDecimal(tenthMilligrams, GRAM_DECIMALS);
/**
 * Writes a price as decimal text.
 *
 * @param pips A price in pips (0.0001 SAR per gram).
 * @example
 * ```ts
 * import { formatPrice } from "@gold-partner/protocol";
 *
 * console.log(formatPrice(4_123_456n)); // 412.3456
 * ```
 */
export const formatPrice = (pips: bigint): string => formatDecimal(pips, PRICE_DECIMALS);

/**
 * Makes the JSON number of an amount of money. `writeJson()` writes it digit by digit.
 *
 * @param halalas Money in halalas (0.01 SAR).
 * @example
 * ```ts
 * import { sarNumber, writeJson } from "@gold-partner/protocol";
 *
 * console.log(writeJson({ total_sar: sarNumber(75_225n) })); // {"total_sar":752.25}
 * ```
 */
export const sarNumber = (halalas: bigint): JsonNumber => new JsonNumber(formatHalalas(halalas));
/**
 * Makes the JSON number of a weight of gold. `writeJson()` writes it digit by digit.
 *
 * @param tenthMilligrams Gold in tenth-milligrams (0.0001 g).
 * @example
 * ```ts
 * import { gramsNumber, writeJson } from "@gold-partner/protocol";
 *
 * console.log(writeJson({ gold_grams: gramsNumber(15_000n) })); // {"gold_grams":1.5}
 * ```
 */
export const gramsNumber = (tenthMilligrams: bigint): JsonNumber =>
  new JsonNumber(formatGrams(tenthMilligrams));
/**
 * Makes the JSON number of a price. `writeJson()` writes it digit by digit.
 *
 * @param pips A price in pips (0.0001 SAR per gram).
 * @example
 * ```ts
 * import { priceNumber, writeJson } from "@gold-partner/protocol";
 *
 * console.log(writeJson({ buy_price: priceNumber(4_123_456n) })); // {"buy_price":412.3456}
 * ```
 */
export const priceNumber = (pips: bigint): JsonNumber => new JsonNumber(formatPrice(pips));
