// The summary of a run: Markdown for people, an object for programs. These functions are pure, so the runner
// also uses them for a run of many processes.
import { type ScenarioName, stepsOf } from "./service_levels.ts";

/**
 * The part of k6's end-of-test data that is read here. Any metric may be missing, because setup() can fail.
 */
export interface SummaryData {
  readonly metrics: Readonly<Record<string, Metric>>;
}

interface Metric {
  readonly values: Readonly<Record<string, number>>;
  readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>;
}

interface About {
  readonly scenario: ScenarioName;
  readonly profile: string;
  readonly partner: string;
  readonly base_url: string;
  /** Seconds of load, without setup and teardown. */
  readonly seconds: number;
  /**
   * Iterations per second of all partners at the end. Set only for a breakpoint run, whose rate rises to the
   * end.
   */
  readonly rate_reached?: number;
}

interface StepFigures {
  readonly step: string;
  readonly requests: number;
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  /** The share of requests that did not get an expected reply. */
  readonly failed: number;
}

interface Summary extends About {
  readonly passed: boolean;
  readonly steps: readonly StepFigures[];
  readonly counters: Readonly<Record<string, number>>;
  readonly thresholds: readonly {
    readonly metric: string;
    readonly threshold: string;
    readonly passed: boolean;
  }[];
}

const COUNTERS = [
  ...["iterations", "dropped_iterations", "orders_accepted", "orders_unaccounted", "books_differences"],
  ...["double_executions", "replays_answered", "conflicts", "replays_refused", "nonce_double_accepted"],
  "race_surplus_winners",
  ...["obeyed_in_vain", "certificate_mismatches", "http_reqs{status:429}", "refusals"],
];

export function summarise({ metrics }: SummaryData, about: About): Summary {
  const thresholds = Object.keys(metrics).sort().flatMap((metric) =>
    Object.entries(metrics[metric]!.thresholds ?? {}).map(([threshold, { ok }]) => ({
      metric,
      threshold,
      passed: ok,
    }))
  );
  return {
    ...about,
    passed: thresholds.length > 0 && thresholds.every(({ passed }) => passed),
    steps: stepsOf(about.scenario).map((step) => figuresOf(step, metrics, about.seconds)),
    counters: Object.fromEntries(
      COUNTERS.flatMap((name) => metrics[name] ? [[name, metrics[name].values.count ?? 0]] : []),
    ),
    thresholds,
  };
}

function figuresOf(step: string, metrics: SummaryData["metrics"], seconds: number): StepFigures {
  const { count = 0, med = 0, "p(95)": p95 = 0, "p(99)": p99 = 0 } =
    metrics[`http_req_duration{step:${step}}`]?.values ?? {};
  return {
    step,
    requests: count,
    per_second: count / seconds,
    p50_ms: med,
    p95_ms: p95,
    p99_ms: p99,
    failed: metrics[`http_req_failed{step:${step}}`]?.values.rate ?? 0,
  };
}

export function writeMarkdown(
  { scenario, profile, partner, base_url, seconds, rate_reached, ...summary }: Summary,
): string {
  const title = `## ${scenario}, ${profile}: ${summary.passed ? "passed" : "FAILED"}`;
  if (!summary.counters.iterations) {
    return `${title}\n\nNo iteration ran to its end. The messages above give the reason.\n`;
  }
  const failed = summary.thresholds.filter(({ passed }) => !passed);
  return [
    title,
    "",
    `Partner ${partner} at ${base_url}, ${Number(seconds.toFixed(1))} s of load.`,
    ...(rate_reached === undefined
      ? []
      : [`The rate reached ${rate_reached.toFixed(1)} iterations per second at the end.`]),
    "",
    ...tableOf(
      ["step", "requests", "per s", "p50 ms", "p95 ms", "p99 ms", "failed"],
      summary.steps.map(({ step, requests, per_second, p50_ms, p95_ms, p99_ms, failed }) => [
        step,
        `${requests}`,
        ...[per_second, p50_ms, p95_ms, p99_ms].map((figure) => figure.toFixed(1)),
        `${(failed * 100).toFixed(2)} %`,
      ]),
    ),
    "",
    ...tableOf(["counted", ""], Object.entries(summary.counters).map(([name, count]) => [name, `${count}`])),
    "",
    `${summary.thresholds.length - failed.length} of ${summary.thresholds.length} thresholds hold.`,
    ...failed.map(({ metric, threshold }) => `- FAILED: ${metric} ${threshold}`),
    "",
  ].join("\n");
}

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]!.length), 3)
  );
  const line = (cells: readonly string[]) =>
    `| ${
      cells.map((cell, column) => column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))
        .join(" | ")
    } |`;
  const rule = `| ${
    widths.map((width, column) => column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`).join(" | ")
  } |`;
  return [line(header), rule, ...rows.map(line)];
}
