// watchdog_main.ts STATE: reads one Guarded per line of JSON from stdin. At the end of stdin it ends these
// processes, the newest first, and then exits. It does not use STATE; in the output of `ps`, STATE shows to
// which start the watchdog belongs.
import process from "node:process";
import { createInterface } from "node:readline";
import { findPostmaster, isServerOf, waitUntil } from "./postgres/mod.ts";
import { type Guarded, SIGNAL_MS } from "./watchdog.ts";

/** Waits for a Postgres that was about to start when the start program was killed. */
async function awaitPostmaster(clusterDir: string): Promise<number | undefined> {
  await waitUntil(() => findPostmaster(clusterDir) !== undefined, SIGNAL_MS);
  return findPostmaster(clusterDir)?.pid;
}

async function end({ command, signals, ...guarded }: Guarded): Promise<void> {
  const pid = guarded.pid ?? await awaitPostmaster(command);
  if (pid === undefined) return;
  const hasEnded = () => !isServerOf(command, pid);
  for (const signal of signals) {
    if (hasEnded()) return;
    console.log(`${new Date().toISOString()} ${signal} to process ${pid} (${command})`);
    try {
      process.kill(pid, signal);
    } catch (error) {
      console.log(`  ${(error as Error).message}`);
    }
    if (await waitUntil(hasEnded, SIGNAL_MS)) return;
  }
}

// Ignore these signals. A signal to all processes of the machine or of a service manager's group must not end
// the watchdog before the others.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const guarded: Guarded[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  // The pid of a server follows the message that the server is about to start, and replaces it.
  if (guarded.at(-1)?.pid === undefined) guarded.pop();
  guarded.push(JSON.parse(line));
}
for (const one of guarded.reverse()) await end(one);
process.exit(0);
