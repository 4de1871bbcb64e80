import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import type { Finding } from "../stage/report.ts";
import { percentText } from "./statistics.ts";

/** One table at one moment. */
export interface Table {
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  /** Number of rows that were changed or deleted so far. Each one left a dead row. */
  readonly changed: number;
  /** How often autovacuum has processed the table. */
  readonly vacuums: number;
}

export async function readTables(sql: Sql): Promise<Table[]> {
  return await sql<Table[]>`
    select relname as name, n_live_tup::int as live, n_dead_tup::int as dead, (n_tup_upd + n_tup_del)::int as changed,
      autovacuum_count::int as vacuums
    from pg_stat_user_tables where schemaname = 'gold' order by relname`;
}

export async function readDatabaseBytes(sql: Sql): Promise<number> {
  const [row] = await sql`select pg_database_size(current_database())::text as bytes`;
  return Number(row!.bytes);
}

const DEAD_SHARE_MAX = 0.2;
/** Autovacuum's defaults: it skips a table until its dead rows exceed 50 plus 20 % of its live rows. */
const AUTOVACUUM = { dead: 50, share: 0.2 };
/** A table is hot if at least this many of its rows were changed or deleted between the two readings. */
const HOT_CHANGES = 1000;
/**
 * How long to wait for autovacuum, which runs once a minute. At least two of its runs begin within this time.
 */
const TIMEOUT_MS = 150_000;
const POLL_MS = 1000;

/**
 * Waits up to TIMEOUT_MS until autovacuum has removed enough dead rows from each hot table. Then checks
 * that the share of dead rows is small in each of these tables.
 */
export async function checkDeadTuples(
  before: readonly Table[],
  loaded: readonly Table[],
  sql: Sql,
): Promise<Finding> {
  const hot = findHot(before, loaded);
  const readHot = async () => (await readTables(sql)).filter(({ name }) => hot.includes(name));
  const deadline = performance.now() + TIMEOUT_MS;
  let left = await readHot();
  while (left.some(isBloated) && performance.now() < deadline) {
    await sleep(POLL_MS);
    left = await readHot();
  }
  const said = left.map(({ name, dead, vacuums }) => {
    const under = loaded.find((table) => table.name === name)!;
    const came = vacuums - (before.find((table) => table.name === name)?.vacuums ?? 0);
    return `${name} ${under.dead} dead and ${under.live} live under load, now ${dead} dead (vacuumed ${came} times)`;
  });
  return {
    what: `${said.join("; ") || "no table is hot"}; autovacuum ignores ${AUTOVACUUM.dead} dead rows and ${
      percentText(AUTOVACUUM.share)
    } of the live rows`,
    violations: left.filter(isBloated).map((table) =>
      `${percentText(shareOfDead(table))} of ${table.name} is dead after autovacuum; the limit is ${
        percentText(DEAD_SHARE_MAX)
      }`
    ),
  };
}

function findHot(before: readonly Table[], after: readonly Table[]): string[] {
  const changed = new Map(before.map(({ name, changed }) => [name, changed]));
  return after.filter(({ name, changed: now }) => now - (changed.get(name) ?? 0) >= HOT_CHANGES)
    .map(({ name }) => name);
}

const isBloated = (table: Table): boolean =>
  table.dead > AUTOVACUUM.dead + AUTOVACUUM.share * table.live && shareOfDead(table) >= DEAD_SHARE_MAX;

const shareOfDead = ({ live, dead }: Table): number => dead / Math.max(1, live + dead);
