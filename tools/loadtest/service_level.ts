// Judges the thresholds of the scripts over the samples of all processes together.
import { secondsOf } from "../../loadtest/lib/profiles.ts";
import type { Threshold } from "../../loadtest/lib/service_levels.ts";
import type { Measure } from "./measure.ts";
import type { Tags } from "./sample.ts";

export type Thresholds = Readonly<Record<string, readonly Threshold[]>>;

export interface Verdict {
  /** `http_req_duration{step:order} p(95)<200` */
  readonly name: string;
  readonly met: boolean;
  /** Null if there was no sample. */
  readonly found: number | null;
}

const EXPRESSION =
  /^\s*(p\(([0-9.]+)\)|avg|med|min|max|rate|count)\s*(<=|>=|===|==|!=|<|>)\s*(-?[0-9.]+)\s*$/;
const COMPARE: Readonly<Record<string, (found: number, wanted: number) => boolean>> = {
  "<": (found, wanted) => found < wanted,
  "<=": (found, wanted) => found <= wanted,
  ">": (found, wanted) => found > wanted,
  ">=": (found, wanted) => found >= wanted,
  "==": (found, wanted) => found === wanted,
  "===": (found, wanted) => found === wanted,
  "!=": (found, wanted) => found !== wanted,
};

/** `metric` or `metric{tag:value,…}`. */
export function readSelector(selector: string): { readonly metric: string; readonly tags: Tags } {
  const [, metric, list = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(selector) ?? [];
  if (!metric) throw new Error(`"${selector}" must be metric or metric{tag:value}.`);
  const pairs = list.split(",").filter((pair) => pair !== "");
  return { metric, tags: new Map(pairs.map((pair) => splitPair(pair))) };
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf(":");
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim().replace(/^(["'])(.*)\1$/, "$2")];
}

/** Checks every threshold as k6 does at the end of a run. A metric without samples counts as 0. */
export function checkThresholds(
  thresholds: Thresholds,
  measureOf: (selector: string) => Measure | undefined,
  seconds: number,
): Verdict[] {
  return Object.entries(thresholds).flatMap(([selector, levels]) =>
    levels.map((level) => judge(selector, textOf(level), measureOf(selector), seconds))
  );
}

const textOf = (level: Threshold): string => typeof level === "string" ? level : level.threshold;

function judge(selector: string, text: string, measure: Measure | undefined, seconds: number): Verdict {
  const [, statistic, percent, comparison, wanted] = EXPRESSION.exec(text) ?? [];
  if (statistic === undefined) {
    throw new Error(`${selector} has a threshold that cannot be evaluated here: ${text}`);
  }
  const found = measure ? measure.find(statistic, Number(percent), seconds) : NaN;
  const isEmpty = Number.isNaN(found);
  return {
    name: `${selector} ${text}`,
    met: COMPARE[comparison!]!(isEmpty ? 0 : found, Number(wanted)),
    found: isEmpty ? null : found,
  };
}

/**
 * Returns the first missed threshold with abortOnFail. Such a threshold ends the run. Leaves out a threshold
 * until its delay has passed, and while it has no samples.
 */
export function findAbort(
  thresholds: Thresholds,
  measureOf: (selector: string) => Measure | undefined,
  seconds: number,
): Verdict | undefined {
  const ending = Object.entries(thresholds).map(([selector, levels]): [string, Threshold[]] => [
    selector,
    levels.filter((level) =>
      typeof level !== "string" && level.abortOnFail && secondsOf(level.delayAbortEval) <= seconds
    ),
  ]);
  return checkThresholds(Object.fromEntries(ending), measureOf, seconds).find(({ met, found }) =>
    !met && found !== null
  );
}
