// Defines what a benchmark is. A benchmark has one or more contests, and each contest compares contenders. A
// contender is the service, a part of the service, or another program to compare with (a peer). The
// contenders of a contest run alternately. One measured interval of a contender is a turn.
import process from "node:process";

/** The default export of `tools/bench/NAME.bench.ts`. */
export interface Benchmark {
  readonly about: string;
  /** Prepares everything. Throws an error with a readable message if a peer is missing. */
  open(plan: Plan): Promise<Course>;
}

interface Course {
  readonly contests: readonly Contest[];
  close?(): Promise<void>;
}

export interface Contest {
  readonly name: string;
  readonly measure: Measure;
  readonly goals: readonly Goal[];
  /**
   * Throws an error if a resource such as disk space is insufficient. Called for all contests before the
   * first is measured.
   */
  readonly requireAll?: () => void;
  /** Returns further results, one sentence each. Called after the contest was measured. */
  readonly remarks?: () => readonly string[];
}

export type Goal = RatioGoal | SumGoal | TimeGoal;

interface AnyGoal {
  readonly ours: string;
  /** The measure to compare instead of wall-clock time per operation: CPU time, or median latency. */
  readonly by?: "cpu" | "p50";
  /** True if a missed goal is only printed and not counted as missed. */
  readonly reported?: boolean;
}

/** The rate of `ours` divided by the rate of `peer`. */
export interface RatioGoal extends AnyGoal {
  readonly peer: string;
  readonly atLeast: number;
}

/** The time of `ours` divided by the sum of the times of all `parts`. */
export interface SumGoal extends AnyGoal {
  readonly parts: readonly string[];
  readonly atMost: number;
}

interface TimeGoal extends AnyGoal {
  readonly atMostMicros: number;
}

export interface Plan {
  readonly rounds: number;
  /** How long each contender runs in a round. */
  readonly turnMs: number;
  /** How many rows a full table holds. */
  readonly rows: number;
}

/** The figures of one contender's turn in one round. */
export interface Sample {
  readonly operations: number;
  readonly wallMs: number;
  /** Absent if the CPU time of the turn cannot be measured. */
  readonly cpuMs?: number;
  /** The CPU time of the load generator, which runs on the same machine. */
  readonly loadCpuMs?: number;
  readonly p50Micros?: number;
  readonly p99Micros?: number;
  readonly p999Micros?: number;
}

/** Each contender's sample, by its name. */
export type Round = Readonly<Record<string, Sample>>;

/** Measures the rounds of a plan. Each round has a sample of every contender. */
type Measure = (plan: Plan) => Promise<readonly Round[]>;

/** Runs one contender's turn and returns its sample. */
type Turn = () => Promise<Sample>;

/** Half of the usual rounds, because each turn takes so long. */
const LONG_ROUND_SHARE = 0.5;

/** Runs this many operations and waits until all have ended. */
type Contender = (operations: number) => void | Promise<void>;

/** Starts a measurement. The returned function gives the time and this process's CPU time since then. */
export function startClock(): () => { readonly wallMs: number; readonly cpuMs: number } {
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(startCpu);
    return { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1000 };
  };
}

/** Measures the contenders alternately. First finds out how many operations of each contender fill a turn. */
export function interleaved(contenders: Readonly<Record<string, Contender>>): Measure {
  return async ({ rounds, turnMs }) => {
    const turns: Record<string, Turn> = {};
    for (const [name, contender] of Object.entries(contenders)) {
      const operations = await calibrate(contender, turnMs);
      turns[name] = () => takeTurn(contender, operations);
    }
    return await rotate(turns, rounds);
  };
}

/**
 * Like rotate(), with longer turns and fewer rounds: for contenders that do thousands of operations in a
 * turn, and not those of a single function.
 */
export async function rotateLong(
  turns: Readonly<Record<string, (turnMs: number) => Promise<Sample>>>,
  plan: Pick<Plan, "rounds" | "turnMs">,
  turnFactor: number,
): Promise<Round[]> {
  const named = Object.entries(turns).map(([name, turn]) => async (turnMs: number) => ({
    [name]: await turn(turnMs),
  }));
  return await rotateSeenLong(named, plan, turnFactor);
}

/** Like rotateLong(), but one turn may give the samples of several contenders. */
export async function rotateSeenLong(
  turns: readonly ((turnMs: number) => Promise<Round>)[],
  { rounds, turnMs }: Pick<Plan, "rounds" | "turnMs">,
  turnFactor: number,
): Promise<Round[]> {
  return await rotateSeen(
    turns.map((turn) => () => turn(turnMs * turnFactor)),
    Math.ceil(rounds * LONG_ROUND_SHARE),
  );
}

/**
 * Runs rounds in the order A B C, B C A, C A B and so on. A temporary slowdown of the machine then affects
 * every contender, and no contender always runs after the same one.
 */
export async function rotate(turns: Readonly<Record<string, Turn>>, rounds: number): Promise<Round[]> {
  const seen = Object.entries(turns).map(([name, turn]) => async () => ({ [name]: await turn() }));
  return await rotateSeen(seen, rounds);
}

/** Like rotate(), but one turn may give the samples of several contenders. */
async function rotateSeen(
  turns: readonly (() => Promise<Round>)[],
  rounds: number,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const samples: Record<string, Sample> = {};
    for (let turn = 0; turn < turns.length; turn++) {
      for (const [name, sample] of Object.entries(await turns[(round + turn) % turns.length]!())) {
        if (sample.operations === 0) throw new Error(`"${name}" did no operation in its turn.`);
        samples[name] = sample;
      }
    }
    measured.push(samples);
  }
  return measured;
}

/** Returns how many operations fill a turn. The tries also warm the contender up. */
async function calibrate(contender: Contender, turnMs: number): Promise<number> {
  for (let operations = 1;; operations *= 2) {
    const { wallMs } = await takeTurn(contender, operations);
    if (wallMs >= turnMs / 2) return Math.max(1, Math.round(operations * turnMs / wallMs));
  }
}

async function takeTurn(contender: Contender, operations: number): Promise<Sample> {
  const clock = startClock();
  await contender(operations);
  return { operations, ...clock() };
}

/** A contender whose operations are synchronous. */
export function synchronous(operation: (index: number) => void): Contender {
  return (operations) => {
    for (let index = 0; index < operations; index++) operation(index);
  };
}

/** A contender that keeps `width` operations in flight; 1 runs them one after another. */
export function inFlight(width: number, operation: (index: number) => Promise<unknown>): Contender {
  return async (operations) => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < operations) await operation(next++);
    };
    await Promise.all(Array.from({ length: width }, worker));
  };
}
