/** The names of request headers, spelled as in the documentation. HTTP ignores their case. */
export const REQUEST_HEADER = {
  authorization: "Authorization",
  idempotencyKey: "Idempotency-Key",
  timestamp: "X-Timestamp",
  nonce: "X-Nonce",
  signature: "X-JWS-Signature",
  prefer: "Prefer",
  ifNoneMatch: "If-None-Match",
  lastEventId: "Last-Event-ID",
} as const;

/** The names of reply headers, spelled as in the documentation. HTTP ignores their case. */
export const REPLY_HEADER = {
  requestId: "X-Request-Id",
  idempotentReplayed: "Idempotent-Replayed",
  preferenceApplied: "Preference-Applied",
  rateLimit: "RateLimit",
  rateLimitPolicy: "RateLimit-Policy",
  retryAfter: "Retry-After",
  wwwAuthenticate: "WWW-Authenticate",
  deprecation: "Deprecation",
  sunset: "Sunset",
  entityTag: "ETag",
} as const;

/**
 * Seconds since 1970, which have ten digits from 2001 to 2286. A time in milliseconds does not match, because
 * it has 13 digits.
 */
export const TIMESTAMP_FORM: RegExp = /^[1-9][0-9]{9}$/;

/**
 * Visible ASCII without the comma. A proxy joins repeated headers with a comma, so with commas two nonces
 * could look like one nonce.
 */
export const NONCE_FORM: RegExp = /^[!-+\--~]{16,128}$/;

/** A detached JWS: the protected header, two dots, and the 64 bytes of an ES256 signature as base64url. */
export const SIGNATURE_FORM: RegExp = /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{86}$/;

/** Visible ASCII. */
export const IDEMPOTENCY_KEY_FORM: RegExp = /^[!-~]{1,255}$/;
