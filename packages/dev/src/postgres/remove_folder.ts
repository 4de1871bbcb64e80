import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const TIMEOUT_MS = 10_000;
const PAUSE_MS = 50;

/**
 * Removes a folder in which an orphaned process may still create files. Retries, because the process needs a
 * moment to notice that its files are gone. Deno does not support the retry option of rm().
 */
export async function removeFolder(path: string): Promise<void> {
  for (const untilMs = performance.now() + TIMEOUT_MS;; await sleep(PAUSE_MS)) {
    try {
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTEMPTY" && code !== "EBUSY" || performance.now() > untilMs) throw error;
    }
  }
}
