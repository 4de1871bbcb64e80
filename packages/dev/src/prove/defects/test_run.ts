import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";

/** How a test file ended. */
export interface TestRun {
  readonly verdict: "green" | "red" | "hangs";
  readonly output: string;
}

/** Several times what the slowest file takes. */
const LIMIT_MS = 120_000;

/** One test file is one process of the runtime that runs this one: nothing outlives its kill. */
const testArguments = (file: string): string[] =>
  "Deno" in globalThis ? ["test", "--no-check", "-A", file] : ["--import", "tsx", file];

let running: ChildProcess | undefined;

export async function runTest(root: string, file: string, postgresUrl: string): Promise<TestRun> {
  const child = spawn(process.execPath, testArguments(file), {
    cwd: root,
    env: { ...process.env, TEST_POSTGRES_URL: postgresUrl, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running = child;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output += chunk);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, LIMIT_MS);
  const [code] = await once(child, "close") as [number | null];
  clearTimeout(timer);
  running = undefined;
  return { verdict: late ? "hangs" : code === 0 ? "green" : "red", output };
}

/** Ends the test that is under way, if any. */
export function killTest(): void {
  running?.kill("SIGKILL");
}
