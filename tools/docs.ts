// npm run docs [-- --check]: regenerates the pages that are made from the code. --check writes nothing and
// reports whether they are current.
// Exit: 0 done or current, 1 a page is not current, 2 wrong usage.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { PAGES } from "./docs/pages.ts";

const [STALE, USAGE] = [1, 2];

const args = process.argv.slice(2);
const check = args[0] === "--check";
if (args.length > (check ? 1 : 0)) {
  console.error("Usage: npm run docs [-- --check]");
  process.exit(USAGE);
}
for (const [path, write] of Object.entries(PAGES)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const before = readFileSync(file, "utf8");
  const text = write(before);
  if (!check) writeFileSync(file, text);
  if (!check || text === before) {
    console.log(`${path} is up to date.`);
  } else {
    console.error(`${path} is out of date. Run npm run docs and review the changes.`);
    process.exitCode = STALE;
  }
}
