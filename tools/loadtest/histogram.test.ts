import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { seededRandom } from "../testing/random.ts";
import { Histogram } from "./histogram.ts";

describe("Histogram", () => {
  it("returns quantiles within 0.25 % of the exact values", () => {
    const random = seededRandom(7);
    const values = Array.from({ length: 10_000 }, () => Math.exp(6 * random()));
    const histogram = new Histogram();
    for (const value of values) histogram.add(value);
    values.sort((left, right) => left - right);
    for (const share of [0, 0.001, 0.5, 0.95, 0.99, 1]) {
      const exact = values[Math.max(1, Math.ceil(share * values.length)) - 1]!;
      assert(Math.abs(histogram.quantile(share) / exact - 1) <= 0.0025, `${share}`);
    }
  });

  it("is equal if it is filled at once, merged from parts or read from JSON", () => {
    const [whole, left, right] = [new Histogram(), new Histogram(), new Histogram()];
    for (let n = 1; n <= 100; n++) {
      whole.add(n);
      (n % 3 === 0 ? left : right).add(n);
    }
    left.addAll(right);
    assertEquals(left.toJSON(), whole.toJSON());
    assertEquals(Histogram.read(JSON.parse(JSON.stringify(left))).quantile(0.9), whole.quantile(0.9));
    assertEquals(left.count, 100);
  });

  it("counts a duration of 0 as the smallest value, and returns NaN without values", () => {
    const histogram = new Histogram();
    assert(Number.isNaN(histogram.quantile(0.5)));
    histogram.add(0);
    assert(Math.abs(histogram.quantile(0.5) - 0.001) < 0.00001);
  });
});
