import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { Effects } from "./effects.ts";
import { drawPlan, FAULTS, type Plan } from "./plan.ts";

const planWith = (...names: readonly string[]): Plan => ({
  seed: 1,
  strikes: names.map((name) => ({
    ...drawPlan(1).strikes[0]!,
    fault: FAULTS.find((fault) => fault.name === name)!,
  })),
});
const QUIET = { disturbed: 0, slowestMs: 10 };

function effectsOf(rounds: number, plan: Plan, disturbed = QUIET): Effects {
  const effects = new Effects();
  for (let n = 0; n < rounds; n++) effects.add(plan, disturbed);
  return effects;
}

describe("Effects", () => {
  it("reports a fault that must disturb requests and disturbed none in 5 rounds", () => {
    assertEquals(effectsOf(5, planWith("fsync fails")).violations, ["fsync fails had no effect in 5 rounds"]);
    assertEquals(effectsOf(4, planWith("fsync fails")).violations, []);
  });

  it("accepts a fault that disturbed a request, and one that may only delay requests", () => {
    const effects = effectsOf(4, planWith("fsync fails"));
    effects.add(planWith("fsync fails"), { disturbed: 1, slowestMs: 2000 });
    assertEquals(effects.violations, []);
    assertEquals(effects.lines, [
      "fsync fails: 5 rounds, 4 without an affected request, 1 requests refused or unanswered, the slowest took 2.0 s",
    ]);
    assertEquals(effectsOf(9, planWith("fsync slow")).violations, []);
  });

  it("reports a fault that must delay requests and delayed none in 5 rounds", () => {
    const effects = effectsOf(5, planWith("backend frozen"));
    assertEquals(effects.violations, ["backend frozen had no effect in 5 rounds"]);
    effects.add(planWith("backend frozen"), { disturbed: 0, slowestMs: 300 });
    assertEquals(effects.violations, []);
  });

  it("counts only rounds in which the fault struck alone", () => {
    assertEquals(effectsOf(9, planWith("fsync fails", "receiver cut")).lines, []);
  });
});
