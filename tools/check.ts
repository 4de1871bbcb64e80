// npm run check: checks the structural rules of this repository.
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CHECKS } from "./check/checks.ts";
import { k6Closure } from "./check/k6_closure.ts";
import type { Violation } from "./check/violation.ts";
import { findLongFiles } from "./check/style.ts";
import { readTree } from "./check/tree.ts";

const tree = await readTree(fileURLToPath(new URL("..", import.meta.url)));
const show = ({ path, line, says }: Violation): string => `  ${path}${line ? `:${line}` : ""} ${says}`;
const closure = k6Closure(tree);

let violations = 0;
for (const [name, find] of Object.entries(CHECKS)) {
  const found = find(tree);
  violations += found.length;
  console.log(`${found.length === 0 ? "ok  " : "FAIL"} ${name}`);
  for (const violation of found) console.log(show(violation));
}
console.log(
  `note k6's closure: ${closure.length} files${
    process.argv.includes("--closure") ? "" : " (--closure lists them)"
  }`,
);
if (process.argv.includes("--closure")) { for (const path of closure) console.log(`  ${path}`); }
for (const violation of findLongFiles(tree)) console.log(`note${show(violation).slice(1)}`);
console.log(`${tree.files.size} files, ${violations === 0 ? "no violation" : `violations: ${violations}`}`);
process.exitCode = violations === 0 ? 0 : 1;
