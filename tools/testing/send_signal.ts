import process from "node:process";

/**
 * Sends a signal to a process, and returns whether the process still exists; signal 0 only finds that out.
 * The signal goes by process id, because after child.kill() Deno reports the signal as the child's end, even
 * if the child exited with a code.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    return false;
  }
}
