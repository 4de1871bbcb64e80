import { afterEach, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { createRateLimiter, type RateTerms } from "./rate_limiter.ts";
import { openSharedRates, type RateUses, type SharedRates } from "./shared_rates.ts";
import { seedTests } from "../../../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const PARTNER = 7;
const EXCHANGE_MS = 500;

describe("openSharedRates()", () => {
  let processes: SharedRates[] = [];
  afterEach(() => processes.forEach((one) => one.stop()));
  /** The time of the simulation, which only the tests move. */
  let clockMs = 0;

  /** Opens processes that exchange over one store. `isAway()` makes the store fail. */
  function open(count: number, isAway = () => false): SharedRates[] {
    processes.forEach((one) => one.stop());
    const stored = new Map<number, RateUses>();
    clockMs = 0;
    return processes = Array.from(
      { length: count },
      (_, id) =>
        openSharedRates(createRateLimiter(), async (uses) => {
          if (isAway()) throw new Error("away");
          stored.set(id, JSON.parse(JSON.stringify(uses)));
          return [...stored].filter(([other]) => other !== id).map(([, uses]) => uses);
        }, () => clockMs),
    );
  }

  /**
   * Sends evenly spaced requests for `seconds`, each to the process that `target` names. The processes
   * exchange one after another. Returns at which ms each request came, and whether it was allowed.
   */
  async function send(
    terms: RateTerms,
    { perSecond, seconds, target }: {
      readonly perSecond: number;
      readonly seconds: number;
      readonly target: (request: number) => number;
    },
  ): Promise<{ ms: number; allowed: boolean }[]> {
    const sent: { ms: number; allowed: boolean }[] = [];
    const startMs = clockMs;
    for (let step = 0; step < seconds * 100; step++) {
      clockMs = startMs + 10 * step;
      for (const [id, one] of processes.entries()) {
        const phaseMs = Math.floor(id * EXCHANGE_MS / processes.length / 10) * 10;
        if (clockMs % EXCHANGE_MS === phaseMs) await one.exchange();
      }
      while (sent.length < perSecond * (clockMs - startMs) / 1000) {
        const { allowed } = processes[target(sent.length)]!.take(PARTNER, terms, clockMs);
        sent.push({ ms: clockMs, allowed });
      }
    }
    return sent;
  }
  const allowedFrom = (sent: readonly { ms: number; allowed: boolean }[], fromMs: number) =>
    sent.filter(({ ms, allowed }) => ms >= fromMs && allowed).length;

  /** At lower rates, one request of chance for each process is more than a quarter of the rate. */
  const rates = fc.record({
    perSecond: fc.integer({ min: 20, max: 400 }),
    burst: fc.integer({ min: 1, max: 100 }),
  });

  it("grants no more than a lowered rate, although the other processes were asked at the old one", async () => {
    open(2);
    await send({ perSecond: 400, burst: 10 }, { perSecond: 40, seconds: 1, target: (n) => n % 2 });
    const sent = await send({ perSecond: 1, burst: 1 }, { perSecond: 50, seconds: 1, target: () => 0 });
    assertLessOrEqual(allowedFrom(sent, 0), 2);
  });

  it("grants the rate in all after two seconds, however many processes there are and whichever is asked", async () => {
    const property = fc.asyncProperty(
      rates,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 5, max: 20 }),
      async (terms, weights, times) => {
        open(weights.length);
        const targets = weights.flatMap((weight, id) => Array<number>(weight).fill(id));
        const perSecond = terms.perSecond * times;
        const sent = await send(terms, {
          perSecond,
          seconds: 12,
          target: (n) => targets[n % targets.length]!,
        });
        // By then, the burst is spent.
        const fromMs = Math.max(2000, 1000 * terms.burst / terms.perSecond);
        assertLessOrEqual(allowedFrom(sent, fromMs) / (12 - fromMs / 1000), 1.25 * terms.perSecond);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("refuses no partner within its rate and burst, whichever process it asks", async () => {
    const property = fc.asyncProperty(
      rates.map(({ perSecond, burst }) => ({ perSecond, burst: burst + 2 * perSecond })),
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 1, max: 300 }),
      async (terms, count, each) => {
        open(count);
        // Asks one process `each` times, then the next one.
        const target = (n: number) => Math.floor(n / each) % count;
        const sent = await send(terms, { perSecond: 0.9 * terms.perSecond, seconds: 6, target });
        assertEquals(sent.filter(({ allowed }) => !allowed), []);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("grants only the part of a burst that another process has not granted", async () => {
    const terms = { perSecond: 10, burst: 100 };
    const [one, other] = open(2);
    for (let n = 0; n < 60; n++) one!.take(PARTNER, terms, clockMs);
    await one!.exchange();
    await other!.exchange();
    const allowed = Array.from({ length: 100 }, () => other!.take(PARTNER, terms, clockMs).allowed);
    assertEquals(allowed.filter(Boolean).length, 40);
  });

  it("grants the whole rate again when the others are asked no more", async () => {
    const terms = { perSecond: 50, burst: 1 };
    open(2);
    await send(terms, { perSecond: 200, seconds: 3, target: (n) => n % 2 });
    const alone = await send(terms, { perSecond: 50, seconds: 4, target: () => 0 });
    assertEquals(alone.filter(({ ms, allowed }) => ms >= 5000 && !allowed), []);
  });

  it("counts requests that it refuses early", async () => {
    const terms = { perSecond: 10, burst: 1 };
    const [one, other] = open(2);
    for (let n = 0; n < 60; n++) one!.take(PARTNER, terms, 0);
    await one!.exchange();
    clockMs = 500;
    for (let n = 0; n < 60; n++) assert(one!.isFlooded(PARTNER, terms, 0));
    await one!.exchange();
    other!.take(PARTNER, terms, clockMs);
    await other!.exchange();
    assertEquals(other!.take(PARTNER, terms, clockMs + 150).allowed, false);
  });

  it("continues with what it knows while the database is away", async () => {
    const terms = { perSecond: 50, burst: 1 };
    let away = false;
    const [one] = open(2, () => away);
    await send(terms, { perSecond: 200, seconds: 2, target: (n) => n % 2 });
    away = true;
    await one!.exchange().then(() => assert(false), () => {});
    const allowed = Array.from(
      { length: 100 },
      (_, n) => one!.take(PARTNER, terms, clockMs + 10 * n).allowed,
    );
    assertLessOrEqual(allowed.filter(Boolean).length, 30);
  });
});
