// The request is well formed and the caller is known. An idempotency rule or a business rule refuses it.
import { NO_EFFECT, type ProblemFamily, REFUSAL } from "./entry.ts";

export const BUSINESS_PROBLEMS = {
  nonce_reused: {
    status: 409,
    title: "The nonce was used before",
    retryable: true,
    binds_key: false,
    spends_nonce: true,
    cause:
      "You have already sent a signed request with this X-Nonce, so this request may be a replay and was not executed.",
    cure:
      "Sign again with a fresh nonce and timestamp and the same Idempotency-Key; the reply is then the first " +
      "result, if there is one.",
  },
  idempotency_key_conflict: {
    status: 409,
    title: "The Idempotency-Key belongs to another request",
    retryable: false,
    binds_key: false,
    spends_nonce: true,
    cause: "You used this key before with other parameters or at another endpoint; keys never expire.",
    cure:
      "Use a new key for a new operation. If you meant a retry, send the first request's parameters unchanged.",
  },
  idempotency_request_in_progress: {
    ...NO_EFFECT,
    status: 409,
    title: "The account is busy with another request",
    retryable: true,
    cause:
      "Other work on your account, with this key or another, did not finish while this request waited. Nothing " +
      "was executed for this request.",
    cure: "Wait as long as Retry-After says and repeat with the same key; the reply is then the result.",
  },
  quote_already_executed: {
    ...REFUSAL,
    status: 409,
    title: "The quote has been executed",
    cause:
      "A quote can be executed once, and an order with another Idempotency-Key has already executed this quote.",
    cure:
      "Look the order up (GET /v1/orders) before you trade again. For another trade, request a new quote and use " +
      "a new Idempotency-Key.",
  },
  withdrawal_reference_reused: {
    ...REFUSAL,
    status: 409,
    title: "Another withdrawal has this reference",
    cause:
      "A withdrawal that is not rejected, returned or cancelled has the same reference, so this withdrawal may be a " +
      "duplicate.",
    cure:
      "Check GET /v1/withdrawals. If you intend a second payment, send it with another reference and a new " +
      "Idempotency-Key.",
  },
  withdrawal_not_pending: {
    ...REFUSAL,
    status: 409,
    title: "The withdrawal no longer waits for approval",
    cause:
      "Only a withdrawal with the status pending_approval can be cancelled. The operator or an earlier request has " +
      "decided this one.",
    cure:
      "Read the withdrawal's status (GET /v1/withdrawals/{withdrawal_id}). If it is approved and must not be paid, " +
      "call the operator at once. To cancel another withdrawal, use a new Idempotency-Key.",
  },
  withdrawal_outcome_unreachable: {
    ...NO_EFFECT,
    status: 409,
    title: "The withdrawal can no longer get this status",
    retryable: false,
    cause:
      "Only in the sandbox: the withdrawal has a status from which the simulated outcome cannot be reached, such " +
      "as paid after returned. Nothing changed.",
    cure:
      "Read the withdrawal's status (GET /v1/withdrawals/{withdrawal_id}). For another outcome, simulate it for a " +
      "new withdrawal.",
  },
  open_changes_exceeded: {
    ...NO_EFFECT,
    status: 409,
    title: "Too many open changes",
    retryable: false,
    cause:
      "At most three of your changes may be requested or proposed at the same time. Nothing was stored for this request.",
    cure:
      "Wait until the operator has decided an open change (GET /v1/account/changes), or ask the operator to decline " +
      "one. Then repeat the request; you may use the same Idempotency-Key.",
  },
  quote_expired: {
    ...REFUSAL,
    status: 422,
    title: "The quote has expired",
    cause: "A quote is firm for 60 seconds by the service's clock, and this quote is older.",
    cure: "Request a new quote and order it with a new Idempotency-Key.",
  },
  insufficient_funds: {
    ...REFUSAL,
    status: 422,
    title: "The SAR balance is too small",
    cause:
      "The available SAR balance does not cover the total; amounts held for withdrawals are not available.",
    cure: "Fund the account or use a smaller amount, then send the request with a new Idempotency-Key; " +
      "GET /v1/balances shows what is available.",
  },
  insufficient_gold: {
    ...REFUSAL,
    status: 422,
    title: "The gold balance is too small",
    cause: "The account holds less gold than the order sells.",
    cure:
      "Sell at most what GET /v1/balances shows: request a new quote and order it with a new Idempotency-Key.",
  },
  insufficient_inventory: {
    ...REFUSAL,
    status: 422,
    title: "The vault holds too little free gold",
    cause: "Every gram sold is backed by a bar in the vault, and the free gold does not cover this order.",
    cure:
      "Order less, or order later when bars have been added (GET /v1/reserves), with a new quote and a new " +
      "Idempotency-Key.",
  },
  limit_exceeded: {
    ...REFUSAL,
    status: 422,
    title: "The quantity is outside the limits",
    cause:
      "The number is well formed, but it is outside the limits of this operation, or it would raise the balance " +
      "above the account's maximum.",
    cure: "Read `detail` and GET /v1/limits, then send a quantity within them with a new Idempotency-Key.",
  },
  withdrawal_limit_exceeded: {
    ...REFUSAL,
    status: 422,
    title: "The daily limit of withdrawals is reached",
    cause:
      "Your withdrawals of today (Riyadh time) have reached the limit in GET /v1/limits, by number or by amount. " +
      "Withdrawals that ended without a payment count, too.",
    cure:
      "Read `detail`. Withdraw less, or request the withdrawal when the day has ended, with a new Idempotency-Key.",
  },
  exposure_exceeded: {
    ...NO_EFFECT,
    status: 422,
    title: "The operator's limit is reached",
    retryable: true,
    cause:
      "All partners together have bought, or sold, as much gold today as the operator allows; no quote was made. " +
      "A quote that is already firm can still be ordered.",
    cure:
      "Request a smaller quote, or repeat later: `exposure` in GET /v1/limits shows which sides are open. This " +
      "reply has no Retry-After header: do not keep a call waiting. You may use the same Idempotency-Key.",
  },
  market_closed: {
    ...NO_EFFECT,
    status: 422,
    title: "The market is closed",
    retryable: true,
    cause:
      "Quotes are available only during market hours, and not while the operator checks a price that jumped. A " +
      "quote that is already firm can still be ordered.",
    cure:
      'Request the quote again when GET /v1/prices shows `"market":"open"`; GET /v1/limits shows the hours and `halted_at`. This reply has no Retry-After header: do not keep a call waiting until then. You may use the same Idempotency-Key.',
  },
} as const satisfies ProblemFamily;
