// npm run schema [-- --check]: regenerates packages/audit/catalog.json, the hash of each object of a freshly
// migrated database. --check writes nothing.
// Exit: 0 written or no difference, 1 it differs, 2 wrong usage, 3 Postgres 15 is missing.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findPrograms, MissingPart } from "./postgres_15.ts";
import { makeCatalog } from "./schema/make_catalog.ts";

const CATALOG = fileURLToPath(new URL("../packages/audit/catalog.json", import.meta.url));
const [SAME, DIFFERS, USAGE, MISSING] = [0, 1, 2, 3];

async function run(args: readonly string[]): Promise<number> {
  const check = args[0] === "--check";
  if (args.length > (check ? 1 : 0)) {
    console.error("Usage: npm run schema [-- --check]");
    return USAGE;
  }
  const catalog = await makeCatalog(findPrograms());
  if (!check) writeFileSync(CATALOG, catalog);
  else if (readFileSync(CATALOG, "utf8") !== catalog) {
    console.error("packages/audit/catalog.json is out of date. Run npm run schema.");
    return DIFFERS;
  }
  console.log("packages/audit/catalog.json is up to date.");
  return SAME;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MissingPart)) throw error;
  console.error(error.message);
  process.exitCode = MISSING;
}
