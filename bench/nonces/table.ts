// What the table of nonces has come to, and what a nonce costs it.
import type { Sql } from "postgres";

interface TableState {
  readonly walBytes: number;
  readonly fullPages: number;
  readonly blocksRead: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
}

/** Of one turn: what it wrote and read, and what stands afterwards. */
export interface TableCount extends TableState {
  readonly operations: number;
}

export async function readTable(sql: Sql): Promise<TableState> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<[TableState]>`
    select w.wal_bytes::float8 as "walBytes", w.wal_fpi::float8 as "fullPages",
      (t.heap_blks_read + t.idx_blks_read)::float8 as "blocksRead",
      pg_table_size('gold.nonce')::float8 as "tableBytes", pg_indexes_size('gold.nonce')::float8 as "indexBytes"
    from pg_stat_wal w, pg_statio_user_tables t where t.relid = 'gold.nonce'::regclass`;
  return row;
}

export const countTurn = (before: TableState, after: TableState, operations: number): TableCount => ({
  ...after,
  walBytes: after.walBytes - before.walBytes,
  fullPages: after.fullPages - before.fullPages,
  blocksRead: after.blocksRead - before.blocksRead,
  operations,
});

export function describeTable(counts: readonly TableCount[]): string {
  const last = counts.at(-1);
  if (!last) return "no turn was taken";
  const operations = counts.reduce((sum, one) => sum + one.operations, 0);
  const each = (name: "walBytes" | "fullPages" | "blocksRead") =>
    counts.reduce((sum, one) => sum + one[name], 0) / operations;
  const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20).toLocaleString("en-US");
  return `${mebibytes(last.tableBytes)} MiB and ${mebibytes(last.indexBytes)} MiB of index; a nonce wrote ` +
    `${each("walBytes").toFixed(0)} bytes of WAL with ${each("fullPages").toFixed(3)} full pages, and read ${
      each("blocksRead").toFixed(3)
    } blocks from outside the shared buffers`;
}
