// npm run format [-- --check]: formats the whole tree with Deno's formatter. JSON that programs write and nobody
// reads line by line, such as the dashboards, the lockfiles of tools and the results of benchmarks, is written in few
// lines instead.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { listFiles } from "./check/tree.ts";
import { findRuntimes, runVisibly } from "./test/runtimes.ts";
import { ROOT } from "./test/tier.ts";
import { compactJson } from "./testing/compact_json.ts";

const IN_FEW_LINES =
  /^(site|tools)\/.*package-lock\.json$|^(deploy\/grafana\/dashboards|docs\/performance)\/.*\.json$/;
const args = process.argv.slice(2);
const checks = args.includes("--check");

process.exitCode = await runVisibly(ROOT, findRuntimes(ROOT).deno, ["fmt", ...args]);
for (const file of listFiles(ROOT).filter((path) => IN_FEW_LINES.test(path))) {
  const text = readFileSync(join(ROOT, file), "utf8");
  const compact = compactJson(JSON.parse(text));
  if (text === compact) continue;
  if (!checks) writeFileSync(join(ROOT, file), compact);
  else {
    console.error(`${file} is not in few lines: run npm run format.`);
    process.exitCode = 1;
  }
}
