// The columns that the audit reads from each table, and the only place that writes SQL for rows. To audit a
// new column, add it here and use it in the rule. The columns of a record's members are already here.
import { FUNDING, ORDER, QUOTE, WITHDRAWAL } from "@gold-partner/protocol";
import { columnsOf } from "./books/record_writer.ts";

const TABLES = {
  account:
    "bucket client_id admission_version event_sequence last_posted_at closed_until sar_available sar_held gold simulations",
  vault: "stripe free list_id maximum_exposure day_net day_ends_at",
  open_exposure: "ends_at buys sells",
  bar:
    "serial refiner vault_name gross fineness fine added_at added_sequence removed_at removed_sequence added_list removed_list",
  bar_list: "id created_at bars fine sha256",
  published_reserves: "one as_of body",
  transfer:
    "bucket client_id leg stripe sequence debit credit asset amount sar_available_after sar_held_after gold_after posted_at",
  quote: `bucket client_id ${columnsOf(QUOTE)} price_id key_uuid key`,
  simulated_price: "bucket client_id quote_id percent",
  orders: `bucket client_id sequence ${
    columnsOf(ORDER)
  } sar_available_after sar_held_after gold_after rounding_gain answer`,
  funding: `bucket client_id sequence ${columnsOf(FUNDING)} answer`,
  event: "bucket client_id sequence id subject created_at type line",
  idempotency_key:
    "bucket client_id status key fingerprint request_id result_id created_at result_kind body request signing_thumbprint",
  refusal: "bucket client_id created_at key",
  closed_day:
    `bucket client_id day sequence first_sequence last_sequence opening_available opening_held opening_gold
    closing_available closing_held closing_gold quotes orders refusals broken quotes_sha256 refusals_sha256 epoch
    quotes_executed`,
  epoch: "id system timeline began_at",
  nonce: "bucket client_id nonce request_id",
  chain_link: "bucket client_id sequence hash",
  chain_tail: "bucket client_id sequence head",
  allowance:
    `bucket client_id maximum_open_quotes maximum_open_grams maximum_daily_records maximum_net_grams open_quotes
    open_grams open_buy_grams open_sell_grams open_from exact_until counted_sequence records day_ends_at day_gold
    replays_paid_at`,
  endpoint: "bucket client_id passed worker tenure failures rests_until disabled_at",
  retry: "bucket client_id sequence tries is_test due_at parked_at",
  attempt: "bucket client_id sequence attempted_at http_status",
  expiry_notice: "bucket client_id id kind credential expires_at days_ahead",
  withdrawal: `bucket client_id sequence ${columnsOf(WITHDRAWAL)} answer`,
  withdrawal_step:
    "bucket client_id withdrawal_id sequence status login previous previous_login at batch_id answer",
  payment_batch: "id created_at login document",
  deposit:
    `bucket client_id id amount bank_reference recorded_at recorded_by approved_at approved_by reversed_at reversed_by
    reversed_sequence`,
  deployment:
    `one environment public_base_url sealing_key_source pepper_source loopback_receivers webhook_ports
    attempts_kept_days payout_name payout_iban payout_bic flood_per_second partner_rate_per_second partner_burst
    partner_open_quotes partner_open_grams partner_daily_records requests_kept_since
    partner_net_grams partner_daily_withdrawals partner_daily_withdrawn two_people pepper_name id`,
  partner:
    `id public_id name iban iban_changed_at pending_iban pending_iban_by pending_iban_at rate_per_second burst
    maximum_grams created_at suspended_at chain_key maximum_daily_withdrawals maximum_daily_withdrawn`,
  partner_change:
    `bucket client_id sequence kind credential kid valid_from valid_until iban webhook_url login approved_by`,
  receiver: "id partner_id number url types added_after typed_after removed_at",
  allowed_ip: "partner_id range",
  proposal:
    `id kind content proposer proposed_at expires_at state decided_by decided_at secrets sealing_key proposer_signature
    approver_signature deployment`,
  operator_key: "fingerprint login public_key admitted_by added_at ended_at",
  authority:
    "fingerprint certificate key_source created_at retired_at revocation_list revocation_number revocation_next_at",
  certificate:
    "fingerprint partner_id authority key_hash serial not_before not_after created_at revoked_at revocation_reason",
  client_secret: "id partner_id hash not_before retire_at",
  change_request:
    `bucket client_id id kind content requested_at taken_by taken_at proposal certificate declined_by declined_at
    reason wanted`,
  signing_key: "thumbprint partner_id kid jwk not_before retire_at",
  webhook_secret: "id partner_id receiver_id sealed sealing_key not_before retire_at",
  token_key: "kid public_jwk sealed sealing_key not_before retire_at",
  price:
    `one source mid buy sell spread_basis_points stale_after_seconds as_of url always_open quote_ttl_seconds id stored_at
    halt_basis_points halt_seconds halted_at watched_from band_basis_points band_hour_basis_points band_from`,
  price_history:
    "id mid buy sell as_of stored_at spread_basis_points stale_after_seconds quote_ttl_seconds source hash",
  market_session: "day opens closes",
  registry_version: "one version",
  problem: "code status title retryable",
  audit: "id at login action subject detail",
  audit_link: "id hash",
  audit_tail: "one id head",
} as const satisfies Record<string, string>;

export type Table = keyof typeof TABLES;

/** Returns `select columns from gold.table`, without any function, cast or view. */
export function selectFrom(table: Table, rest = "", columns: string = TABLES[table]): string {
  return `select ${columns.split(/\s+/).join(", ")} from gold.${table} ${rest}`.trim();
}
