import { bindsKey, isProblemCode, type OperationId, PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { GoldError, type GoldErrorFacts } from "./gold_error.ts";
import { readRetryAfter } from "./patience.ts";
import { TransportError, type TransportReply } from "./transport.ts";

/** Why a try did not succeed, and what follows. */
export interface Failure {
  readonly code: string;
  readonly detail: string;
  readonly facts: GoldErrorFacts;
  /** What may be done about it: nothing, wait, or fetch a new token. */
  readonly cure: "none" | "wait" | "token";
  readonly retryAfterMs?: number | undefined;
  /** What it tells about a write: what became of it, nothing, or that it may have been executed. */
  readonly outcome: "known" | "untold" | "unknown";
}

const TOKEN_CODES = new Set(["token_expired", "token_invalid", "token_certificate_mismatch"]);
/** Market hours are retryable, too, but nobody's call waits for the morning. */
const PASSING_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
/** Another try under this key is, or was, under way. */
const DOUBTFUL_CODES = new Set(["nonce_reused", "idempotency_request_in_progress"]);

/** What a reply other than 2xx says. */
export function refusalOf(reply: TransportReply, operation: OperationId): Failure {
  const { status, headers } = reply;
  const said = readProblem(reply.body);
  const { code } = said;
  const retryAfterMs = readRetryAfter(reply);
  const facts = {
    status,
    request_id: said.request_id ?? headers.get("X-Request-Id") ?? undefined,
    errors: said.errors ?? [],
    replayed: headers.get("Idempotent-Replayed") === "true",
    retryAfterSeconds: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000),
  };
  if (code === undefined) {
    const passes = PASSING_STATUSES.has(status);
    return {
      code: "reply_invalid",
      detail:
        `The answer was ${status} in a form that is not the service's: something between you and it answered.`,
      facts: { ...facts, retryable: passes },
      cure: passes ? "wait" : "none",
      retryAfterMs,
      outcome: "unknown",
    };
  }
  const waits = PASSING_STATUSES.has(status) || DOUBTFUL_CODES.has(code);
  const passes = said.retryable ?? (waits || TOKEN_CODES.has(code));
  return {
    code,
    detail: said.detail ?? said.error_description ?? `It was refused with ${status} ${code}.`,
    facts: { ...facts, retryable: passes },
    cure: TOKEN_CODES.has(code) ? "token" : passes && waits ? "wait" : "none",
    retryAfterMs,
    outcome: outcomeOf(code, status, operation),
  };
}

function outcomeOf(code: string, status: number, operation: OperationId): Failure["outcome"] {
  if (DOUBTFUL_CODES.has(code)) return "unknown";
  if (!isProblemCode(code)) return status >= 500 ? "unknown" : "untold";
  if (bindsKey(code, operation === "createOrder" ? "order_quote_id" : "other")) return "known";
  const spent = PROBLEM_REGISTRY[code].spends_nonce;
  // Past the nonce the key was looked at: had it a result, that would be the answer.
  return spent === "unknown" ? "unknown" : spent === true ? "known" : "untold";
}

interface Said {
  readonly code?: string;
  readonly detail?: string;
  readonly error_description?: string;
  readonly request_id?: string;
  readonly retryable?: boolean;
  readonly errors?: GoldErrorFacts["errors"];
}

/** A problem, or the token endpoint's form of one; empty where it is neither. */
function readProblem(body: Uint8Array): Said {
  try {
    const said = JSON.parse(new TextDecoder().decode(body)) as Said | null;
    return typeof said?.code === "string" && typeof said.request_id === "string" ? said : {};
  } catch {
    return {};
  }
}

/** What became of a try that was sent and to which no reply came. */
export function breakOf(error: unknown): Failure {
  if (error instanceof GoldError) {
    return { ...unsentOf(error), cure: error.code === "timed_out" ? "wait" : "none", outcome: "unknown" };
  }
  const { unsent = false, untrusted = false } = error instanceof TransportError ? error : {};
  const message = error instanceof Error ? error.message : String(error);
  const [code, detail] = untrusted
    ? [
      "tls_failed",
      `A certificate was not accepted (${message}); check cert, key and ca, and that they are of this environment.`,
    ]
    : unsent
    ? ["connection_failed", `The service was not reached: ${message}.`]
    : ["connection_failed", `The connection broke before the whole reply came: ${message}.`];
  return {
    code: code!,
    detail: detail!,
    facts: { retryable: !untrusted, cause: error },
    cure: untrusted ? "none" : "wait",
    outcome: unsent || untrusted ? "untold" : "unknown",
  };
}

/** What ended a try before anything was sent. */
export function unsentOf(error: unknown): Failure {
  if (!(error instanceof GoldError)) throw error;
  const { code, detail, status, request_id, retryable, errors, retryAfterSeconds, cause } = error;
  return {
    code,
    detail,
    facts: { status, request_id, retryable, errors, retryAfterSeconds, cause },
    cure: "none",
    outcome: "untold",
  };
}
