// Estimates the ratio of two versions' costs from pairs of turns.
import { spread } from "../summary.ts";

export interface RatioEstimate {
  readonly median: number;
  /**
   * The true median lies between these bounds with a probability of at least 95 %, whatever the distribution
   * of the pairs' ratios. Absent for fewer than six pairs.
   */
  readonly interval?: readonly [low: number, high: number];
}

const OUTSIDE_EACH_SIDE = 0.025;

/** The median of the ratios, with the interval that their order statistics give. */
export function estimateRatio(ratios: readonly number[]): RatioEstimate {
  const { median } = spread(ratios);
  const outside = countOutside(ratios.length);
  if (outside === 0) return { median };
  const sorted = [...ratios].sort((left, right) => left - right);
  return { median, interval: [sorted[outside - 1]!, sorted[sorted.length - outside]!] };
}

/**
 * Returns the rank of the interval's bounds, counted from each end. Returns 0 if even the smallest and the
 * largest ratio cover less than 95 %. The number of ratios below the true median is binomial, because each
 * ratio is below it with probability ½.
 */
function countOutside(count: number): number {
  let term = 0.5 ** count;
  let below = term;
  let rank = 0;
  while (below <= OUTSIDE_EACH_SIDE) {
    rank++;
    term *= (count - rank + 1) / rank;
    below += term;
  }
  return rank;
}

export function widthOf({ interval }: RatioEstimate): number {
  return interval ? interval[1] - interval[0] : Infinity;
}

/**
 * Judges a limit. It is broken only if the whole interval lies above it, so that chance does not explain the
 * excess. An interval wider than `intervalAtMost` shows too little to say that the limit was kept.
 */
export function checkLimit(
  estimate: RatioEstimate,
  { limit, intervalAtMost }: { readonly limit: number; readonly intervalAtMost: number },
): "broken" | "undecided" | "kept" {
  if (estimate.interval && estimate.interval[0] > limit) return "broken";
  return widthOf(estimate) > intervalAtMost ? "undecided" : "kept";
}
