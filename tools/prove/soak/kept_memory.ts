import { readFile, rm } from "node:fs/promises";
import { constants } from "node:os";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMebibytes } from "../stage/resident_memory.ts";

const IS_DENO = "Deno" in globalThis;
const WITNESS = new URL("./heap_witness.mjs", import.meta.url).href;
const POLL_MS = 20;
const TIMEOUT_MS = 60_000;
const TIMES = 3;
const DENO_COLLECTS_MS = 1000;
const BYTES_PER_MEBIBYTE = 1 << 20;

/**
 * The memory that a process keeps after a garbage collection, in MiB. A signal requests the collection,
 * because the service has no endpoint for it. On Node, a preloaded module then reports the heap's size. Deno
 * collects garbage and returns free memory on the same signal, but reports no size. So on Deno the remaining
 * resident memory is read, which is less precise.
 */
export class KeptMemory {
  readonly #file: string;
  readonly isHeap = !IS_DENO;
  readonly name = IS_DENO ? "resident memory after a collection" : "heap after a collection";

  constructor(file: string) {
    this.#file = file;
  }

  /** The environment variables with which the process must be started. */
  get environment(): Record<string, string> {
    return IS_DENO
      ? { DENO_USR2_MEMORY_TRIM: "1" }
      : { NODE_OPTIONS: `--import=${WITNESS}`, HEAP_WITNESS_FILE: this.#file };
  }

  /**
   * Returns the lowest of a few readings, because a reading includes objects that are in use only at that
   * moment.
   */
  async read(pid: number): Promise<number> {
    await untilItListens(pid);
    let least = Infinity;
    for (let times = 0; times < (this.isHeap ? TIMES : 1); times++) {
      least = Math.min(least, await this.#readOnce(pid));
    }
    return least;
  }

  async #readOnce(pid: number): Promise<number> {
    process.kill(pid, "SIGUSR2");
    if (IS_DENO) {
      await sleep(DENO_COLLECTS_MS);
      return residentMebibytes(pid);
    }
    const deadline = performance.now() + TIMEOUT_MS;
    while (performance.now() < deadline) {
      const text = await readFile(this.#file, "utf8").catch(() => "");
      if (text !== "") {
        await rm(this.#file);
        return Number(text) / BYTES_PER_MEBIBYTE;
      }
      await sleep(POLL_MS);
    }
    throw new Error(`The service did not report its heap size within ${TIMEOUT_MS / 1000} s.`);
  }
}

const SIGUSR2_BIT = 1n << BigInt(constants.signals.SIGUSR2 - 1);

/**
 * Waits until the process handles SIGUSR2, because before that the signal would end the process. Deno
 * installs its handler only after the program has started.
 */
async function untilItListens(pid: number): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    const [, caught] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)!;
    if (BigInt(`0x${caught}`) & SIGUSR2_BIT) return;
    await sleep(POLL_MS);
  }
  throw new Error(`Process ${pid} does not handle SIGUSR2, the signal that requests its heap size.`);
}
