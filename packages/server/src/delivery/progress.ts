/** Which of a partner's events are done, in whatever order they come to be so, told by one number: all up to `passed`. */
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
