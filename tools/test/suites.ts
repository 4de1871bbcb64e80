import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type FileCounts, readJunitCounts, sumCounts } from "./counts.ts";
import { type OneRuntime, runsOn } from "./one_runtime.ts";
import { type Output, type Runtimes, runVisibly } from "./runtimes.ts";

interface SuitePlan {
  readonly root: string;
  readonly runtimes: Runtimes;
  readonly files: readonly string[];
  readonly oneRuntime: OneRuntime;
  /** Where what is tried is no matter of the runtime. */
  readonly nodeAlone?: boolean;
  /** How many files run at once. */
  readonly lanes: number;
  /** A test of this very file keeps the inner runs out of sight. */
  readonly output?: Output;
}

/** What both runtimes ran; `faults` are sentences, and any of them is a failure. */
interface SuiteResult {
  readonly node: FileCounts;
  readonly deno: FileCounts;
  readonly faults: readonly string[];
}

const REPORTER = new URL("./node_counts.mjs", import.meta.url).href;
const BUNDLER = fileURLToPath(new URL("./bundle.mjs", import.meta.url));
const NONE: FileCounts = { ran: 0, skipped: 0 };
const UNBUNDLED = "The test files cannot be bundled, so none of them ran: the reasons stand above.";

/** Runs the same test files on Node and on Deno, in full sight, and compares what ran. */
export async function runSuites(plan: SuitePlan): Promise<SuiteResult> {
  const { files, oneRuntime, nodeAlone = false } = plan;
  const onNode = files.filter((file) => runsOn("node", file, oneRuntime));
  const onBoth = onNode.filter((file) => !nodeAlone && runsOn("deno", file, oneRuntime));
  const onDenoAlone = files.filter((file) => !nodeAlone && !onNode.includes(file));

  const node = await runOnNode(plan, onNode);
  if (node.faults.includes(UNBUNDLED)) return { node: NONE, deno: NONE, faults: node.faults };
  const deno = await runOnDeno(plan, onBoth);
  const alone = await runOnDeno(plan, onDenoAlone);

  const faults = [...node.faults, ...deno.faults, ...alone.faults];
  const expected = sumCounts(onBoth.map((file) => node.counts.get(file) ?? NONE)).ran;
  if (expected !== deno.counts.ran) {
    faults.push(`On the same files Node ran ${expected} tests and suites, Deno ${deno.counts.ran}.`);
    faults.push(...await compareByFile(plan, onBoth, node.counts));
  }
  return { node: sumCounts(node.counts.values()), deno: sumCounts([deno.counts, alone.counts]), faults };
}

/** Each file runs as a bundle, in a process of its own; what it says of itself is said of its source. */
async function runOnNode(
  { root, runtimes, output, lanes }: SuitePlan,
  files: readonly string[],
): Promise<{ counts: ReadonlyMap<string, FileCounts>; faults: string[] }> {
  const counts = new Map<string, FileCounts>();
  if (files.length === 0) return { counts, faults: [] };
  if (output !== "ignore") console.log(`\n── Node: ${files.length} test files`);
  return await inFolder(async (folder) => {
    // What a bundle leaves outside is found from where it lies.
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    if (await runVisibly(root, runtimes.node, [BUNDLER, root, folder, ...files], output) !== 0) {
      return { counts, faults: [UNBUNDLED] };
    }
    const destination = join(folder, "report");
    const code = await runVisibly(root, runtimes.node, [
      // Its default leaves one of the cores idle.
      ...["--enable-source-maps", "--test", `--test-concurrency=${lanes}`],
      ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
      ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${destination}`],
      ...files.map((file) => join(folder, file.replace(/\.ts$/, ".mjs"))),
    ], output);
    const report = JSON.parse(readIfThere(destination) || "{}") as Record<string, FileCounts>;
    for (const [file, count] of Object.entries(report)) {
      counts.set(relative(root, file).split(sep).join("/"), count);
    }
    const faults = code === 0 ? [] : [`Node's runner failed (exit ${code}).`];
    for (const file of files) {
      if (!counts.get(file)?.ran) {
        faults.push(`${file} ran no test on Node: a file without tests proves nothing.`);
      }
    }
    return { counts, faults };
  });
}

/** Within one process Deno runs file after file, so each lane is a process of its own with a few files at a time. */
async function runOnDeno(
  plan: SuitePlan,
  files: readonly string[],
): Promise<{ counts: FileCounts; faults: string[] }> {
  if (files.length === 0) return { counts: NONE, faults: [] };
  if (plan.output !== "ignore") console.log(`\n── Deno: ${files.length} test files`);
  const queue = sharesOf(files).values();
  const done: { counts: FileCounts; code: number }[] = [];
  const work = async () => {
    for (const share of queue) done.push(await runShareOnDeno(plan, share));
  };
  await Promise.all(Array.from({ length: plan.lanes }, work));
  const failed = done.filter(({ code }) => code !== 0).map(({ code }) => code);
  return {
    counts: sumCounts(done.map(({ counts }) => counts)),
    faults: failed.length === 0 ? [] : [`Deno's runner failed (exit ${failed.join(", ")}).`],
  };
}

const SHARE_FILES = 6;

function sharesOf(files: readonly string[]): readonly (readonly string[])[] {
  const shares = Math.ceil(files.length / SHARE_FILES);
  // Neighbours are alike, and the slow ones would lie together.
  return Array.from({ length: shares }, (_, n) => files.filter((_, index) => index % shares === n));
}

async function runShareOnDeno({ root, runtimes, output }: SuitePlan, files: readonly string[]) {
  return await inFolder(async (folder) => {
    const destination = join(folder, "report");
    const code = await runVisibly(
      root,
      runtimes.deno,
      ["test", "--no-check", "-A", `--junit-path=${destination}`, ...files],
      output ?? "whole",
    );
    return { counts: readJunitCounts(readIfThere(destination)), code };
  });
}

/** Deno's report does not say which file a step belongs to; where the sums differ each file runs once more alone. */
async function compareByFile(
  plan: SuitePlan,
  files: readonly string[],
  onNode: ReadonlyMap<string, FileCounts>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const file of files) {
    const { counts } = await runOnDeno(plan, [file]);
    const ran = onNode.get(file)?.ran ?? 0;
    if (ran !== counts.ran) faults.push(`${file}: Node ran ${ran}, Deno ${counts.ran}.`);
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

/** A runner that dies before its report leaves an empty one: its exit code says the rest. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
