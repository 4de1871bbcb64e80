// Written by npm run docs from the schemas of the service. Do not edit.

/** One invalid field of the request, by pointer or by name. */
export interface FieldError {
  /** A JSON Pointer into the body, as in #/gold_grams. */
  pointer?: string | undefined;
  /** The name of the query parameter or header. */
  name?: string | undefined;
  /** What is wrong and what to send. */
  detail: string;
}

/** The codes of the service's errors, as docs/errors.md explains them. */
export type ServiceErrorCode =
  | "invalid_request"
  | "idempotency_key_missing"
  | "idempotency_key_invalid"
  | "timestamp_invalid"
  | "nonce_invalid"
  | "path_not_allowed"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "body_too_large"
  | "uri_too_long"
  | "unsupported_media_type"
  | "header_too_large"
  | "token_missing"
  | "token_invalid"
  | "token_expired"
  | "token_certificate_mismatch"
  | "signature_missing"
  | "signature_invalid"
  | "timestamp_out_of_window"
  | "certificate_unknown"
  | "certificate_revoked"
  | "certificate_expired"
  | "ip_not_allowed"
  | "partner_suspended"
  | "nonce_reused"
  | "idempotency_key_conflict"
  | "idempotency_request_in_progress"
  | "quote_already_executed"
  | "withdrawal_reference_reused"
  | "withdrawal_not_pending"
  | "withdrawal_outcome_unreachable"
  | "open_changes_exceeded"
  | "quote_expired"
  | "insufficient_funds"
  | "insufficient_gold"
  | "insufficient_inventory"
  | "limit_exceeded"
  | "withdrawal_limit_exceeded"
  | "exposure_exceeded"
  | "market_closed"
  | "rate_limited"
  | "open_quotes_exceeded"
  | "daily_budget_exceeded"
  | "net_position_exceeded"
  | "internal_error"
  | "price_unavailable"
  | "service_unavailable"
  | "upstream_unavailable"
  | "upstream_timeout"
  | "invalid_client"
  | "unsupported_grant_type";
