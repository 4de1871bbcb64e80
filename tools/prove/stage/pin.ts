import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import process from "node:process";
import { childrenOf } from "../../testing/process_cpu.ts";

/**
 * Gives this program one core of its own, and another core to the processes and all that they start. Without
 * this, a load at several times the peak would take the time of the service that it measures.
 */
export function pinApart(pids: readonly number[]): void {
  if (process.platform !== "linux" || cpus().length < 2) {
    throw new Error("This needs Linux and two cores: the load must not take the service's time.");
  }
  pin(process.pid, 0);
  for (const pid of pids.flatMap((pid) => [pid, ...childrenOf(pid)])) pin(pid, 1);
}

function pin(pid: number, core: number): void {
  try {
    execFileSync("taskset", ["-a", "-c", "-p", `${core}`, `${pid}`], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    // A session of Postgres may just have ended.
    if (!/No such process/.test(`${(error as { stderr?: unknown }).stderr}`)) throw error;
  }
}
