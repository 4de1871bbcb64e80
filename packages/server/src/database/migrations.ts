import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import type { TransactionSql } from "postgres";
import { readConcurrentIndex } from "./concurrent_indexes.ts";

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));

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
 * @throws MigrationRefused if a later version migrated the database, or if a release has to migrate it first
 * that knows older databases.
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
  const baseline = migrations[0]!.folderMillis;
  if (at > 0 && (at < baseline || (at === baseline && !await isFinished(sql)))) {
    throw new MigrationRefused(
      "Nothing was done, because this version upgrades only databases of 0.5.0 and later, after the end of their " +
        "upgrade. Run `gold db migrate` and then `gold db migrate --finish` of 0.5.0 first.",
    );
  }
  return migrations.filter(({ folderMillis }) => folderMillis > at).flatMap((
    { sql, hash, folderMillis },
  ) => [
    ...sql.filter((statement) => !readConcurrentIndex(statement)),
    `insert into gold_migrations.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis});`,
  ]).join("\n;\n");
}

/**
 * Whether `gold db migrate --finish` of 0.5.0 ended the upgrade from an earlier version. Until then, the
 * database takes orders without a signed request, and gold_api may do the work of every process.
 */
async function isFinished(sql: TransactionSql): Promise<boolean> {
  const [row] = await sql`
    select exists (select from pg_constraint where conname = 'idempotency_key_signed')
      and not bool_or(has_function_privilege('gold_api', p.oid, 'execute')) as finished
    from pg_proc p where p.pronamespace = to_regnamespace('gold') and p.proname = 'tick_price'`;
  return row!.finished === true;
}
