import { describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { createRateLimiter, type RateTerms } from "./rate_limiter.ts";
import { seedTests } from "../../../../../tools/testing/seed.ts";

seedTests(import.meta.url);

/** One request of the property tests: the time since the previous request, the client and the terms. */
interface Step {
  readonly gapMicros: number;
  readonly client: number;
  readonly terms: RateTerms;
}

/** An eighth of a millisecond. It is exact in binary, so the limiter and the model see the same instant. */
const TICK_MICROS = 125;
const MICROS = 1_000_000n;

const ticks = (maxTicks: number) => fc.integer({ min: 0, max: maxTicks }).map((count) => count * TICK_MICROS);
const gapMicros = fc.oneof(ticks(8), ticks(8000), ticks(4_000_000));
const terms = fc.record({
  perSecond: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5000 })),
  burst: fc.integer({ min: 1, max: 12 }),
});
const walk = (step: fc.Arbitrary<Step>) => fc.array(step, { minLength: 1, maxLength: 80 });

/** The model: a token bucket that counts millionths of a token, so its arithmetic is exact. */
function modelBucket() {
  let tokens = 0n;
  let before: { readonly atMicros: bigint; readonly rate: bigint; readonly full: bigint } | undefined;
  return (atMicros: bigint, { perSecond, burst }: RateTerms): boolean => {
    const [rate, full] = [BigInt(perSecond), BigInt(burst) * MICROS];
    const passed = before ? atMicros - before.atMicros : 0n;
    if (!before || tokens + passed * before.rate >= before.full) tokens = full;
    else {
      const grown = tokens + passed * rate;
      // Keep the number of missing tokens when a changed burst changes the bucket's size.
      tokens = (grown < before.full ? grown : before.full) + full - before.full;
      if (tokens < 0n) tokens = 0n;
    }
    before = { atMicros, rate, full };
    if (tokens < MICROS) return false;
    tokens -= MICROS;
    return true;
  };
}

describe("createRateLimiter()", () => {
  it("allows and refuses the same requests as an exact token bucket, also when the limits change", () => {
    const step = fc.record({ gapMicros, client: fc.integer({ min: 1, max: 3 }), terms });
    fc.assert(
      fc.property(walk(step), (steps) => {
        const limiter = createRateLimiter();
        const models = new Map<number, ReturnType<typeof modelBucket>>();
        let atMicros = 0;
        for (const { gapMicros, client, terms } of steps) {
          atMicros += gapMicros;
          const model = models.get(client) ?? modelBucket();
          models.set(client, model);
          const expected = model(BigInt(atMicros), terms);
          assertEquals(limiter.take(client, terms, atMicros / 1000).allowed, expected, `at ${atMicros}`);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("adds up no rounding errors: a client that never pauses gets exactly its burst plus its rate", () => {
    for (const perSecond of [1, 3, 7, 999]) {
      const limiter = createRateLimiter();
      const terms = { perSecond, burst: 5 };
      let allowed = 0;
      const lastMs = 60_000;
      for (let ms = 0; ms <= lastMs; ms += TICK_MICROS / 1000) {
        if (limiter.take(1, terms, ms).allowed) allowed += 1;
      }
      assertEquals(allowed, 5 + perSecond * lastMs / 1000, `${perSecond}/s`);
    }
  });

  it("allows exactly as many further requests as remaining says", () => {
    const step = fc.record({ gapMicros, client: fc.constant(1), terms });
    fc.assert(fc.property(walk(step), (steps) => {
      const limiter = createRateLimiter();
      let ms = 0;
      let verdict = limiter.take(1, steps[0]!.terms, ms);
      for (const { gapMicros, terms } of steps) {
        ms += gapMicros / 1000;
        verdict = limiter.take(1, terms, ms);
      }
      const last = steps.at(-1)!.terms;
      for (let left = verdict.remaining; left > 0; left--) {
        assertEquals(limiter.take(1, last, ms), { ...verdict, allowed: true, remaining: left - 1 });
      }
      assertEquals(limiter.take(1, last, ms), { ...verdict, allowed: false, remaining: 0 });
    }));
  });

  it("allows a request after resetSeconds", () => {
    const step = fc.record({ gapMicros: ticks(8), client: fc.constant(1), terms });
    fc.assert(fc.property(walk(step), (steps) => {
      const limiter = createRateLimiter();
      let ms = 0;
      for (const { gapMicros, terms } of steps) {
        ms += gapMicros / 1000;
        const { allowed, resetSeconds } = limiter.take(1, terms, ms);
        if (allowed) continue;
        ms += resetSeconds * 1000;
        assert(limiter.take(1, terms, ms).allowed);
      }
    }));
  });

  it("decides for a client independently of other clients' requests", () => {
    const own = fc.record({ gapMicros, client: fc.constant(1), terms });
    fc.assert(fc.property(walk(own), fc.integer({ min: 1, max: 30 }), (steps, flood) => {
      const [alone, beside] = [createRateLimiter(), createRateLimiter()];
      let ms = 0;
      for (const { gapMicros, terms } of steps) {
        ms += gapMicros / 1000;
        for (let other = 0; other < flood; other++) beside.take(2 + other % 3, terms, ms);
        assertEquals(beside.take(1, terms, ms), alone.take(1, terms, ms));
      }
    }));
  });

  it("reports a flood after 50 refusals in a second, until the second ends or a request is allowed again", () => {
    const limiter = createRateLimiter();
    const terms = { perSecond: 2, burst: 1 };
    for (let n = 0; n < 50; n++) {
      limiter.take(1, terms, n);
      assertEquals(limiter.isFlooded(1, terms, n), false);
    }
    limiter.take(1, terms, 50);
    assertEquals([limiter.isFlooded(1, terms, 50), limiter.isFlooded(2, terms, 50)], [true, false]);
    assertEquals([limiter.isFlooded(1, terms, 499), limiter.isFlooded(1, terms, 500)], [true, false]);
    limiter.take(1, terms, 500);
    assertEquals([limiter.isFlooded(1, terms, 999), limiter.isFlooded(1, terms, 1001)], [true, false]);
  });

  it("reports that a flood goes on after ten refusals in the next second, and no longer after a calm one", () => {
    const limiter = createRateLimiter();
    const terms = { perSecond: 1, burst: 1 };
    const refuse = (count: number, ms: number) => {
      for (let n = 0; n < count; n++) limiter.take(1, terms, ms);
      return limiter.isFlooded(1, terms, ms);
    };
    // The first request of a second is allowed.
    assertEquals([refuse(51, 0), refuse(10, 1001), refuse(1, 1002), refuse(11, 2003)], [
      true,
      false,
      true,
      true,
    ]);
    assertEquals([refuse(11, 5000), refuse(39, 5001), refuse(1, 5002)], [false, false, true]);
  });

  it("allows at most the burst after a pause of any length", () => {
    const terms = { perSecond: 5000, burst: 7 };
    for (const restMs of [0, 1, 1000, 86_400_000, 3.2e12]) {
      const limiter = createRateLimiter();
      for (let spent = 0; spent < 20; spent++) limiter.take(1, terms, 0);
      const later = [...Array(20)].filter(() => limiter.take(1, terms, 10_000 + restMs).allowed);
      assertEquals(later.length, 7, `${restMs} ms`);
    }
  });

  it("keeps the debt unchanged when the clock goes back, and then continues from the new time", () => {
    const limiter = createRateLimiter();
    const terms = { perSecond: 1, burst: 2 };
    const hourMs = 3_600_000;
    limiter.take(1, terms, hourMs);
    assertEquals(limiter.take(1, terms, 0), { allowed: true, remaining: 0, resetSeconds: 1 });
    assertEquals(limiter.take(1, terms, 0).allowed, false);
    const { allowed, resetSeconds } = limiter.take(1, terms, 0.5);
    assertEquals(allowed, false);
    assert(limiter.take(1, terms, 0.5 + resetSeconds * 1000).allowed);
  });

  it("applies changed limits at the next request, and limits the debt to a lower burst", () => {
    const limiter = createRateLimiter();
    for (let taken = 0; taken < 1000; taken++) limiter.take(1, { perSecond: 1, burst: 1000 }, 0);
    assertEquals(limiter.take(1, { perSecond: 1, burst: 1001 }, 0).allowed, true);
    assertEquals(limiter.take(1, { perSecond: 1, burst: 2 }, 0).allowed, false);
    assertEquals(limiter.take(1, { perSecond: 1, burst: 2 }, 1000), {
      allowed: true,
      remaining: 0,
      resetSeconds: 1,
    });
    assertEquals(limiter.take(1, { perSecond: 400, burst: 2 }, 1002.5).allowed, true);
  });

  it("uses the last request's limits to compute when a debt is paid, even if the limits change later", () => {
    const limiter = createRateLimiter();
    limiter.take(1, { perSecond: 1000, burst: 1 }, 0);
    assertEquals(limiter.take(1, { perSecond: 1, burst: 1 }, 1).allowed, true);
    assertEquals(limiter.take(1, { perSecond: 1, burst: 1 }, 1000).allowed, false);
  });

  it("removes clients without debt, so that its memory is bounded, and keeps clients with debt", () => {
    const limiter = createRateLimiter();
    const terms = { perSecond: 10, burst: 1 };
    for (let client = 0; client < 100_000; client++) {
      limiter.take(client, terms, client);
      // Expect at most about 200 clients. A new client comes every millisecond, and its debt ends after 100
      // ms. So about 100 clients have a debt. A sweep runs only when the number of clients has doubled.
      assertLessOrEqual(limiter.clients(), 202);
    }
    const nowMs = 100_000;
    for (let client = 0; client < 1000; client++) assert(limiter.take(-1 - client, terms, nowMs).allowed);
    for (let client = 0; client < 1000; client++) {
      assertEquals(limiter.take(-1 - client, terms, nowMs + 99).allowed, false);
    }
  });
});
