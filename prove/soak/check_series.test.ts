import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { checkBytes, checkGrowth, checkKept, checkLatency, checkService } from "./check_series.ts";
import type { Point } from "./statistics.ts";

const LONG = { seconds: 1800, isLong: true };
const SHORT = { seconds: 30, isLong: false };

/** Noise from -0.5 to 0.5, the same in each run. */
function newNoise(): () => number {
  let state = 20_261_121;
  return () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647 - 0.5;
}

/** One point per step, of a value that grows by `perSecond` each second, with noise. */
function pointsOf(everySeconds: number, mean: number, perSecond: number, noise: number): Point[] {
  const next = newNoise();
  return Array.from({ length: LONG.seconds / everySeconds }, (_, n) => {
    const seconds = (n + 1) * everySeconds;
    return { seconds, value: mean + perSecond * seconds + noise * next() };
  });
}

describe("checkGrowth()", () => {
  it("accepts a heap that varies by a tenth but does not grow", () => {
    for (const [everySeconds, mean] of [[1, 200], [60, 40]] as const) {
      assertEquals(
        checkGrowth(pointsOf(everySeconds, mean, 0, everySeconds === 1 ? 20 : 0.5), LONG).violations,
        [],
      );
    }
  });
  it("detects growth of 2 % in ten minutes under the same noise", () => {
    for (const [everySeconds, mean] of [[1, 200], [60, 40]] as const) {
      const points = pointsOf(everySeconds, mean, mean * 0.02 / 600, everySeconds === 1 ? 20 : 0.5);
      assertEquals(checkGrowth(points, LONG).violations.length, 1);
    }
  });
  it("ignores growth in the first third of a run", () => {
    const points = pointsOf(10, 100, 0, 1).map(({ seconds, value }) => ({
      seconds,
      value: value * Math.min(1, 0.5 + seconds / 1200),
    }));
    assertEquals(checkGrowth(points, LONG).violations, []);
  });
  it("reports a violation if there are too few points", () => {
    assertEquals(checkGrowth([], LONG).violations.length, 1);
    assertEquals(checkGrowth([{ seconds: 1000, value: 40 }], LONG).violations.length, 1);
  });
  it("reports that a short run is too short, without a violation", () => {
    const finding = checkGrowth(pointsOf(1, 40, 0.5, 0).slice(0, 30), SHORT);
    assertEquals(finding.violations, []);
    assert(finding.what.includes("too short"), finding.what);
  });
});

describe("checkKept()", () => {
  const PER_SECOND = 200;
  /** A heap, in MiB, that keeps this many bytes of each action. */
  const leak = (bytes: number) => pointsOf(5, 40, bytes * PER_SECOND / (1 << 20), 2).slice(0, 6);
  it("detects within half a minute a service that keeps every request", () => {
    assertEquals(checkKept(leak(3000), PER_SECOND, true).violations.length, 1);
  });
  it("accepts a heap with the same noise that keeps no requests", () => {
    assertEquals(checkKept(leak(0), PER_SECOND, true).violations, []);
  });
});

describe("checkLatency()", () => {
  const slices = (firstMs: number, lastMs: number) => ({
    latencies: Array.from({ length: 180 }, (_, n) => ({
      seconds: (n + 1) * 10,
      orderMs: Array.from({ length: 100 }, (_, k) => (n < 120 ? firstMs : lastMs) * (k === 99 ? 3 : 1)),
    })),
  });
  it("compares the 99th percentiles of the last third and of the first third", () => {
    assertEquals(checkLatency(slices(10, 11.9), LONG).violations, []);
    assertEquals(checkLatency(slices(10, 12.1), LONG).violations.length, 1);
  });
  it("reports a violation for a run without orders", () => {
    assertEquals(checkLatency({ latencies: [] }, LONG).violations.length, 1);
  });
});

describe("checkBytes()", () => {
  const grown = (lastBytes: number) => {
    const seconds = Array.from({ length: 181 }, (_, n) => n * 10);
    return {
      orders: seconds.map((at) => ({ seconds: at, value: at * 100 })),
      databaseBytes: seconds.map((at) => ({
        seconds: at,
        value: 50e6 + at * 100 * 1500 + Math.max(0, at - 1200) * 100 * (lastBytes - 1500),
      })),
    };
  };
  it("compares the bytes per order in the last third and in the first third", () => {
    assertEquals(checkBytes(grown(1640), LONG), {
      what: "1500 bytes in the first third, 1640 bytes in the last: 1.093x",
      violations: [],
    });
    assertEquals(checkBytes(grown(1660), LONG).violations.length, 1);
  });
});

describe("checkService()", () => {
  const served = {
    residentMebibytes: [],
    keptMebibytes: [],
    databaseBytes: [],
    orders: [],
    tables: [],
    latencies: [{ seconds: 10, orderMs: [5, 6] }],
  };
  it("reports failed actions and actions that were never done", () => {
    assertEquals(checkService({ ...served, due: 3, done: 3, failures: new Map() }).violations, []);
    assertEquals(
      checkService({ ...served, due: 3, done: 2, failures: new Map([["order: none", 1]]) }).violations,
      ["1 × order: none", "1 actions were never done"],
    );
  });
});
