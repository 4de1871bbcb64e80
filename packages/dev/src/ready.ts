import { readFile } from "node:fs/promises";
import { request } from "node:http";
import type { Child } from "./child.ts";

/** High, because a busy machine may need a hundred times as long as an idle one. */
const READY_MS = 120_000;
const PAUSE_MS = 25;

/**
 * Waits until the process reports on its operations socket that it is ready. If the process ends first, the
 * error contains the last line of its log.
 */
export async function awaitReady(
  operationsSocket: string,
  child: Child,
  logFile: string,
  who = "The service",
): Promise<void> {
  let ended = false;
  void child.exited.then(() => ended = true);
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline) {
    if (ended) throw new Error(`${who} exited before it was ready: ${await lastLine(logFile)}`);
    if (await isReady(operationsSocket)) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`${who} was not ready within ${READY_MS / 1000} s; its log is ${logFile}.`);
}

function isReady(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    request({ socketPath, path: "/ready" }, (reply) => resolve((reply.resume(), reply.statusCode === 200)))
      .on("error", () => resolve(false)).end();
  });
}

async function lastLine(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8").catch(() => "")).trim().split("\n");
  return lines.at(-1) ?? "";
}
