// npm run loadtest -- SCENARIO [--partners N …]: runs a scenario of loadtest/ for several partners at once,
// one k6 process per partner, and judges them as one run.
// npm run loadtest -- compare BEFORE AFTER: shows what changed between two runs.
// Exit: 0 done, 1 a signal ended the run or a k6 process ended with an unexpected code, 2 wrong usage, 3
// something is missing, 99 a threshold or a check failed.
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readSurroundings, reportSurroundings } from "./testing/surroundings.ts";
import { compareRuns } from "./loadtest/comparison.ts";
import { MissingError } from "./loadtest/partner_file.ts";
import { readPlan, USAGE, UsageError } from "./loadtest/plan.ts";
import { summarizeRun, writeMarkdown } from "./loadtest/report.ts";
import { runLoad } from "./loadtest/run.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const EXIT = { passed: 0, broken: 1, usage: 2, missing: 3, failed: 99 } as const;

async function run(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(USAGE);
    return EXIT.passed;
  }
  if (args[0] === "compare") {
    console.log(await compareRuns(args.slice(1)));
    return EXIT.passed;
  }
  const plan = readPlan(args, ROOT, new Date());
  const summary = summarizeRun(await runLoad(plan, ROOT), reportSurroundings(readSurroundings()));
  const text = writeMarkdown(summary);
  await writeFile(join(plan.resultsDir, "summary.md"), text);
  await writeFile(join(plan.resultsDir, "summary.json"), JSON.stringify(summary));
  console.log(`${text}\nResults, and k6's own report of each process: ${plan.resultsDir}`);
  if (summary.passed) return EXIT.passed;
  return summary.faults.length > 0 ? EXIT.broken : EXIT.failed;
}

const code = await run(process.argv.slice(2)).catch((error: Error) => {
  if (error instanceof UsageError) console.error(`${error.message}\n${USAGE}`);
  else if (error instanceof MissingError) console.error(error.message);
  else throw error;
  return error instanceof UsageError ? EXIT.usage : EXIT.missing;
});
// If Deno ends by itself while its compiler is still working, it sometimes dies of a segmentation fault.
process.exit(code);
