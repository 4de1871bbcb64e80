/** Whether a reply does something: always, never, or only the answer to an order's quote_id does. */
export type Effect = boolean | "order_quote_id";

/** One row of the registry. Its members are named as the documentation's catalogue prints them. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /**
   * The same request may succeed later without a person changing anything, sent again with a fresh token, timestamp,
   * nonce and signature, and the same Idempotency-Key.
   */
  readonly retryable: boolean;
  /** The Idempotency-Key answers with this from now on. */
  readonly binds_key: Effect;
  /** The nonce of a signed request is used up; "unknown" where the proxy cannot tell how far the request came. */
  readonly spends_nonce: Effect | "unknown";
  /** What happened and why. */
  readonly cause: string;
  /** What to do. */
  readonly cure: string;
}

export type ProblemFamily = Readonly<Record<string, ProblemEntry>>;

/** What fails before the nonce is looked at changes nothing. */
export const NO_EFFECT = { binds_key: false, spends_nonce: false } as const;

/** A business refusal is an answer: it spends the nonce, and the key gives it for ever. */
export const REFUSAL = { retryable: false, binds_key: true, spends_nonce: true } as const;
