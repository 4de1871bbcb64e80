/**
 * Returns a percentile by the nearest-rank method; `share` is 0 to 1. At least this share of the values is
 * less than or equal to the result. NaN if there are no values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
