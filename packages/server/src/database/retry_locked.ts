import { setTimeout as sleep } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
const OBSERVE_MS = 50;

/**
 * In this order: lock timeout, statement timeout, deadlock, and unique violation. The last one means that the
 * migration of another database has just created the same role.
 */
const LOCKED = /^(55P03|57014|40P01|23505)$/;
/**
 * The message is compared, because concurrent changes of one catalog row have no error code of their own.
 * They are caused, for example, by GRANT, by a new partition, and by the removal of an operator's login.
 */
const CONCURRENT_CHANGE = /tuple concurrently (updated|deleted)|was concurrently dropped/;

/** The migration changed nothing, because another session held a lock that it needs. */
class MigrationBlocked extends Error {
  override readonly name: string = "MigrationBlocked";
  readonly code = "migration_blocked";
}

/**
 * Runs `apply` in one transaction. If it cannot get a lock, retries after a pause, for about `limitMs`.
 * `observer` is another connection; it finds out which session blocks the migration.
 */
export async function retryLocked(
  sql: Sql,
  observer: Sql,
  limitMs: number,
  apply: (transaction: TransactionSql) => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  let blocker: string | undefined;
  for (let attempt = 0;; attempt++) {
    const running = sql.begin(apply).then(() => undefined, (error: unknown) => error ?? new Error("unknown"));
    blocker = await observe(observer, pid, running) ?? blocker;
    const error = await running;
    if (error === undefined) return;
    if (!isContention(error)) throw error;
    if (performance.now() > deadline) {
      throw new MigrationBlocked(sentenceOf(blocker, limitMs, error), { cause: error });
    }
    // Vary the pause at random, to keep two migrations from colliding at every retry.
    await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2));
  }
}

function isContention(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  return LOCKED.test(code) || CONCURRENT_CHANGE.test(message);
}

/** Watches while `running` is pending. Returns the last session that blocked `pid`. */
async function observe(observer: Sql, pid: number, running: Promise<unknown>): Promise<string | undefined> {
  let blocker: string | undefined;
  let pending = true;
  void running.then(() => pending = false);
  while (await Promise.race([running, sleep(OBSERVE_MS)]), pending) {
    const [row] = await observer`
      select a.pid, a.usename as login, a.application_name as program, coalesce(a.xact_start, a.query_start)::text as since
      from unnest(pg_blocking_pids(${pid})) b (pid) join pg_stat_activity a on a.pid = b.pid
      order by a.xact_start limit 1`;
    if (row) {
      blocker = `pid ${row.pid} (login ${row.login}, program ${row.program || "unknown"}${
        row.since ? `, in a transaction since ${row.since}` : ""
      }). Wait until that session has finished, or end it with select pg_terminate_backend(${row.pid})`;
    }
  }
  return blocker;
}

function sentenceOf(blocker: string | undefined, limitMs: number, error: unknown): string {
  const seconds = Math.round(limitMs / 1000);
  return blocker
    ? `The migration changed nothing: for ${seconds} s it could not lock its tables, because of ${blocker}. Then run \`gold db migrate\` again.`
    : `The migration changed nothing: for ${seconds} s other sessions blocked it (${
      (error as Error).message
    }). Run \`gold db migrate\` again.`;
}
