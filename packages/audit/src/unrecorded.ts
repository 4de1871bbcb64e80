// Columns that a superuser can change without any rule noticing it, each with the reason. A test edits every
// column of every table: either a rule notices the edit, or the column is listed here.

/** Harmless: nothing that a partner owns or is owed depends on these columns. */
export const UNRECORDED: Readonly<Record<string, string>> = {
  "account.admission_version":
    "a counter that running processes compare; a wrong value makes them admit requests again",
  "account.closed_until": "only moves the instant of later records",
  "account.simulations": "only in the sandbox; a value in production is noticed",
  "allowance.open_quotes": "an upper bound; a smaller count than the open quotes is noticed",
  "allowance.open_from": "a lower bound that is only for speed; a larger id than an open quote's is noticed",
  "allowance.exact_until": "says only when the open quotes are counted again",
  "allowance.records": "counts the requests of one day",
  "allowance.replays_paid_at": "the state of a rate limit",
  "attempt.duration_ms": "part of the delivery log; partners do not see it",
  "attempt.error": "part of the delivery log; partners do not see it",
  "attempt.answer": "part of the delivery log; partners do not see it",
  "attempt.attempted_at": "part of the delivery log; an instant before the event is noticed",
  "endpoint.worker": "says which process sends the events; another process claims the endpoint again",
  "endpoint.tenure": "counts claims",
  "endpoint.failures": "only lengthens the pause between attempts",
  "endpoint.rests_until": "only delays attempts, and the alert for waiting events fires",
  "endpoint.disabled_at": "only delays attempts, and the alert for waiting events fires",
  "delivery_worker.id": "a process writes it again every second",
  "delivery_worker.seen_at": "a process writes it again every second",
  "epoch.system": "only says whether the next epoch is in the same cluster",
  "retry.tries": "only changes the pause between attempts",
  "retry.due_at": "only delays an attempt",
  "retry.parked_at": "only ends the attempts, and the partner sees the event as parked",
  "certificate.last_used_at": "shown to people who retire a credential",
  "client_secret.last_used_at": "shown to people who retire a credential",
  "signing_key.last_used_at": "shown to people who retire a credential",
  "webhook_secret.last_used_at": "shown to people who retire a credential",
  "token_key.last_used_at": "only shown to operators",
  "registry_version.version":
    "a counter that running processes compare; a change makes them read the registry again",
};

/** Rows that can be inserted or deleted. They are the state of running processes. */
export const UNRECORDED_ROWS: Readonly<Record<string, string>> = {
  "delivery_worker (delete)": "a process writes it again every second",
  "delivery_worker (insert)": "no process updates the row, so its claims expire",
  "endpoint (delete)": "the partner's events are sent again",
  "retry (delete)": "the partner sees from the sequence numbers that an event is missing",
  "published_reserves (delete)": "the next reader publishes the figure again",
};

const CLOCK =
  "an edit by less than 60 s: the audit trail has only the instant of its row, which is up to 60 s later";

/** Columns of which rules notice some edits, but not these. docs/audit.md lists them, too. */
export const PARTLY_RECORDED: Readonly<Record<string, string>> = {
  "allowance.counted_sequence":
    "a higher number: then open quotes are counted too high, and quotes are refused",
  "attempt.http_status":
    "another status of the same kind: part of the delivery log; a success that is missing is noticed",
  "attempt.sequence":
    "an added success of an event that waits, with a higher endpoint.passed: only the partner notices it",
  "authority.created_at": CLOCK,
  "bar.added_at": CLOCK,
  "certificate.created_at": CLOCK,
  "change_request.wanted":
    "null in a request that nobody has taken up, as a version before 0.7.0 stored it: it can only be declined",
  "closed_day.quotes_executed": "null, as in a day that a version before 0.7.0 closed",
  "deposit.recorded_at": CLOCK,
  "endpoint.passed":
    "a lower number: delivered events are sent again, and the partner knows them by their ids",
  "epoch.began_at": "an edit of the newest epoch, until a day.closed names it",
  "epoch.id":
    "a deleted newest epoch that no day.closed names: the service adds it again, with a later began_at",
  "epoch.timeline": "an edit of the newest epoch, until a day.closed names it",
  "nonce.request_id":
    "null, as 0.1.0 stored it: the nonce still counts as spent, and the rows without a request are counted",
  "operator_key.added_at": CLOCK,
  "operator_key.ended_at": CLOCK,
  "partner.created_at": CLOCK,
  "partner.pending_iban_at": CLOCK,
  "partner.suspended_at": CLOCK,
  "price.halted_at": CLOCK,
  "quote.price_id": "another price row with the same prices that was in force up to 10 s earlier or later",
  "transfer.posted_at": "an edit by less than 60 s of a bar's transfer, which has the instant of its bar",
};
