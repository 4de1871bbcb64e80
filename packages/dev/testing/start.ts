import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isAlive } from "../../../tools/testing/is_alive.ts";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { sendSignal } from "../../../tools/testing/send_signal.ts";

/** Runs `npm start` as a user does, in its own process, and reads its state folder. */

export const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const READY_MS = 600_000;

export interface RunFile {
  readonly base_url: string;
  readonly database_url: string;
  readonly second_database_url: string;
  readonly pids: Readonly<
    Record<"start" | "watchdog" | "postgres" | "server", number> & { sidecar?: number }
  >;
  readonly ready: boolean;
}

export interface Started {
  readonly child: ChildProcess;
  readonly run: RunFile;
  /** The output of `npm start` so far. */
  said(): string;
  stop(): Promise<number | null>;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const running = new Set<ChildProcess>();

/**
 * Ends every process that a failed test left running, because such a process would keep the test file from
 * ending.
 */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map(async (child) => {
    const ended = once(child, "exit");
    sendSignal(child.pid!, "SIGTERM");
    await ended;
  }));
}

/** Starts `npm start` and returns immediately. */
export function launch(
  args: readonly string[],
): { child: ChildProcess; ended: Promise<Ended>; said: () => string } {
  // A build of the site for each test would only cost CPU. A slow machine needs more than the usual time
  // limits.
  const child = spawn(process.execPath, [...runtimeArguments(MAIN), "--no-site", "--patient", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let [out, err] = ["", ""];
  child.stdout!.setEncoding("utf8").on("data", (part) => out += part);
  child.stderr!.setEncoding("utf8").on("data", (part) => err += part);
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended, said: () => out + err };
}

/** Runs `npm start` until it exits. */
export const runToEnd = (...args: string[]): Promise<Ended> => launch(args).ended;

/** Starts `npm start` and waits until it has printed that it is ready. It keeps running. */
export async function startUntilReady(stateDir: string, ...args: string[]): Promise<Started> {
  const { child, ended, said } = launch(["--state", stateDir, ...args]);
  const until = performance.now() + READY_MS;
  while (performance.now() < until && child.exitCode === null) {
    const run = await readRun(stateDir);
    if (run?.ready && run.pids.start === child.pid && said().includes("\nReady in ")) {
      return {
        child,
        run,
        said,
        async stop() {
          if (child.exitCode === null) sendSignal(child.pid!, "SIGTERM");
          return (await ended).code;
        },
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill("SIGKILL");
  throw new Error(`npm start did not become ready: ${said()}`);
}

export async function readRun(stateDir: string): Promise<RunFile | undefined> {
  const text = await readFile(join(stateDir, "run.json"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text) as RunFile;
}

/** Waits until all these processes have ended. Rejects if one of them still runs after `ceilingMs`. */
export async function awaitEndWithin(ceilingMs: number, pids: readonly number[]): Promise<void> {
  const until = performance.now() + ceilingMs;
  while (pids.some(isAlive)) {
    if (performance.now() > until) throw new Error(`still running: ${pids.filter(isAlive).join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const awaitEnd = (...pids: number[]): Promise<void> => awaitEndWithin(120_000, pids);

/** Returns the process and all its descendants. Works only on Linux. */
export function familyOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // Ignore a process that has ended meanwhile.
    }
  }
  const family = [pid];
  for (const one of family) for (const [child, parent] of parents) if (parent === one) family.push(child);
  return family;
}

/** The executables of a process and all its descendants. */
export function executablesUnder(pid: number): string[] {
  return familyOf(pid).flatMap((one) => {
    try {
      return [readlinkSync(`/proc/${one}/exe`)];
    } catch {
      return [];
    }
  });
}
