// npm run bench -- orders --against COMMIT: measures what an order and a quote cost in this tree, relative to
// another commit. The cost is the CPU time of the service and of Postgres together. Other work on the machine
// disturbs CPU time less than wall-clock time.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkOut } from "../../testing/release/checkout.ts";
import { readSurroundings, reportSurroundings } from "../../testing/surroundings.ts";
import { compareVersions, type ComparisonPlan, estimateCost, OPERATIONS, type Pairs } from "./comparison.ts";
import { checkLimit } from "./ratio.ts";
import { reportOperation, reportPair } from "./report.ts";
import { openVersion } from "./version.ts";

export interface AgainstOptions {
  readonly commit: string;
  readonly short: boolean;
  /** Default: 64. */
  readonly inFlight: number | undefined;
  /** A whole interval above this ratio breaks the limit. An interval that is too wide does not decide it. */
  readonly limit: number | undefined;
  readonly json: string | undefined;
  /** Somebody watches the console of this tree. */
  readonly console: boolean;
}

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FULL: ComparisonPlan = { requests: 8000, pairsAtLeast: 20, pairsAtMost: 100, intervalAtMost: 0.03 };
/** The shortest plan: six pairs are the fewest that give an interval. The interval may have any width. */
const SHORT: ComparisonPlan = { requests: 2000, pairsAtLeast: 6, pairsAtMost: 6, intervalAtMost: Infinity };
const EXIT_INTERRUPTED = 130;

/** Returns false unless both operations keep the limit. */
export async function runAgainst(
  { commit, short, inFlight = 64, limit, json, console: isWatched }: AgainstOptions,
): Promise<boolean> {
  const plan = short ? SHORT : FULL;
  const surroundings = readSurroundings();
  const stops: (() => Promise<unknown>)[] = [];
  let stopped: Promise<void> | undefined;
  // Stop once, because a signal and the failure that it causes both get here.
  const stop = () =>
    stopped ??= (async () => {
      for (const one of stops.splice(0).reverse()) await one();
    })();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void stop().finally(() => process.exit(EXIT_INTERRUPTED)));
  }
  try {
    const checkout = await checkOut(commit);
    stops.push(() => checkout.remove());
    for (const root of [ROOT, checkout.root]) await buildSite(root);
    console.log(
      `this tree${
        isWatched ? ", its console open," : ""
      } against ${commit}, ${inFlight} in flight, measured alternately\n${reportSurroundings(surroundings)}`,
    );
    const dir = mkdtempSync(join(tmpdir(), "gold-against-"));
    stops.push(() => rm(dir, { recursive: true, force: true }));
    const open = async (name: string, root: string, isWatched: boolean) => {
      const opening = openVersion({ root, dir: join(dir, name), inFlight, isWatched });
      // If a version is still opening, the cleanup waits for it and then stops it. A version that fails to
      // open stops itself.
      stops.push(() => opening.then((version) => version.stop(), () => {}));
      return await opening;
    };
    // Start the versions one after the other. Two starts at the same time could slow each other down until
    // one of them times out.
    const versions = {
      ours: await open("this_tree", ROOT, isWatched),
      theirs: await open(checkout.commit.slice(0, 12), checkout.root, false),
    };
    const pairs = await compareVersions(versions, plan, (taken) => {
      const number = taken.order.length;
      console.log(reportPair(number, { order: taken.order[number - 1]!, quote: taken.quote[number - 1]! }));
    });
    for (const operation of OPERATIONS) {
      console.log(reportOperation(operation, pairs[operation], { limit, ...plan }));
    }
    if (json !== undefined) {
      writeResult(json, { against: checkout.commit, inFlight, surroundings, plan, limit }, pairs);
    }
    return limit === undefined ||
      OPERATIONS.every((one) =>
        checkLimit(estimateCost(pairs[one]), { limit, intervalAtMost: plan.intervalAtMost }) === "kept"
      );
  } finally {
    await stop();
  }
}

/**
 * Builds the tree's documentation site, if it has one. Otherwise `npm start` would begin to build it after
 * each restart, beside the turns.
 */
async function buildSite(root: string): Promise<void> {
  if (!existsSync(join(root, "site", "build.ts"))) return;
  const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
  await run(process.execPath, [...runtime, "tools/run.mjs", "site", "--if-changed"], { cwd: root });
}

function writeResult(file: string, facts: object, pairs: Pairs): void {
  const results = OPERATIONS.map((operation) => [operation, {
    ratio: estimateCost(pairs[operation]),
    turns: pairs[operation],
  }]);
  writeFileSync(file, `${JSON.stringify({ ...facts, ...Object.fromEntries(results) }, null, 2)}\n`);
}
