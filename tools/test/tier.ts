import { availableParallelism } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { testPostgres } from "@gold-partner/dev/postgres";
import { listTestFiles, type Tier } from "./files.ts";
import { covers, readOneRuntime } from "./one_runtime.ts";
import { findRuntimes } from "./runtimes.ts";
import { inFolder } from "./share.ts";
import { runSuites } from "./suites.ts";

/**
 * How many groups of test files run at once for each core. More groups run than there are cores, because a
 * test file spends a part of its time waiting, for example for Postgres or for Envoy.
 */
const LANES_A_CORE = 2;

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs one tier on both runtimes, and prints every fault and a summary. `besides` are the faults of what runs
 * beside the tier. Returns true if there was no fault.
 */
export async function runTier(
  tier: Tier,
  below: readonly string[] = [],
  besides: readonly string[] | Promise<readonly string[]> = [],
  { nodeAlone = false, sqlAlone = false } = {},
): Promise<boolean> {
  const runtimes = findRuntimes(ROOT);
  const oneRuntime = readOneRuntime(ROOT);
  const files = listTestFiles(ROOT, tier, below);
  if (files.length === 0) {
    console.error(
      `The run failed, because there is no test file${below.length ? ` below ${below.join(", ")}` : ""}.`,
    );
    return false;
  }
  const start = performance.now();
  const stopDatabase = await shareDatabase(files);
  const lanes = Math.ceil(LANES_A_CORE * availableParallelism());
  const plan = { root: ROOT, runtimes, files, oneRuntime, nodeAlone, sqlAlone, lanes };
  const { node, deno, faults, sqlSuites } = await inFolder((shared) => {
    // A folder for what the test files of one run share.
    process.env.TEST_SHARED = shared;
    return runSuites(plan);
  }).finally(stopDatabase);
  const skipped = node.skipped + deno.skipped;
  const all = [...await besides, ...faults];
  if (node.ran + deno.ran === 0) all.push("The run failed, because no test ran.");
  if (skipped > 0) all.push("A test was skipped, ignored or marked as todo. Enable it, or remove it.");

  console.log(
    `\n${tier} suites: ${files.length} files, ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
  for (const [path, { runtime, reason }] of Object.entries(oneRuntime)) {
    if (files.some((file) => covers(path, file))) console.log(`only on ${runtime}: ${path} (${reason})`);
  }
  if (sqlSuites > 0) console.log(`only on node: ${sqlSuites} suites of SQL (tools/test/sql_suites.ts)`);
  if (below.length > 0) console.log(`Only files below ${below.join(", ")} ran.`);
  for (const fault of all) console.error(fault);
  console.log(`node: ${node.ran}  ${nodeAlone ? "" : `deno: ${deno.ran}  `}skipped: ${skipped}`);
  return all.length === 0;
}

/**
 * Starts one Postgres for all files that need it, and returns a function that stops it. Each file creates its
 * own databases there, from one migrated template.
 */
async function shareDatabase(files: readonly string[]): Promise<() => Promise<void>> {
  if (process.env.TEST_POSTGRES_URL || !files.some((file) => file.includes(".pg."))) {
    return () => Promise.resolve();
  }
  const server = await testPostgres();
  process.env.TEST_POSTGRES_URL = server.superuserUrl();
  return () => server.stop();
}
