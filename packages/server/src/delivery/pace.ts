const WINDOW = { first: 4, most: 32 };
export const FAILURES_BEFORE_REST = 5;
const REST_MS = { first: 1000, most: 60_000 };

/**
 * How fast an endpoint is sent to: so many attempts at once, twice as many after one that came through, half as many after
 * one that failed. After five failures in a row it rests, each time longer, and begins again with a single attempt.
 */
export class Pace {
  #failures: number;
  #window: number;
  #restUntilMs = -Infinity;
  #restedFromMs = -Infinity;

  /** `failures` are those that it had when it was left. */
  constructor(failures: number) {
    this.#failures = failures;
    this.#window = failures > 0 ? 1 : WINDOW.first;
  }

  get failures(): number {
    return this.#failures;
  }

  /** How many attempts may be under way. */
  get window(): number {
    return this.#window;
  }

  /** How much longer nothing is sent. */
  restMs(nowMs: number): number {
    return Math.max(0, this.#restUntilMs - nowMs);
  }

  noteSuccess(): void {
    this.#failures = 0;
    this.#window = Math.min(2 * this.#window, WINDOW.most);
  }

  /** `askedMs` is the rest that the receiver asked for. What began before a rest tells nothing new of the endpoint. */
  noteFailure(beganMs: number, nowMs: number, askedMs: number): void {
    this.#window = Math.max(1, this.#window >> 1);
    if (beganMs >= this.#restedFromMs) this.#failures++;
    const excess = this.#failures - FAILURES_BEFORE_REST;
    const own = excess < 0 || beganMs < this.#restedFromMs
      ? 0
      : Math.min(REST_MS.first * 2 ** excess, REST_MS.most);
    if (own > 0 || askedMs > 0) this.rest(nowMs, Math.max(own, askedMs));
  }

  rest(nowMs: number, ms: number): void {
    this.#restedFromMs = nowMs;
    this.#restUntilMs = Math.max(this.#restUntilMs, nowMs + ms);
    this.#window = 1;
  }
}
