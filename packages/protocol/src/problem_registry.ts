// Every problem that the service can answer with. Behaviour, OpenAPI and the documentation's catalogue come from here.
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
/** The codes that POST /oauth/token adds. */
export type TokenProblemCode = ProblemCode | keyof typeof TOKEN_ENDPOINT_PROBLEMS;

export const PROBLEM_REGISTRY: Readonly<Record<ProblemCode, ProblemEntry>> = PROBLEMS;
export const TOKEN_PROBLEM_REGISTRY: Readonly<Record<TokenProblemCode, ProblemEntry>> = {
  ...PROBLEMS,
  ...TOKEN_ENDPOINT_PROBLEMS,
};

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEM_REGISTRY, text);
}

/** Which problem an endpoint answers with: only an order's quote_id has effects of its own. */
export type Refused = "order_quote_id" | "other";

/** Whether this answer binds the Idempotency-Key, so that every repeat gets it again. */
export function bindsKey(code: ProblemCode, refused: Refused): boolean {
  const effect = PROBLEM_REGISTRY[code].binds_key;
  return effect === true || effect === refused;
}

/** OAuth's name for a problem at the token endpoint, whatever its status. */
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
