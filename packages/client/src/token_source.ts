/** An access token as it was granted. */
export interface Grant {
  readonly token: string;
  readonly livesMs: number;
}

/** A token is renewed after this fraction of its life, as the service advises. */
const RENEWED_AT = 0.8;

/**
 * Holds the one token that all calls use, in memory only. Calls that need a token while it is fetched wait
 * for the same request.
 */
export class TokenSource {
  readonly #fetchGrant: () => Promise<Grant>;
  readonly #now: () => number;
  #current: Promise<{ readonly token: string; readonly renewAtMs: number }> | undefined;

  constructor(fetchGrant: () => Promise<Grant>, now: () => number) {
    this.#fetchGrant = fetchGrant;
    this.#now = now;
  }

  async get(): Promise<string> {
    // A token that is due for renewal is forgotten, and the loop fetches a new one. If another call has begun
    // the renewal during the wait, the loop waits for that renewal instead.
    for (;;) {
      const isOwn = this.#current === undefined;
      const current = this.#current ??= this.#renew();
      const { token, renewAtMs } = await current;
      if (isOwn || this.#now() < renewAtMs) return token;
      if (this.#current === current) this.#current = undefined;
    }
  }

  /** Forgets the token that the service refused. A newer token stays. */
  async drop(refused: string): Promise<void> {
    const current = this.#current;
    const known = await current?.catch(() => undefined);
    if (known?.token === refused && this.#current === current) this.#current = undefined;
  }

  async #renew(): Promise<{ token: string; renewAtMs: number }> {
    const sentMs = this.#now();
    try {
      const { token, livesMs } = await this.#fetchGrant();
      return { token, renewAtMs: sentMs + livesMs * RENEWED_AT };
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }
}
