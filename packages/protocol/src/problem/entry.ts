/**
 * When a reply binds the Idempotency-Key or spends the nonce. true: always. false: never. "order_quote_id":
 * only if the reply refuses the quote_id of an order.
 */
export type Effect = boolean | "order_quote_id";

/** One entry of the problem registry. The error catalogue in the documentation uses the same names. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /**
   * Whether the same request may succeed later without a person changing anything. The retry has the same
   * Idempotency-Key, and a fresh token, timestamp, nonce and signature.
   */
  readonly retryable: boolean;
  /** Whether every later request with this Idempotency-Key gets this reply again. */
  readonly binds_key: Effect;
  /** Whether a signed request's nonce is spent. "unknown": the proxy cannot tell how far the request got. */
  readonly spends_nonce: Effect | "unknown";
  /** What happened and why. */
  readonly cause: string;
  /** What to do. */
  readonly cure: string;
}

export type ProblemFamily = Readonly<Record<string, ProblemEntry>>;

/**
 * For a refusal that stores neither the Idempotency-Key nor the nonce. Most of these refusals come from
 * checks that run before the nonce check.
 */
export const NO_EFFECT = { binds_key: false, spends_nonce: false } as const;

/** A business refusal is final. It spends the nonce, and every retry with the same key gets it again. */
export const REFUSAL = { retryable: false, binds_key: true, spends_nonce: true } as const;
