import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { describePlan, drawPlan, FAULTS } from "./plan.ts";

const PLANS = Array.from({ length: 1000 }, (_, seed) => drawPlan(seed));

describe("drawPlan()", () => {
  it("depends on the seed alone", () => {
    assertEquals(PLANS.map(describePlan), PLANS.map(({ seed }) => describePlan(drawPlan(seed))));
    assertEquals(new Set(PLANS.map(describePlan)).size, PLANS.length);
  });

  it("draws every fault within 1000 rounds, alone and together with another", () => {
    for (const { name } of FAULTS) {
      const plans = PLANS.filter(({ strikes }) => strikes.some(({ fault }) => fault.name === name));
      assert(plans.some(({ strikes }) => strikes.length === 1), name);
      assert(plans.some(({ strikes }) => strikes.length === 2), name);
    }
  });

  it("never draws two faults of a family, and keeps each fault within its times", () => {
    for (const { strikes } of PLANS) {
      assertEquals(new Set(strikes.map(({ fault }) => fault.family)).size, strikes.length);
      for (const { fault: { lasts: [shortest, longest] }, lengthMs } of strikes) {
        assert(lengthMs >= shortest && lengthMs <= longest);
      }
    }
  });

  it("needs at most 5 s a round on average", () => {
    const lengths = PLANS.map(({ strikes }) =>
      Math.max(...strikes.map(({ atMs, lengthMs }) => atMs + lengthMs))
    );
    assert(lengths.reduce((sum, each) => sum + each) / PLANS.length <= 5000);
  });
});
