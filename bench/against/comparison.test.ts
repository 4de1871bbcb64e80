import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { compareVersions, type ComparisonPlan, estimateCost, type Pairs } from "./comparison.ts";
import type { Version } from "./version.ts";

/**
 * A fake version that records its calls in `log`. Each request of its slice n costs `micros(n)` µs of CPU
 * time.
 */
function versionOf(name: string, micros: (slice: number) => number, log: string[], perMs = 1): Version {
  let [cpuMs, slices] = [0, 0];
  return {
    analyze: () => Promise.resolve(),
    restart: () => Promise.resolve(void log.push(`${name} restarts`)),
    prepare: (operation, count) => Promise.resolve(void log.push(`${name} ${operation} ${count}`)),
    send(count) {
      log.push(name);
      cpuMs += count * micros(slices++) / 1000;
      return Promise.resolve(count / perMs);
    },
    finish: () => Promise.resolve(),
    keepQuotes: () => Promise.resolve(void log.push(`${name} keeps`)),
    readCpu: () => ({ serviceMs: cpuMs * 0.75, postgresMs: cpuMs * 0.25 }),
    stop: () => Promise.resolve(),
  };
}

const PLAN: ComparisonPlan = { requests: 1000, pairsAtLeast: 20, pairsAtMost: 60, intervalAtMost: 0.03 };
const steady = (micros: number) => () => micros;
/** Alternates between two costs. They differ by far more than the allowed width of an interval. */
const unsteady = (slice: number) => Math.floor(slice / 40) % 2 === 0 ? 300 : 500;

async function compare(ours: (slice: number) => number, theirs: (slice: number) => number, plan = PLAN) {
  const log: string[] = [];
  let calls = 0;
  const versions = { ours: versionOf("A", ours, log), theirs: versionOf("B", theirs, log) };
  const pairs: Pairs = await compareVersions(versions, plan, () => calls++);
  return { pairs, log, calls };
}

describe("compareVersions()", () => {
  it("measures pairsAtLeast pairs if intervals are narrow, and restarts both versions per pair", async () => {
    const { pairs, log, calls } = await compare(steady(412), steady(400));
    for (const operation of ["order", "quote"] as const) {
      assertEquals(pairs[operation].length, 20);
      const { median, interval } = estimateCost(pairs[operation]);
      for (const value of [median, ...interval!]) assert(Math.abs(value - 1.03) < 1e-9, `${value}`);
      assert(pairs[operation].every(({ ours, theirs }) => ours.operations === theirs.operations));
    }
    assertEquals(calls, 20);
    for (const name of ["A", "B"]) assertEquals(log.filter((line) => line === `${name} restarts`).length, 20);
  });

  it("measures more pairs while an interval is too wide, up to pairsAtMost", async () => {
    const { pairs } = await compare(unsteady, steady(400));
    assertEquals(pairs.order.length, 60);
  });

  it("runs slices in the order A B B A, and executes the quotes of a pair with its orders", async () => {
    const { log } = await compare(steady(400), steady(400), { ...PLAN, pairsAtLeast: 1, pairsAtMost: 1 });
    const last = log.slice(log.lastIndexOf("A quote 1000"));
    const slices = Array.from({ length: 5 }, () => ["A", "B", "B", "A"]).flat();
    assertEquals(last, [
      ...["A quote 1000", "B quote 1000", ...slices, "A keeps", "B keeps"],
      ...["A order 1000", "B order 1000", ...slices],
    ]);
  });

  it("sends fewer requests per turn when a version is slow, because quotes expire", async () => {
    const log: string[] = [];
    const versions = { ours: versionOf("A", steady(1), log), theirs: versionOf("B", steady(1), log, 0.1) };
    await compareVersions(versions, { ...PLAN, pairsAtLeast: 1, pairsAtMost: 1 }, () => {});
    assertEquals(log.findLast((line) => line.startsWith("A order")), "A order 500");
  });
});
