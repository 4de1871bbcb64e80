/** Whether a reply has an effect: always, never, or only when it refuses an order's quote_id. */
export type Effect = boolean | "order_quote_id";

/** One row of the registry. Its members are named as the documentation's catalogue prints them. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /**
   * Whether the same request may succeed later without a person changing anything. The repeat has the same
   * Idempotency-Key, and a fresh token, timestamp, nonce and signature.
   */
  readonly retryable: boolean;
  /** Whether every later request with this Idempotency-Key gets this reply again. */
  readonly binds_key: Effect;
  /** Whether a signed request's nonce is spent. "unknown": the proxy cannot tell how far the request came. */
  readonly spends_nonce: Effect | "unknown";
  /** What happened and why. */
  readonly cause: string;
  /** What to do. */
  readonly cure: string;
}

export type ProblemFamily = Readonly<Record<string, ProblemEntry>>;

/** A request that fails before the nonce is checked changes nothing. */
export const NO_EFFECT = { binds_key: false, spends_nonce: false } as const;

/** A business refusal is a result: it spends the nonce, and every repeat with the key gets it again. */
export const REFUSAL = { retryable: false, binds_key: true, spends_nonce: true } as const;
