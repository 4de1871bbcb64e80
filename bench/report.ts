// The figures as text.
import { type ContestSummary, type Figures, isRatio, type Spread, type Verdict } from "./summary.ts";

export function reportContest({ contest, contenders, verdicts }: ContestSummary): string {
  const width = Math.max(...Object.keys(contenders).map((name) => name.length));
  return [
    contest,
    ...Object.entries(contenders).map(([name, figures]) =>
      `  ${name.padEnd(width)}  ${reportFigures(figures)}`
    ),
    ...verdicts.map((verdict) => `  ${reportVerdict(verdict)}`),
  ].join("\n");
}

function reportFigures({ perSecond, wallMicros, cpuMicros }: Figures): string {
  const rate = `${Math.round(perSecond).toLocaleString("en-US")}/s`;
  const cpu = cpuMicros ? `, CPU ${micros(cpuMicros.median)}` : "";
  return `${rate.padStart(12)}  ${reportSpread(wallMicros, micros)}${cpu}`;
}

function reportVerdict({ goal, found, foundByCpu, met }: Verdict): string {
  const unit = isRatio(goal) ? times : micros;
  const wanted = isRatio(goal)
    ? `${goal.ours} ≥ ${goal.atLeast}x ${goal.peer}`
    : `${goal.ours} ≤ ${goal.atMostMicros} µs`;
  const byCpu = foundByCpu ? `, by CPU ${unit(foundByCpu.median)}` : "";
  return `${met ? "goal met:   " : "goal missed:"} ${wanted}: ${reportSpread(found, unit)}${byCpu}`;
}

function reportSpread({ min, median, max }: Spread, unit: (value: number) => string): string {
  return `${unit(median)} (${unit(min)} to ${unit(max)})`;
}

const micros = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} µs`;
const times = (value: number): string => `${value.toFixed(2)}x`;
