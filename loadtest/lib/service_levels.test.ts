import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type ProfileName, PROFILES } from "./profiles.ts";
import { SCENARIOS, serviceLevels, stepsOf, type Threshold } from "./service_levels.ts";

const NAMES = Object.keys(PROFILES) as ProfileName[];
const textOf = (threshold: Threshold) => typeof threshold === "string" ? threshold : threshold.threshold;

/** Yields each scenario with each profile. */
function* every() {
  for (const scenario of SCENARIOS) {
    for (const profile of NAMES) yield { scenario, profile, levels: serviceLevels(scenario, profile) };
  }
}

describe("serviceLevels()", () => {
  it("sets a latency and a share of failures for each step", () => {
    for (const { scenario, profile, levels } of every()) {
      assert(stepsOf(scenario).length > 0);
      for (const step of stepsOf(scenario)) {
        for (const metric of ["http_req_duration", "http_req_failed"]) {
          assert(levels[`${metric}{step:${step}}`]?.length, `${scenario} ${profile} ${metric} ${step}`);
        }
      }
    }
  });

  it("uses only k6 threshold expressions that the runner can also evaluate", () => {
    for (const { levels } of every()) {
      for (const threshold of Object.values(levels).flat()) {
        assertMatch(textOf(threshold), /^(?:p\([0-9.]+\)|rate|count)(?:<|<=|>|==)[0-9.]+$/);
      }
    }
  });

  it("allows 429 only in the limiter scenario, which requires it", () => {
    for (const { scenario, levels } of every()) {
      const expected = scenario === "limiter" ? "count>0" : "count==0";
      assertEquals(levels["http_reqs{status:429}"], [expected]);
    }
  });

  it("requires matching books and the partner's own certificate under every profile", () => {
    for (const { scenario, profile, levels } of every()) {
      assertEquals(levels.certificate_mismatches, ["count==0"]);
      if (!["quote_order", "idempotency", "mixed"].includes(scenario)) continue;
      assertEquals([levels.books_differences, levels.double_executions], [["count==0"], ["count==0"]]);
      assertEquals(levels.orders_unaccounted, [profile === "breakpoint" ? "count<=0" : "count==0"]);
    }
  });

  it("allows no nonce to be accepted twice under any profile", () => {
    for (const { scenario, profile, levels } of every()) {
      if (scenario !== "nonce_store") continue;
      assertEquals(levels.nonce_double_accepted, ["count==0"]);
      const isSigned = ["smoke", "average", "soak"].includes(profile);
      assertEquals(levels.race_surplus_winners, [isSigned ? "count==0" : "count<=0"]);
    }
  });

  it("requires at least one request of the step that the scenario tests", () => {
    const steps = { nonce_store: "probe_race", limiter: "obeyed", token: "prices" };
    for (const [scenario, step] of Object.entries(steps)) {
      const levels = serviceLevels(scenario as keyof typeof steps, "smoke");
      assertEquals(levels[`http_reqs{step:${step}}`], ["count>0"]);
    }
  });

  it("aborts only runs of the breakpoint profile", () => {
    for (const { profile, levels } of every()) {
      const aborts = Object.values(levels).flat().some((threshold) => typeof threshold !== "string");
      assertEquals(aborts, profile === "breakpoint");
    }
  });

  it('allows no dropped arrival in the profiles of the level "signed"', () => {
    for (const { profile, levels } of every()) {
      const isSigned = ["smoke", "average", "soak"].includes(profile);
      assertEquals(levels.dropped_iterations, isSigned ? ["count==0"] : undefined);
    }
  });
});
