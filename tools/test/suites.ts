import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type FileCounts, readJunitCounts, sumCounts } from "./counts.ts";
import { type OneRuntime, runsOn } from "./one_runtime.ts";
import { type Output, type Runtimes, runVisibly } from "./runtimes.ts";

interface SuitePlan {
  readonly root: string;
  readonly runtimes: Runtimes;
  readonly files: readonly string[];
  readonly oneRuntime: OneRuntime;
  /** Runs nothing on Deno, for tests whose result does not depend on the runtime. */
  readonly nodeAlone?: boolean;
  /** How many shares run at once. `limitMs` explains what a share is. */
  readonly lanes: number;
  /**
   * How long one share may print nothing, in milliseconds. A share is a group of test files that one process
   * of a test runner runs, one file after another. A share that is silent for longer is killed, which counts
   * as a failure. With output "ignore", this limits the whole duration of a share.
   */
  readonly limitMs?: number;
  /** The tests of this file use "ignore" to hide the output of the inner runs. */
  readonly output?: Output;
}

/** The test counts of both runtimes. `faults` are sentences, and each of them is a failure. */
interface SuiteResult {
  readonly node: FileCounts;
  readonly deno: FileCounts;
  readonly faults: readonly string[];
}

const REPORTER = new URL("./node_counts.mjs", import.meta.url).href;
const BUNDLER = fileURLToPath(new URL("./bundle.mjs", import.meta.url));
/** Longer than the slowest single test on a machine that is 20 times slower than usual. */
const LIMIT_MS = 1_200_000;
const NONE: FileCounts = { ran: 0, skipped: 0 };
const UNBUNDLED = "The test files cannot be bundled, so none of them ran. See the errors above.";

/** The result of one share on one runtime. */
interface Share {
  readonly code: number;
  readonly counts: FileCounts;
}

/** Runs the same test files on Node and on Deno, shows their output, and compares how many tests ran. */
export async function runSuites(plan: SuitePlan): Promise<SuiteResult> {
  const { files, oneRuntime, nodeAlone = false, output } = plan;
  const onNode = files.filter((file) => runsOn("node", file, oneRuntime));
  const onDeno = files.filter((file) => !nodeAlone && runsOn("deno", file, oneRuntime));
  const onBoth = onDeno.filter((file) => onNode.includes(file));
  const onDenoAlone = onDeno.filter((file) => !onNode.includes(file));

  return await inFolder(async (folder) => {
    if (!await bundle(plan, folder, onNode)) return { node: NONE, deno: NONE, faults: [UNBUNDLED] };
    if (output !== "ignore") {
      console.log(`\n── test files: ${onNode.length} on Node, ${onDeno.length} on Deno`);
    }
    const byFile = new Map<string, FileCounts>();
    const node: Share[] = [];
    const [both, alone]: [Share[], Share[]] = [[], []];
    const denoTurn = (ended: Share[]) => (share: readonly string[]) => async () =>
      void ended.push(await runShareOnDeno(plan, share));
    const durationOf = (file: string) => byFile.get(file)?.durationMs ?? Infinity;
    function* turns(): Generator<() => Promise<void>> {
      for (const share of sharesOf(onNode)) {
        yield async () => void node.push(await runShareOnNode(plan, folder, share, byFile));
      }
      // Start with the files that were slowest on Node, so that no slow file is left for the end. Deno's
      // first shares start while Node's last shares are still running.
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

    const empty = onNode.filter((file) => !byFile.get(file)?.ran);
    const faults = [
      ...faultsOf("Node", node),
      ...empty.map((file) => `${file} ran no test on Node. A test file must contain a test.`),
      ...faultsOf("Deno", [...both, ...alone]),
    ];
    const expected = sumCounts(onBoth.map((file) => byFile.get(file) ?? NONE)).ran;
    const found = countsOf(both).ran;
    if (expected !== found) {
      faults.push(`For the same files, Node ran ${expected} tests and suites, and Deno ran ${found}.`);
      // Compare only if there is no other failure. A failure already explains the difference, and the
      // comparison takes longer than the suites.
      if (faults.length === 1) faults.push(...await compareByFile(plan, onBoth, byFile));
    }
    return { node: countsOf(node), deno: countsOf([...both, ...alone]), faults };
  });
}

const countsOf = (shares: readonly Share[]): FileCounts => sumCounts(shares.map(({ counts }) => counts));

function faultsOf(runtime: string, shares: readonly Share[]): string[] {
  const failed = shares.filter(({ code }) => code !== 0).map(({ code }) => code);
  return failed.length === 0 ? [] : [`${runtime}'s runner failed (exit ${failed.join(", ")}).`];
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

/** Runs a share in one Node process, which imports its bundles one after another. */
async function runShareOnNode(
  { root, runtimes, output, limitMs = LIMIT_MS }: SuitePlan,
  bundles: string,
  files: readonly string[],
  byFile: Map<string, FileCounts>,
): Promise<Share> {
  return await inFolder(async (folder) => {
    const destination = join(folder, "report");
    const modules = files.map((file) => join(bundles, file.replace(/\.ts$/, ".mjs")));
    const code = await runVisibly(
      root,
      runtimes.node,
      [
        "--enable-source-maps",
        ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
        ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${destination}`],
        writeShare(folder, modules),
      ],
      output ?? "whole",
      limitMs,
    );
    const report = JSON.parse(readIfThere(destination) || "{}") as Record<string, FileCounts>;
    for (const [file, count] of Object.entries(report)) {
      byFile.set(relative(root, file).split(sep).join("/"), count);
    }
    return { code, counts: sumCounts(Object.values(report)) };
  });
}

/** Runs a share in one Deno process, which imports its files one after another. */
async function runShareOnDeno(
  { root, runtimes, output, limitMs = LIMIT_MS }: SuitePlan,
  files: readonly string[],
): Promise<Share> {
  return await inFolder(async (folder) => {
    const destination = join(folder, "report");
    const share = writeShare(folder, files.map((file) => join(root, file)));
    const code = await runVisibly(
      root,
      runtimes.deno,
      ["test", "--no-check", "-A", `--junit-path=${destination}`, share],
      output ?? "whole",
      limitMs,
    );
    return { code, counts: readJunitCounts(readIfThere(destination)) };
  });
}

/**
 * Writes a module that imports these modules, and returns its path. In one module graph, a module that
 * several files import is loaded only once. If each file were run by itself, Deno would load such a module
 * again for each file, and Node would start a process for each file.
 */
function writeShare(folder: string, modules: readonly string[]): string {
  const share = join(folder, "share.test.mjs");
  writeFileSync(
    share,
    modules.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)};\n`).join(""),
  );
  return share;
}

/**
 * Runs each file once more by itself if the sums differ, because Deno's report does not say which file a step
 * belongs to.
 */
async function compareByFile(
  plan: SuitePlan,
  files: readonly string[],
  onNode: ReadonlyMap<string, FileCounts>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const file of files) {
    const { counts } = await runShareOnDeno(plan, [file]);
    const ran = onNode.get(file)?.ran ?? 0;
    if (ran !== counts.ran) faults.push(`${file}: Node ran ${ran}, Deno ran ${counts.ran}.`);
  }
  return faults;
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "suite-")));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns an empty text if there is no report, because a runner that dies early leaves none. Its exit code
 * then reports the failure.
 */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
