import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Contest, Goal, Round } from "./harness.ts";
import { reportContest } from "./report.ts";
import { countMisses, spread, summarise } from "./summary.ts";

const contest = (...goals: Goal[]): Contest => ({ name: "contest", goals, measure: async () => [] });

/** A round in which one operation of ours and of the peer's took so many milliseconds; CPU is half of it. */
const round = (oursMs: number, peerMs: number): Round => ({
  ours: { operations: 10, wallMs: oursMs * 10, cpuMs: oursMs * 5 },
  peer: { operations: 4, wallMs: peerMs * 4, cpuMs: peerMs * 3 },
});

describe("spread()", () => {
  it("gives minimum, median and maximum, of an even number the middle two's mean", () => {
    assertEquals(spread([10, 9, 100]), { min: 9, median: 10, max: 100 });
    assertEquals(spread([4, 1, 3, 2]), { min: 1, median: 2.5, max: 4 });
    assertThrows(() => spread([]), Error, "No round");
  });
});

describe("summarise()", () => {
  it("gives each contender's time and rate per operation", () => {
    const { contenders } = summarise(contest(), [round(1, 2), round(2, 3), round(4, 9)]);
    assertEquals(contenders, {
      ours: {
        perSecond: 500,
        wallMicros: { min: 1000, median: 2000, max: 4000 },
        cpuMicros: { min: 500, median: 1000, max: 2000 },
      },
      peer: {
        perSecond: 1000 / 3,
        wallMicros: { min: 2000, median: 3000, max: 9000 },
        cpuMicros: { min: 1500, median: 2250, max: 6750 },
      },
    });
  });
  it("judges a ratio pair by pair: the median of the ratios, not the ratio of the medians", () => {
    const rounds = [round(1, 1), round(10, 20), round(2, 10)];
    const goal = (atLeast: number): Goal => ({ ours: "ours", peer: "peer", atLeast });
    const summary = summarise(contest(goal(2), goal(2.01)), rounds);
    const { verdicts } = summary;
    assertEquals(countMisses([summary, summary]), 2);
    assertEquals(verdicts.map(({ found, met }) => ({ found, met })), [
      { found: { min: 1, median: 2, max: 5 }, met: true },
      { found: { min: 1, median: 2, max: 5 }, met: false },
    ]);
    assertEquals(verdicts[0]!.foundByCpu, { min: 1.5, median: 3, max: 7.5 });
  });
  it("judges a time by its median", () => {
    const goal = (atMostMicros: number): Goal => ({ ours: "ours", atMostMicros });
    const { verdicts } = summarise(contest(goal(2000), goal(1999)), [round(1, 1), round(2, 1), round(9, 1)]);
    assertEquals(verdicts.map(({ met }) => met), [true, false]);
  });
  it("leaves the CPU out where one turn has none", () => {
    const rounds = [round(1, 1), {
      ours: { operations: 1, wallMs: 1 },
      peer: { operations: 1, wallMs: 1, cpuMs: 1 },
    }];
    const { contenders, verdicts } = summarise(contest({ ours: "ours", peer: "peer", atLeast: 1 }), rounds);
    assertEquals([contenders["ours"]!.cpuMicros, verdicts[0]!.foundByCpu], [undefined, undefined]);
  });
  it("fails when a goal's peer was not measured", () => {
    const goal = { ours: "ours", peer: "jose", atLeast: 1 };
    assertThrows(() => summarise(contest(goal), [round(1, 1)]), Error, '"jose" was not measured');
  });
});

describe("reportContest()", () => {
  it("says of each goal whether it was met", () => {
    const goals = [{ ours: "ours", peer: "peer", atLeast: 1.5 }, { ours: "ours", atMostMicros: 3 }];
    const text = reportContest(summarise(contest(...goals), [round(1, 2)]));
    assertStringIncludes(text, "goal met:    ours ≥ 1.5x peer: 2.00x (2.00x to 2.00x), by CPU 3.00x");
    assertStringIncludes(text, "goal missed: ours ≤ 3 µs: 1000.0 µs");
  });
});
