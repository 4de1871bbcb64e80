import { residentMebibytes } from "../stage/resident_memory.ts";
import type { ServerProcess } from "../stage/server_process.ts";

const EVERY_MS = 500;

/** Samples the memory of processes at intervals, however often they are killed and started again. */
export class MemoryWatch {
  readonly #samples: number[] = [];
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(processes: readonly ServerProcess[]) {
    this.#timer = setInterval(() => {
      for (const process of processes) {
        try {
          this.#samples.push(residentMebibytes(process.pid));
        } catch {
          // Skip a process that is being killed, or has not been started again yet.
        }
      }
    }, EVERY_MS);
  }

  stop(): readonly number[] {
    clearInterval(this.#timer);
    return this.#samples;
  }
}
