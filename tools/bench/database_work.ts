// Measures the database work of one contender during one measured interval (a turn): WAL written and blocks
// read.
import type { Sql } from "postgres";

/** Totals since the server's statistics began. */
interface Totals {
  readonly walBytes: number;
  readonly fullPages: number;
  readonly blocksRead: number;
}

export interface Work extends Totals {
  readonly operations: number;
}

async function readTotals(sql: Sql): Promise<Totals> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<[Totals]>`
    select w.wal_bytes::float8 as "walBytes", w.wal_fpi::float8 as "fullPages", d.blks_read::float8 as "blocksRead"
    from pg_stat_wal w, pg_stat_database d where d.datname = current_database()`;
  return row;
}

/** Runs `act` and adds its database work to `works`. */
export async function noteWork<T extends { readonly operations: number }>(
  works: Work[],
  sql: Sql,
  act: () => Promise<T>,
): Promise<T> {
  const before = await readTotals(sql);
  const sample = await act();
  const after = await readTotals(sql);
  works.push({
    operations: sample.operations,
    walBytes: after.walBytes - before.walBytes,
    fullPages: after.fullPages - before.fullPages,
    blocksRead: after.blocksRead - before.blocksRead,
  });
  return sample;
}

/** Describes the average database work of one operation. `operation` has its article: "an order". */
export function describeWork(works: readonly Work[], operation: string): string {
  const each = (name: keyof Totals) =>
    works.reduce((sum, work) => sum + work[name], 0) / works.reduce((sum, work) => sum + work.operations, 0);
  return `${operation} wrote ${each("walBytes").toFixed(0)} bytes of WAL with ${
    each("fullPages").toFixed(3)
  } full pages, and read ${each("blocksRead").toFixed(3)} blocks from outside the shared buffers`;
}
