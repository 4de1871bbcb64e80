// Summarises rounds: minimum, median and maximum of each figure, and which goals were met.
import { percentile } from "../testing/statistics.ts";
import type { Contest, Goal, RatioGoal, Round, Sample, SumGoal } from "./harness.ts";

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export interface Figures {
  readonly wallMicros: Spread;
  readonly cpuMicros?: Spread;
  readonly loadCpuMicros?: Spread;
  readonly p50Micros?: Spread;
  readonly p99Micros?: Spread;
  readonly p999Micros?: Spread;
  readonly perSecond: number;
}

export interface Verdict {
  readonly goal: Goal;
  /**
   * The figure that decides whether the goal is met, as a ratio or in microseconds. It is measured by wall
   * clock unless the goal names another measure.
   */
  readonly found: Spread;
  /**
   * The same figure by CPU time, if `found` is by wall clock. Other load on the machine disturbs CPU time
   * less.
   */
  readonly foundByCpu?: Spread;
  readonly met: boolean;
}

export interface ContestSummary {
  readonly contest: string;
  readonly contenders: Readonly<Record<string, Figures>>;
  readonly verdicts: readonly Verdict[];
  readonly remarks: readonly string[];
}

export function summarise({ name, goals, remarks }: Contest, rounds: readonly Round[]): ContestSummary {
  const contenders = Object.keys(rounds[0] ?? {});
  return {
    contest: name,
    contenders: Object.fromEntries(contenders.map((one) => [one, figuresOf(samplesOf(rounds, one))])),
    verdicts: goals.map((goal) => judge(goal, rounds)),
    remarks: remarks?.() ?? [],
  };
}

export function countMisses(summaries: readonly ContestSummary[]): number {
  return summaries.flatMap(({ verdicts }) => verdicts).filter(({ goal, met }) => !met && !goal.reported)
    .length;
}

function judge(goal: Goal, rounds: readonly Round[]): Verdict {
  const found = spread(compare(goal, rounds, MICROS[goal.by ?? "wall"]));
  const byCpu = compare(goal, rounds, MICROS.cpu);
  const met = isRatio(goal)
    ? found.median >= goal.atLeast
    : found.median <= (isSum(goal) ? goal.atMost : goal.atMostMicros);
  // Add the CPU time only to a wall-clock figure. A goal by CPU time already shows it, and CPU time has no
  // meaning for a latency.
  const hasCpu = goal.by === undefined && !byCpu.some(Number.isNaN);
  return { goal, found, ...(hasCpu ? { foundByCpu: spread(byCpu) } : {}), met };
}

/** Compares round by round, so that a slow moment of the machine affects both sides of a ratio. */
function compare(goal: Goal, rounds: readonly Round[], micros: (sample: Sample) => number): number[] {
  const of = (contender: string) => samplesOf(rounds, contender).map(micros);
  const ours = of(goal.ours);
  if (isRatio(goal)) return over(of(goal.peer), ours);
  if (!isSum(goal)) return ours;
  const parts = goal.parts.map(of);
  return over(ours, ours.map((_, round) => parts.reduce((sum, part) => sum + part[round]!, 0)));
}

const over = (values: readonly number[], divisors: readonly number[]): number[] =>
  values.map((value, index) => value / divisors[index]!);

export const isRatio = (goal: Goal): goal is RatioGoal => "peer" in goal;
export const isSum = (goal: Goal): goal is SumGoal => "parts" in goal;

function samplesOf(rounds: readonly Round[], contender: string): Sample[] {
  return rounds.map((round) => {
    const sample = round[contender];
    if (sample) return sample;
    throw new Error(
      `"${contender}" was not measured, but a goal names it as contender or peer.`,
    );
  });
}

function figuresOf(samples: readonly Sample[]): Figures {
  const wallMicros = spread(samples.map(MICROS.wall));
  const known = Object.entries({
    cpuMicros: MICROS.cpu,
    loadCpuMicros: MICROS.loadCpu,
    p50Micros: MICROS.p50,
    p99Micros: MICROS.p99,
    p999Micros: MICROS.p999,
  }).map(([name, micros]) => [name, samples.map(micros)] as const)
    .filter(([, values]) => !values.some(Number.isNaN));
  return {
    perSecond: 1_000_000 / wallMicros.median,
    wallMicros,
    ...Object.fromEntries(known.map(([name, values]) => [name, spread(values)])),
  };
}

/** Microseconds per operation by each measure; NaN if the sample lacks that measure. */
const MICROS = {
  wall: ({ wallMs, operations }: Sample) => wallMs * 1000 / operations,
  cpu: ({ cpuMs = NaN, operations }: Sample) => cpuMs * 1000 / operations,
  loadCpu: ({ loadCpuMs = NaN, operations }: Sample) => loadCpuMs * 1000 / operations,
  p50: ({ p50Micros = NaN }: Sample) => p50Micros,
  p99: ({ p99Micros = NaN }: Sample) => p99Micros,
  p999: ({ p999Micros = NaN }: Sample) => p999Micros,
};

export function spread(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error("No round was measured. A plan needs at least one round.");
  const sorted = [...values].sort((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  return {
    min: sorted[0]!,
    median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2,
    max: sorted[sorted.length - 1]!,
  };
}

/** The latency fields of a sample. */
export const latencyOf = (latenciesMicros: readonly number[]): Pick<Sample, "p50Micros" | "p99Micros"> => ({
  p50Micros: percentile(latenciesMicros, 0.5),
  p99Micros: percentile(latenciesMicros, 0.99),
});
