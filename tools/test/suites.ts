import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OneRuntime, runsOn } from "./one_runtime.ts";
import { describeFailure, type FileCounts, sumCounts } from "./report.ts";
import { type Output, type Runtimes, runVisibly } from "./runtimes.ts";
import { inFolder, runShareOnDeno, runShareOnNode, type Share } from "./share.ts";
import { exceptOneOfEachFolder, findSqlSuites, type Imports } from "./sql_suites.ts";

interface SuitePlan {
  readonly root: string;
  readonly runtimes: Runtimes;
  readonly files: readonly string[];
  readonly oneRuntime: OneRuntime;
  /** Runs nothing on Deno, for tests whose result does not depend on the runtime. */
  readonly nodeAlone?: boolean;
  /** Runs only the suites of SQL. */
  readonly sqlAlone?: boolean;
  /** How many shares run at once. A share is a group of test files that one process runs. */
  readonly lanes: number;
  readonly limitMs?: number;
  /** The tests of this file use "ignore" to hide the output of the inner runs. */
  readonly output?: Output;
}

/** The test counts of both runtimes. `faults` are texts, and each of them is a failure. */
interface SuiteResult {
  readonly node: FileCounts;
  readonly deno: FileCounts;
  readonly faults: readonly string[];
  /** The suites that ran on Node alone, because they test SQL. */
  readonly sqlSuites: number;
}

const BUNDLER = fileURLToPath(new URL("./bundle.mjs", import.meta.url));
/** Longer than the slowest single test on a machine that is 20 times slower than usual. */
const LIMIT_MS = 1_200_000;
const NONE: FileCounts = { ran: 0, skipped: 0 };
const UNBUNDLED = "The test files cannot be bundled, so none of them ran. See the errors above.";

/** Runs the same test files on Node and on Deno, shows their output, and compares how many tests ran. */
export async function runSuites(plan: SuitePlan): Promise<SuiteResult> {
  const { root, files, oneRuntime, nodeAlone = false, output = "whole", limitMs = LIMIT_MS } = plan;
  const settings = { root, runtimes: plan.runtimes, output, limitMs };
  const bundled = files.filter((file) => runsOn("node", file, oneRuntime));

  return await inFolder(async (folder) => {
    if (!await bundle(plan, folder, bundled)) {
      return { node: NONE, deno: NONE, faults: [UNBUNDLED], sqlSuites: 0 };
    }
    const sqlSuites = findSqlSuites(bundled, readImports(folder), (path) => existsSync(join(root, path)));
    const onNode = plan.sqlAlone ? sqlSuites : bundled;
    const notOnDeno = new Set(
      exceptOneOfEachFolder(sqlSuites.filter((file) => runsOn("deno", file, oneRuntime))),
    );
    const onDeno = files.filter((file) =>
      !nodeAlone && !notOnDeno.has(file) && runsOn("deno", file, oneRuntime)
    );
    const onBoth = onDeno.filter((file) => onNode.includes(file));
    const onDenoAlone = onDeno.filter((file) => !onNode.includes(file));
    if (output !== "ignore") {
      console.log(`\n── test files: ${onNode.length} on Node, ${onDeno.length} on Deno`);
    }
    const node: Share[] = [];
    const [both, alone]: [Share[], Share[]] = [[], []];
    const denoTurn = (ended: Share[]) => (share: readonly string[]) => async () =>
      void ended.push(await runShareOnDeno(settings, share));
    function* turns(): Generator<() => Promise<void>> {
      for (const share of sharesOf(onNode)) {
        yield async () => void node.push(await runShareOnNode(settings, folder, share));
      }
      // Start with the files that were slowest on Node, so that no slow file is left for the end. Deno's
      // first shares start while Node's last shares are still running.
      const counts = countsByFile(node);
      const durationOf = (file: string) => counts[file]?.durationMs ?? Infinity;
      const slowestFirst = onBoth.toSorted((one, other) => durationOf(other) - durationOf(one));
      yield* sharesOf(slowestFirst).map(denoTurn(both));
      yield* sharesOf(onDenoAlone).map(denoTurn(alone));
    }
    const all = [onNode, onBoth, onDenoAlone].reduce((sum, files) => sum + sharesOf(files).length, 0);
    const startMs = performance.now();
    let ended = 0;
    await inLanes(plan.lanes, turns(), () => {
      ended++;
      if (output !== "ignore") console.log(reportProgress(ended, all, performance.now() - startMs));
    });

    const [counts, bothCounts] = [countsByFile(node), countsByFile(both)];
    const faults = [
      ...node.flatMap((share) => faultsOf("Node", share)),
      ...onNode.filter((file) => !counts[file]?.ran).map((file) =>
        `${file} ran no test on Node. A test file must contain a test.`
      ),
      ...[...both, ...alone].flatMap((share) => faultsOf("Deno", share)),
    ];
    const expected = sumCounts(onBoth.map((file) => counts[file] ?? NONE)).ran;
    const found = totalOf(both).ran;
    if (expected !== found) {
      faults.push(`For the same files, Node ran ${expected} tests and suites, and Deno ran ${found}.`);
      for (const file of onBoth) {
        const [one, other] = [counts[file]?.ran ?? 0, bothCounts[file]?.ran ?? 0];
        if (one !== other) faults.push(`${file}: Node ran ${one}, Deno ran ${other}.`);
      }
    }
    return { node: totalOf(node), deno: totalOf([...both, ...alone]), faults, sqlSuites: notOnDeno.size };
  });
}

const countsByFile = (shares: readonly Share[]): Readonly<Record<string, FileCounts>> =>
  Object.assign({}, ...shares.map(({ byFile }) => byFile));

const totalOf = (shares: readonly Share[]): FileCounts =>
  sumCounts(shares.flatMap(({ byFile }) => Object.values(byFile)));

/** Names each failed test of a share. A runner that ended without one was killed, or a file did not load. */
function faultsOf(runtime: string, { code, files, failures }: Share): string[] {
  if (code === 0) return [];
  if (failures.length > 0) return failures.map((failure) => describeFailure(runtime, failure));
  return [`✘ ${runtime}'s runner failed (exit ${code}) with ${files.join(", ")}. See its output above.`];
}

/**
 * Runs at most `lanes` functions of the queue at once. Takes a function from the queue only when it can run.
 * The order of Deno's shares depends on the durations that were measured on Node until then.
 */
async function inLanes(
  lanes: number,
  queue: Iterable<() => Promise<void>>,
  onEnded: () => void,
): Promise<void> {
  const turns = queue[Symbol.iterator]();
  await Promise.all(Array.from({ length: lanes }, async () => {
    for (let next = turns.next(); !next.done; next = turns.next()) {
      await next.value();
      onEnded();
    }
  }));
}

/** Describes how many shares have ended, and estimates the remaining time from the rate so far. */
function reportProgress(ended: number, all: number, elapsedMs: number): string {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  const leftMs = elapsedMs / ended * (all - ended);
  return `── ${ended} of ${all} groups of test files ended after ${seconds(elapsedMs)}, about ${
    seconds(leftMs)
  } left`;
}

const SHARE_FILES = 4;

/**
 * Splits the files into shares of at most SHARE_FILES files. Each share runs in one process. Large shares
 * need fewer processes, but each takes longer. Each share takes files from the whole list. Neighbours in the
 * list are similar, so one share could otherwise get all the slow files.
 */
function sharesOf(files: readonly string[]): readonly (readonly string[])[] {
  const shares = Math.ceil(files.length / SHARE_FILES);
  return Array.from({ length: shares }, (_, n) => files.filter((_, index) => index % shares === n));
}

/**
 * Makes one bundle of each file for Node. A bundle reports its tests and its errors under the path of its
 * source.
 */
async function bundle(
  { root, runtimes, output }: SuitePlan,
  folder: string,
  files: readonly string[],
): Promise<boolean> {
  if (files.length === 0) return true;
  // Link node_modules, because packages that are not bundled are looked up from the folder of the bundle.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  return await runVisibly(root, runtimes.node, [BUNDLER, root, folder, ...files], output) === 0;
}

function readImports(folder: string): Imports {
  const path = join(folder, "imports.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}
