import { setTimeout as sleep } from "node:timers/promises";
import { readNamed } from "../named_file.ts";

/** How long a receiver may take from its answer to the line in its log. */
const WRITTEN_MAX_MS = 5_000;
/** How long a check waits for a wrong receiver to process an event that it must not process. */
const SETTLE_MS = 1_000;
const POLL_MS = 50;

/** The file in which a receiver writes one line with the id of each event that it processes. */
export class ReceiverLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Returns those of `ids` that the receiver has processed, in the log's order. An id appears once for each
   * time.
   */
  async processed(ids: readonly string[]): Promise<string[]> {
    const lines = new TextDecoder().decode(await readNamed("--log", this.#file)).split("\n");
    return lines.flatMap((line) => ids.filter((id) => line.includes(id)));
  }

  /**
   * Waits until the receiver has processed all of `ids`, at most WRITTEN_MAX_MS. Returns what processed()
   * returns then. The receiver may create the file with its first event.
   */
  async await(ids: readonly string[]): Promise<string[]> {
    for (const endMs = performance.now() + WRITTEN_MAX_MS;;) {
      const isLate = performance.now() > endMs;
      const found = await this.processed(ids).catch((error): string[] => {
        if (isLate) throw error;
        return [];
      });
      if (ids.every((id) => found.includes(id)) || isLate) return found;
      await sleep(POLL_MS);
    }
  }

  /** Waits SETTLE_MS, so that a wrong receiver shows that it processes an event that it must not process. */
  async settle(): Promise<void> {
    await sleep(SETTLE_MS);
  }
}
