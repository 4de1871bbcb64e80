import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment, sayEnd } from "./child.ts";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { isServerOf, waitUntil } from "./postgres/mod.ts";

/** A process that the watchdog ends when the start program is gone. */
export interface Guarded {
  /**
   * Undefined for a Postgres that is about to start. If the start program is killed before it has sent the
   * pid, the watchdog reads it from the pid file of the cluster in `command`.
   */
  readonly pid?: number;
  /**
   * A part of its command line. Without a match, the process is not signalled, because another process may
   * have reused the pid.
   */
  readonly command: string;
  /** Sent one after another, until the process has ended. */
  readonly signals: readonly NodeJS.Signals[];
}

/**
 * A separate process in its own session that holds a pipe from the start program. The pipe closes when the
 * start program ends, even by SIGKILL. Then the watchdog ends all guarded processes, the newest first.
 */
export interface Watchdog {
  readonly pid: number;
  /** Resolves with an error sentence if the watchdog exits unexpectedly. */
  readonly died: Promise<string>;
  guard(guarded: Guarded): void;
  /** Resolves when the watchdog has ended. Guarded processes that are still running are ended first. */
  stop(): Promise<void>;
}

/**
 * npm start promises that all its processes end within 10 s. It takes STOP_MS itself. Then the watchdog sends
 * signals and waits up to SIGNAL_MS after each.
 */
export const STOP_MS = 5_000;
export const SIGNAL_MS = 1_200;

const PROGRAM = fileURLToPath(new URL("./watchdog_main.ts", import.meta.url));
/** How long to wait for the watchdog of an earlier start. It needs at most 6 s. */
const EARLIER_END_MS = 15_000;

const pidFile = (stateDir: string): string => join(stateDir, "run", "watchdog.pid");

export async function startWatchdog(stateDir: string): Promise<Watchdog> {
  const log = openSync(join(stateDir, "log", "watchdog.log"), "a", 0o600);
  const child = spawn(process.execPath, [...runtimeArguments(PROGRAM), stateDir], {
    detached: true,
    stdio: ["pipe", log, log],
    env: childEnvironment(),
  });
  const pipe = child.stdin!;
  closeSync(log);
  const exited = once(child, "exit");
  exited.catch(() => {});
  // Ignore errors: writing to the pipe of a watchdog that has exited fails, and `died` reports that.
  pipe.on("error", () => {});
  await writeFile(pidFile(stateDir), `${child.pid}\n`, { mode: 0o600 });
  return {
    pid: child.pid!,
    died: exited.then(
      ([code, signal]) =>
        `${
          sayEnd("The watchdog", code ?? signal)
        } Without it, the other processes would keep running if npm ` +
        "start were killed.",
      (error: Error) => `The watchdog did not start: ${error.message}.`,
    ),
    guard: (guarded) => void pipe.write(`${JSON.stringify(guarded)}\n`),
    async stop() {
      pipe.end();
      await exited.catch(() => {});
      await rm(pidFile(stateDir), { force: true });
    },
  };
}

/**
 * Waits until the watchdog of an earlier, killed start has ended all processes of that start. Otherwise a new
 * start could take over a Postgres that is about to be stopped.
 */
export async function awaitEarlierWatchdog(stateDir: string): Promise<void> {
  const pid = Number(await readFile(pidFile(stateDir), "utf8").catch(() => ""));
  const hasEnded = () => !(pid > 0) || !isServerOf(PROGRAM, pid);
  if (!await waitUntil(hasEnded, EARLIER_END_MS)) {
    throw new Error(
      `Process ${pid} is still stopping the processes that an earlier npm start left in ${stateDir}. ` +
        `Try again in a moment. If it does not end, run kill -9 ${pid}.`,
    );
  }
}
