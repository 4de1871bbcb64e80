import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseOptions } from "@gold-partner/command-line";
import { type Estimate, estimateRatios, METHOD } from "./bootstrap.ts";
import { Histogram } from "./histogram.ts";
import { requireUsage, UsageError } from "./plan.ts";
import { figure, type RunSummary } from "./report.ts";
import type { StepText } from "./step.ts";

/** One figure of one step in two runs. */
interface Difference extends Estimate {
  readonly step: string;
  readonly figure: string;
  readonly verdict: string;
}

/** Settings that must be equal in both runs to compare them. */
const SAME = [
  "scenario",
  "profile",
  "partners",
  "peak_per_second",
  "duration_seconds",
  "slice_seconds",
] as const;
const SLICES_MIN = 5;
/** Each figure with two verdicts: for a ratio after/before above 1, and for a ratio below 1. */
const FIGURES: readonly (readonly [name: string, more: string, less: string])[] = [
  ["requests/s", "faster", "slower"],
  ["p50 ms", "slower", "faster"],
  ["p95 ms", "slower", "faster"],
  ["p99 ms", "slower", "faster"],
  ["failed", "worse", "better"],
];

/** Compares two folders of results. Returns Markdown, or an object in JSON with --json. */
export async function compareRuns(args: readonly string[]): Promise<string> {
  const { values: { json }, positionals: [before, after, ...more] } = requireUsage(() =>
    parseOptions(args, { json: { type: "boolean", default: false } })
  );
  if (before === undefined || after === undefined || more.length > 0) {
    throw new UsageError("Compare needs two folders of results: BEFORE and AFTER.");
  }
  const [was, is] = [await readSummary(before), await readSummary(after)];
  for (const name of SAME) {
    if (was[name] === is[name]) continue;
    throw new UsageError(
      `The two runs have different settings: ${name} is ${was[name]} before and ${is[name]} after.`,
    );
  }
  const differences = was.steps.flatMap((step) => {
    const other = is.steps.find((one) => one.step === step.step);
    return other ? compareStep(step, other, was.slice_seconds) : [];
  });
  const compared = new Set(differences.map(({ step }) => step));
  const named = new Set([...was.steps, ...is.steps].map(({ step }) => step));
  const too_rare = [...named].filter((step) => !compared.has(step));
  return json
    ? JSON.stringify(
      { method: METHOD, before: describe(was), after: describe(is), differences, too_rare },
      null,
      2,
    )
    : report(was, is, differences, too_rare);
}

async function readSummary(folder: string): Promise<RunSummary> {
  const summary = await readFile(join(folder, "summary.json"), "utf8").then((text) =>
    JSON.parse(text) as RunSummary
  ).catch((error: Error) => {
    throw new UsageError(`${folder} contains no results of a run: ${error.message}.`);
  });
  if (summary.slice_seconds !== undefined) return summary;
  throw new UsageError(
    `${folder} contains results of k6 without a time series. Use npm run loadtest for both runs, even for a single partner.`,
  );
}

/**
 * Compares one step of two runs. Returns an empty list if the step is too rare, that is, if more than half of
 * a run's slices have no request of the step. Leaves out a figure whose interval is not finite.
 */
export function compareStep(before: StepText, after: StepText, sliceSeconds: number): Difference[] {
  const [was, is] = [readSlices(before), readSlices(after)];
  if (Math.min(was.length, is.length) < SLICES_MIN) {
    throw new UsageError(
      `A comparison needs at least ${SLICES_MIN} whole slices of ${sliceSeconds} s: compare longer runs.`,
    );
  }
  if (
    [was, is].some((slices) =>
      slices.filter(({ durations }) => durations.count > 0).length < slices.length / 2
    )
  ) {
    return [];
  }
  // The exact shares of failed requests. The estimate adds half a failure, see measure().
  const shares = { before: before.failed / before.requests, after: after.failed / after.requests };
  const estimates = estimateRatios(was, is, (slices) => measure(slices, sliceSeconds), leastVariances);
  return FIGURES.flatMap(([name, more, less], index) => {
    const estimate = estimates[index]!;
    const { low, high } = estimate;
    // Leave out the figure, because a bootstrap sample without a request of the step has no quantile.
    if (!Number.isFinite(high - low)) return [];
    const verdict = low > 1 ? more : high < 1 ? less : "no difference shown";
    return [{ step: before.step, figure: name, ...estimate, ...(name === "failed" ? shares : {}), verdict }];
  });
}

/** Leaves out the first and the last slice, because the run covers only a part of each. */
function readSlices({ slices }: StepText): Slices {
  return slices.slice(1, -1).map(({ failed, durations }) => ({
    failed,
    durations: Histogram.read(durations),
  }));
}

type Slices = readonly { readonly failed: number; readonly durations: Histogram }[];

/** In the order of FIGURES. */
function measure(slices: Slices, sliceSeconds: number): number[] {
  const all = new Histogram();
  for (const { durations } of slices) all.addAll(durations);
  return [
    all.count / slices.length / sliceSeconds,
    ...[0.5, 0.95, 0.99].map((share) => all.quantile(share)),
    // Add half a failure, so that a run without failures still has a ratio to a run with failures.
    (failuresOf(slices) + 0.5) / (all.count + 1),
  ];
}

/**
 * The variance of the logarithm of a count is 1 / count. Without this lower bound, a run without failures
 * would have almost no variance, because every bootstrap sample has 0 failures.
 */
const leastVariances = (slices: Slices): number[] => [0, 0, 0, 0, 1 / (failuresOf(slices) + 0.5)];

const failuresOf = (slices: Slices): number => slices.reduce((sum, { failed }) => sum + failed, 0);

const describe = ({ started_at, surroundings, passed }: RunSummary) => ({ started_at, surroundings, passed });

function report(
  was: RunSummary,
  is: RunSummary,
  differences: readonly Difference[],
  tooRare: readonly string[],
): string {
  const line = ({ step, figure: name, before, after, ratio, low, high, verdict }: Difference) => {
    // Do not show the ratio if nothing failed in either run. The ratio then comes only from the half failures
    // that measure() adds.
    const shown = before === 0 && after === 0 ? "" : `${figure(ratio)} (${figure(low)} to ${figure(high)})`;
    return `| ${step} | ${name} | ${figure(before)} | ${figure(after)} | ${shown} | ${verdict} |`;
  };
  return `# ${was.scenario}, profile ${was.profile}: before and after

Before: ${was.started_at}, ${was.surroundings}, ${was.passed ? "passed" : "failed"}
After: ${is.started_at}, ${is.surroundings}, ${is.passed ? "passed" : "failed"}

| Step | Figure | Before | After | Ratio (95 %) | |
|---|---|---:|---:|---:|---|
${differences.map(line).join("\n")}
${tooRare.length > 0 ? `\nToo few requests to compare: ${tooRare.join(", ")}.\n` : ""}
${METHOD} Of twenty unchanged figures, one is expected to show a difference by chance.
`;
}
