// The rounding of quotes and prices. Money rounds to the halala, gold to the tenth-milligram and a price to
// the pip. Rounding is always in favour of the operator.
import { formatGrams, formatHalalas, formatPrice } from "./quantity.ts";
import {
  AMOUNT_MAX_HALALAS,
  AMOUNT_MIN_HALALAS,
  GOLD_MAX_TENTH_MILLIGRAMS,
  GOLD_MIN_TENTH_MILLIGRAMS,
  MICROHALALAS_PER_HALALA,
  PRICE_MAX_PIPS,
  PRICE_MIN_PIPS,
} from "./quantity_range.ts";

/** As the partner sees it: a buy pays SAR for gold, a sell gives gold for SAR. */
export type Side = "buy" | "sell";

export interface QuoteTerms {
  readonly ok: true;
  readonly side: Side;
  readonly goldTenthMilligrams: bigint;
  readonly pricePips: bigint;
  readonly totalHalalas: bigint;
  /** The operator's gain from rounding the total. Never negative. */
  readonly roundingGainMicrohalalas: bigint;
}

export interface QuoteRefusal {
  readonly ok: false;
  readonly code: "limit_exceeded";
  readonly detail: string;
}

export type QuoteOutcome = QuoteTerms | QuoteRefusal;

/**
 * Computes a quote for a weight of gold. The total of a buy rounds up to the halala, the total of a sell
 * rounds down.
 *
 * @param side The side, as the partner sees it.
 * @param goldTenthMilligrams The gold in tenth-milligrams (0.0001 g).
 * @param pricePips The price in pips, from `PRICE_MIN_PIPS` to `PRICE_MAX_PIPS`.
 * @returns The terms, or a refusal when the gold is outside its range or the total is below 0.01 SAR.
 * @throws RangeError when the price is outside its range: that is a defect of the price source.
 * @example
 * ```ts
 * import { formatHalalas, quoteByGrams } from "@gold-partner/protocol";
 *
 * const outcome = quoteByGrams("buy", 15_000n, 4_123_456n);
 * console.log(outcome.ok ? formatHalalas(outcome.totalHalalas) : outcome.detail); // 618.52
 * ```
 */
export function quoteByGrams(side: Side, goldTenthMilligrams: bigint, pricePips: bigint): QuoteOutcome {
  requirePrice(pricePips);
  if (goldTenthMilligrams < GOLD_MIN_TENTH_MILLIGRAMS || goldTenthMilligrams > GOLD_MAX_TENTH_MILLIGRAMS) {
    return refusal(
      `An order must be from ${formatGrams(GOLD_MIN_TENTH_MILLIGRAMS)} g to ${
        formatGrams(GOLD_MAX_TENTH_MILLIGRAMS)
      } g; ` +
        `GET /v1/limits shows your own limits.`,
    );
  }
  const exactMicrohalalas = goldTenthMilligrams * pricePips;
  const totalHalalas = divide(exactMicrohalalas, MICROHALALAS_PER_HALALA, side === "buy" ? "up" : "down");
  if (totalHalalas === 0n) {
    return refusal(
      `${formatGrams(goldTenthMilligrams)} g at ${formatPrice(pricePips)} SAR per gram come to less than ` +
        `${formatHalalas(AMOUNT_MIN_HALALAS)} SAR; sell more.`,
    );
  }
  const difference = totalHalalas * MICROHALALAS_PER_HALALA - exactMicrohalalas;
  const roundingGainMicrohalalas = side === "buy" ? difference : -difference;
  return { ok: true, side, goldTenthMilligrams, pricePips, totalHalalas, roundingGainMicrohalalas };
}

/**
 * Computes a quote for an amount of money. A buy gets the gold that the amount pays for. A sell gives the
 * gold that is needed for the amount. The total follows from the gold, so a buy costs at most the amount and
 * a sell brings at least the amount.
 *
 * @param side The side, as the partner sees it.
 * @param amountHalalas The amount in halalas (0.01 SAR).
 * @param pricePips The price in pips, from `PRICE_MIN_PIPS` to `PRICE_MAX_PIPS`.
 * @returns The terms, or a refusal when the amount or the gold is outside its range.
 * @throws RangeError when the price is outside its range: that is a defect of the price source.
 * @example
 * ```ts
 * import { formatGrams, quoteByAmount } from "@gold-partner/protocol";
 *
 * const outcome = quoteByAmount("sell", 100_000n, 3_988_000n);
 * console.log(outcome.ok ? formatGrams(outcome.goldTenthMilligrams) : outcome.detail); // 2.5076
 * ```
 */
export function quoteByAmount(side: Side, amountHalalas: bigint, pricePips: bigint): QuoteOutcome {
  requirePrice(pricePips);
  if (amountHalalas < AMOUNT_MIN_HALALAS || amountHalalas > AMOUNT_MAX_HALALAS) {
    return refusal(
      `An amount must be from ${formatHalalas(AMOUNT_MIN_HALALAS)} SAR to ${
        formatHalalas(AMOUNT_MAX_HALALAS)
      } SAR; ` +
        `GET /v1/limits shows your own limits.`,
    );
  }
  const amountMicrohalalas = amountHalalas * MICROHALALAS_PER_HALALA;
  const goldTenthMilligrams = divide(amountMicrohalalas, pricePips, side === "buy" ? "down" : "up");
  if (goldTenthMilligrams === 0n) {
    return refusal(
      `${formatHalalas(amountHalalas)} SAR is too little to buy gold: ${
        formatGrams(GOLD_MIN_TENTH_MILLIGRAMS)
      } g, the minimum, ` +
        `costs more at ${formatPrice(pricePips)} SAR per gram. Send a larger amount.`,
    );
  }
  return quoteByGrams(side, goldTenthMilligrams, pricePips);
}

/**
 * Computes the smallest trade at a price: the least gold whose total is at least 0.01 SAR.
 *
 * @param side The side, as the partner sees it.
 * @param pricePips The price in pips, from `PRICE_MIN_PIPS` to `PRICE_MAX_PIPS`.
 * @throws RangeError when the price is outside its range: that is a defect of the price source.
 * @example
 * ```ts
 * import { formatHalalas, smallestTrade } from "@gold-partner/protocol";
 *
 * console.log(formatHalalas(smallestTrade("buy", 5_015_000n).totalHalalas)); // 0.06
 * ```
 */
export function smallestTrade(side: Side, pricePips: bigint): QuoteTerms {
  requirePrice(pricePips);
  const gold = side === "buy"
    ? GOLD_MIN_TENTH_MILLIGRAMS
    : divide(AMOUNT_MIN_HALALAS * MICROHALALAS_PER_HALALA, pricePips, "up");
  const least = quoteByGrams(side, gold, pricePips);
  if (least.ok) return least;
  throw new RangeError(least.detail);
}

/** The prices per gram that the partner pays and receives. */
export interface Prices {
  readonly buyPricePips: bigint;
  readonly sellPricePips: bigint;
}

/** 100 % in half basis points. A spread of n basis points moves each price by n half basis points. */
const HALF_BASIS_POINTS = 20_000n;

/**
 * Computes the buy and the sell price. Half of the spread is on each side of the mid price. The buy price
 * rounds up and the sell price rounds down, so the buy price is always higher.
 *
 * @param midPips The mid price in pips (0.0001 SAR per gram).
 * @param spreadBasisPoints The whole spread in basis points, from 1 to 19,999.
 * @throws RangeError when the spread or a resulting price is outside its range.
 * @example
 * ```ts
 * import { formatPrice, pricesFromMid } from "@gold-partner/protocol";
 *
 * const { buyPricePips, sellPricePips } = pricesFromMid(5_000_000n, 60n);
 * console.log(formatPrice(buyPricePips), formatPrice(sellPricePips)); // 501.5 498.5
 * ```
 */
export function pricesFromMid(midPips: bigint, spreadBasisPoints: bigint): Prices {
  if (spreadBasisPoints < 1n || spreadBasisPoints >= HALF_BASIS_POINTS) {
    throw new RangeError(
      `A spread of ${spreadBasisPoints} basis points does not keep the buy price above the sell price and both ` +
        `above 0; set 1 to ${HALF_BASIS_POINTS - 1n}.`,
    );
  }
  const buy = midPips * (HALF_BASIS_POINTS + spreadBasisPoints);
  const sell = midPips * (HALF_BASIS_POINTS - spreadBasisPoints);
  const buyPricePips = divide(buy, HALF_BASIS_POINTS, "up");
  const sellPricePips = divide(sell, HALF_BASIS_POINTS, "down");
  requirePrice(buyPricePips);
  requirePrice(sellPricePips);
  return { buyPricePips, sellPricePips };
}

/** Divides numbers that are not negative. */
function divide(dividend: bigint, divisor: bigint, rounding: "up" | "down"): bigint {
  return rounding === "up" ? (dividend + divisor - 1n) / divisor : dividend / divisor;
}

/**
 * Throws if the price is outside its range. This is a defect and not a refusal, because the price comes from
 * the operator and not from the partner.
 */
function requirePrice(pricePips: bigint): void {
  if (pricePips >= PRICE_MIN_PIPS && pricePips <= PRICE_MAX_PIPS) return;
  throw new RangeError(
    `A price of ${formatPrice(pricePips)} SAR per gram is outside ${formatPrice(PRICE_MIN_PIPS)} to ` +
      `${formatPrice(PRICE_MAX_PIPS)}; correct the price source.`,
  );
}

function refusal(detail: string): QuoteRefusal {
  return { ok: false, code: "limit_exceeded", detail };
}
