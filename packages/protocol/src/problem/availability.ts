// The service, the proxy or the price source cannot serve the request now.
import { NO_EFFECT, type ProblemFamily } from "./entry.ts";

const UNAVAILABLE = { ...NO_EFFECT, retryable: true } as const;

export const AVAILABILITY_PROBLEMS = {
  rate_limited: {
    ...UNAVAILABLE,
    status: 429,
    title: "Too many requests",
    cause:
      "You exceeded your rate and burst, or more than 100 requests with this certificate failed authentication; " +
      "nothing was executed. The RateLimit-Policy header names the limit.",
    cure:
      "Wait as long as Retry-After says, repeat with the same Idempotency-Key, and pace yourself by the RateLimit headers. " +
      "Under authentication_failures, correct the token or client_secret first; a valid one is accepted at any time.",
  },
  open_quotes_exceeded: {
    ...UNAVAILABLE,
    status: 429,
    title: "Too many open quotes",
    cause:
      "Your open quotes (firm, not yet executed) have reached the limit in GET /v1/limits, by number or by grams; no quote was made.",
    cure:
      "Execute open quotes, or wait as long as Retry-After says until the oldest one expires; then repeat with the same Idempotency-Key.",
  },
  daily_budget_exceeded: {
    ...UNAVAILABLE,
    status: 429,
    title: "The daily budget of stored records is spent",
    cause:
      "Requests that execute nothing, such as unexecuted quotes, binding refusals, probes and replays, are stored permanently. Today's have reached the limit in GET /v1/limits; nothing was stored for this request.",
    cure:
      "Execute open quotes: their orders are accepted, and each frees a record. Otherwise repeat with the same Idempotency-Key after Retry-After, when the day in Riyadh has ended.",
  },
  internal_error: {
    ...UNAVAILABLE,
    status: 500,
    title: "The service failed",
    cause:
      "Something broke that should not; the operator sees it under this request_id. No result was stored by this attempt.",
    cure:
      "Retry with the same Idempotency-Key, with growing pauses. If it stays, give the operator the request_id.",
  },
  price_unavailable: {
    ...UNAVAILABLE,
    status: 503,
    title: "There is no current price",
    cause: "The price source has not delivered within its staleness limit, and an old price is never used.",
    cure: "Repeat after Retry-After; firm quotes can still be ordered meanwhile.",
  },
  service_unavailable: {
    ...UNAVAILABLE,
    status: 503,
    title: "The service cannot serve right now",
    cause:
      "The service is overloaded, is starting or stopping, or a part that it needs is down; it refuses at once rather than queue.",
    cure: "Repeat after Retry-After with the same Idempotency-Key.",
  },
  upstream_unavailable: {
    ...UNAVAILABLE,
    spends_nonce: "unknown",
    status: 503,
    title: "The proxy cannot reach the service",
    cause:
      "The proxy found no working service, or lost it before the reply came; a write may have been executed.",
    cure:
      "Repeat after Retry-After with the same Idempotency-Key, signed afresh: the key makes sure that it is executed once.",
  },
  upstream_timeout: {
    ...UNAVAILABLE,
    spends_nonce: "unknown",
    status: 504,
    title: "The service did not answer in time",
    cause:
      "The proxy gave up waiting. The outcome is unknown: the request may have been executed, or may yet be.",
    cure:
      "Retry with the same Idempotency-Key, signed afresh, until you get an answer; never with a new key.",
  },
} as const satisfies ProblemFamily;
