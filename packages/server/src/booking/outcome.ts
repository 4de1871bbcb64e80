/** The status of a refusal by a limit. It is not a result: neither the key nor the nonce was stored. */
export const LIMIT_STATUS = 429;

/** What a booking function said of one item. */
export interface Outcome {
  readonly outcome:
    | "answered"
    | "replayed"
    | "nonce_reused"
    | "idempotency_key_conflict"
    | "price_unavailable"
    | "market_closed"
    | "not_found"
    /** The database's clock is behind the account's newest posting; the body says by how many seconds. */
    | "service_unavailable"
    | "admission_changed"
    | "busy"
    | "idempotency_request_in_progress";
  readonly status: number | null;
  readonly body: string | null;
}
