import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { PROFILES, secondsOf } from "./lib/profiles.ts";
import { SCENARIOS, serviceLevels, stepsOf } from "./lib/service_levels.ts";

const README = readFileSync(new URL("./README.md", import.meta.url), "utf8");

/** Returns the cells of each row of the table below a heading. */
function tableUnder(heading: string): string[][] {
  const section = README.split(/^## /m).find((text) => text.startsWith(heading))!;
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
}

describe("the load tests' README", () => {
  it("names every scenario", () => {
    const scripts = tableUnder("Scenarios").map(([script]) => script!.slice(1, -4));
    assertEquals(scripts.sort(), [...SCENARIOS, "health"].sort());
  });

  it("lists each profile's peak, duration and service levels", () => {
    const documented = tableUnder("Profiles").map(([name, peak, lasts, , level]) => [
      name,
      { peakPerSecond: Number(peak), durationSeconds: secondsOf(lasts!), level },
    ]);
    const expected = Object.entries(PROFILES).map(([name, { peakPerSecond, durationSeconds, level }]) => [
      name,
      { peakPerSecond, durationSeconds, level },
    ]);
    assertEquals(documented, expected);
  });

  it("lists the latency limits of each step", () => {
    const documented = tableUnder("Service levels").flatMap(([steps, p95, p99]) =>
      steps!.split(", ").map((step) => [step, `p(95)<${p95}`, `p(99)<${p99}`].join())
    );
    const actual = SCENARIOS.flatMap((scenario) =>
      stepsOf(scenario).map((step) =>
        [step, ...serviceLevels(scenario, "smoke")[`http_req_duration{step:${step}}`]!].join()
      )
    );
    assertEquals(documented.sort(), [...new Set(actual)].sort());
  });
});
