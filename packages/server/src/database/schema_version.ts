import { readMigrations } from "./migrations.ts";
import type { Query } from "./query.ts";

/** The SQLSTATEs of a database without the function or the schema, of 0.4.0 or earlier. */
const UNKNOWN: readonly unknown[] = ["42883", "3F000"];

/**
 * Throws if the database lacks a migration of this version. The process would otherwise start, and fail each
 * request that needs a new routine. A database of a later version is accepted: its `release_*.sql` keep the
 * routines that this version calls, so that an upgrade can be rolled back.
 */
export async function requireSchema(sql: Query): Promise<void> {
  const newest = readMigrations().at(-1)!.folderMillis;
  const [row] = await sql<{ version: string }[]>`select gold.schema_version()::text as version`.catch(
    (error: { code?: unknown }) => {
      if (UNKNOWN.includes(error.code)) return [];
      throw error;
    },
  );
  if (row && Number(row.version) >= newest) return;
  throw new Error(
    "The database has the schema of an earlier version. Run `gold db migrate` of this version, then start this " +
      "process again. Processes of the last release keep serving.",
  );
}
