/** Every metric of the service with its help text, which promlint requires. Names end with the unit. */
export const COUNTERS = {
  gold_requests_total: "Requests that were answered, by route and status.",
  gold_streams_ended_total:
    "Streams that ended, by reason. left: the partner closed it, or the connection broke.",
  gold_refusals_total: "Requests that were refused, by the code of the problem.",
  gold_unexpected_errors_total: "Errors that the service does not know, each with a log line.",
  gold_clock_refusals_total: "Writes that were refused because the database's clock is behind.",
  gold_orders_executed_total: "Orders that this process executed, by side.",
  gold_orders_grams_total: "Gold of the orders that this process executed, in grams, by side.",
  gold_orders_sar_total: "Money of the orders that this process executed, in SAR, by side.",
  gold_quotes_given_total: "Quotes that this process gave, by side.",
  gold_price_ticks_total: "Readings of the price source, by outcome.",
  gold_webhook_attempts_total: "Attempts to deliver a webhook, by outcome.",
  process_cpu_seconds_total: "CPU time of this process, user and system.",
} as const;

/** Figures of the whole database. One process at a time shows them, and the others do not. */
export const DATABASE_GAUGES = {
  gold_database_read_timestamp_seconds: "When the figures of the whole database were read.",
  gold_vault_free_grams: "Gold in the vault that no partner owns, in grams.",
  gold_order_limit_grams: "The largest order that a partner may place, in grams.",
  gold_exposure_grams: "What all partners bought since midnight in Riyadh minus what they sold, in grams.",
  gold_clock_behind_seconds: "How far the database's clock is behind the newest posting of an account.",
  gold_market_halted: "1 if the circuit breaker has closed the market, else 0.",
  gold_price_age_seconds:
    "Age of the price that its source gave last. NaN for a fixed price and while the market is closed.",
  gold_price_stale: "1 if the market is open and no quote is given, because the price is too old. Else 0.",
  gold_proposals_waiting: "Proposals that wait for another person.",
  gold_proposal_oldest_seconds: "Age of the oldest proposal that waits for another person. 0 if none waits.",
  gold_backup_age_seconds: "Age of the newest archived WAL. NaN if Postgres archives none.",
  gold_backup_files_waiting: "Complete WAL files that wait for the archive.",
  gold_webhook_waiting: "Events of all partners that wait for delivery.",
  gold_webhook_oldest_seconds: "Age of the oldest event that waits for delivery.",
  gold_webhook_unsent_seconds: "Age of the oldest event that was never sent.",
  gold_webhook_parked: "Events that are parked after their last attempt.",
  gold_webhook_endpoints_disabled: "Endpoints that answered 410 and are disabled.",
  gold_webhook_endpoints_failing: "Endpoints whose last attempt failed.",
} as const;

/** Figures of one process. */
const PROCESS_GAUGES = {
  gold_build_info: "The version and the runtime of this process. The value is always 1.",
  gold_requests_waiting: "Requests that wait for their turn.",
  gold_requests_running: "Requests that run.",
  gold_streams_open: "Streams of prices and events that are open.",
  gold_requests_running_max:
    "How many requests may run at once. It follows the latency of orders and quotes.",
  gold_bookings_waiting: "Orders, quotes and nonces that wait for a batch.",
  gold_commits_waiting_seconds: "How long the oldest booking that was sent has no outcome.",
  gold_database_waiting: "Statements that wait for a connection, by pool.",
  gold_rate_limiter_clients: "Partners whose rate is held in memory.",
  gold_failing_certificates: "Certificates with failed authentications.",
  gold_malformed_rows: "Rows of the registry that the service cannot read and leaves out.",
  gold_writes_possible: "1 if writes can be committed, else 0.",
  gold_standby_missing: "1 if writes are refused because no standby confirms commits, else 0.",
  gold_records_missing: "1 if writes are refused because the database lacks records, else 0.",
  gold_heads_age_seconds: "Age of the file of heads. NaN without the file.",
  gold_webhook_in_flight: "Webhooks that this process is sending.",
  gold_webhook_endpoints_held: "Endpoints to which this process delivers.",
  process_resident_memory_bytes: "Resident memory of this process.",
  process_heap_bytes: "Used heap of this process's JavaScript engine.",
  process_start_time_seconds: "When this process started, in seconds since 1970.",
} as const;

export const GAUGES = { ...PROCESS_GAUGES, ...DATABASE_GAUGES } as const;

export const HISTOGRAMS = {
  gold_request_seconds: "How long a request took from its arrival to its reply, by route.",
  gold_turn_wait_seconds: "How long a request that did not start at once waited for its turn.",
  gold_database_wait_seconds: "How long a statement that found no free connection waited for one, by pool.",
  gold_webhook_seconds: "How long an attempt to deliver a webhook took.",
  gold_event_loop_lag_seconds: "How much later than planned a timer ran.",
  gold_garbage_collection_seconds: "How long a garbage collection took. Only on Node.",
} as const;

export type Counter = keyof typeof COUNTERS;
export type Gauge = keyof typeof GAUGES;
export type DatabaseGauge = keyof typeof DATABASE_GAUGES;
export type HistogramName = keyof typeof HISTOGRAMS;
