/**
 * Tracks a partner's finished events. They may finish in any order; every event up to `passed` has finished.
 */
export class Progress {
  #passed: number;
  readonly #ahead = new Set<number>();

  constructor(passed: number) {
    this.#passed = passed;
  }

  get passed(): number {
    return this.#passed;
  }

  finish(sequence: number): void {
    if (sequence > this.#passed) this.#ahead.add(sequence);
    while (this.#ahead.delete(this.#passed + 1)) this.#passed++;
  }
}
