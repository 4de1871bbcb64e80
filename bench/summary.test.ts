import { cpus } from "node:os";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Contest, Goal, Round } from "./harness.ts";
import { reportContest } from "./report.ts";
import { countMisses, percentile, spread, summarise } from "./summary.ts";

const contest = (...goals: Goal[]): Contest => ({ name: "contest", goals, measure: async () => [] });

/**
 * A round in which one operation takes `oursMs` and `peerMs` milliseconds. CPU time is half of that for
 * `ours` and three quarters for `peer`.
 */
const round = (oursMs: number, peerMs: number): Round => ({
  ours: { operations: 10, wallMs: oursMs * 10, cpuMs: oursMs * 5 },
  peer: { operations: 4, wallMs: peerMs * 4, cpuMs: peerMs * 3 },
});

describe("spread()", () => {
  it("returns minimum, median and maximum; the median of an even count is the mean of the middle two", () => {
    assertEquals(spread([10, 9, 100]), { min: 9, median: 10, max: 100 });
    assertEquals(spread([4, 1, 3, 2]), { min: 1, median: 2.5, max: 4 });
    assertThrows(() => spread([]), Error, "No round");
  });
});

describe("percentile()", () => {
  it("returns the smallest value for which at least the given share of all values is not larger", () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    assertEquals([0.5, 0.99, 1].map((share) => percentile(values, share)), [50, 99, 100]);
    assertEquals([0.5, 0.99].map((share) => percentile([7], share)), [7, 7]);
    assertThrows(() => percentile([], 0.5), Error, "needs at least one value");
  });
});

describe("summarise()", () => {
  it("returns each contender's time per operation and operations per second", () => {
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
  it("judges a ratio by the median of the rounds' ratios, not by the ratio of the medians", () => {
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
  it("judges a CPU time goal by CPU time only", () => {
    const goal = (atLeast: number): Goal => ({ ours: "ours", peer: "peer", atLeast, by: "cpu" });
    const { verdicts } = summarise(contest(goal(3), goal(3.01)), [round(1, 1), round(10, 20), round(2, 10)]);
    const found = { min: 1.5, median: 3, max: 7.5 };
    assertEquals(verdicts.map(({ found, foundByCpu, met }) => ({ found, foundByCpu, met })), [
      { found, foundByCpu: undefined, met: true },
      { found, foundByCpu: undefined, met: false },
    ]);
  });
  it("judges a time goal by the median time", () => {
    const goal = (atMostMicros: number): Goal => ({ ours: "ours", atMostMicros });
    const { verdicts } = summarise(contest(goal(2000), goal(1999)), [round(1, 1), round(2, 1), round(9, 1)]);
    assertEquals(verdicts.map(({ met }) => met), [true, false]);
  });
  it("judges a sum goal by the median ratio of ours to the sum of the parts, in the goal's measure", () => {
    const rounds = [[10, 1, 1], [30, 4, 6], [20, 30, 10]].map(([ours, peer, verify]) => ({
      ours: { operations: 1, wallMs: 1, cpuMs: 9, p50Micros: ours! },
      peer: { operations: 1, wallMs: 1, cpuMs: 2, p50Micros: peer! },
      verify: { operations: 1, wallMs: 4, cpuMs: 1, p50Micros: verify! },
    }));
    const sum = { ours: "ours", parts: ["peer", "verify"] };
    const { verdicts } = summarise(
      contest({ ...sum, atMost: 3, by: "p50" }, { ...sum, atMost: 2.9, by: "cpu" }, { ...sum, atMost: 0.2 }, {
        ours: "ours",
        atMostMicros: 8999,
        by: "cpu",
      }),
      rounds,
    );
    const always = (value: number) => ({ min: value, median: value, max: value });
    assertEquals(verdicts.map(({ found, foundByCpu, met }) => ({ found, foundByCpu, met })), [
      { found: { min: 0.5, median: 3, max: 5 }, foundByCpu: undefined, met: true },
      { found: always(3), foundByCpu: undefined, met: false },
      { found: always(0.2), foundByCpu: always(3), met: true },
      { found: always(9000), foundByCpu: undefined, met: false },
    ]);
  });
  it("shows a goal that is only reported, and does not count it as missed", () => {
    const goal = { ours: "ours", peer: "peer", atLeast: 9, reported: true };
    const summary = summarise(contest(goal), [round(1, 2)]);
    assertEquals([summary.verdicts[0]!.met, countMisses([summary])], [false, 0]);
    assertStringIncludes(reportContest(summary), "not judged:  ours ≥ 9x peer: 2.00x");
  });
  it("shows latencies and the generator's CPU time if every turn has them, and remarks at the end", () => {
    const full = { operations: 2, wallMs: 1, loadCpuMs: 1, p50Micros: 7, p99Micros: 9 };
    const summary = summarise({ ...contest(), remarks: () => ["Of note."] }, [{
      ours: full,
      peer: { ...full, p99Micros: 8 },
    }, { ours: { operations: 2, wallMs: 1, p50Micros: 8 }, peer: full }]);
    const { ours, peer } = summary.contenders;
    assertEquals([ours!.loadCpuMicros, ours!.p50Micros?.median, ours!.p99Micros], [
      undefined,
      7.5,
      undefined,
    ]);
    assertEquals([peer!.loadCpuMicros?.median, peer!.p99Micros?.median], [500, 8.5]);
    const lines = reportContest(summary).split("\n");
    const share = Math.round(100 / cpus().length);
    assertStringIncludes(
      lines[2]!,
      `CPU of the load generator 500.0 µs (${share} % of the machine), p50 7.00 µs, p99 8.50 µs`,
    );
    assertEquals(lines.at(-1), "  Of note.");
  });
  it("leaves out the CPU time if one turn has none", () => {
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
  it("reports for each goal whether it was met", () => {
    const ratio = { ours: "ours", peer: "peer", atLeast: 1.5 };
    const goals = [ratio, { ...ratio, by: "cpu" as const }, { ours: "ours", atMostMicros: 3 }, {
      ours: "ours",
      parts: ["peer", "peer"],
      atMost: 0.5,
    }];
    const text = reportContest(summarise(contest(...goals), [round(1, 2)]));
    assertStringIncludes(text, "goal met:    ours ≥ 1.5x peer: 2.00x (2.00x to 2.00x), by CPU 3.00x");
    assertStringIncludes(text, "goal met:    ours ≥ 1.5x peer by CPU: 3.00x (3.00x to 3.00x)\n");
    assertStringIncludes(text, "goal missed: ours ≤ 3 µs: 1000.0 µs");
    assertStringIncludes(text, "goal met:    ours ≤ 0.5x (peer + peer): 0.250x");
  });
});
