const WINDOW = { first: 4, most: 32 };
export const FAILURES_BEFORE_REST = 5;
const REST_MS = { first: 1000, most: 60_000 };

/**
 * Limits how many attempts to one endpoint are in flight at once. This limit, the window, grows by one with each
 * success and halves after a failure. After five failures in a row the endpoint rests: nothing is sent for a
 * time that doubles with each failure, up to a minute. Then it starts again with a single attempt.
 */
export class Pace {
  #failures: number;
  #window: number;
  #restUntilMs = -Infinity;
  #restedFromMs = -Infinity;

  /** `failures` is the count of failures in a row that the database has for the endpoint. */
  constructor(failures: number) {
    this.#failures = failures;
    this.#window = failures > 0 ? 1 : WINDOW.first;
  }

  get failures(): number {
    return this.#failures;
  }

  /** How many attempts may be in flight at once. */
  get window(): number {
    return this.#window;
  }

  /** How many milliseconds the endpoint still rests; 0 if it does not rest. */
  restMs(nowMs: number): number {
    return Math.max(0, this.#restUntilMs - nowMs);
  }

  noteSuccess(): void {
    this.#failures = 0;
    this.#window = Math.min(this.#window + 1, WINDOW.most);
  }

  /**
   * `pauseMs` is the pause that the receiver asked for. A failure does not count if its attempt began before
   * the endpoint's last rest. Such a failure says nothing new about the endpoint.
   */
  noteFailure(beganMs: number, nowMs: number, pauseMs: number): void {
    this.#window = Math.max(1, this.#window >> 1);
    if (beganMs >= this.#restedFromMs) this.#failures++;
    const excess = this.#failures - FAILURES_BEFORE_REST;
    const own = excess < 0 || beganMs < this.#restedFromMs
      ? 0
      : Math.min(REST_MS.first * 2 ** excess, REST_MS.most);
    if (own > 0 || pauseMs > 0) this.rest(nowMs, Math.max(own, pauseMs));
  }

  rest(nowMs: number, ms: number): void {
    this.#restedFromMs = nowMs;
    this.#restUntilMs = Math.max(this.#restUntilMs, nowMs + ms);
    this.#window = 1;
  }
}
