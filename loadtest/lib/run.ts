// One run of one scenario: its k6 options from the environment, and its summary at the end.
import type { Options, Scenario } from "k6/options";
import { connectionOf, type Partner } from "./partner.ts";
import { arrivalsOf, type Load, loadOf, rateReached } from "./profiles.ts";
import { type ScenarioName, serviceLevels } from "./service_levels.ts";
import { summarise, type SummaryData, writeMarkdown } from "./summary.ts";

const { RESULTS } = __ENV;
export const load: Load = loadOf(__ENV);

/** `beside` are further scenarios of the same run, each with its own rate. */
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
    // Allow 30 minutes. The check of the books reads several hundred thousand orders, 200 a page.
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
      // The shorter time, because a run may be aborted before the end of its profile.
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
