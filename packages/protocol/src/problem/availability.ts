// Problems that a later retry can solve: a limit of the partner, or a service, proxy or price source that is
// not available.
import { NO_EFFECT, type ProblemFamily } from "./entry.ts";

const UNAVAILABLE = { ...NO_EFFECT, retryable: true } as const;

export const AVAILABILITY_PROBLEMS = {
  rate_limited: {
    ...UNAVAILABLE,
    status: 429,
    title: "Too many requests",
    cause:
      "You exceeded your rate and burst, sent too many requests at once, repeated too many known keys, opened too " +
      "many streams, or sent too many requests that failed authentication; nothing was executed. The " +
      "RateLimit-Policy header names the limit, but not that of streams.",
    cure:
      "Wait as long as Retry-After says, repeat with the same Idempotency-Key, and adapt your rate to the " +
      "RateLimit headers. If the policy is requests_at_once, send fewer at once. If it is " +
      "authentication_failures, correct the token or client_secret first. If too many streams are open, close one.",
  },
  open_quotes_exceeded: {
    ...UNAVAILABLE,
    status: 429,
    title: "Too many open quotes",
    cause:
      "Your open quotes (firm, not yet executed) have reached the limit in GET /v1/limits, by number or by " +
      "grams; no quote was made.",
    cure:
      "Execute open quotes, or wait as long as Retry-After says until the oldest one expires; then repeat with " +
      "the same Idempotency-Key.",
  },
  daily_budget_exceeded: {
    ...UNAVAILABLE,
    status: 429,
    title: "The daily budget of stored records is spent",
    cause:
      "Requests that execute nothing, such as unexecuted quotes, binding refusals, probes and replays, are " +
      "stored permanently. Today's have reached the limit in GET /v1/limits; nothing was stored for this request.",
    cure:
      "Execute open quotes: their orders are accepted, and each frees a record. Otherwise repeat with the same " +
      "Idempotency-Key after Retry-After, when the day in Riyadh has ended.",
  },
  net_position_exceeded: {
    ...UNAVAILABLE,
    status: 429,
    title: "The daily net position is too large",
    cause:
      "If this quote and your open quotes were executed, you would have bought or sold more gold today, net, " +
      "than the limit in GET /v1/limits; no quote was made. A firm quote can still be ordered.",
    cure:
      "Request a smaller quote, trade in the other direction first, or repeat with the same Idempotency-Key " +
      "after Retry-After, when the day in Riyadh has ended.",
  },
  internal_error: {
    ...UNAVAILABLE,
    status: 500,
    title: "The service failed",
    cause:
      "An unexpected error occurred; the operator can find it by this request_id. This attempt stored no result.",
    cure:
      "Retry with the same Idempotency-Key and increasing delays. If the error persists, give the operator the " +
      "request_id.",
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
    title: "The service is temporarily unavailable",
    cause:
      "The service is overloaded, is starting or stopping, or a system that it needs is down. It refuses a " +
      "request that waited too long for its turn.",
    cure: "Repeat after Retry-After with the same Idempotency-Key.",
  },
  upstream_unavailable: {
    ...UNAVAILABLE,
    spends_nonce: "unknown",
    status: 503,
    title: "The proxy cannot reach the service",
    cause:
      "The proxy found no working service, or lost the connection before the reply arrived. A write may have " +
      "been executed.",
    cure:
      "Repeat after Retry-After with the same Idempotency-Key and a fresh signature. The key ensures that the " +
      "write is executed once.",
  },
  upstream_timeout: {
    ...UNAVAILABLE,
    spends_nonce: "unknown",
    status: 504,
    title: "The service did not answer in time",
    cause:
      "The database did not confirm the request in time, or the proxy stopped waiting. The outcome is unknown: " +
      "the request may have been executed, or may still be executed.",
    cure:
      "Retry with the same Idempotency-Key and a fresh signature until you get a reply. Never retry with a new key.",
  },
} as const satisfies ProblemFamily;
