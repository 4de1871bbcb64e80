import type { FieldError, TokenProblemCode } from "@gold-partner/protocol";

/** The codes of errors that the client itself detects. */
export type ClientErrorCode =
  /** Settings or credentials that cannot be used. */
  | "configuration_invalid"
  /** A call that could never succeed; nothing was sent. */
  | "argument_invalid"
  /** The signing callback or key failed; nothing was sent. */
  | "signing_failed"
  /** The service was not reached, or the connection broke before the whole reply came. */
  | "connection_failed"
  /** One side does not accept the other's certificate. */
  | "tls_failed"
  /** No reply within `timeoutMs`, or no success within `patienceMs`. */
  | "timed_out"
  /** The caller's AbortSignal ended the call. */
  | "aborted"
  /** The reply does not have the form of the service's replies. */
  | "reply_invalid";

/**
 * The codes of docs/errors.md and those of the client. Any other string is allowed: the service may add
 * codes.
 */
export type GoldErrorCode = TokenProblemCode | ClientErrorCode | (string & Record<never, never>);

/** Facts about a failure. Members that the service sent keep the names that they have in the reply. */
export interface GoldErrorFacts {
  readonly status?: number | undefined;
  readonly request_id?: string | undefined;
  readonly retryable?: boolean;
  readonly errors?: readonly FieldError[];
  readonly replayed?: boolean;
  readonly retryAfterSeconds?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly outcomeUnknown?: boolean;
  readonly cause?: unknown;
}

/**
 * The only error that the calls of GoldClient throw. Decide by `code`. `message` says what happened and what
 * to do.
 *
 * ```ts
 * import { GoldClient, GoldError } from "@gold-partner/client";
 *
 * const client = await GoldClient.fromEnv();
 * const { quote_id } = await client.createQuote({ side: "buy", gold_grams: "0.5" });
 * try {
 *   await client.placeOrder({ quote_id });
 * } catch (error) {
 *   if (!(error instanceof GoldError)) throw error;
 *   const { idempotencyKey } = error;
 *   if (error.outcomeUnknown) await client.placeOrder({ quote_id }, { idempotencyKey });
 *   else if (error.code === "quote_expired") console.log("take another quote");
 *   else console.error(error.code, error.request_id, error.message);
 * }
 * ```
 */
export class GoldError extends Error {
  override readonly name: string = "GoldError";
  readonly code: GoldErrorCode;
  /** The status of the HTTP reply. Undefined when no reply came. */
  readonly status: number | undefined;
  /** Identifies the reply in the service's records. Give it to the operator when you ask about a call. */
  readonly request_id: string | undefined;
  /**
   * What happened and what to do. It is the service's text when the service sent one, followed by the number
   * of tries and the time to wait.
   */
  readonly detail: string;
  /** Whether the same call, with the same Idempotency-Key, may succeed later. */
  readonly retryable: boolean;
  /** The members, parameters or headers of the request that the service refused. */
  readonly errors: readonly FieldError[];
  /** True when the service repeated a reply that it had given to this Idempotency-Key before. */
  readonly replayed: boolean;
  /** Seconds to wait before the next call (Retry-After). Undefined when the service does not say. */
  readonly retryAfterSeconds: number | undefined;
  /** The Idempotency-Key of a write. A write that is repeated with this key is executed at most once. */
  readonly idempotencyKey: string | undefined;
  /** True when the write may have been executed. Repeat it with `idempotencyKey` to get its one result. */
  readonly outcomeUnknown: boolean;

  constructor(code: GoldErrorCode, detail: string, facts: GoldErrorFacts = {}) {
    const { idempotencyKey, outcomeUnknown = false, cause } = facts;
    const doubt = outcomeUnknown
      ? ` It is not known whether the write was executed; repeat it with the same idempotencyKey, ${idempotencyKey}, to get its result.`
      : "";
    super(detail + doubt, cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
    this.status = facts.status;
    this.request_id = facts.request_id;
    this.retryable = facts.retryable ?? false;
    this.errors = facts.errors ?? [];
    this.replayed = facts.replayed ?? false;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.idempotencyKey = idempotencyKey;
    this.outcomeUnknown = outcomeUnknown;
  }
}
