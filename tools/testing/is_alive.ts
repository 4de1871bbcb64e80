import { readFileSync } from "node:fs";
import process from "node:process";

/** Returns whether the process runs. A zombie does not: it has ended, but it still accepts signal 0. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
