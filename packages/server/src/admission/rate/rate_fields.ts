import { REPLY_HEADER } from "@gold-partner/protocol";
import type { RateTerms, RateVerdict } from "./rate_limiter.ts";

/**
 * What a partner paces itself by, as structured fields (draft-ietf-httpapi-ratelimit-headers-11). The window is the time in
 * which a whole burst comes back.
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
