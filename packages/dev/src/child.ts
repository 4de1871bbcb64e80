import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../tools/program.mjs", import.meta.url));

/** Arguments that make this runtime run a TypeScript file: a child is always of its parent's kind. */
export function runtimeArguments(file: string): string[] {
  return "Deno" in globalThis ? ["run", "--no-check", "-A", file] : [PROGRAM, file];
}

export interface Child {
  readonly pid: number;
  readonly exited: Promise<number>;
  stop(): Promise<void>;
}

const STOP_MS = 15_000;

export function startChild(
  file: string,
  env: Record<string, string>,
  logFile: string,
  args: readonly string[] = [],
): Child {
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(process.execPath, [...runtimeArguments(file), ...args], {
    env: {
      ...pick(process.env, ["PATH", "HOME", "TMPDIR", "LANG", "DENO_DIR", "NODE_OPTIONS"]),
      ...env,
      STOP_WITH_STDIN: "1",
    },
    // The pipe ends with this process, however it ends, and the child with the pipe.
    stdio: ["pipe", log, log],
  });
  closeSync(log);
  const exited = once(child, "exit").then(([code]) => (code as number | null) ?? 1);
  return { pid: child.pid!, exited, stop: () => stopChild(child, exited) };
}

async function stopChild(child: ChildProcess, exited: Promise<number>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(timer);
}

const pick = (env: NodeJS.ProcessEnv, names: string[]) =>
  Object.fromEntries(names.flatMap((name) => env[name] === undefined ? [] : [[name, env[name]]]));
