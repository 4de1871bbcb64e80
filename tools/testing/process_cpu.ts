// CPU time of processes, from Linux's `/proc`, whose clock ticks 100 times a second.
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

const TICK_MS = 10;

export function processCpuMs(pid: number): number {
  if (process.platform !== "linux") {
    throw new Error(
      `CPU times of other processes are read from /proc, which ${process.platform} lacks: run this on Linux.`,
    );
  }
  return readTicks(pid).ownTicks * TICK_MS;
}

/** Includes children that have ended. */
export function endedCpuMs(pid: number): number {
  const { ownTicks, endedChildrenTicks } = readTicks(pid);
  return (ownTicks + endedChildrenTicks) * TICK_MS;
}

/**
 * Includes children, both living and ended, because a server such as Postgres runs one process per
 * connection. Reads the living children in nanoseconds. In ticks of 10 ms, a dozen rounding errors would
 * change a short measurement by about one percent.
 */
export function familyCpuMs(pid: number): number {
  const children = childrenOf(pid).map((child) => lastCpuMs(child));
  return children.reduce((sum, ms) => sum + ms, endedCpuMs(pid));
}

/** Each thread lists the children that it started. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number)
  );
}

/**
 * Returns 0 if the child has just ended. Its time is missing from this reading; the parent's next reading
 * includes it.
 */
function lastCpuMs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      return sum + Number(nanoseconds) / 1e6;
    }, 0);
  } catch {
    return 0;
  }
}

function readTicks(pid: number): { ownTicks: number; endedChildrenTicks: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Read the fields behind the last parenthesis, because the program's name may contain spaces and
  // parentheses.
  const [user, system, childrenUser, childrenSystem] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(
    11,
    15,
  )
    .map(Number);
  return { ownTicks: user! + system!, endedChildrenTicks: childrenUser! + childrenSystem! };
}
