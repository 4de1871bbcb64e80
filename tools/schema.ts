// npm run schema [-- --check]: regenerates packages/audit/catalog.json, the hash of each object of a freshly
// migrated database, and keeps the newest snapshot of drizzle-kit alone, in few lines. --check writes nothing.
// Exit: 0 written or no difference, 1 it differs, 2 wrong usage, 3 Postgres 15 is missing.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compactJson } from "./testing/compact_json.ts";
import { MissingPostgres } from "./testing/debian_postgres.ts";
import { makeCatalog } from "./schema/make_catalog.ts";

const CATALOG = fileURLToPath(new URL("../packages/audit/catalog.json", import.meta.url));
const SNAPSHOTS = fileURLToPath(new URL("../packages/server/migrations/meta", import.meta.url));
const [SAME, DIFFERS, USAGE, MISSING] = [0, 1, 2, 3];

async function run(args: readonly string[]): Promise<number> {
  const check = args[0] === "--check";
  if (args.length > (check ? 1 : 0)) {
    console.error("Usage: npm run schema [-- --check]");
    return USAGE;
  }
  if (!check) keepNewestSnapshot();
  const catalog = await makeCatalog();
  if (!check) writeFileSync(CATALOG, catalog);
  else if (readFileSync(CATALOG, "utf8") !== catalog) {
    console.error("packages/audit/catalog.json is out of date. Run npm run schema.");
    return DIFFERS;
  }
  console.log("packages/audit/catalog.json is up to date.");
  return SAME;
}

/** drizzle-kit compares the tables with the newest snapshot alone. */
function keepNewestSnapshot(): void {
  const names = readdirSync(SNAPSHOTS).filter((name) => name.endsWith("_snapshot.json")).sort();
  const newest = join(SNAPSHOTS, names.pop()!);
  for (const name of names) rmSync(join(SNAPSHOTS, name));
  writeFileSync(newest, compactJson(JSON.parse(readFileSync(newest, "utf8"))));
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MissingPostgres)) throw error;
  console.error(error.message);
  process.exitCode = MISSING;
}
