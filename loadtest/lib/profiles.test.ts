import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { arrivalsOf, loadOf, type ProfileName, PROFILES, rateReached, secondsOf } from "./profiles.ts";

const NAMES = Object.keys(PROFILES) as ProfileName[];
/** Arrivals per second of one process. k6 divides the target by `timeUnit` in the same way. */
const perSecond = (target: number, timeUnit: string) => target / Number(timeUnit.slice(0, -1));

describe("loadOf()", () => {
  it("defaults to the smoke profile with one partner", () => {
    assertEquals(loadOf({}), { name: "smoke", peakPerSecond: 10, durationSeconds: 10, partners: 1 });
  });

  it("reads profile, rate, duration and partners from the environment", () => {
    const scale = { PROFILE: "soak", RATE: "7", DURATION: "1h30m5s", PARTNERS: "3" };
    assertEquals(loadOf(scale), { name: "soak", peakPerSecond: 7, durationSeconds: 5405, partners: 3 });
  });

  it("rejects an invalid value in one sentence that names the variable and the value", () => {
    const refused: Record<string, string>[] = [
      { PROFILE: "big" },
      { PROFILE: "toString" },
      { RATE: "0.5" },
      { RATE: "0" },
      { RATE: "-1" },
      { DURATION: "5" },
      { DURATION: "0s" },
      { DURATION: "5 m" },
      { PARTNERS: "none" },
    ];
    for (const scale of refused) {
      const [[name, text]] = Object.entries(scale) as [[string, string]];
      let said: unknown;
      try {
        loadOf(scale);
      } catch (sentence) {
        said = sentence;
      }
      assertMatch(String(said), new RegExp(`^${name} must be .*; got ${text}\\.$`));
    }
  });
});

describe("secondsOf()", () => {
  it("adds up hours, minutes and seconds", () => {
    assertEquals(["45s", "5m", "1h", "1h1m1s"].map(secondsOf), [45, 300, 3600, 3661]);
  });
});

describe("arrivalsOf()", () => {
  it("lasts exactly the profile's duration, and never exceeds the peak rate", () => {
    for (const name of NAMES) {
      const load = loadOf({ PROFILE: name });
      const { stages, startRate } = arrivalsOf(load);
      const ms = stages.reduce((sum, { duration }) => sum + Number(duration.replace(/ms$/, "")), 0);
      assertEquals(ms, load.durationSeconds * 1000, name);
      assertEquals(Math.max(startRate, ...stages.map(({ target }) => target)), load.peakPerSecond, name);
    }
  });

  it("scales a profile by RATE and DURATION", () => {
    const { startRate, stages } = arrivalsOf(loadOf({ PROFILE: "spike", RATE: "100", DURATION: "20s" }));
    assertEquals([startRate, stages], [10, [
      { duration: "8000ms", target: 10 },
      { duration: "1000ms", target: 100 },
      { duration: "2000ms", target: 100 },
      { duration: "1000ms", target: 10 },
      { duration: "8000ms", target: 10 },
    ]]);
  });

  it("divides the rate exactly by the number of partners, although k6 accepts only whole rates", () => {
    for (const partners of [1, 3, 7]) {
      const { stages, timeUnit } = arrivalsOf(loadOf({ RATE: "10", PARTNERS: `${partners}` }));
      assertEquals(perSecond(stages[0]!.target, timeUnit) * partners, 10);
      assertEquals(Number.isInteger(stages[0]!.target), true);
    }
  });

  it("allocates enough VUs for the peak rate if each reply takes one second", () => {
    for (const name of NAMES) {
      const load = loadOf({ PROFILE: name, PARTNERS: "2" });
      const { preAllocatedVUs, maxVUs } = arrivalsOf(load);
      assertEquals(
        preAllocatedVUs * load.partners >= load.peakPerSecond && maxVUs >= preAllocatedVUs,
        true,
        name,
      );
    }
  });
});

describe("rateReached()", () => {
  it("returns the rate that a rising run has reached after a number of iterations", () => {
    const load = loadOf({ PROFILE: "breakpoint", RATE: "400", DURATION: "600s" });
    // The ramp ends at 400/s and averages 200/s, so 600 s give 120,000 iterations. A quarter of them arrive
    // in the first half, at whose end the rate is 200/s.
    assertEquals([rateReached(load, 120_000), rateReached(load, 30_000)], [400, 200]);
  });

  it("returns undefined for every profile except breakpoint", () => {
    for (const PROFILE of NAMES) {
      assertEquals(rateReached(loadOf({ PROFILE }), 1000) === undefined, PROFILE !== "breakpoint");
    }
  });
});
