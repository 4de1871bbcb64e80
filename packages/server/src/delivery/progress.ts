/**
 * Tracks an endpoint's finished events. Events may finish in any order; all events up to `passed` have
 * finished.
 */
export class Progress {
  #passed: number;
  /** Finished events, by the number that each follows; by `passed` if that is already higher. */
  readonly #ahead = new Map<number, number>();

  constructor(passed: number) {
    this.#passed = passed;
  }

  get passed(): number {
    return this.#passed;
  }

  finish(follows: number, sequence: number): void {
    if (sequence > this.#passed) this.#ahead.set(Math.max(follows, this.#passed), sequence);
    for (let next; (next = this.#ahead.get(this.#passed)) !== undefined;) {
      this.#ahead.delete(this.#passed);
      this.#passed = next;
    }
  }
}
