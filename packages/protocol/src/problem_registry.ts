// Every problem that the service can reply with. The service reads this table to build its replies. The
// OpenAPI document and docs/errors.md are generated from it.
import { AVAILABILITY_PROBLEMS } from "./problem/availability.ts";
import { BUSINESS_PROBLEMS } from "./problem/business.ts";
import type { ProblemEntry } from "./problem/entry.ts";
import { FORM_PROBLEMS } from "./problem/form.ts";
import { IDENTITY_PROBLEMS } from "./problem/identity.ts";
import { type OAuthError, TOKEN_ENDPOINT_PROBLEMS } from "./problem/token_endpoint.ts";

const PROBLEMS = {
  ...FORM_PROBLEMS,
  ...IDENTITY_PROBLEMS,
  ...BUSINESS_PROBLEMS,
  ...AVAILABILITY_PROBLEMS,
};

/** The codes of application/problem+json. */
export type ProblemCode = keyof typeof PROBLEMS;
/** A ProblemCode, or a code that only POST /oauth/token has. */
export type TokenProblemCode = ProblemCode | keyof typeof TOKEN_ENDPOINT_PROBLEMS;

export const PROBLEM_REGISTRY: Readonly<Record<ProblemCode, ProblemEntry>> = PROBLEMS;
export const TOKEN_PROBLEM_REGISTRY: Readonly<Record<TokenProblemCode, ProblemEntry>> = {
  ...PROBLEMS,
  ...TOKEN_ENDPOINT_PROBLEMS,
};

/**
 * Returns whether `text` is a code of application/problem+json.
 *
 * @param text Any text, such as the `code` of a reply.
 * @example
 * ```ts
 * import { isProblemCode } from "@gold-partner/protocol";
 *
 * console.log(isProblemCode("quote_expired"), isProblemCode("invalid_client")); // true false
 * ```
 */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEM_REGISTRY, text);
}

/**
 * What the refusal is about: the quote_id of an order, or anything else. The code not_found binds the
 * Idempotency-Key only for the quote_id of an order.
 */
export type Refused = "order_quote_id" | "other";

/**
 * Returns whether this refusal binds the Idempotency-Key. If it does, every retry with the key gets the same
 * reply.
 *
 * @param code The code of the refusal.
 * @param refused Whether the refusal is about an order's quote_id.
 * @example
 * ```ts
 * import { bindsKey } from "@gold-partner/protocol";
 *
 * console.log(bindsKey("not_found", "order_quote_id"), bindsKey("not_found", "other")); // true false
 * ```
 */
export function bindsKey(code: ProblemCode, refused: Refused): boolean {
  const effect = PROBLEM_REGISTRY[code].binds_key;
  return effect === true || effect === refused;
}

/** Returns the OAuth `error` that the token endpoint sends for a problem code. */
export function oauthError(code: TokenProblemCode): OAuthError {
  if (code === "unsupported_grant_type") return code;
  switch (TOKEN_PROBLEM_REGISTRY[code].status) {
    case 401:
      return "invalid_client";
    case 403:
      return "access_denied";
    case 429:
    case 503:
    case 504:
      return "temporarily_unavailable";
    case 500:
      return "server_error";
    default:
      return "invalid_request";
  }
}
