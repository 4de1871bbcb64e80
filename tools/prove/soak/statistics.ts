/** One value that was measured at a moment of the run. */
export interface Point {
  readonly seconds: number;
  readonly value: number;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The gain per second of the line that fits best by least squares. */
export function slopeOf(points: readonly Point[]): number {
  const middle = meanOf(points.map(({ seconds }) => seconds));
  const mean = meanOf(points.map(({ value }) => value));
  let [product, square] = [0, 0];
  for (const { seconds, value } of points) {
    product += (seconds - middle) * (value - mean);
    square += (seconds - middle) ** 2;
  }
  return product / square;
}

/** The gain of a series in this many seconds, as a share of its mean. */
export const growthOf = (points: readonly Point[], seconds: number): number =>
  slopeOf(points) * seconds / meanOf(points.map(({ value }) => value));

/** The gain of a counter between the first and the last point. */
export function gainOf(points: readonly Point[]): number {
  return points.length === 0 ? NaN : points.at(-1)!.value - points[0]!.value;
}

/** The points of a span, both ends included. */
export const between = (points: readonly Point[], fromSeconds: number, toSeconds: number): Point[] =>
  points.filter(({ seconds }) => seconds >= fromSeconds && seconds <= toSeconds);

export const percentText = (share: number): string => `${(100 * share).toFixed(2)} %`;
