// What a benchmark is, and how its contenders take turns.
import process from "node:process";
import { processCpuMs } from "./process_cpu.ts";

/** What `bench/NAME.bench.ts` exports by default. */
export interface Benchmark {
  readonly about: string;
  /** Makes everything ready; throws a sentence when a peer is missing. */
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
  /** Throws a sentence where something is short; asked of all before any is measured. */
  readonly requireAll?: () => void;
  /** What else came to light, a sentence each; asked for when all is measured. */
  readonly remarks?: () => readonly string[];
}

export type Goal = RatioGoal | SumGoal | TimeGoal;

interface AnyGoal {
  readonly ours: string;
  /** The wall clock's time an operation, unless it is the CPU time or the median latency that counts. */
  readonly by?: "cpu" | "p50";
  /** What is only reported binds nobody. */
  readonly reported?: boolean;
}

/** The rate of `ours` over the rate of `peer`. */
export interface RatioGoal extends AnyGoal {
  readonly peer: string;
  readonly atLeast: number;
}

/** The time of `ours` over the times of all `parts` together. */
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

/** One contender's turn in one round. */
export interface Sample {
  readonly operations: number;
  readonly wallMs: number;
  /** Absent where a turn's share of the CPU cannot be told. */
  readonly cpuMs?: number;
  /** The CPU time of what made the load, on the same machine. */
  readonly loadCpuMs?: number;
  readonly p50Micros?: number;
  readonly p99Micros?: number;
}

/** Each contender's sample, by its name. */
export type Round = Readonly<Record<string, Sample>>;

/** Gives the rounds of a plan; each holds every contender. */
type Measure = (plan: Plan) => Promise<readonly Round[]>;

/** One contender's turn, measured by itself. */
type Turn = () => Promise<Sample>;

/** Runs that many operations to their end. */
export type Contender = (operations: number) => void | Promise<void>;

export interface Meter {
  wallMs(): number;
  cpuMs(): number;
}

/** The CPU time of this process and of `pids`, such as a server under load and its database. */
export function hostMeter(pids: () => readonly number[] = () => []): Meter {
  return {
    wallMs: () => performance.now(),
    cpuMs() {
      const { user, system } = process.cpuUsage();
      return pids().reduce((sum, pid) => sum + processCpuMs(pid), (user + system) / 1000);
    },
  };
}

/** Contenders that are told how many operations fill a turn, which is found out first. */
export function interleaved(
  contenders: Readonly<Record<string, Contender>>,
  meter: Meter = hostMeter(),
): Measure {
  return async ({ rounds, turnMs }) => {
    const turns: Record<string, Turn> = {};
    for (const [name, contender] of Object.entries(contenders)) {
      const operations = await calibrate(contender, turnMs, meter);
      turns[name] = () => takeTurn(contender, operations, meter);
    }
    return await rotate(turns, rounds);
  };
}

/**
 * Rounds of A B C, B C A, C A B …: whatever slows the machine for a while slows each of them, and none always runs
 * after the same neighbour.
 */
export async function rotate(turns: Readonly<Record<string, Turn>>, rounds: number): Promise<Round[]> {
  const seen = Object.entries(turns).map(([name, turn]) => async () => ({ [name]: await turn() }));
  return await rotateSeen(seen, rounds);
}

/** The same of turns that are seen as several contenders each. */
export async function rotateSeen(
  turns: readonly (() => Promise<Round>)[],
  rounds: number,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const samples: Record<string, Sample> = {};
    for (let turn = 0; turn < turns.length; turn++) {
      for (const [name, sample] of Object.entries(await turns[(round + turn) % turns.length]!())) {
        if (sample.operations === 0) throw new Error(`"${name}" did nothing in its turn.`);
        samples[name] = sample;
      }
    }
    measured.push(samples);
  }
  return measured;
}

/** How many operations fill a turn. The tries also warm the contender up. */
async function calibrate(contender: Contender, turnMs: number, meter: Meter): Promise<number> {
  for (let operations = 1;; operations *= 2) {
    const { wallMs } = await takeTurn(contender, operations, meter);
    if (wallMs >= turnMs / 2) return Math.max(1, Math.round(operations * turnMs / wallMs));
  }
}

async function takeTurn(contender: Contender, operations: number, meter: Meter): Promise<Sample> {
  const [startMs, startCpuMs] = [meter.wallMs(), meter.cpuMs()];
  await contender(operations);
  return { operations, wallMs: meter.wallMs() - startMs, cpuMs: meter.cpuMs() - startCpuMs };
}

/** A contender whose operations wait for nothing. */
export function synchronous(operation: (index: number) => void): Contender {
  return (operations) => {
    for (let index = 0; index < operations; index++) operation(index);
  };
}

/** A contender with `width` operations under way at any time; 1 is one after another. */
export function inFlight(width: number, operation: (index: number) => Promise<unknown>): Contender {
  return async (operations) => {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < operations) await operation(next++);
    };
    await Promise.all(Array.from({ length: width }, lane));
  };
}
