// The problems that an operation can reply with: the problems of every operation, the problems of the token,
// signature, Idempotency-Key or media type that it requires, and the problems that only this operation has.
import { type ProblemCode, TOKEN_PROBLEM_REGISTRY, type TokenProblemCode } from "../problem_registry.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * The problems of every operation: a malformed request, a refused certificate or address, exceeded limits of
 * size, time or rate, and failures of the proxy and the service.
 */
const ALWAYS = [
  "path_not_allowed",
  "invalid_request",
  "certificate_unknown",
  "certificate_revoked",
  "certificate_expired",
  "ip_not_allowed",
  "method_not_allowed",
  "request_timeout",
  "body_too_large",
  "uri_too_long",
  "header_too_large",
  "rate_limited",
  "internal_error",
  "service_unavailable",
  "upstream_unavailable",
  "upstream_timeout",
] as const satisfies readonly ProblemCode[];

const OF_A_TOKEN = [
  "token_missing",
  "token_invalid",
  "token_expired",
  "token_certificate_mismatch",
  "partner_suspended",
] as const satisfies readonly ProblemCode[];

const OF_A_SIGNATURE = [
  "timestamp_invalid",
  "nonce_invalid",
  "signature_missing",
  "signature_invalid",
  "timestamp_out_of_window",
  "nonce_reused",
  "daily_budget_exceeded",
] as const satisfies readonly ProblemCode[];

const OF_A_KEY = [
  "idempotency_key_missing",
  "idempotency_key_invalid",
  "idempotency_key_conflict",
  "idempotency_request_in_progress",
  "daily_budget_exceeded",
] as const satisfies readonly ProblemCode[];

/**
 * Lists every code that the operation can reply with, in the registry's order.
 *
 * @param endpoint An operation of `ENDPOINTS`.
 * @example
 * ```ts
 * import { ENDPOINTS, problemCodesOf } from "@gold-partner/protocol";
 *
 * console.log(problemCodesOf(ENDPOINTS.createOrder).includes("quote_expired")); // true
 * ```
 */
export function problemCodesOf(
  { token, signature, idempotent, request, refusals }: Endpoint,
): TokenProblemCode[] {
  const codes = new Set<string>([
    ...ALWAYS,
    ...(token === "none"
      ? []
      : OF_A_TOKEN.filter((code) => token === "required" || code !== "token_missing")),
    ...(signature ? OF_A_SIGNATURE : []),
    ...(idempotent ? OF_A_KEY : []),
    ...(request && request.mediaType !== "*/*" ? ["unsupported_media_type"] : []),
    ...refusals,
  ]);
  return (Object.keys(TOKEN_PROBLEM_REGISTRY) as TokenProblemCode[]).filter((code) => codes.has(code));
}
