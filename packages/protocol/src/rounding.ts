// Every rounding of the house, each to the halala or to the tenth-milligram and each in the house's favour.
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
  /** What the rounding of the total brought the house, never negative. */
  readonly roundingGainMicrohalalas: bigint;
}

export interface QuoteRefusal {
  readonly ok: false;
  readonly code: "limit_exceeded";
  readonly detail: string;
}

export type QuoteOutcome = QuoteTerms | QuoteRefusal;

/** The total of a buy rounds up to the halala, of a sell down. */
export function quoteByGrams(side: Side, goldTenthMilligrams: bigint, pricePips: bigint): QuoteOutcome {
  requirePrice(pricePips);
  if (goldTenthMilligrams < GOLD_MIN_TENTH_MILLIGRAMS || goldTenthMilligrams > GOLD_MAX_TENTH_MILLIGRAMS) {
    return refusal(
      `An order is from ${formatGrams(GOLD_MIN_TENTH_MILLIGRAMS)} g to ${
        formatGrams(GOLD_MAX_TENTH_MILLIGRAMS)
      } g; ` +
        `GET /v1/limits shows your own bounds.`,
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
 * A buy gets the gold that the amount pays for, a sell gives the gold that the amount takes; the total follows from
 * the gold. So a buy costs at most the amount and a sell brings at least the amount.
 */
export function quoteByAmount(side: Side, amountHalalas: bigint, pricePips: bigint): QuoteOutcome {
  requirePrice(pricePips);
  if (amountHalalas < AMOUNT_MIN_HALALAS || amountHalalas > AMOUNT_MAX_HALALAS) {
    return refusal(
      `An amount is from ${formatHalalas(AMOUNT_MIN_HALALAS)} SAR to ${
        formatHalalas(AMOUNT_MAX_HALALAS)
      } SAR; ` +
        `GET /v1/limits shows your own bounds.`,
    );
  }
  const amountMicrohalalas = amountHalalas * MICROHALALAS_PER_HALALA;
  const goldTenthMilligrams = divide(amountMicrohalalas, pricePips, side === "buy" ? "down" : "up");
  if (goldTenthMilligrams === 0n) {
    return refusal(
      `${formatHalalas(amountHalalas)} SAR buy no gold: ${
        formatGrams(GOLD_MIN_TENTH_MILLIGRAMS)
      } g, the least there ` +
        `is, costs more at ${formatPrice(pricePips)} SAR per gram. Send a larger amount.`,
    );
  }
  return quoteByGrams(side, goldTenthMilligrams, pricePips);
}

/** What the partner pays and what it receives per gram. */
export interface Prices {
  readonly buyPricePips: bigint;
  readonly sellPricePips: bigint;
}

const BASIS_POINTS_PER_HALF = 20_000n;

/** Half of the spread lies on each side of the mid; the buy price rounds up and the sell price down, so buy > sell. */
export function pricesFromMid(midPips: bigint, spreadBasisPoints: bigint): Prices {
  if (spreadBasisPoints < 1n || spreadBasisPoints >= BASIS_POINTS_PER_HALF) {
    throw new RangeError(
      `A spread of ${spreadBasisPoints} basis points does not keep the buy price above the sell price and both ` +
        `above 0; set 1 to ${BASIS_POINTS_PER_HALF - 1n}.`,
    );
  }
  const buy = midPips * (BASIS_POINTS_PER_HALF + spreadBasisPoints);
  const sell = midPips * (BASIS_POINTS_PER_HALF - spreadBasisPoints);
  const buyPricePips = divide(buy, BASIS_POINTS_PER_HALF, "up");
  const sellPricePips = divide(sell, BASIS_POINTS_PER_HALF, "down");
  requirePrice(buyPricePips);
  requirePrice(sellPricePips);
  return { buyPricePips, sellPricePips };
}

/** Division of numbers that are not negative. */
function divide(dividend: bigint, divisor: bigint, rounding: "up" | "down"): bigint {
  return rounding === "up" ? (dividend + divisor - 1n) / divisor : dividend / divisor;
}

/** A price is the house's own, so a wrong one is a defect and no refusal. */
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
