// Formats results as text.
import { cpus } from "node:os";
import { type ContestSummary, type Figures, isRatio, isSum, type Spread, type Verdict } from "./summary.ts";

export function reportContest({ contest, contenders, verdicts, remarks }: ContestSummary): string {
  const width = Math.max(...Object.keys(contenders).map((name) => name.length));
  return [
    contest,
    ...Object.entries(contenders).map(([name, figures]) =>
      `  ${name.padEnd(width)}  ${reportFigures(figures)}`
    ),
    ...verdicts.map((verdict) => `  ${reportVerdict(verdict)}`),
    ...remarks.map((remark) => `  ${remark}`),
  ].join("\n");
}

function reportFigures({ perSecond, wallMicros, ...others }: Figures): string {
  const rate = `${Math.round(perSecond).toLocaleString("en-US")}/s`;
  const beside = [
    show("CPU", others.cpuMicros),
    show("CPU of the load generator", others.loadCpuMicros),
    others.loadCpuMicros
      ? ` (${percent(others.loadCpuMicros.median / (wallMicros.median * cpus().length))} of the machine)`
      : "",
    show("p50", others.p50Micros),
    show("p99", others.p99Micros),
    show("p99.9", others.p999Micros),
  ].join("");
  return `${rate.padStart(12)}  ${reportSpread(wallMicros, micros)}${beside}`;
}

const show = (name: string, spread: Spread | undefined): string =>
  spread ? `, ${name} ${micros(spread.median)}` : "";
const percent = (share: number): string => `${Math.round(share * 100)} %`;

const BY = { cpu: " by CPU", p50: " at the median" };

function reportVerdict({ goal, found, foundByCpu, met }: Verdict): string {
  const unit = isRatio(goal) || isSum(goal) ? times : micros;
  const wanted = isRatio(goal)
    ? `≥ ${goal.atLeast}x ${goal.peer}`
    : isSum(goal)
    ? `≤ ${goal.atMost}x (${goal.parts.join(" + ")})`
    : `≤ ${goal.atMostMicros} µs`;
  const verdict = goal.reported ? "not judged: " : met ? "goal met:   " : "goal missed:";
  const byCpu = foundByCpu ? `, by CPU ${unit(foundByCpu.median)}` : "";
  return `${verdict} ${goal.ours} ${wanted}${goal.by ? BY[goal.by] : ""}: ${
    reportSpread(found, unit)
  }${byCpu}`;
}

function reportSpread({ min, median, max }: Spread, unit: (value: number) => string): string {
  return min === max ? unit(median) : `${unit(median)} (${unit(min)} to ${unit(max)})`;
}

const micros = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} µs`;
/**
 * Prints three decimals below 2, so that a value that misses its bound by less than 0.01 does not look equal
 * to the bound.
 */
const times = (value: number): string => `${value.toFixed(value < 2 ? 3 : 2)}x`;
