import type { FieldError, ServiceErrorCode } from "./error_types.ts";

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
  | "reply_invalid"
  /** The service sent a code that is newer than this version. `serviceCode` has it. */
  | "unknown_code";

/** The codes of docs/errors.md and those of the client. */
export type GoldErrorCode = ServiceErrorCode | ClientErrorCode;

/**
 * Facts about a failure. `request_id`, `status`, `retryable` and `errors` have the names of the reply's
 * members. `serviceCode` is the reply's `code`. `retryAfterSeconds` and `replayed` come from the headers
 * Retry-After and Idempotent-Replayed.
 */
export interface FailureFacts {
  readonly serviceCode?: string | undefined;
  readonly status?: number | undefined;
  readonly request_id?: string | undefined;
  readonly retryable?: boolean;
  readonly errors?: readonly FieldError[];
  readonly replayed?: boolean;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Whether a write may have been executed, and its Idempotency-Key. A read has no key. */
export type WriteOutcome =
  | { readonly outcomeUnknown: true; readonly idempotencyKey: string }
  | { readonly outcomeUnknown: false; readonly idempotencyKey: string | undefined };

/** What is known about a failed call. The outcome may be left out for an error that is not about a write. */
export type GoldErrorFacts =
  & FailureFacts
  & (WriteOutcome | { readonly outcomeUnknown?: undefined; readonly idempotencyKey?: undefined });

class GoldErrorBase extends Error {
  // Name the class GoldError, because a console prints the class's name, which would be GoldErrorBase.
  static {
    Object.defineProperty(this, "name", { value: "GoldError" });
  }

  override readonly name: string = "GoldError";
  /** Why the call failed. `unknown_code` stands for any code that this version does not know. */
  readonly code: GoldErrorCode;
  /** The code as the service sent it. Undefined when the error is the client's own. */
  readonly serviceCode: string | undefined;
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
    this.serviceCode = facts.serviceCode;
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

export interface GoldErrorConstructor {
  new (code: GoldErrorCode, detail: string, facts?: GoldErrorFacts): GoldError;
  readonly prototype: GoldError;
}

/**
 * The only error that the calls of GoldClient throw. Branch on `code`. `message` says what happened and what
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
 *   const { code, idempotencyKey } = error;
 *   if (error.outcomeUnknown) await client.placeOrder({ quote_id }, { idempotencyKey });
 *   else if (code === "quote_expired") console.log("take another quote");
 *   else console.error(error.serviceCode ?? code, error.request_id, error.message);
 * }
 * ```
 */
export type GoldError = GoldErrorBase & WriteOutcome;
// A class cannot be a union, and only a union lets outcomeUnknown narrow idempotencyKey.
export const GoldError: GoldErrorConstructor = GoldErrorBase as GoldErrorConstructor;
