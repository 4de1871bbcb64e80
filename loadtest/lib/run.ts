// One run of one scenario: what the environment makes of it, and what it says at its end.
import type { Options, Scenario } from "k6/options";
import { connectionOf, type Partner } from "./partner.ts";
import { arrivalsOf, type Load, loadOf, rateReached } from "./profiles.ts";
import { type ScenarioName, serviceLevels } from "./service_levels.ts";
import { summarise, type SummaryData, writeMarkdown } from "./summary.ts";

const { RESULTS } = __ENV;
export const load: Load = loadOf(__ENV);

/** `beside` are scenarios of their own rates that go on in the same run. */
export function runOptions(
  scenario: ScenarioName,
  partner: Partner,
  beside: Record<string, Scenario> = {},
): Options {
  return {
    ...connectionOf(partner),
    scenarios: { [scenario]: arrivalsOf(load), ...beside },
    thresholds: serviceLevels(scenario, load.name),
    setupTimeout: "60s",
    // Some hundred thousand orders are read back, 200 a page.
    teardownTimeout: "30m",
  };
}

export function summaryOf(scenario: ScenarioName, { name, base_url }: Partner) {
  return (
    data: SummaryData & { readonly state: { readonly testRunDurationMs: number } },
  ): Record<string, string> => {
    const countOf = (metric: string) => data.metrics[metric]?.values.count ?? 0;
    const iterations = countOf("iterations") + countOf("dropped_iterations");
    const rate = rateReached(load, load.partners * iterations);
    const summary = summarise(data, {
      scenario,
      profile: load.name,
      partner: name,
      base_url,
      // One that was cut off took less.
      seconds: Math.min(load.durationSeconds, data.state.testRunDurationMs / 1000),
      ...(rate === undefined ? {} : { rate_reached: rate }),
    });
    const markdown = writeMarkdown(summary);
    if (!RESULTS) return { stdout: markdown };
    return {
      stdout: markdown,
      [`${RESULTS}/summary.md`]: markdown,
      [`${RESULTS}/summary.json`]: `${JSON.stringify(summary, null, 2)}\n`,
    };
  };
}
