import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "@gold-partner/database";
import type { MigrationMeta } from "drizzle-orm/migrator";
import type { Sql } from "postgres";

// An index on a large table takes minutes. Inside the transaction of the migration, all orders would wait for
// it. So a migration declares it with CREATE INDEX CONCURRENTLY (drizzle: index().concurrently()), and it is
// built after that transaction, while orders continue. Until then, queries are slower, but correct.

/** The advisory lock of the one session that builds indexes. */
const BUILD_LOCK = 1_735_355_493;
const POLL_MS = 500;
const STATEMENT = /^(?:\s|--[^\n]*\n)*CREATE (?:UNIQUE )?INDEX CONCURRENTLY "(\w+)" ON "gold"\./i;
const DROP = /DROP INDEX (?:CONCURRENTLY )?(?:IF EXISTS )?"gold"\."(\w+)"/gi;

/** An index was not built. The next migration builds it. */
class IndexNotBuilt extends Error {
  override readonly name: string = "IndexNotBuilt";
  readonly code = "index_not_built";
}

/** Returns the name of the index if the statement builds one concurrently. */
export const readConcurrentIndex = (statement: string): string | undefined => STATEMENT.exec(statement)?.[1];

/**
 * Builds the concurrent indexes of all migrations that are missing, one after another. An index whose build
 * was interrupted exists, but is invalid: it is dropped and built again.
 *
 * `report` gets a line when a build starts, and each time its progress changes.
 */
export async function buildIndexes(
  url: string,
  migrations: readonly MigrationMeta[],
  report: (line: string) => void,
): Promise<void> {
  const wanted = listIndexes(migrations);
  const observer = openDatabase(url, { onnotice: () => {} });
  // The builds wait for older transactions of any length. Nobody waits for a build.
  const sql = openDatabase(url, {
    onnotice: () => {},
    connection: { application_name: "gold db migrate", statement_timeout: 0, lock_timeout: 0 },
  });
  try {
    if ((await findUnbuilt(observer, wanted)).length === 0) return;
    // Poll, because a session that waits for a lock has a snapshot, and the build would wait for that
    // session.
    while (!await tryLock(sql)) await sleep(POLL_MS);
    for (const { name, isInvalid } of await findUnbuilt(sql, wanted)) {
      if (isInvalid) {
        report(`Index ${name}: an earlier build was interrupted; building it again`);
        await sql.unsafe(`drop index concurrently gold.${name}`);
      }
      await build(sql, observer, name, wanted.get(name)!, report);
    }
  } finally {
    // Without a timeout, the driver would wait for a connection that was lost during a statement.
    await Promise.all([sql.end({ timeout: 1 }), observer.end()]);
  }
}

/** The statement of each concurrent index that no later migration drops, by name. */
function listIndexes(migrations: readonly MigrationMeta[]): Map<string, string> {
  const wanted = new Map<string, string>();
  for (const statement of migrations.flatMap(({ sql }) => sql)) {
    const name = readConcurrentIndex(statement);
    if (name !== undefined) wanted.set(name, statement);
    for (const [, dropped] of statement.matchAll(DROP)) wanted.delete(dropped!);
  }
  return wanted;
}

interface Unbuilt {
  readonly name: string;
  readonly isInvalid: boolean;
}

async function findUnbuilt(sql: Sql, wanted: ReadonlyMap<string, string>): Promise<Unbuilt[]> {
  const rows = await sql<{ name: string; valid: boolean }[]>`
    select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'gold'::regnamespace`;
  const valid = new Map(rows.map((row) => [row.name, row.valid]));
  return [...wanted.keys()].filter((name) => valid.get(name) !== true)
    .map((name) => ({ name, isInvalid: valid.has(name) }));
}

async function tryLock(sql: Sql): Promise<boolean> {
  const [row] = await sql`select pg_try_advisory_lock(${BUILD_LOCK}) as locked`;
  return row!.locked as boolean;
}

async function build(
  sql: Sql,
  observer: Sql,
  name: string,
  statement: string,
  report: (line: string) => void,
): Promise<void> {
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  let pending = true;
  const building = sql.unsafe(statement).then(() => undefined, (error: Error) => error).finally(() =>
    pending = false
  );
  let shown: string | undefined;
  while (await Promise.race([building, sleep(POLL_MS)]), pending) {
    const line = await describeProgress(observer, pid);
    if (line !== undefined && line !== shown) report(`Index ${name}: ${shown = line}`);
  }
  const error = await building;
  if (error) {
    throw new IndexNotBuilt(
      `All else is migrated, but the index ${name} was not built: ${error.message}. Run \`gold db migrate\` again.`,
      { cause: error },
    );
  }
}

/** For example `building index: scanning table, 45 %`. */
async function describeProgress(observer: Sql, pid: number): Promise<string | undefined> {
  const [row] = await observer<{ phase: string; percent: number | null }[]>`
    select p.phase, floor(100.0 * step.done / nullif(step.total, 0))::int as percent
    from pg_stat_progress_create_index p, lateral (
      select p.lockers_done, p.lockers_total where p.phase like 'waiting%'
      union all
      select greatest(p.blocks_done, p.tuples_done), greatest(p.blocks_total, p.tuples_total)
      where p.phase not like 'waiting%'
    ) step (done, total)
    where p.pid = ${pid}`;
  return row && `${row.phase}${row.percent === null ? "" : `, ${row.percent} %`}`;
}
