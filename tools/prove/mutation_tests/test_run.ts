import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";

/** How a test file ended. */
export interface TestRun {
  readonly verdict: "green" | "red" | "hangs";
  readonly output: string;
}

/**
 * How long a test file may run. Long, because a failing property test first searches for its smallest failing
 * case, which takes a minute.
 */
const LIMIT_MS = 300_000;
/**
 * How long a file may continue after its first failed test. The reason for the failure is printed a moment
 * after the test's name. The file is not awaited longer, because its other tests may wait forever.
 */
const GRACE_MS = 5_000;
/** How Node's two reporters and Deno's reporter print a failed test. */
const FAILED_TEST = /^\s*not ok |✖|\.\.\. .*FAILED/m;

/** Each test file runs as one process of the current runtime, so that SIGKILL leaves nothing running. */
const testArguments = (file: string): string[] =>
  "Deno" in globalThis ? ["test", "--no-check", "-A", file] : ["--import", "tsx", file];

const running = new Set<ChildProcess>();

export async function runTest(root: string, file: string, postgresUrl: string): Promise<TestRun> {
  const child = spawn(process.execPath, testArguments(file), {
    cwd: root,
    env: { ...process.env, TEST_POSTGRES_URL: postgresUrl, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  let ended: "red" | "hangs" | undefined;
  const end = (verdict: "red" | "hangs") => () => {
    ended ??= verdict;
    child.kill("SIGKILL");
  };
  const timers = [setTimeout(end("hangs"), LIMIT_MS)];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
      if (timers.length === 1 && FAILED_TEST.test(output)) timers.push(setTimeout(end("red"), GRACE_MS));
    });
  }
  const [code] = await once(child, "close") as [number | null];
  for (const timer of timers) clearTimeout(timer);
  running.delete(child);
  return { verdict: ended ?? (code === 0 ? "green" : "red"), output };
}

/** Kills all running tests. */
export function killTests(): void {
  for (const child of running) child.kill("SIGKILL");
}
