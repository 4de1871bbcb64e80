import type { Arrival, Inbox } from "../stage/inboxes.ts";
import type { Finding } from "../stage/report.ts";

/**
 * After this time, every arriving webhook is signed with the current secrets. A worker reads the secrets once
 * a second, and webhooks that it signed earlier may still be in flight.
 */
export const NEW_SECRETS_AFTER_MS = 2000;
/** The minimum number of arrivals, because fewer prove nothing. */
const ARRIVALS_MIN = 5;

/**
 * A receiver while its webhook secret is rotated. It knows both secrets, and records with which of them each
 * webhook verifies.
 */
export class WebhookOverlap {
  readonly #inbox: Inbox;
  readonly #old: string;
  readonly #new: string;
  readonly #begunMs = performance.now();
  #endingMs = Infinity;
  #endedMs = Infinity;

  constructor(inbox: Inbox, next: string) {
    const [current] = inbox.secrets;
    this.#inbox = inbox;
    this.#old = current!;
    this.#new = next;
    inbox.secrets = [current!, next];
  }

  async end(retire: () => Promise<unknown>): Promise<void> {
    this.#endingMs = performance.now();
    await retire();
    this.#endedMs = performance.now();
  }

  /** Checks that both secrets verify during the overlap, and only the new secret afterwards. */
  check(): Finding {
    this.#inbox.secrets = [this.#new];
    const newFromMs = this.#begunMs + NEW_SECRETS_AFTER_MS;
    const within = this.#between(newFromMs, this.#endingMs);
    const after = this.#between(this.#endedMs + NEW_SECRETS_AFTER_MS, Infinity);
    const both = within.filter((arrival) => isSignedBy(arrival, this.#old, this.#new));
    const alone = after.filter((arrival) => isSignedBy(arrival, this.#new));
    // The old secret must verify until its end, and the new one from the moment the workers have read it.
    const wrong = within.length - both.length + after.length - alone.length +
      this.#between(this.#begunMs, this.#endingMs).filter(({ signedBy }) => !signedBy.includes(this.#old))
        .length +
      this.#between(newFromMs, Infinity).filter(({ signedBy }) => !signedBy.includes(this.#new)).length;
    const byOld = this.#between(this.#endedMs, Infinity).filter(({ signedBy }) =>
      signedBy.includes(this.#old)
    );
    const lastMs = Math.max(0, ...byOld.map(({ atMs }) => atMs - this.#endedMs));
    return {
      what:
        `${both.length} webhooks signed with both secrets, the last with the old secret ${
          Math.round(lastMs)
        } ms ` +
        `after its end, then ${alone.length} signed only with the new secret`,
      violations: [
        ...(Math.min(both.length, alone.length) < ARRIVALS_MIN ? ["too few webhooks arrived"] : []),
        ...(wrong === 0 ? [] : [`${wrong} times a webhook was signed with the wrong secrets`]),
      ],
    };
  }

  #between(fromMs: number, toMs: number): Arrival[] {
    return this.#inbox.arrivals.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  }
}

function isSignedBy({ signatures, signedBy }: Arrival, ...secrets: readonly string[]): boolean {
  return signatures === secrets.length && secrets.every((secret) => signedBy.includes(secret));
}
