import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { seededRandom } from "../testing/random.ts";
import { estimateRatios } from "./bootstrap.ts";

const TRIES = 200;

/** Returns a normally distributed number (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Returns a figure for each slice. The noise of two neighbours has the correlation `carried`. */
function slices(random: () => number, count: number, mean: number, carried: number): number[] {
  let noise = normal(random);
  return Array.from({ length: count }, () => {
    noise = carried * noise + Math.sqrt(1 - carried ** 2) * normal(random);
    return mean * Math.exp(0.2 * noise);
  });
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the share of intervals that contain the true ratio. */
function coverage(count: number, carried: number): number {
  const random = seededRandom(20_261_121);
  let held = 0;
  for (let n = 0; n < TRIES; n++) {
    const [before, after] = [slices(random, count, 10, carried), slices(random, count, 12, carried)];
    const [estimate] = estimateRatios(before, after, (drawn) => [meanOf(drawn)], () => [], n);
    if (estimate!.low <= 1.2 && 1.2 <= estimate!.high) held++;
  }
  return held / TRIES;
}

describe("estimateRatios()", () => {
  it("returns intervals of which about 95 % contain the true ratio", () => {
    for (const count of [8, 60]) {
      const share = coverage(count, 0);
      assert(share >= 0.92 && share <= 0.985, `${count} slices: ${share}`);
    }
  });

  it("returns almost as many correct intervals if neighbouring slices are correlated", () => {
    const share = coverage(60, 0.4);
    assert(share >= 0.88 && share <= 0.985, `${share}`);
  });

  it("returns the same estimate for the same slices", () => {
    const before = slices(seededRandom(1), 30, 10, 0);
    const estimate = () => estimateRatios(before, before, (drawn) => [meanOf(drawn)]);
    assertEquals(estimate(), estimate());
    const [{ ratio, low, high }] = estimate() as [ReturnType<typeof estimate>[0]];
    assertEquals(ratio, 1);
    assert(low < 1 && 1 < high);
  });

  it("respects the minimum variance if the slices do not vary", () => {
    const [before, after] = [[2, 2, 2, 2, 2], [3, 3, 3, 3, 3]];
    const [estimate] = estimateRatios(before, after, (drawn) => [meanOf(drawn)], () => [1]);
    assert(estimate!.low < 1 && estimate!.high > 1.5 ** 2);
  });

  it("returns an interval of zero width for slices that do not vary", () => {
    const [estimate] = estimateRatios([2, 2, 2, 2, 2], [3, 3, 3, 3, 3], (drawn) => [meanOf(drawn)]);
    const { ratio, low, high } = estimate!;
    assertEquals([ratio, low, high].map((one) => one.toFixed(9)), Array(3).fill("1.500000000"));
  });
});
