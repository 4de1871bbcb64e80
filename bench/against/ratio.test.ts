import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { checkLimit, estimateRatio, widthOf } from "./ratio.ts";

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Returns the probability that `coins` fair coins show at most `heads` heads. */
function probabilityUpTo(heads: number, coins: number): number {
  let [term, sum] = [0.5 ** coins, 0];
  for (let shown = 0; shown <= heads; shown++) {
    sum += term;
    term *= (coins - shown) / (shown + 1);
  }
  return sum;
}

describe("estimateRatio()", () => {
  it("returns the same interval for the median as published tables", () => {
    // Ranks at 95 %: Conover, Practical Nonparametric Statistics, table A3.
    for (const [count, low, high] of [[6, 1, 6], [10, 2, 9], [20, 6, 15], [100, 40, 61]] as const) {
      const { median, interval } = estimateRatio(upTo(count).reverse());
      assertEquals([median, interval], [(count + 1) / 2, [low, high]]);
    }
  });

  it("returns the narrowest interval of ranks that covers the median with 95 % probability", () => {
    for (const count of [6, 7, 19, 20, 41, 100, 400]) {
      const [low] = estimateRatio(upTo(count)).interval!;
      assert(2 * probabilityUpTo(low - 1, count) <= 0.05, `${count}: rank ${low} is too narrow`);
      assert(2 * probabilityUpTo(low, count) > 0.05, `${count}: rank ${low} is too wide`);
    }
  });

  it("returns no interval for fewer than six pairs, so that no limit is broken", () => {
    const few = estimateRatio([9, 9, 9, 9, 9]);
    assertEquals([few, widthOf(few)], [{ median: 9 }, Infinity]);
    assertEquals(checkLimit(few, { limit: 1, intervalAtMost: 0.03 }), "undecided");
  });

  it("says that a limit is broken only if the whole interval is above it, and kept only if it is narrow", () => {
    const estimate = estimateRatio([1.04, 1.05, 1.06, 1.07, 1.08, 1.09]);
    const judge = (intervalAtMost: number) =>
      [1.03, 1.04, 1.05].map((limit) => checkLimit(estimate, { limit, intervalAtMost }));
    assertEquals(judge(0.06), ["broken", "kept", "kept"]);
    assertEquals(judge(Infinity), ["broken", "kept", "kept"]);
    assertEquals(judge(0.03), ["broken", "undecided", "undecided"]);
  });
});
