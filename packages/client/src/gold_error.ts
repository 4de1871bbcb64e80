import type { FieldError, TokenProblemCode } from "@gold-partner/protocol";

/** What went wrong on this side of the wire. */
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
  /** The caller's AbortSignal. */
  | "aborted"
  /** What came is no reply of the service. */
  | "reply_invalid";

/** The codes of docs/errors.md, those of this side, and any that the service gets later. */
export type GoldErrorCode = TokenProblemCode | ClientErrorCode | (string & Record<never, never>);

/** What is known of a failure; what the service said has the name that it has on the wire. */
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
 * The only error of this package's calls. Decide by `code`; `message` says what happened and what to do.
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
 *   if (error.outcomeUnknown) await client.placeOrder({ quote_id }, { idempotencyKey: error.idempotencyKey });
 *   else if (error.code === "quote_expired") console.log("take another quote");
 *   else console.error(error.code, error.request_id, error.message);
 * }
 * ```
 */
export class GoldError extends Error {
  override readonly name: string = "GoldError";
  readonly code: GoldErrorCode;
  /** Of the HTTP reply; undefined where none came. */
  readonly status: number | undefined;
  /** Names the reply in the service's records: give it to the operator. */
  readonly request_id: string | undefined;
  /** What happened and what to do, as the service says it. */
  readonly detail: string;
  /** Whether the same call, with the same Idempotency-Key, may succeed later. */
  readonly retryable: boolean;
  /** The offending places of the request. */
  readonly errors: readonly FieldError[];
  /** The service gave this very answer to this key before. */
  readonly replayed: boolean;
  /** How long the service asks to wait (Retry-After); undefined where it does not say. */
  readonly retryAfterSeconds: number | undefined;
  /** Of a write: repeat the call with it, and it is executed once at most. */
  readonly idempotencyKey: string | undefined;
  /** The write may have been executed: repeat it with `idempotencyKey`, and you get its one result. */
  readonly outcomeUnknown: boolean;

  constructor(code: GoldErrorCode, detail: string, facts: GoldErrorFacts = {}) {
    const { idempotencyKey, outcomeUnknown = false, cause } = facts;
    const doubt = outcomeUnknown
      ? ` Whether the write was executed is not known; repeat it with the same idempotencyKey, ${idempotencyKey}, to get its one result.`
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
