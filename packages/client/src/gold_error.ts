import type { FieldError, ServiceErrorCode } from "./error_types.ts";

/** The codes of errors that the client itself detects. */
export type ClientErrorCode =
  /** Settings or credentials that cannot be used. */
  | "configuration_invalid"
  /** An argument is invalid, so the call can never succeed. The client sent nothing. */
  | "argument_invalid"
  /** The signing callback or the signing key failed. The client sent nothing. */
  | "signing_failed"
  /** The client did not reach the service, or the connection broke before the whole reply arrived. */
  | "connection_failed"
  /** The client rejected the service's certificate, or the service rejected the client certificate. */
  | "tls_failed"
  /** No reply within `timeoutMs`, or no success within `patienceMs`. */
  | "timed_out"
  /** The caller's AbortSignal ended the call. */
  | "aborted"
  /** The reply does not have the form of the service's replies. */
  | "reply_invalid"
  /** The service sent a code that is newer than this version. `serviceCode` has it. */
  | "unknown_code";

/** The error codes of the service (docs/errors.md) and of the client. */
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

/** What is known about a failed call. Leave out the outcome if the error is not about a write. */
export type GoldErrorFacts =
  & FailureFacts
  & (WriteOutcome | { readonly outcomeUnknown?: undefined; readonly idempotencyKey?: undefined });

class GoldErrorBase extends Error {
  // A console prints the name of the class. Without this line it would print GoldErrorBase.
  static {
    Object.defineProperty(this, "name", { value: "GoldError" });
  }

  override readonly name: string = "GoldError";
  /** Why the call failed. `unknown_code` means that this version does not know the service's code. */
  readonly code: GoldErrorCode;
  /** The code that the service sent. Undefined when the client itself detected the error. */
  readonly serviceCode: string | undefined;
  /** The status of the HTTP reply. Undefined when no reply arrived. */
  readonly status: number | undefined;
  /** Identifies the reply in the service's records. Give it to the operator when you ask about a call. */
  readonly request_id: string | undefined;
  /**
   * What happened and what to do. If the service sent a text, `detail` is this text, followed by the number
   * of tries and the time to wait.
   */
  readonly detail: string;
  /** Whether the same call, with the same Idempotency-Key, may succeed later. */
  readonly retryable: boolean;
  /** The members, parameters or headers of the request that the service refused. */
  readonly errors: readonly FieldError[];
  /** True when the service had already sent this reply for this Idempotency-Key and now repeated it. */
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

  /** A log line that only has the error as text still says the code. */
  override toString(): string {
    return `${this.name} [${this.serviceCode ?? this.code}]: ${this.message}`;
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
// With a union, TypeScript knows that idempotencyKey is a string when outcomeUnknown is true. A class cannot
// be a union, so the class is exported under this type.
export const GoldError: GoldErrorConstructor = GoldErrorBase as GoldErrorConstructor;
