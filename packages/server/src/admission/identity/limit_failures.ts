import { TOKEN_PROBLEM_REGISTRY, type TokenProblemCode } from "@gold-partner/protocol";
import { Refusal } from "../../http/refusal.ts";
import type { Exchange } from "../../http/context.ts";
import type { ClientCertificate } from "./client_certificate.ts";
import { rateFields } from "../rate/rate_fields.ts";
import { FLOOD_REFUSALS, type RateLimiter, type RateTerms } from "../rate/rate_limiter.ts";

/**
 * The limit for failures of one certificate. Memory is bounded by the number of registered certificates,
 * because no other certificate reaches this step.
 */
export const FAILURE_RATE: RateTerms = { perSecond: 1, burst: 100 };
export const FAILURE_POLICY = "authentication_failures";
const UNAUTHORIZED = 401;
export const TOO_MANY_FAILURES =
  `Too many requests with this certificate failed authentication. At most ${FAILURE_RATE.burst} failures at once, ` +
  `then ${FAILURE_RATE.perSecond} a second, are answered with their cause. A valid token or client_secret is still accepted, unless ` +
  `more than ${FLOOD_REFUSALS} requests failed in the same second. ` +
  "This request was not executed; correct its token or client_secret and repeat it after Retry-After.";

interface FailureParts {
  /** Counts failures by the certificate's fingerprint. */
  readonly failures: RateLimiter<string>;
  monotonicMs(): number;
}

/**
 * Runs one authentication step and counts each 401 against the certificate. A failure above FAILURE_RATE is
 * answered with 429 instead. The step always runs first, so earlier failures do not block a caller with a
 * valid credential unless they are a flood, and the response time does not depend on them.
 */
export async function limitFailures<T>(
  { fingerprint }: ClientCertificate,
  exchange: Exchange,
  { failures, monotonicMs }: FailureParts,
  authenticate: () => Promise<T>,
): Promise<T> {
  try {
    return await authenticate();
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    const verdict = failures.take(fingerprint, FAILURE_RATE, monotonicMs());
    if (verdict.allowed) throw error;
    exchange.rateFields = rateFields(FAILURE_RATE, verdict, FAILURE_POLICY);
    throw new Refusal("rate_limited", TOO_MANY_FAILURES);
  }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof Refusal &&
  TOKEN_PROBLEM_REGISTRY[(error as Refusal<TokenProblemCode>).code].status === UNAUTHORIZED;
