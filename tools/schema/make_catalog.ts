import { makeFingerprint, openAuditConnection, readObjects } from "@gold-partner/audit";
import { testPostgres } from "@gold-partner/dev/postgres";
import { migrate } from "@gold-partner/server";
import postgres from "postgres";
import { compactJson } from "../testing/compact_json.ts";
import { withPostgres15 } from "../postgres_15.ts";

/**
 * Returns packages/audit/catalog.json: the hashes of all objects of freshly migrated databases. It reads
 * them on Postgres 15 and on the newest version, which spell some expressions differently.
 */
export async function makeCatalog(): Promise<string> {
  const newest = await testPostgres();
  try {
    const databases = [
      ...await withPostgres15((urlOf) => readAll((database) => createDatabase(urlOf, database))),
      ...await readAll(() => newest.createDatabase()),
    ];
    return compactJson(makeFingerprint(databases));
  } finally {
    await newest.stop();
  }
}

async function createDatabase(urlOf: (database: string) => string, name: string): Promise<string> {
  const admin = postgres(urlOf("postgres"), { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name}`);
  await admin.end();
  return urlOf(name);
}

async function readAll(create: (name: string) => Promise<string>) {
  const databases = [];
  for (const variant of ["sandbox", "production"] as const) {
    const url = await create(variant);
    await migrate(url, { environment: variant });
    const sql = openAuditConnection(url);
    await sql.unsafe("set search_path = pg_catalog, pg_temp");
    databases.push({ variant, objects: await readObjects(sql) });
    await sql.end();
  }
  return databases;
}
