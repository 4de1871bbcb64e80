// npm run format [-- --check]: one formatter for the tree, Deno's.
import process from "node:process";
import { findRuntimes, runVisibly } from "./test/runtimes.ts";
import { ROOT } from "./test/tier.ts";

process.exitCode = await runVisibly(ROOT, findRuntimes(ROOT).deno, ["fmt", ...process.argv.slice(2)]);
