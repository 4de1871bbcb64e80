import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../testing/until.ts";
import type { Deployment } from "../stage/deployment.ts";

// Holds the service at one of its steps by locks, signals or the network, because the service has no hooks
// for this.

/** A process or statement that is held at one of its steps. */
export interface Held {
  /**
   * Checks from outside whether the step has been reached; returns undefined until then. Afterwards, returns
   * the pid of the database backend that the proof may kill at this step, or 0 if no backend is at work.
   */
  show(): Promise<number | undefined>;
  release(): Promise<void>;
}

/** A commit that takes longer than this is waiting for something. */
const COMMIT_MS = 300;
const REACH_MS = 30_000;

/**
 * Takes locks in a separate transaction. The locks are held until the returned function is called, or until
 * the transaction's backend is killed together with all others.
 */
export async function lock(deployment: Deployment, statement: string): Promise<() => Promise<void>> {
  const session = deployment.connectSuperuser(1);
  await session.unsafe("begin");
  await session.unsafe(statement);
  return () => session.end({ timeout: 0 });
}

/** Returns the backend that runs `statement` and waits for a row of `table`, or for the table itself. */
export async function findWaiting(
  { sql }: Deployment,
  statement: string,
  table: string,
): Promise<number | undefined> {
  const [row] = await sql`
    select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
    where a.application_name like 'gold-partner-%' and a.query like ${`%${statement}%`} and a.wait_event_type = 'Lock'
      and l.relation = ${table}::text::regclass and (l.locktype = 'tuple' or not l.granted)
    limit 1`;
  return row?.pid as number | undefined;
}

export async function findAwaitingStandby(
  { sql }: Deployment,
  statement: string,
): Promise<number | undefined> {
  const [row] = await sql`
    select pid from pg_stat_activity
    where application_name like 'gold-partner-%' and query like ${`%${statement}%`} and wait_event = 'SyncRep' limit 1`;
  return row?.pid as number | undefined;
}

/**
 * Makes every commit wait forever for a standby that does not exist. The commits are on disk, but no client
 * gets an answer.
 */
export async function requireMissingStandby(deployment: Deployment): Promise<() => Promise<void>> {
  const { sql } = deployment;
  const configure = async (name: string) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${name}'`);
    await sql`select pg_reload_conf()`;
  };
  await configure("nobody");
  // Wait until a commit of this session hangs, because the setting is then in effect.
  const canary = deployment.connectSuperuser(1);
  await canary`set synchronous_commit = on`;
  let hangs = false;
  while (!hangs) {
    const commit = canary`select pg_logical_emit_message(true, 'prove', '')`.then(() => false, () => false);
    hangs = await Promise.race([commit, sleep(COMMIT_MS, true)]);
  }
  return async () => {
    await configure("");
    await canary.end({ timeout: 0 });
  };
}

export async function releaseAll(releases: readonly (() => Promise<void>)[]): Promise<void> {
  for (const release of releases) await release();
}

/** Freezes the first server. `reached` returns the pid once the step is reached. */
export function freeze({ servers: [server] }: Deployment, reached: () => Promise<number>): Held {
  const { pid } = server!;
  process.kill(pid, "SIGSTOP");
  return {
    show: async () => await server!.isAlive() ? undefined : await reached(),
    async release() {
      if (server!.runsAs(pid)) process.kill(pid, "SIGCONT");
    },
  };
}

/** Waits until the step is reached, and returns the pid from show(). */
export async function reach({ name }: { readonly name: string }, held: Held): Promise<number> {
  let pid: number | undefined;
  await until(async () => (pid = await held.show()) !== undefined, () => name, REACH_MS);
  return pid!;
}
