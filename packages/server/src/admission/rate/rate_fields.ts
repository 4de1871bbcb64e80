import { REPLY_HEADER } from "@gold-partner/protocol";
import type { RateTerms, RateVerdict } from "./rate_limiter.ts";

/**
 * Builds the rate limit headers as structured fields (draft-ietf-httpapi-ratelimit-headers-11). The window is
 * the time in seconds until a whole burst is available again, rounded up.
 */
export function rateFields(
  { perSecond, burst }: RateTerms,
  { remaining, resetSeconds }: RateVerdict,
  policy = "default",
): Record<string, string> {
  return {
    [REPLY_HEADER.rateLimitPolicy]: `"${policy}";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    [REPLY_HEADER.rateLimit]: `"${policy}";r=${remaining};t=${resetSeconds}`,
  };
}

/** Says that a partner exceeded its rate, and what to do. */
export const tooFast = ({ perSecond, burst }: RateTerms): string =>
  `Your rate is ${perSecond} a second with a burst of ${burst}, and this request exceeded it. The request was not executed. ` +
  "Wait for the number of seconds in Retry-After, then repeat the request with the same Idempotency-Key.";

/** The state of one of a partner's limits, as the booking functions in the database report it. */
export interface LimitState {
  readonly policy: string;
  readonly quota: number;
  readonly window_seconds: number;
  readonly remaining: number;
  readonly reset_seconds: number;
}

/** Builds the same headers for a limit that the database counts. */
export function limitFields(
  { policy, quota, window_seconds, remaining, reset_seconds }: LimitState,
): Record<string, string> {
  return {
    [REPLY_HEADER.rateLimitPolicy]: `"${policy}";q=${quota};w=${window_seconds}`,
    [REPLY_HEADER.rateLimit]: `"${policy}";r=${remaining};t=${reset_seconds}`,
  };
}
