import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Attempt } from "./send/sender.ts";
import { evaluateAttempt, type Tried } from "./verdict.ts";
import { seedTests } from "../../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const SCHEDULE = [5, 60, 3600];
const NONE: Attempt = { durationMs: 1, httpStatus: null, error: null, answer: null, retryAfterSeconds: null };
/** By default `random` is 0.5, so the jitter changes nothing. */
const judge = (changes: Partial<Attempt>, tried: Partial<Tried> = {}, random = 0.5) =>
  evaluateAttempt({ ...NONE, ...changes }, { tries: 0, disabled: false, ...tried }, SCHEDULE, () => random);

describe("evaluateAttempt()", () => {
  it("counts only a 2xx answer as delivered", () => {
    for (const httpStatus of [200, 202, 204, 299]) {
      assertEquals(judge({ httpStatus }), { outcome: "delivered", againInMs: null, restMs: 0 });
    }
    for (const httpStatus of [199, 300, 301, 307, 400, 404, 500, 600]) {
      assertEquals(judge({ httpStatus }), { outcome: "refused", againInMs: 5000, restMs: 0 });
    }
    assertEquals(judge({ error: "timeout" }), { outcome: "failed", againInMs: 5000, restMs: 0 });
  });

  it("returns the schedule's waits, then parks the event", () => {
    const waits = [0, 1, 2, 3, 99].map((tries) => judge({ httpStatus: 500 }, { tries }).againInMs);
    assertEquals(waits, [5000, 60_000, 3_600_000, null, null]);
  });

  it("varies the wait by up to a fifth in both directions", () => {
    const waits = [0, 0.25, 1].map((random) => judge({ httpStatus: 500 }, { tries: 1 }, random).againInMs);
    assertEquals(waits, [48_000, 54_000, 72_000]);
  });

  it("waits and rests for the Retry-After of a 429 or 503, an hour at most", () => {
    for (const httpStatus of [429, 503]) {
      const verdictOf = (retryAfterSeconds: number | null, tries = 0) =>
        judge({ httpStatus, retryAfterSeconds }, { tries });
      assertEquals(verdictOf(20), { outcome: "refused", againInMs: 20_000, restMs: 20_000 });
      // Expect the schedule's own wait, which is longer.
      assertEquals(verdictOf(20, 1), { outcome: "refused", againInMs: 60_000, restMs: 20_000 });
      assertEquals(verdictOf(1e9), { outcome: "refused", againInMs: 3_600_000, restMs: 3_600_000 });
      assertEquals(verdictOf(null), { outcome: "refused", againInMs: 5000, restMs: 0 });
      // Expect that the event is parked, because an answer with Retry-After counts as a try.
      assertEquals(verdictOf(20, 3), { outcome: "refused", againInMs: null, restMs: 20_000 });
    }
    assertEquals(judge({ httpStatus: 500, retryAfterSeconds: 20 }).restMs, 0);
  });

  it("disables the endpoint after 410 and never parks the event, however often it was tried", () => {
    assertEquals(judge({ httpStatus: 410 }), { outcome: "disabled", againInMs: 5000, restMs: 0 });
    assertEquals(judge({ httpStatus: 410 }, { tries: 3 }), {
      outcome: "disabled",
      againInMs: 3_600_000,
      restMs: 0,
    });
  });

  it("treats 410 from a disabled endpoint as a refusal, so that a webhook.test event can be parked", () => {
    const test = (tries: number) => judge({ httpStatus: 410 }, { tries, disabled: true });
    assertEquals(test(0), { outcome: "refused", againInMs: 5000, restMs: 0 });
    assertEquals(test(3), { outcome: "refused", againInMs: null, restMs: 0 });
  });

  it("returns values within the database's limits for any answer", () => {
    const attempt = fc.record({
      ...Object.fromEntries(Object.entries(NONE).map(([name, value]) => [name, fc.constant(value)])),
      httpStatus: fc.option(fc.integer({ min: 100, max: 999 })),
      retryAfterSeconds: fc.option(fc.nat(999_999_999)),
    }) as unknown as fc.Arbitrary<Attempt>;
    const tried = fc.record({ tries: fc.nat(200), disabled: fc.boolean() });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    const week = [604_800];
    fc.assert(fc.property(attempt, tried, random, (one, before, drawn) => {
      const { outcome, againInMs, restMs } = evaluateAttempt(one, before, week, () => drawn);
      assert(Number.isInteger(restMs) && restMs >= 0 && restMs <= 3_600_000);
      if (againInMs !== null) assert(Number.isInteger(againInMs) && againInMs > 0 && againInMs < 2 ** 31);
      assertEquals(
        outcome === "delivered",
        one.httpStatus !== null && Math.floor(one.httpStatus / 100) === 2,
      );
      if (outcome === "delivered") assertEquals(againInMs, null);
      if (outcome === "disabled") assert(againInMs !== null);
    }));
  });
});
