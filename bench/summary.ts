// From rounds to figures: minimum, median and maximum, and which goals were met.
import type { Contest, Goal, RatioGoal, Round, Sample } from "./harness.ts";

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export interface Figures {
  readonly wallMicros: Spread;
  readonly cpuMicros?: Spread;
  readonly perSecond: number;
}

export interface Verdict {
  readonly goal: Goal;
  /** Ratios, or microseconds; by the wall clock, which decides. */
  readonly found: Spread;
  /** The same by CPU time, which neighbours on the machine disturb less. */
  readonly foundByCpu?: Spread;
  readonly met: boolean;
}

export interface ContestSummary {
  readonly contest: string;
  readonly contenders: Readonly<Record<string, Figures>>;
  readonly verdicts: readonly Verdict[];
}

export function summarise({ name, goals }: Contest, rounds: readonly Round[]): ContestSummary {
  const contenders = Object.keys(rounds[0] ?? {});
  return {
    contest: name,
    contenders: Object.fromEntries(contenders.map((one) => [one, figuresOf(samplesOf(rounds, one))])),
    verdicts: goals.map((goal) => judge(goal, rounds)),
  };
}

export function countMisses(summaries: readonly ContestSummary[]): number {
  return summaries.flatMap(({ verdicts }) => verdicts).filter(({ met }) => !met).length;
}

function judge(goal: Goal, rounds: readonly Round[]): Verdict {
  const found = compare(goal, rounds, wallMicros);
  const met = isRatio(goal) ? found.median >= goal.atLeast : found.median <= goal.atMostMicros;
  const contenders = isRatio(goal) ? [goal.ours, goal.peer] : [goal.ours];
  const hasCpu = contenders.every((one) => samplesOf(rounds, one).every(({ cpuMs }) => cpuMs !== undefined));
  return { goal, found, ...(hasCpu ? { foundByCpu: compare(goal, rounds, cpuMicros) } : {}), met };
}

/** Pair by pair within a round, so that a slow moment of the machine strikes both sides of a ratio. */
function compare(goal: Goal, rounds: readonly Round[], micros: (sample: Sample) => number): Spread {
  const ours = samplesOf(rounds, goal.ours).map(micros);
  if (!isRatio(goal)) return spread(ours);
  const peers = samplesOf(rounds, goal.peer).map(micros);
  return spread(ours.map((value, round) => peers[round]! / value));
}

export function isRatio(goal: Goal): goal is RatioGoal {
  return "peer" in goal;
}

function samplesOf(rounds: readonly Round[], contender: string): Sample[] {
  return rounds.map((round) => {
    const sample = round[contender];
    if (sample) return sample;
    throw new Error(
      `"${contender}" was not measured: a goal without its contender or its peer cannot be judged.`,
    );
  });
}

function figuresOf(samples: readonly Sample[]): Figures {
  const wall = spread(samples.map(wallMicros));
  const hasCpu = samples.every(({ cpuMs }) => cpuMs !== undefined);
  return {
    perSecond: 1_000_000 / wall.median,
    wallMicros: wall,
    ...(hasCpu ? { cpuMicros: spread(samples.map(cpuMicros)) } : {}),
  };
}

function wallMicros({ wallMs, operations }: Sample): number {
  return wallMs * 1000 / operations;
}

function cpuMicros({ cpuMs = NaN, operations }: Sample): number {
  return cpuMs * 1000 / operations;
}

export function spread(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error("No round was measured: a plan has at least one.");
  const sorted = [...values].sort((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  return {
    min: sorted[0]!,
    median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2,
    max: sorted[sorted.length - 1]!,
  };
}
