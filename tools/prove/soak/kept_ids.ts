import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const AT_ONCE = 1000;

/**
 * Keeps millions of ids in a file. In the heap, they would make the garbage collections of this process
 * longer and longer, and so distort the latency of orders that this process measures.
 */
export class KeptIds {
  readonly #file: string;
  #pending: string[] = [];
  #count = 0;

  constructor(file: string) {
    this.#file = file;
    writeFileSync(file, "");
  }

  get count(): number {
    return this.#count;
  }

  add(id: string): void {
    this.#count++;
    if (this.#pending.push(id) >= AT_ONCE) this.#write();
  }

  /** All ids, in the order in which they were added. */
  read(): string[] {
    this.#write();
    return readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
  }

  #write(): void {
    appendFileSync(this.#file, this.#pending.map((id) => `${id}\n`).join(""));
    this.#pending = [];
  }
}
