import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** The commands of both runtimes on which the suites run. */
export interface Runtimes {
  readonly node: string;
  readonly deno: string;
}

const KILL_GRACE_MS = 10_000;
const NODE_AT_LEAST = [20, 19] as const;

/** Finds Node and the pinned Deno of the npm package, or ends the process with one sentence. */
export function findRuntimes(root: string): Runtimes {
  const node = process.versions["deno"] === undefined ? process.execPath : "node";
  const found = versionOf(node, ["--version"]);
  const [major = 0, minor = 0] = found?.replace(/^v/, "").split(".").map((part) => parseInt(part, 10)) ?? [];
  if (major < NODE_AT_LEAST[0] || (major === NODE_AT_LEAST[0] && minor < NODE_AT_LEAST[1])) {
    stop(
      `The suites also run on Node, but ${
        found ?? "no Node"
      } was found on PATH. Install Node 20.19 or newer.`,
    );
  }
  const deno = join(root, "node_modules", "deno", process.platform === "win32" ? "deno.exe" : "deno");
  // Call deno once, because the package installs its binary at its first call. Install scripts are forbidden.
  if (!existsSync(deno)) versionOf(node, [join(root, "node_modules", "deno", "bin.cjs"), "--version"]);
  if (versionOf(deno, ["--version"]) === undefined) {
    stop(
      `The pinned Deno does not start (${deno}). Its binary comes with the npm package for this platform: ` +
        "remove node_modules and run this again.",
    );
  }
  return { node, deno };
}

function stop(sentence: string): never {
  console.error(sentence);
  process.exit(3);
}

function versionOf(command: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * `whole` shows the output of a program after the program has ended, so that the output of parallel programs
 * does not mix.
 */
export type Output = "inherit" | "ignore" | "whole";

/**
 * Runs a program, shows its output and returns its exit code; a signal counts as a failure. With `whole`, a
 * program that prints nothing for `limitMs` is killed. Otherwise, a program that runs longer is killed.
 */
export function runVisibly(
  root: string,
  command: string,
  args: readonly string[],
  output: Output = "inherit",
  limitMs?: number,
): Promise<number> {
  // Remove this variable. Node's test runner marks its child processes with it, and a marked process runs no
  // tests of its own.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const stdio = output === "whole" ? "pipe" : output;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", stdio, stdio] });
    const show = output === "whole" ? collect(child) : () => {};
    const timer = limitMs === undefined ? undefined : setTimeout(() => {
      console.error(`Killed after ${limitMs / 1000} s without output: ${args.join(" ")}`);
      // Send SIGTERM first: Node's test runner passes the signal on to the running test file, and then
      // reports the file. SIGKILL would leave that file running.
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), KILL_GRACE_MS).unref();
    }, limitMs);
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", () => timer?.refresh());
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      show();
      resolve(code ?? 1);
    });
  });
}

/**
 * Collects the output of a child and returns a function that prints it. SIGINT or SIGTERM to this process
 * prints the output so far and ends the child.
 */
function collect(child: ChildProcess): () => void {
  let said = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("utf8").on("data", (part) => said += part);
  }
  const signals = ["SIGINT", "SIGTERM"] as const;
  const stop = () => {
    process.stdout.write(said);
    child.kill();
    // Exit later, because other children have handlers of their own.
    setImmediate(() => process.exit(1));
  };
  for (const signal of signals) process.once(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
    process.stdout.write(said);
  };
}
