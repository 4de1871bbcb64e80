// npm run check: checks the structural rules of this repository.
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CHECKS } from "./check/checks.ts";
import { k6Closure } from "./check/k6_closure.ts";
import type { Offence } from "./check/offence.ts";
import { findLongFiles } from "./check/style.ts";
import { readTree } from "./check/tree.ts";

const tree = await readTree(fileURLToPath(new URL("..", import.meta.url)));
const show = ({ path, line, says }: Offence): string => `  ${path}${line ? `:${line}` : ""} ${says}`;
const closure = k6Closure(tree);

let offences = 0;
for (const [name, find] of Object.entries(CHECKS)) {
  const found = find(tree);
  offences += found.length;
  console.log(`${found.length === 0 ? "ok  " : "FAIL"} ${name}`);
  for (const offence of found) console.log(show(offence));
}
console.log(
  `note k6's closure: ${closure.length} files${
    process.argv.includes("--closure") ? "" : " (--closure lists them)"
  }`,
);
if (process.argv.includes("--closure")) { for (const path of closure) console.log(`  ${path}`); }
for (const offence of findLongFiles(tree)) console.log(`note${show(offence).slice(1)}`);
console.log(`${tree.files.size} files, ${offences === 0 ? "no violation" : `violations: ${offences}`}`);
process.exitCode = offences === 0 ? 0 : 1;
