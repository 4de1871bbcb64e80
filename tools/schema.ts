// npm run schema [-- --check]: regenerates packages/server/schema.sql, the tables, views and triggers of a
// freshly migrated database, and packages/audit/catalog.json, the hash of each of its objects. --check writes
// nothing and prints the difference. schema.sql shows a reviewer how a migration changed the whole schema.
// Exit: 0 written or no difference, 1 it differs, 2 wrong usage, 3 Postgres 15 is missing.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findPrograms, MissingPart } from "./postgres_15.ts";
import { dumpSchema } from "./schema/dump_schema.ts";
import { makeCatalog } from "./schema/make_catalog.ts";

const FILE = fileURLToPath(new URL("../packages/server/schema.sql", import.meta.url));
const CATALOG = fileURLToPath(new URL("../packages/audit/catalog.json", import.meta.url));
const [SAME, DIFFERS, USAGE, MISSING] = [0, 1, 2, 3];

async function run(args: readonly string[]): Promise<number> {
  const check = args[0] === "--check";
  if (args.length > (check ? 1 : 0)) {
    console.error("Usage: npm run schema [-- --check]");
    return USAGE;
  }
  const dump = await dumpSchema(findPrograms());
  if (!check) writeFileSync(FILE, dump);
  const catalog = await makeCatalog(findPrograms());
  if (!check) writeFileSync(CATALOG, catalog);
  else if (readFileSync(CATALOG, "utf8") !== catalog) {
    console.error("packages/audit/catalog.json is out of date. Run npm run schema.");
    return DIFFERS;
  }
  // Let diff read the dump from standard input ("-"). With -N, a missing file counts as an empty one.
  const diff = spawnSync("diff", ["-uN", "--label", "schema.sql", "--label", "a fresh database", FILE, "-"], {
    input: dump,
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (diff.error) throw diff.error;
  if (diff.status !== 0) {
    console.error(
      "packages/server/schema.sql is out of date. Run npm run schema and review the changes.",
    );
    return DIFFERS;
  }
  console.log("packages/server/schema.sql and packages/audit/catalog.json are up to date.");
  return SAME;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MissingPart)) throw error;
  console.error(error.message);
  process.exitCode = MISSING;
}
