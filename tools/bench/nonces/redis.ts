// Starts Redis, which the benchmark compares with the service. Redis listens on a Unix socket and has its own
// folder.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

interface RunningRedis {
  readonly socket: string;
  readonly pid: number;
  stop(): void;
}

const READY_MS = 10_000;
const POLL_MS = 10;

/**
 * The options of redis-server by mode: write each accepted command to disk before the reply, or write nothing
 * to disk.
 */
const PERSISTENCE = {
  "appendfsync always": [
    ...["--appendonly", "yes", "--appendfsync", "always"],
    // Do not rewrite the log. A rewrite runs in a process whose CPU time is not measured, and would continue
    // during another contender's turn.
    ...["--auto-aof-rewrite-percentage", "0"],
  ],
  "no persistence": ["--appendonly", "no"],
} as const;
export type Persistence = keyof typeof PERSISTENCE;

export async function startRedis(persistence: Persistence): Promise<RunningRedis> {
  const dir = mkdtempSync(join(tmpdir(), "gold-bench-redis-"));
  const socket = join(dir, "redis.sock");
  const child = spawn("redis-server", [
    ...["--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--daemonize", "no"],
    ...PERSISTENCE[persistence],
  ], { stdio: "ignore" });
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  };
  let failure: Error | undefined;
  child.once("error", (error) => failure = error);
  child.once("exit", (code) => failure ??= new Error(`redis-server exited with ${code}.`));
  for (const endMs = performance.now() + READY_MS; !existsSync(socket); await sleep(POLL_MS)) {
    if (failure === undefined && performance.now() < endMs) continue;
    stop();
    throw failure ?? new Error(`redis-server did not open its socket within ${READY_MS / 1000} s.`);
  }
  return { socket, pid: child.pid!, stop };
}

export function requireRedis(): void {
  if (spawnSync("redis-server", ["--version"]).status === 0) return;
  throw new Error(
    "redis-server was not found; the benchmark compares with it. Install it (Debian: apt-get install redis-server).",
  );
}
