/**
 * The status of a refusal by a limit on the rate, on quotes, on records or on the net position. The database
 * stores neither the key nor the nonce of such a request.
 */
export const LIMIT_STATUS = 429;

/** The result of a booking function for one item. */
export interface Outcome {
  readonly outcome:
    | "answered"
    | "replayed"
    | "nonce_reused"
    | "idempotency_key_conflict"
    | "price_unavailable"
    | "market_closed"
    | "not_found"
    | "invalid_request"
    /** The clock is behind the account's newest posting or the order's quote by `body` seconds. */
    | "service_unavailable"
    | "admission_changed"
    | "busy"
    | "idempotency_request_in_progress";
  readonly status: number | null;
  readonly body: string | null;
}
