import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import type { TransactionSql } from "postgres";
import { readConcurrentIndex } from "./concurrent_indexes.ts";

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));
/**
 * The newest migration of 0.3.0, by its time. Processes of earlier versions call routines that this version
 * does not have.
 */
const OLDEST_RUNNING_AT = 1_795_367_818_450;

/** The migration changed nothing, because this version cannot migrate this database now. */
class MigrationRefused extends Error {
  override readonly name: string = "MigrationRefused";
  readonly code = "migration_refused";
}

export const readMigrations = (): readonly MigrationMeta[] =>
  readMigrationFiles({ migrationsFolder: MIGRATIONS });

/**
 * Returns the SQL of the missing migrations, without their concurrent indexes. Each migration also records
 * itself in the table that drizzle's own migrator uses.
 *
 * @throws MigrationRefused if a later version migrated the database, or if processes serve it whose version
 * is too old to continue on the new schema.
 */
export async function findMissing(
  sql: TransactionSql,
  migrations: readonly MigrationMeta[],
): Promise<string> {
  await sql`create schema if not exists gold_migrations`;
  await sql`create table if not exists gold_migrations.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  const [newest] =
    await sql`select coalesce(max(created_at), 0)::text as at from gold_migrations.__drizzle_migrations`;
  const at = Number(newest!.at);
  // This version's routines would replace those of the later version, and its processes would fail.
  if (at > migrations.at(-1)!.folderMillis) {
    throw new MigrationRefused(
      "A later version has migrated this database: nothing was done. To roll back, only start the processes of " +
        "this version; they work on the later schema.",
    );
  }
  if (at > 0 && at < OLDEST_RUNNING_AT) await refuseRunningProcesses(sql);
  return migrations.filter(({ folderMillis }) => folderMillis > at).flatMap((
    { sql, hash, folderMillis },
  ) => [
    ...sql.filter((statement) => !readConcurrentIndex(statement)),
    `insert into gold_migrations.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis});`,
  ]).join("\n;\n");
}

async function refuseRunningProcesses(sql: TransactionSql): Promise<void> {
  const [row] = await sql`
    select count(*)::int as connections from pg_stat_activity
    where datname = current_database() and application_name = 'gold-partner'`;
  if (row!.connections === 0) return;
  throw new MigrationRefused(
    `Processes of 0.2.0 or earlier have ${
      row!.connections
    } connection(s) to this database, and they cannot ` +
      "serve on the new schema: nothing was done. Upgrade to 0.3.0 first, replace all processes, and run this " +
      "command again. Or stop all processes first, and accept the outage.",
  );
}
