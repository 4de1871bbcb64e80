import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Pace } from "./pace.ts";
import { seedTests } from "../../../../tools/testing/seed.ts";

seedTests(import.meta.url);

/** Notes `times` failures, one per millisecond, so that no two attempts overlap. */
function fail(pace: Pace, times: number, fromMs = 0): void {
  for (let n = 0; n < times; n++) pace.noteFailure(fromMs + n, fromMs + n, 0);
}

describe("Pace", () => {
  it("starts with a window of 4 and adds one after each success, up to 32", () => {
    const pace = new Pace(0);
    const windows = Array.from({ length: 30 }, () => (pace.noteSuccess(), pace.window));
    assertEquals([...windows.slice(0, 3), ...windows.slice(-4)], [5, 6, 7, 31, 32, 32, 32]);
  });

  it("halves its window after each failure, down to 1", () => {
    const pace = new Pace(0);
    const windows = [0, 1, 2].map((ms) => (pace.noteFailure(ms, ms, 0), pace.window));
    assertEquals([windows, pace.failures], [[2, 1, 1], 3]);
  });

  it("starts with a window of 1 if the last attempt failed", () => assertEquals(new Pace(1).window, 1));

  it("rests 1 s after the fifth failure in a row, and twice as long after each further one, to 60 s", () => {
    const pace = new Pace(0);
    fail(pace, 4);
    assertEquals(pace.restMs(3), 0);
    const rests: number[] = [];
    for (let atMs = 10; rests.length < 9; atMs += 100_000) {
      pace.noteFailure(atMs, atMs, 0);
      rests.push(pace.restMs(atMs));
    }
    assertEquals(rests, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    assertEquals([pace.restMs(1e9), pace.window], [0, 1]);
  });

  it("continues from the failure count that the database has", () => {
    const pace = new Pace(6);
    pace.noteFailure(0, 0, 0);
    assertEquals([pace.failures, pace.restMs(0)], [7, 4000]);
  });

  it("counts failures from zero again after a success", () => {
    const pace = new Pace(8);
    pace.noteSuccess();
    assertEquals([pace.failures, pace.window], [0, 2]);
    fail(pace, 4, 10);
    assertEquals(pace.restMs(13), 0);
  });

  it("does not count failures of attempts that were in flight when the rest began", () => {
    const pace = new Pace(0);
    for (let n = 0; n < 32; n++) pace.noteFailure(0, n, 0);
    assertEquals([pace.failures, pace.restMs(4)], [5, 1000]);
    pace.noteFailure(1005, 1005, 0);
    assertEquals([pace.failures, pace.restMs(1005)], [6, 2000]);
  });

  it("rests for the longer of the computed time and the time that the receiver asked for", () => {
    const pace = new Pace(0);
    pace.noteFailure(0, 0, 30_000);
    assertEquals([pace.restMs(0), pace.restMs(29_999), pace.window], [30_000, 1, 1]);
    pace.noteFailure(0, 10, 5000);
    assertEquals(pace.restMs(10), 29_990);
    const failing = new Pace(9);
    failing.noteFailure(0, 0, 7000);
    assertEquals(failing.restMs(0), 32_000);
  });

  it("keeps its window from 1 to 32, and rests at most a minute unless the receiver asks for more", () => {
    const step = fc.record({ ok: fc.boolean(), passMs: fc.nat(70_000), tookMs: fc.nat(15_000) });
    fc.assert(fc.property(fc.nat(50), fc.array(step, { maxLength: 60 }), (failures, steps) => {
      const pace = new Pace(failures);
      let nowMs = 0;
      for (const { ok, passMs, tookMs } of steps) {
        nowMs += passMs;
        if (ok) pace.noteSuccess();
        else pace.noteFailure(nowMs - tookMs, nowMs, 0);
        assert(pace.window >= 1 && pace.window <= 32 && Number.isInteger(pace.window));
        assert(pace.restMs(nowMs) <= 60_000 && pace.failures >= 0);
      }
    }));
  });
});
