import type { Sql } from "postgres";

/** Returns the sizes of gold.nonce and of its indexes, and whether Postgres uses huge pages, as text. */
export async function describeSize(sql: Sql): Promise<string> {
  const [{ tableBytes, indexBytes }] = await sql<[{ tableBytes: number; indexBytes: number }]>`
    select pg_table_size('gold.nonce')::float8 as "tableBytes", pg_indexes_size('gold.nonce')::float8 as "indexBytes"`;
  const [{ pages }] = await sql<[{ pages: string }]>`
    select coalesce(current_setting('huge_pages_status', true), 'unknown') as pages`;
  const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20).toLocaleString("en-US");
  return `${mebibytes(tableBytes)} MiB and ${mebibytes(indexBytes)} MiB of index, huge pages: ${pages}`;
}
