import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { between, gainOf, growthOf, percentile, slopeOf } from "./statistics.ts";

describe("percentile()", () => {
  it("returns the nearest rank, for values in any order", () => {
    const values = Array.from({ length: 100 }, (_, n) => (n * 37 + 11) % 100 + 1);
    assertEquals([0, 0.5, 0.99, 1].map((share) => percentile(values, share)), [1, 50, 99, 100]);
    assertEquals(percentile([7], 0.99), 7);
    assertEquals(percentile([], 0.99), NaN);
  });
});

describe("slopeOf()", () => {
  it("returns the slope of a line, and the best fit for other points", () => {
    assertEquals(slopeOf([1, 2, 5, 9].map((seconds) => ({ seconds, value: 3 - 2 * seconds }))), -2);
    // By hand: the means are 2 and 10/3, and the slope is 4 / 2.
    const bent = [1, 2, 3].map((seconds, n) => ({ seconds, value: [2, 2, 6][n]! }));
    assertEquals(slopeOf(bent), 2);
  });
  it("returns NaN for fewer than two points", () => {
    assertEquals([slopeOf([]), slopeOf([{ seconds: 1, value: 1 }])], [NaN, NaN]);
  });
});

describe("growthOf()", () => {
  it("returns the gain in a span as a share of the mean", () => {
    const points = [0, 600, 1200].map((seconds) => ({ seconds, value: 100 + seconds / 100 }));
    assertEquals(growthOf(points, 600).toFixed(9), (6 / 106).toFixed(9));
  });
});

describe("between() and gainOf()", () => {
  it("return how much a counter gained in a span, both ends included", () => {
    const points = [0, 10, 20, 30].map((seconds) => ({ seconds, value: seconds ** 2 }));
    assertEquals(gainOf(between(points, 10, 20)), 300);
    assertEquals(gainOf(between(points, 31, 40)), NaN);
  });
});
