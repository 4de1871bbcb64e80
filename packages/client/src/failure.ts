import {
  bindsKey,
  isProblemCode,
  type OperationId,
  PROBLEM_REGISTRY,
  TOKEN_PROBLEM_REGISTRY,
} from "@gold-partner/protocol";
import type { ServiceErrorCode } from "./error_types.ts";
import { type FailureFacts, GoldError, type GoldErrorCode } from "./gold_error.ts";
import { readRetryAfter } from "./timing.ts";
import { TransportError, type TransportReply } from "./transport.ts";

/** Why a try failed, and what the client does next. */
export interface Failure {
  readonly code: GoldErrorCode;
  readonly detail: string;
  readonly facts: FailureFacts;
  /** `none`: no retry. `wait`: retry after a pause. `token`: retry once with a new token. */
  readonly cure: "none" | "wait" | "token";
  readonly retryAfterMs?: number | undefined;
  /**
   * What the failure says about a write. `known`: the outcome of the write is certain. `unknown`: this try
   * may have executed the write. `unchanged`: the failure says nothing, so a doubt from an earlier try
   * remains.
   */
  readonly outcome: "known" | "unchanged" | "unknown";
}

const TOKEN_CODES = new Set(["token_expired", "token_invalid", "token_certificate_mismatch"]);
/**
 * The client retries after these statuses. market_closed (422) is retryable, too, but a call must not wait
 * for hours until the market opens.
 */
const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
/** After these codes, an earlier copy of the request may be running or may have been executed. */
const DOUBTFUL_CODES = new Set(["nonce_reused", "idempotency_request_in_progress"]);

/** Reads the failure from a reply whose status is not 2xx. */
export function refusalOf(reply: TransportReply, operation: OperationId): Failure {
  const { status, headers } = reply;
  const problem = readProblem(reply.body);
  const { code } = problem;
  const retryAfterMs = readRetryAfter(reply);
  const facts = {
    status,
    serviceCode: code,
    request_id: problem.request_id ?? headers.get("X-Request-Id") ?? undefined,
    errors: problem.errors ?? [],
    replayed: headers.get("Idempotent-Replayed") === "true",
    retryAfterSeconds: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000),
  };
  if (code === undefined) {
    const isTransient = TRANSIENT_STATUSES.has(status);
    return {
      code: "reply_invalid",
      detail:
        `The reply was ${status}, but not in the service's format: a proxy or firewall may have answered instead.`,
      facts: { ...facts, retryable: isTransient },
      cure: isTransient ? "wait" : "none",
      retryAfterMs,
      outcome: "unknown",
    };
  }
  const waits = TRANSIENT_STATUSES.has(status) || DOUBTFUL_CODES.has(code);
  const isTransient = problem.retryable ?? (waits || TOKEN_CODES.has(code));
  return {
    code: isServiceCode(code) ? code : "unknown_code",
    detail: problem.detail ?? problem.error_description ??
      `The service refused the request with ${status} ${code}.`,
    facts: { ...facts, retryable: isTransient },
    cure: TOKEN_CODES.has(code) ? "token" : isTransient && waits ? "wait" : "none",
    retryAfterMs,
    outcome: outcomeOf(code, status, operation),
  };
}

const isServiceCode = (code: string): code is ServiceErrorCode => Object.hasOwn(TOKEN_PROBLEM_REGISTRY, code);

function outcomeOf(code: string, status: number, operation: OperationId): Failure["outcome"] {
  if (DOUBTFUL_CODES.has(code)) return "unknown";
  if (!isProblemCode(code)) return status >= 500 ? "unknown" : "unchanged";
  if (bindsKey(code, operation === "createOrder" ? "order_quote_id" : "other")) return "known";
  const spent = PROBLEM_REGISTRY[code].spends_nonce;
  // The service spends the nonce first and then looks up the Idempotency-Key. So a refusal that spends the
  // nonce comes after the lookup. If an earlier try had stored a result, the reply would be that result.
  return spent === "unknown" ? "unknown" : spent === true ? "known" : "unchanged";
}

/** The members of a problem, or of an error of the token endpoint, that the client reads. */
interface ProblemMembers {
  readonly code?: string;
  readonly detail?: string;
  readonly error_description?: string;
  readonly request_id?: string;
  readonly retryable?: boolean;
  readonly errors?: FailureFacts["errors"];
}

/** Reads a problem, or an error of the token endpoint. Returns an empty object when the body is neither. */
function readProblem(body: Uint8Array): ProblemMembers {
  try {
    const members = JSON.parse(new TextDecoder().decode(body)) as ProblemMembers | null;
    return typeof members?.code === "string" && typeof members.request_id === "string" ? members : {};
  } catch {
    return {};
  }
}

/**
 * Whether a stream waits and tries again after this failure. A stream waits longer than a call, and also at
 * every 5xx.
 */
export function isTemporary({ facts: { status, retryable } }: Failure): boolean {
  return status === undefined ? retryable === true : status >= 500 || TRANSIENT_STATUSES.has(status);
}

/** Returns the failure of a try for which the transport returned no reply. */
export function connectionFailure(error: unknown): Failure {
  if (error instanceof GoldError) {
    return { ...unsentOf(error), cure: error.code === "timed_out" ? "wait" : "none", outcome: "unknown" };
  }
  const { unsent = false, untrusted = false, oversized = false } = error instanceof TransportError
    ? error
    : {};
  const message = error instanceof Error ? error.message : String(error);
  const isFinal = untrusted || oversized;
  const [code, detail]: [GoldErrorCode, string] = oversized
    ? [
      "reply_invalid",
      `The reply was not read to its end: ${message}. Ask for less, such as fewer days of a statement.`,
    ]
    : untrusted
    ? [
      "tls_failed",
      `TLS failed because a certificate was not accepted (${message}). Check that cert, key and ca belong to ` +
      "this environment.",
    ]
    : unsent
    ? ["connection_failed", `The service could not be reached: ${message}.`]
    : ["connection_failed", `The connection broke before the complete reply arrived: ${message}.`];
  return {
    code,
    detail,
    facts: { retryable: !isFinal, cause: error },
    cure: isFinal ? "none" : "wait",
    outcome: unsent || untrusted ? "unchanged" : "unknown",
  };
}

/** Returns the failure of a try that sent nothing. Rethrows an error that is not a GoldError. */
export function unsentOf(error: unknown): Failure {
  if (!(error instanceof GoldError)) throw error;
  const { code, detail, serviceCode, status, request_id, retryable, errors, retryAfterSeconds, cause } =
    error;
  return {
    code,
    detail,
    facts: { serviceCode, status, request_id, retryable, errors, retryAfterSeconds, cause },
    cure: "none",
    outcome: "unchanged",
  };
}
