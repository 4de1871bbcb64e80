// npm run format [-- --check]: formats the whole tree with Deno's formatter.
import process from "node:process";
import { findRuntimes, runVisibly } from "./test/runtimes.ts";
import { ROOT } from "./test/tier.ts";

process.exitCode = await runVisibly(ROOT, findRuntimes(ROOT).deno, ["fmt", ...process.argv.slice(2)]);
