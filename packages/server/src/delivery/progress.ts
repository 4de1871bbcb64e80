/**
 * Tracks a partner's finished events. Events may finish in any order; all events up to `passed` have
 * finished.
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
