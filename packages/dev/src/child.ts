import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";

/** This repository's root folder. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The exit code of a process, or the name of the signal that ended it. */
type ProcessEnd = number | string;

/** Says that a part of npm start ended although nobody stopped it. */
export const sayEnd = (part: string, end: ProcessEnd): string =>
  typeof end === "number" ? `${part} exited unexpectedly (exit ${end}).` : `${part} was killed by ${end}.`;

export interface Child {
  readonly pid: number;
  readonly exited: Promise<ProcessEnd>;
  /** Sends SIGTERM, and SIGKILL if the child is still running after `timeoutMs`. */
  stop(timeoutMs?: number): Promise<void>;
}

const STOP_MS = 15_000;
/**
 * The environment variables that a child inherits. All its other variables are passed explicitly, so that the
 * variables of the user's shell cannot affect the child.
 */
const INHERITED = ["PATH", "HOME", "TMPDIR", "LANG", "DENO_DIR", "NODE_OPTIONS"];

export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => process.env[name] === undefined ? [] : [[name, process.env[name]]]),
  );
}

export function startChild(
  file: string,
  env: Record<string, string>,
  logFile: string,
  args: readonly string[] = [],
  root = ROOT,
): Child {
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(process.execPath, [...runtimeArguments(file, root), ...args], {
    env: { ...childEnvironment(), ...env, STOP_WITH_STDIN: "1" },
    // The child reads from a pipe and stops when the pipe closes. The pipe closes when this process ends,
    // even by SIGKILL.
    stdio: ["pipe", log, log],
  });
  closeSync(log);
  const exited = once(child, "exit").then(([code, signal]): ProcessEnd => code ?? signal);
  return { pid: child.pid!, exited, stop: (timeoutMs = STOP_MS) => stopChild(child, exited, timeoutMs) };
}

async function stopChild(child: ChildProcess, exited: Promise<unknown>, timeoutMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  await exited;
  clearTimeout(timer);
}
