import { spawnSync } from "node:child_process";
import { readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresStartError } from "./error.ts";

/** What a server says of itself in postmaster.pid. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `starting`, `ready` or `stopping`; empty until it first says so. */
  status: string;
}

const pidFile = (clusterDir: string): string => join(clusterDir, "postmaster.pid");

const POLL_MS = 10;
const STOP_FAST_MS = 30_000;
const STOP_IMMEDIATE_MS = 5_000;
/** A server fills its pid file at once; an empty one that is older was cut off by a crash of the machine. */
const EMPTY_PID_FILE_MS = 5_000;

/** The server that runs on the cluster now. */
export function findPostmaster(clusterDir: string): Postmaster | undefined {
  const found = readPidFile(clusterDir);
  if (!found || isServerOf(clusterDir, found.pid)) return found;
  // Postgres itself replaces the file of a dead process, but not of one that was given the same pid since.
  if (processLives(found.pid)) unlinkSync(pidFile(clusterDir));
  return undefined;
}

function readPidFile(clusterDir: string): Postmaster | undefined {
  try {
    const lines = readFileSync(pidFile(clusterDir), "utf8").split("\n");
    const pid = Number(lines[0]);
    if (pid > 0) return { pid, port: Number(lines[3]), status: (lines[7] ?? "").trim() };
    if (Date.now() - statSync(pidFile(clusterDir)).mtimeMs > EMPTY_PID_FILE_MS) {
      unlinkSync(pidFile(clusterDir));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return undefined;
}

/** Pids are given out again, so that one lives does not say that it is still the server. */
export function isServerOf(clusterDir: string, pid: number): boolean {
  return commandLineOf(pid).includes(clusterDir);
}

/** Empty for a process that is gone, also for one that nobody has collected yet. */
function commandLineOf(pid: number): string {
  if (process.platform !== "linux") {
    return spawnSync("ps", ["-ww", "-p", String(pid), "-o", "command="], { encoding: "utf8" }).stdout;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Ends the server: sessions are cut and data is checkpointed. One that cannot do so in time, or whose data
 * is thrown away, is aborted.
 */
export async function stopPostmaster(clusterDir: string, pid: number, keepsData = true): Promise<void> {
  const fast = ["SIGINT", STOP_FAST_MS] as const;
  const abort = ["SIGQUIT", STOP_IMMEDIATE_MS] as const;
  for (const [signal, patienceMs] of keepsData ? [fast, abort] : [abort]) {
    signalServer(clusterDir, pid, signal);
    if (await waitUntil(() => !isServerOf(clusterDir, pid), patienceMs)) return;
  }
  throw new PostgresStartError(
    `Postgres (process ${pid}) on ${clusterDir} does not stop. End it: kill -9 ${pid}`,
  );
}

function signalServer(clusterDir: string, pid: number, signal: NodeJS.Signals): void {
  try {
    if (isServerOf(clusterDir, pid)) process.kill(pid, signal);
  } catch (error) {
    // It ended by itself in between.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** True once `condition` holds, false when it does not within `patienceMs`. */
export async function waitUntil(condition: () => boolean, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
