import { availableParallelism } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { testPostgres } from "@gold-partner/dev";
import { listTestFiles, type Tier } from "./files.ts";
import { readOneRuntime } from "./one_runtime.ts";
import { findRuntimes } from "./runtimes.ts";
import { runSuites } from "./suites.ts";

/** A file mostly computes, a quarter of its time it waits; judges wait for Envoy's time limits and for pages. */
const LANES_A_CORE: Readonly<Record<Tier, number>> = { plain: 1.5, pg: 1.5, judge: 2 };

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs one tier on both runtimes and prints every fault and the closing line; true when all is well. */
export async function runTier(
  tier: Tier,
  below: readonly string[] = [],
  earlierFaults: readonly string[] = [],
  { nodeAlone = false } = {},
): Promise<boolean> {
  const runtimes = findRuntimes(ROOT);
  const oneRuntime = readOneRuntime(ROOT);
  const files = listTestFiles(ROOT, tier, below);
  if (files.length === 0) {
    console.error(
      `No test file${below.length ? ` below ${below.join(", ")}` : ""}: zero tests is a failure.`,
    );
    return false;
  }
  const start = performance.now();
  const stopDatabase = await shareDatabase(files);
  const lanes = Math.ceil(LANES_A_CORE[tier] * availableParallelism());
  const plan = { root: ROOT, runtimes, files, oneRuntime, nodeAlone, lanes };
  const { node, deno, faults } = await runSuites(plan).finally(stopDatabase);
  const skipped = node.skipped + deno.skipped;
  const all = [...earlierFaults, ...faults];
  if (node.ran + deno.ran === 0) all.push("No test ran: that is a failure.");
  if (skipped > 0) all.push("A test was skipped, ignored or left to do: let it run, or remove it.");

  console.log(
    `\n${tier} suites: ${files.length} files, ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
  for (const [file, { runtime, reason }] of Object.entries(oneRuntime)) {
    if (files.includes(file)) console.log(`only on ${runtime}: ${file} (${reason})`);
  }
  if (below.length > 0) console.log(`Narrowed to ${below.join(", ")}: the other files did not run.`);
  for (const fault of all) console.error(fault);
  console.log(`node: ${node.ran}  ${nodeAlone ? "" : `deno: ${deno.ran}  `}skipped: ${skipped}`);
  return all.length === 0;
}

/** One Postgres for all files that need one: each makes databases of its own on it, from one migrated template. */
async function shareDatabase(files: readonly string[]): Promise<() => Promise<void>> {
  if (process.env.TEST_POSTGRES_URL || !files.some((file) => file.includes(".pg."))) {
    return () => Promise.resolve();
  }
  const server = await testPostgres();
  process.env.TEST_POSTGRES_URL = server.superuserUrl();
  return () => server.stop();
}
