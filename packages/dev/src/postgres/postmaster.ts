import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresStartError } from "./error.ts";

/** The contents of a server's postmaster.pid. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `starting`, `ready` or `stopping`. Empty until the server first writes it. */
  status: string;
}

const pidFile = (clusterDir: string): string => join(clusterDir, "postmaster.pid");

const POLL_MS = 10;
const STOP_FAST_MS = 30_000;
const STOP_IMMEDIATE_MS = 5_000;
/**
 * A pid file that is empty for this long was emptied by a crash of the machine. A server fills its pid file
 * immediately.
 */
const EMPTY_PID_FILE_MS = 5_000;

/** Returns the server that runs on the cluster now. */
export function findPostmaster(clusterDir: string): Postmaster | undefined {
  const found = readPidFile(clusterDir);
  if (!found || isServerOf(clusterDir, found.pid)) return found;
  // Remove the file if another process has that pid now, because Postgres would refuse to start. Postgres
  // itself replaces the file of a dead process.
  if (processLives(found.pid)) removePidFile(clusterDir);
  return undefined;
}

function readPidFile(clusterDir: string): Postmaster | undefined {
  try {
    const lines = readFileSync(pidFile(clusterDir), "utf8").split("\n");
    const pid = Number(lines[0]);
    if (pid > 0) return { pid, port: Number(lines[3]), status: (lines[7] ?? "").trim() };
    if (Date.now() - statSync(pidFile(clusterDir)).mtimeMs > EMPTY_PID_FILE_MS) {
      removePidFile(clusterDir);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return undefined;
}

/** With `force`, because a server that ends may remove the file first. */
function removePidFile(clusterDir: string): void {
  rmSync(pidFile(clusterDir), { force: true });
}

/** Checks the command line, because pids are reused: a process with this pid may no longer be the server. */
export function isServerOf(clusterDir: string, pid: number): boolean {
  return commandLineOf(pid).includes(clusterDir);
}

/** Returns an empty text for a process that has ended, also for a zombie. */
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
 * Stops the server: the server ends all sessions and writes a checkpoint. Aborts a server that does not stop
 * in time. With `keepsData` false, aborts the server at once.
 */
export async function stopPostmaster(clusterDir: string, pid: number, keepsData = true): Promise<void> {
  const fast = ["SIGINT", STOP_FAST_MS] as const;
  const abort = ["SIGQUIT", STOP_IMMEDIATE_MS] as const;
  for (const [signal, timeoutMs] of keepsData ? [fast, abort] : [abort]) {
    signalServer(clusterDir, pid, signal);
    if (await waitUntil(() => !isServerOf(clusterDir, pid), timeoutMs)) return;
  }
  throw new PostgresStartError(
    `Postgres (process ${pid}) on ${clusterDir} does not stop. End it: kill -9 ${pid}`,
  );
}

function signalServer(clusterDir: string, pid: number, signal: NodeJS.Signals): void {
  try {
    if (isServerOf(clusterDir, pid)) process.kill(pid, signal);
  } catch (error) {
    // Ignore a server that ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Returns true once `condition` holds, and false if it does not hold within `timeoutMs`. */
export async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
