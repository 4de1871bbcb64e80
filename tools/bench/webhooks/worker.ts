// A contender that delivers events. It is paused between its measured intervals (turns). A turn lasts from
// its release until the delivery of all loaded events is recorded.
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import type { Round } from "../harness.ts";
import { processCpuMs } from "../../testing/process_cpu.ts";
import type { WebhookStack } from "./stack.ts";

export interface Worker extends Holdable {
  /** The benchmark's own connection to the worker's database, if the worker uses a database. */
  readonly database?: Sql;
  /** Makes `count` events ready for delivery. */
  load(count: number): Promise<void>;
  isDone(): Promise<boolean>;
  stop(): void;
}

interface Holdable {
  readonly pid: number;
  hold(): void;
  release(): void;
}

/**
 * Pauses a process, so that it does nothing while another contender is measured. It keeps its connections and
 * everything it holds in memory.
 */
export function holdable(pid: number): Holdable {
  // Signal by process id: under Deno, child.kill() signals a child only once.
  process.kill(pid, "SIGSTOP");
  return {
    pid,
    hold: () => void process.kill(pid, "SIGSTOP"),
    release: () => void process.kill(pid, "SIGCONT"),
  };
}

const WARM_UP_EVENTS = 1000;
const POLL_MS = 2;
const TIMEOUT_MS = 60_000;

/**
 * A turn that gives a sample with the worker's own CPU time. If the worker uses a database, the turn gives a
 * second sample, which includes the Postgres processes.
 */
export function workerTurn(
  stack: WebhookStack,
  name: string,
  worker: Worker,
): (turnMs: number) => Promise<Round> {
  let last: Round | undefined;
  const deliver = async (operations: number): Promise<Round> => {
    await worker.load(operations);
    const backends = await backendsCpuMs(worker.database);
    const ownMs = processCpuMs(worker.pid);
    const startMs = performance.now();
    worker.release();
    await untilDelivered(name, stack, worker, operations);
    const wallMs = performance.now() - startMs;
    const cpuMs = processCpuMs(worker.pid) - ownMs;
    const databaseMs = spentMs(backends, await backendsCpuMs(worker.database));
    worker.hold();
    return {
      [name]: { operations, wallMs, cpuMs },
      ...(worker.database ? { [withPostgres(name)]: { operations, wallMs, cpuMs: cpuMs + databaseMs } } : {}),
    };
  };
  return async (turnMs) => {
    // Deliver some events before the clock starts, so that connections that were closed while idle are open
    // again.
    const warmUp = await deliver(WARM_UP_EVENTS);
    const { operations, wallMs } = (last ?? warmUp)[name]!;
    return last = await deliver(Math.ceil(operations / wallMs * turnMs));
  };
}

export const withPostgres = (name: string): string => `${name} and its Postgres`;

/** Waits until `count` more posts have reached the receivers, and the worker has recorded all of them. */
export async function untilDelivered(
  name: string,
  { expectPosts }: WebhookStack,
  { isDone }: Pick<Worker, "isDone">,
  count: number,
): Promise<void> {
  const late = new AbortController();
  const tooLate = sleep(TIMEOUT_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`"${name}" did not deliver ${count} events within ${TIMEOUT_MS / 1000} s.`);
  });
  const done = async () => {
    await expectPosts(count);
    while (!late.signal.aborted && !await isDone()) await sleep(POLL_MS);
  };
  try {
    await Promise.race([done(), tooLate]);
  } finally {
    late.abort();
    tooLate.catch(() => {});
  }
}

/** The CPU time of each process that serves a connection to this database, except for this connection. */
async function backendsCpuMs(sql: Sql | undefined): Promise<ReadonlyMap<number, number>> {
  if (!sql) return new Map();
  const backends = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  return new Map(backends.map(({ pid }) => [pid, processCpuMs(pid)]));
}

/** Counts all CPU time of a process that started in the meantime. */
const spentMs = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number =>
  [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
