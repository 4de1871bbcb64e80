// Estimates how certain a difference between two runs is, from how each run varied over time.
import { seededRandom } from "../testing/random.ts";

/** A ratio and its 95 % interval, which contains the true ratio in 95 of 100 such comparisons. */
export interface Estimate {
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

export const METHOD =
  "95 % intervals of the ratio after/before: Student's t over the standard error of its logarithm, by a moving-block bootstrap of the time slices (seeded).";

const ROUNDS = 200;

/**
 * Compares several statistics at once. Each round draws as many slices as there are, with repetition, and
 * calculates the statistics again. Their variation from round to round shows how certain they are. Slices are
 * drawn in blocks, because neighbouring slices are similar, for example during a garbage collection or a
 * checkpoint. `leastVariances` are lower bounds for the variances of the logarithms of the statistics,
 * because the variance of a rare event would be estimated too small.
 */
export function estimateRatios<Slice>(
  before: readonly Slice[],
  after: readonly Slice[],
  statistics: (slices: readonly Slice[]) => readonly number[],
  leastVariances: (slices: readonly Slice[]) => readonly number[] = () => [],
  seed = 1,
): Estimate[] {
  const random = seededRandom(seed);
  const [was, is] = [statistics(before), statistics(after)];
  const [wasDrawn, isDrawn] = [before, after].map((slices) =>
    Array.from({ length: ROUNDS }, () => statistics(draw(slices, random)))
  );
  return was.map((value, index) => {
    const ratio = is[index]! / value;
    const variances = [[wasDrawn!, before], [isDrawn!, after]] as const;
    const parts = variances.map(([drawn, slices]) => {
      const blocks = slices.length / blockLength(slices.length);
      // Correct the variance of the draws, which is smaller than the true variance. The factor is exact for a
      // mean.
      const variance = varianceOf(drawn.map((one) => Math.log(one[index]!))) * blocks / (blocks - 1);
      return { blocks, variance: Math.max(variance, leastVariances(slices)[index] ?? 0) };
    });
    const [left, right] = parts as [typeof parts[0], typeof parts[0]];
    const error = Math.sqrt(left.variance + right.variance);
    // Welch and Satterthwaite's degrees of freedom.
    const freedom = (left.variance + right.variance) ** 2 /
      (left.variance ** 2 / (left.blocks - 1) + right.variance ** 2 / (right.blocks - 1));
    const reach = error === 0 ? 0 : studentQuantile(freedom) * error;
    return {
      before: value,
      after: is[index]!,
      ratio,
      low: ratio * Math.exp(-reach),
      high: ratio * Math.exp(reach),
    };
  });
}

const blockLength = (slices: number): number => Math.max(1, Math.round(Math.cbrt(slices)));

/** Draws blocks in a circle, so that the first and the last slice are drawn as often as the others. */
function draw<Slice>(slices: readonly Slice[], random: () => number): Slice[] {
  const length = blockLength(slices.length);
  const drawn: Slice[] = [];
  while (drawn.length < slices.length) {
    const from = Math.floor(random() * slices.length);
    for (let n = 0; n < length && drawn.length < slices.length; n++) {
      drawn.push(slices[(from + n) % slices.length]!);
    }
  }
  return drawn;
}

function varianceOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/**
 * The 0.975 quantile of Student's t, by the expansion of Cornish and Fisher. From 4 degrees of freedom on,
 * its error is less than 1 %.
 */
function studentQuantile(freedom: number): number {
  const z = 1.959964;
  const n = Math.max(freedom, 2);
  return z + (z ** 3 + z) / (4 * n) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * n ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * n ** 3);
}
