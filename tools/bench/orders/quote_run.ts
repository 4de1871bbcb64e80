import type { Stack } from "./stack.ts";

const NUMBER_DIGITS = 12;

/** Quotes made in advance for one contender. They are numbered, and each goes to the next of its partners. */
export class QuoteRun {
  readonly name: string;
  readonly partners: number;
  readonly #stack: Stack;
  #made = 0;

  /** `index` distinguishes one contender's run from another's. */
  constructor(stack: Stack, index: number, partners: number) {
    this.#stack = stack;
    this.name = `01990000-${`${index}`.padStart(4, "0")}`;
    this.partners = partners;
  }

  /** Makes the quotes that are missing among the first `count`. */
  async fill(count: number): Promise<void> {
    if (count <= this.#made) return;
    const { sql, firstClient } = this.#stack;
    await sql`select peer.insert_quotes(${this.name}, ${firstClient}, ${this.partners}, ${this.#made}, ${
      count - 1
    })`;
    this.#made = count;
  }

  idsBetween(from: number, to: number): string[] {
    const hex = (number: number) => number.toString(16).padStart(NUMBER_DIGITS, "0");
    return Array.from({ length: to - from }, (_, index) => `qt_${this.name}-7000-8000-${hex(from + index)}`);
  }
}
