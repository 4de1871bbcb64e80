import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { readJunit, type Report } from "./report.ts";
import { type Output, type Runtimes, runVisibly } from "./runtimes.ts";

/** Where and how one process of a test runner runs its share of the test files, one file after another. */
interface ShareSettings {
  readonly root: string;
  readonly runtimes: Runtimes;
  readonly output: Output;
  /** A share that prints nothing for this long is killed. With output "ignore", this limits its whole duration. */
  readonly limitMs: number;
}

/** The result of one share on one runtime. */
export interface Share extends Report {
  readonly files: readonly string[];
  readonly code: number;
}

const REPORTER = new URL("./node_report.mjs", import.meta.url).href;

/** Runs a share in one Node process, which imports its bundles one after another. */
export async function runShareOnNode(
  { root, runtimes, output, limitMs }: ShareSettings,
  bundles: string,
  files: readonly string[],
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
      output,
      limitMs,
    );
    const written = readIfThere(destination);
    const { byFile, failures }: Report = written ? JSON.parse(written) : { byFile: {}, failures: [] };
    const pathOf = (file: string) => relative(root, file).split(sep).join("/");
    return {
      files,
      code,
      byFile: Object.fromEntries(Object.entries(byFile).map(([file, counts]) => [pathOf(file), counts])),
      failures: failures.map((failure) => ({ ...failure, file: pathOf(failure.file) })),
    };
  });
}

/** Runs a share in one Deno process, which imports its files one after another. */
export async function runShareOnDeno(
  { root, runtimes, output, limitMs }: ShareSettings,
  files: readonly string[],
): Promise<Share> {
  return await inFolder(async (folder) => {
    const destination = join(folder, "report");
    const share = writeShare(folder, files.map((file) => join(root, file)));
    const args = ["test", "--no-check", "-A", `--junit-path=${destination}`, share];
    const code = await runVisibly(root, runtimes.deno, args, output, limitMs);
    return { files, code, ...readJunit(readIfThere(destination)) };
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

export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
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
