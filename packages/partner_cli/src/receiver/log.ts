import { setTimeout as sleep } from "node:timers/promises";
import { readNamed } from "../named_file.ts";

/** How long a receiver may take from its answer to the line in its log. */
const WRITTEN_MAX_MS = 5_000;
/** A receiver that processes an event although it must not does so within this time. */
const SETTLE_MS = 1_000;
const POLL_MS = 50;

/** The file in which a receiver writes one line with the id of each event that it processes. */
export class ReceiverLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The ids among `ids` that the receiver has processed, in order, one for each time. */
  async processed(ids: readonly string[]): Promise<string[]> {
    const lines = new TextDecoder().decode(await readNamed("--log", this.#file)).split("\n");
    return lines.flatMap((line) => ids.filter((id) => line.includes(id)));
  }

  /** Waits until the receiver has processed all of them, but not for long. */
  async await(ids: readonly string[]): Promise<string[]> {
    for (const endMs = performance.now() + WRITTEN_MAX_MS;;) {
      const found = await this.processed(ids);
      if (ids.every((id) => found.includes(id)) || performance.now() > endMs) return found;
      await sleep(POLL_MS);
    }
  }

  /** Gives the receiver time to process what it must not process. */
  async settle(): Promise<void> {
    await sleep(SETTLE_MS);
  }
}
