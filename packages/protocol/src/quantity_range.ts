// The units and their ranges. In the code, every quantity is a bigint of its smallest unit:
//
//   money  1 halala           = 0.01 SAR
//   gold   1 tenth-milligram  = 0.0001 g
//   price  1 pip              = 0.0001 SAR per gram
//
// One tenth-milligram at one pip costs 10^-8 SAR, a microhalala. 10^6 microhalalas are a halala. The largest
// values that the database computes are:
//
//   largest order    10^9 tenth-milligrams x (10^9 - 1) pips < 10^18 microhalalas < 2^63 (about 9.2 x 10^18)
//   largest amount   10^12 halalas x 10^6                   = 10^18 microhalalas < 2^63
//
// So the database multiplies and divides in 64 bits and cannot overflow. The largest order costs less than
// the largest amount. No quantity has more than 14 digits, and a double keeps 15 digits without loss.

export const SAR_DECIMALS = 2n;
export const GRAM_DECIMALS = 4n;
export const PRICE_DECIMALS = 4n;

export const MICROHALALAS_PER_HALALA = 1_000_000n;

/** The smallest step of gold: 0.0001 g. */
export const GOLD_MIN_TENTH_MILLIGRAMS = 1n;
/** The largest order of a partner for whom the operator has set no other limit: 1,000 g. */
export const GOLD_DEFAULT_MAX_TENTH_MILLIGRAMS = 10_000_000n;
/** The highest limit that an operator can set for one order: 100,000 g. */
export const GOLD_MAX_TENTH_MILLIGRAMS = 1_000_000_000n;

export const PRICE_MIN_PIPS = 1n;
/** 99,999.9999 SAR per gram. */
export const PRICE_MAX_PIPS = 999_999_999n;

export const AMOUNT_MIN_HALALAS = 1n;
/** The largest amount of one quote, funding or withdrawal: 10,000,000,000 SAR. */
export const AMOUNT_MAX_HALALAS = 1_000_000_000_000n;

/** The largest balance: 999,999,999,999.99 SAR. */
export const BALANCE_MAX_HALALAS = 99_999_999_999_999n;
/** The largest balance: 9,999,999,999.9999 g. */
export const BALANCE_MAX_TENTH_MILLIGRAMS = 99_999_999_999_999n;
