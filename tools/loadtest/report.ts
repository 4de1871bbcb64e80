import { rateReached } from "../../loadtest/lib/profiles.ts";
import type { Check } from "./books.ts";
import type { RunPlan } from "./plan.ts";
import type { Verdict } from "./service_level.ts";
import type { StepText } from "./step.ts";
import type { Tally } from "./tally.ts";

/** The result of a run. */
export interface Run {
  readonly plan: RunPlan;
  readonly baseUrl: string;
  readonly startedAt: Date;
  readonly k6: string;
  readonly seconds: number;
  readonly tally: Tally;
  /** Why the run is not complete: a signal, or processes that ended with an unexpected code. */
  readonly faults: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly checks: readonly Check[];
}

/** The content of summary.json. */
export interface RunSummary {
  readonly scenario: string;
  readonly profile: string;
  readonly partners: number;
  readonly peak_per_second: number;
  readonly duration_seconds: number;
  /** Iterations per second at the end of the load. Set only if the rate rose until the end. */
  readonly rate_reached?: number;
  readonly base_url: string;
  readonly started_at: string;
  readonly measured_seconds: number;
  readonly k6: string;
  /** The runtime, the machine and the commit. */
  readonly surroundings: string;
  readonly passed: boolean;
  readonly thresholds: readonly Verdict[];
  readonly checks: readonly Check[];
  readonly faults: readonly string[];
  readonly counters: Readonly<Record<string, number>>;
  readonly slice_seconds: number;
  readonly steps: readonly StepText[];
}

export function summarizeRun(run: Run, surroundings: string): RunSummary {
  const { plan: { scenario, load }, tally, verdicts, checks, faults } = run;
  const rate = rateReached(load, tally.sumOf("iterations") + tally.sumOf("dropped_iterations"));
  return {
    scenario,
    profile: load.name,
    partners: load.partners,
    peak_per_second: load.peakPerSecond,
    duration_seconds: load.durationSeconds,
    ...(rate === undefined ? {} : { rate_reached: rate }),
    base_url: run.baseUrl,
    started_at: run.startedAt.toISOString(),
    measured_seconds: run.seconds,
    k6: run.k6,
    surroundings,
    passed: faults.length === 0 && verdicts.every(({ met }) => met) &&
      checks.every(({ met }) => met !== false),
    thresholds: verdicts,
    checks,
    faults,
    counters: tally.counters(),
    slice_seconds: tally.steps.widthMs / 1000,
    steps: tally.steps.describe(),
  };
}

export function writeMarkdown(summary: RunSummary): string {
  const {
    scenario,
    profile,
    partners,
    peak_per_second,
    duration_seconds,
    rate_reached,
    steps,
    thresholds,
    checks,
    faults,
  } = summary;
  return `# ${scenario}: ${summary.passed ? "passed" : "failed"}

${partners} partner(s), profile ${profile}: ${peak_per_second} iterations/s at the peak for ${duration_seconds} s, at ${summary.base_url}${
    rate_reached === undefined ? "" : `; the rate reached ${figure(rate_reached)} at the end`
  }
${summary.started_at}, ${summary.k6.split(" (")[0]}, ${summary.surroundings}

| Step | Requests | per second | p50 ms | p95 ms | p99 ms | failed |
|---|---:|---:|---:|---:|---:|---:|
${steps.map((step) => describeStep(step, summary.measured_seconds)).join("\n")}

${
    [
      ...faults.map((fault) => `- ✘ ${fault}`),
      ...thresholds.map(({ name, met, found }) =>
        `- ${met ? "✔" : "✘"} ${name}: ${found === null ? "none" : exact(found)}`
      ),
      ...checks.map(({ name, met, says }) => `- ${met === null ? "?" : met ? "✔" : "✘"} ${name}: ${says}`),
    ].join("\n")
  }
`;
}

function describeStep({ step, requests, failed, p50, p95, p99 }: StepText, seconds: number): string {
  const share = `${figure(100 * failed / requests)} %`;
  return `| ${
    [step, requests, figure(requests / seconds), ...[p50, p95, p99].map(figure), share].join(" | ")
  } |`;
}

/** Writes nine significant digits, so that a value close to a bound does not look equal to the bound. */
const exact = (value: number): string => `${Number(value.toPrecision(9))}`;

/** Writes at most three significant digits. */
export const figure = (value: number): string => `${Number(value.toPrecision(3))}`;
