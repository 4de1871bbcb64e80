import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

/**
 * Removes a folder into which an orphan may still write: it needs a moment to notice that its files go, and puts new ones into
 * what is being emptied. Deno does not know the option of rm() that tries again.
 */
export async function removeFolder(path: string): Promise<void> {
  for (const untilMs = performance.now() + PATIENCE_MS;; await sleep(PAUSE_MS)) {
    try {
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTEMPTY" && code !== "EBUSY" || performance.now() > untilMs) throw error;
    }
  }
}
