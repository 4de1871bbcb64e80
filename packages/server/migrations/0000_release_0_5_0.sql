-- The tables of 0.5.0, from which a new database starts. Databases of 0.5.0 have them already.
CREATE SCHEMA gold;
CREATE SCHEMA gold_attempts;
CREATE TYPE gold.asset AS ENUM ('SAR', 'XAU');
CREATE TYPE gold.book AS ENUM ('bank', 'available', 'held', 'house', 'bars', 'vault', 'gold');
CREATE TYPE gold.side AS ENUM ('buy', 'sell');
CREATE TYPE gold.withdrawal_status AS ENUM ('pending_approval', 'approved', 'submitted', 'paid',
  'rejected', 'returned');
CREATE TABLE gold.account (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  admission_version bigint DEFAULT 1 NOT NULL,
  event_sequence bigint DEFAULT 0 NOT NULL,
  last_posted_at timestamptz(3) DEFAULT 'epoch' NOT NULL,
  sar_available bigint DEFAULT 0 NOT NULL,
  sar_held bigint DEFAULT 0 NOT NULL,
  gold bigint DEFAULT 0 NOT NULL,
  closed_until timestamptz(3) DEFAULT 'epoch' NOT NULL,
  simulations jsonb,
  CONSTRAINT account_bucket CHECK (bucket = (client_id % 64)),
  CONSTRAINT account_not_negative CHECK ((sar_available >= 0) AND (sar_held >= 0) AND (gold >= 0)),
  CONSTRAINT account_bucket_client_id_pk PRIMARY KEY (bucket, client_id)
);
CREATE TABLE gold.allowance (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  maximum_open_quotes integer,
  maximum_open_grams bigint,
  maximum_daily_records integer,
  open_quotes bigint DEFAULT 2147483648 NOT NULL,
  open_grams bigint DEFAULT 1000000000000000 NOT NULL,
  open_from uuid NOT NULL,
  exact_until timestamptz(3) DEFAULT '-infinity' NOT NULL,
  counted_sequence bigint NOT NULL,
  records bigint DEFAULT 0 NOT NULL,
  day_ends_at timestamptz(3) DEFAULT '-infinity' NOT NULL,
  replays_paid_at timestamptz(3) DEFAULT '-infinity' NOT NULL,
  maximum_net_grams bigint,
  open_buy_grams bigint DEFAULT 500000000000000 NOT NULL,
  open_sell_grams bigint DEFAULT 500000000000000 NOT NULL,
  day_gold bigint DEFAULT 0 NOT NULL,
  CONSTRAINT allowance_bucket CHECK (bucket = (client_id % 64)),
  CONSTRAINT allowance_counts CHECK ((open_quotes >= 0) AND (open_grams >= 0) AND (open_buy_grams >= 0)
    AND (open_sell_grams >= 0) AND (records >= 0)),
  CONSTRAINT allowance_maxima CHECK ((maximum_open_quotes > 0) AND (maximum_open_grams > 0)
    AND (maximum_daily_records > 0) AND (maximum_net_grams > 0)),
  CONSTRAINT allowance_bucket_client_id_pk PRIMARY KEY (bucket, client_id)
) WITH (fillfactor='50');
CREATE TABLE gold.allowed_ip (
  partner_id integer NOT NULL,
  range cidr NOT NULL
);
CREATE TABLE gold.attempt (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  sequence bigint NOT NULL,
  attempted_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  http_status smallint,
  error text COLLATE "C",
  answer text
) PARTITION BY RANGE (attempted_at);
CREATE TABLE gold.audit (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  login text DEFAULT SESSION_USER NOT NULL COLLATE "C",
  action text NOT NULL COLLATE "C",
  subject text NOT NULL,
  detail jsonb NOT NULL,
  CONSTRAINT audit_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.audit_link (
  id bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_link_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.audit_tail (
  one boolean DEFAULT true NOT NULL,
  id bigint DEFAULT 0 NOT NULL,
  head bytea DEFAULT decode(repeat('00', 32), 'hex') NOT NULL,
  CONSTRAINT audit_tail_one CHECK (one),
  CONSTRAINT audit_tail_pkey PRIMARY KEY (one)
);
CREATE TABLE gold.authority (
  fingerprint text NOT NULL COLLATE "C",
  certificate text NOT NULL,
  key_source text,
  created_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  retired_at timestamptz(3),
  revocation_list text,
  revocation_number bigint DEFAULT 0 NOT NULL,
  revocation_next_at timestamptz(3),
  CONSTRAINT authority_fingerprint CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
  CONSTRAINT authority_revocation_list CHECK (((revocation_list IS NULL) = (revocation_next_at IS NULL))
    AND ((revocation_list IS NULL) = (revocation_number = 0))),
  CONSTRAINT authority_pkey PRIMARY KEY (fingerprint)
);
CREATE TABLE gold.bar (
  serial text NOT NULL,
  refiner text NOT NULL,
  vault_name text NOT NULL,
  gross bigint NOT NULL,
  fineness integer NOT NULL,
  fine bigint NOT NULL,
  added_at timestamptz(3) NOT NULL,
  added_sequence bigint NOT NULL,
  removed_at timestamptz(3),
  removed_sequence bigint,
  added_list integer,
  removed_list integer,
  CONSTRAINT bar_fine CHECK ((fine > 0) AND (fine = ((gross * fineness) / 10000))),
  CONSTRAINT bar_fineness CHECK ((fineness >= 9950) AND (fineness <= 9999)),
  CONSTRAINT bar_pkey PRIMARY KEY (serial)
);
CREATE TABLE gold.bar_list (
  id integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  bars integer NOT NULL,
  fine bigint NOT NULL,
  sha256 bytea NOT NULL,
  CONSTRAINT bar_list_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.certificate (
  fingerprint text NOT NULL COLLATE "C",
  partner_id integer NOT NULL,
  serial text NOT NULL COLLATE "C",
  not_before timestamptz(3) NOT NULL,
  not_after timestamptz(3) NOT NULL,
  created_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  authority text COLLATE "C",
  key_hash text COLLATE "C",
  revocation_reason text COLLATE "C",
  CONSTRAINT certificate_fingerprint CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
  CONSTRAINT certificate_pkey PRIMARY KEY (fingerprint)
);
CREATE TABLE gold.chain_link (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT chain_link_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence)
);
CREATE TABLE gold.chain_tail (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  sequence bigint DEFAULT 0 NOT NULL,
  head bytea DEFAULT decode(repeat('00', 32), 'hex') NOT NULL,
  CONSTRAINT chain_tail_bucket_client_id_pk PRIMARY KEY (bucket, client_id)
);
CREATE TABLE gold.client_secret (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  partner_id integer NOT NULL,
  hash bytea NOT NULL,
  not_before timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  retire_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT client_secret_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.closed_day (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  day date NOT NULL,
  sequence bigint NOT NULL,
  first_sequence bigint,
  last_sequence bigint,
  opening_available bigint NOT NULL,
  opening_held bigint NOT NULL,
  opening_gold bigint NOT NULL,
  closing_available bigint NOT NULL,
  closing_held bigint NOT NULL,
  closing_gold bigint NOT NULL,
  quotes integer NOT NULL,
  orders integer NOT NULL,
  refusals integer NOT NULL,
  broken integer NOT NULL,
  quotes_sha256 bytea NOT NULL,
  refusals_sha256 bytea NOT NULL,
  epoch integer NOT NULL,
  CONSTRAINT closed_day_bucket_client_id_day_pk PRIMARY KEY (bucket, client_id, day)
);
CREATE TABLE gold.delivery_worker (
  id uuid NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  CONSTRAINT delivery_worker_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.deployment (
  one boolean DEFAULT true NOT NULL,
  environment text NOT NULL COLLATE "C",
  public_base_url text NOT NULL,
  sealing_key_source text,
  pepper_source text,
  loopback_receivers boolean DEFAULT false NOT NULL,
  payout_name text,
  payout_iban text COLLATE "C",
  payout_bic text COLLATE "C",
  flood_per_second integer DEFAULT 5000 NOT NULL,
  partner_rate_per_second integer DEFAULT 50 NOT NULL,
  partner_burst integer DEFAULT 200 NOT NULL,
  webhook_ports integer[] DEFAULT '{443,8443}'::integer[] NOT NULL,
  attempts_kept_days smallint DEFAULT 90 NOT NULL,
  partner_open_quotes integer DEFAULT 100,
  partner_open_grams bigint DEFAULT 50000000,
  partner_daily_records integer DEFAULT 100000,
  requests_kept_since timestamptz(3),
  partner_net_grams bigint,
  partner_daily_withdrawals integer,
  partner_daily_withdrawn bigint,
  two_people boolean DEFAULT false NOT NULL,
  CONSTRAINT deployment_attempts_kept CHECK ((attempts_kept_days >= 7) AND (attempts_kept_days <= 3650)),
  CONSTRAINT deployment_environment CHECK (environment IN ('sandbox', 'production')),
  CONSTRAINT deployment_one CHECK (one),
  CONSTRAINT deployment_webhook_ports CHECK (cardinality(webhook_ports) BETWEEN 1 AND 32
    AND 1 <= ALL (webhook_ports) AND 65535 >= ALL (webhook_ports)),
  CONSTRAINT deployment_pkey PRIMARY KEY (one)
);
CREATE TABLE gold.deposit (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  id uuid NOT NULL,
  amount bigint NOT NULL,
  bank_reference text NOT NULL COLLATE "C",
  recorded_at timestamptz(3) NOT NULL,
  recorded_by text NOT NULL COLLATE "C",
  approved_at timestamptz(3),
  approved_by text COLLATE "C",
  reversed_at timestamptz(3),
  reversed_by text COLLATE "C",
  reversed_sequence bigint,
  CONSTRAINT deposit_amount CHECK (amount > 0),
  CONSTRAINT deposit_bank_reference_form CHECK (bank_reference <> ''),
  CONSTRAINT deposit_steps CHECK (((approved_at IS NULL) = (approved_by IS NULL))
    AND ((reversed_at IS NULL) = (reversed_by IS NULL)) AND ((reversed_sequence IS NULL)
    OR ((approved_at IS NOT NULL) AND (reversed_at IS NOT NULL)))),
  CONSTRAINT deposit_two CHECK (approved_by <> recorded_by),
  CONSTRAINT deposit_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.endpoint (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  passed bigint DEFAULT 0 NOT NULL,
  worker uuid,
  tenure integer DEFAULT 0 NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  rests_until timestamptz(3),
  disabled_at timestamptz(3),
  CONSTRAINT endpoint_bucket CHECK (bucket = (client_id % 64)),
  CONSTRAINT endpoint_bucket_client_id_pk PRIMARY KEY (bucket, client_id)
);
CREATE TABLE gold.epoch (
  id integer NOT NULL,
  system bigint NOT NULL,
  timeline integer NOT NULL,
  began_at timestamptz(3) NOT NULL,
  CONSTRAINT epoch_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.event (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  sequence bigint NOT NULL,
  id uuid NOT NULL,
  subject uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  type text NOT NULL COLLATE "C",
  line smallint DEFAULT 1 NOT NULL,
  CONSTRAINT event_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence)
);
CREATE TABLE gold.expiry_notice (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL COLLATE "C",
  credential text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  days_ahead smallint NOT NULL,
  CONSTRAINT expiry_notice_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id)
);
CREATE TABLE gold.funding (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  id uuid NOT NULL,
  sequence bigint NOT NULL,
  amount bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  answer bytea,
  CONSTRAINT funding_amount CHECK (amount > 0),
  CONSTRAINT funding_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id)
);
CREATE TABLE gold.idempotency_key (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  status smallint NOT NULL,
  key text NOT NULL COLLATE "C",
  fingerprint bytea NOT NULL,
  request_id uuid NOT NULL,
  result_id uuid,
  created_at timestamptz(3) NOT NULL,
  result_kind text NOT NULL COLLATE "C",
  body text NOT NULL,
  request bytea,
  signing_thumbprint bytea,
  CONSTRAINT idempotency_key_bucket_client_id_key_pk PRIMARY KEY (bucket, client_id, key)
);
CREATE TABLE gold.market_session (
  day smallint NOT NULL,
  opens time without time zone NOT NULL,
  closes time without time zone NOT NULL,
  CONSTRAINT market_session_day CHECK ((day >= 0) AND (day <= 6)),
  CONSTRAINT market_session_span CHECK (opens < closes),
  CONSTRAINT market_session_day_opens_pk PRIMARY KEY (day, opens)
);
CREATE TABLE gold.nonce (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  nonce uuid NOT NULL,
  request_id uuid,
  CONSTRAINT nonce_bucket_client_id_nonce_pk PRIMARY KEY (bucket, client_id, nonce)
);
CREATE TABLE gold.open_exposure (
  ends_at timestamptz(3) NOT NULL,
  buys bigint NOT NULL,
  sells bigint NOT NULL,
  CONSTRAINT open_exposure_not_negative CHECK ((buys >= 0) AND (sells >= 0)),
  CONSTRAINT open_exposure_pkey PRIMARY KEY (ends_at)
);
CREATE TABLE gold.operator_key (
  fingerprint text NOT NULL COLLATE "C",
  login text NOT NULL COLLATE "C",
  public_key text NOT NULL COLLATE "C",
  admitted_by text NOT NULL COLLATE "C",
  added_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  CONSTRAINT operator_key_pkey PRIMARY KEY (fingerprint)
);
CREATE TABLE gold.orders (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  side gold.side NOT NULL,
  id uuid NOT NULL,
  sequence bigint NOT NULL,
  grams bigint NOT NULL,
  price bigint NOT NULL,
  total bigint NOT NULL,
  executed_at timestamptz(3) NOT NULL,
  sar_available_after bigint NOT NULL,
  sar_held_after bigint NOT NULL,
  gold_after bigint NOT NULL,
  rounding_gain bigint GENERATED ALWAYS AS (
    CASE WHEN side = 'buy' THEN total * 1000000 - grams * price ELSE grams * price - total * 1000000 END) STORED NOT NULL,
  reference text,
  account_label text,
  answer bytea,
  list_id integer,
  CONSTRAINT orders_rounding CHECK ((rounding_gain >= 0) AND (rounding_gain <= 999999)),
  CONSTRAINT orders_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id)
);
CREATE TABLE gold.partner (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  public_id text NOT NULL COLLATE "C",
  name text NOT NULL,
  iban text NOT NULL COLLATE "C",
  webhook_url text,
  rate_per_second integer NOT NULL,
  burst integer NOT NULL,
  maximum_grams bigint NOT NULL,
  created_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  suspended_at timestamptz(3),
  iban_changed_at timestamptz(3),
  pending_iban text COLLATE "C",
  pending_iban_by text COLLATE "C",
  pending_iban_at timestamptz(3),
  chain_key bytea DEFAULT sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) NOT NULL,
  maximum_daily_withdrawals integer,
  maximum_daily_withdrawn bigint,
  CONSTRAINT partner_maximum_grams CHECK ((maximum_grams >= 1) AND (maximum_grams <= 1000000000)),
  CONSTRAINT partner_pending_iban CHECK (((pending_iban IS NULL) = (pending_iban_by IS NULL))
    AND ((pending_iban IS NULL) = (pending_iban_at IS NULL))),
  CONSTRAINT partner_public_id CHECK (public_id ~ '^(sbx|live)_[a-z0-9]{20}$'),
  CONSTRAINT partner_rate CHECK ((rate_per_second > 0) AND (burst > 0)),
  CONSTRAINT partner_withdrawals CHECK ((maximum_daily_withdrawals > 0) AND (maximum_daily_withdrawn > 0)),
  CONSTRAINT partner_pkey PRIMARY KEY (id),
  CONSTRAINT "partner_publicId_unique" UNIQUE (public_id)
);
CREATE TABLE gold.partner_change (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  sequence bigint NOT NULL,
  kind text COLLATE "C",
  credential text COLLATE "C",
  kid text COLLATE "C",
  valid_from timestamptz(3),
  valid_until timestamptz(3),
  iban text COLLATE "C",
  webhook_url text,
  login text COLLATE "C",
  approved_by text COLLATE "C",
  CONSTRAINT partner_change_form CHECK ((num_nonnulls(kind, iban, webhook_url) = 1)
    AND (num_nonnulls(kind, credential) IN (0, 2))),
  CONSTRAINT partner_change_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence)
);
CREATE TABLE gold.payment_batch (
  id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  login text NOT NULL COLLATE "C",
  document text NOT NULL,
  CONSTRAINT payment_batch_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.price (
  one boolean DEFAULT true NOT NULL,
  source text NOT NULL COLLATE "C",
  mid bigint NOT NULL,
  buy bigint NOT NULL,
  sell bigint NOT NULL,
  spread_basis_points integer NOT NULL,
  stale_after_seconds integer NOT NULL,
  as_of timestamptz(3) NOT NULL,
  url text,
  always_open boolean DEFAULT true NOT NULL,
  quote_ttl_seconds integer DEFAULT 60 NOT NULL,
  id bigint DEFAULT 1 NOT NULL,
  stored_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  halt_basis_points integer,
  halt_seconds integer,
  halted_at timestamptz(3),
  watched_from bigint DEFAULT 1 NOT NULL,
  band_basis_points integer,
  band_hour_basis_points integer,
  band_from bigint DEFAULT 1 NOT NULL,
  CONSTRAINT price_band CHECK (((band_basis_points IS NULL) = (band_hour_basis_points IS NULL))
    AND ((band_basis_points >= 1) AND (band_basis_points <= band_hour_basis_points))
    AND (band_hour_basis_points <= 10000)),
  CONSTRAINT price_halt CHECK (((halt_basis_points IS NULL) = (halt_seconds IS NULL))
    AND ((halt_basis_points >= 1) AND (halt_basis_points <= 10000)) AND ((halt_seconds >= 1)
    AND (halt_seconds <= 600))),
  CONSTRAINT price_one CHECK (one),
  CONSTRAINT price_quote_ttl CHECK ((quote_ttl_seconds >= 1) AND (quote_ttl_seconds <= 3600)),
  CONSTRAINT price_sides CHECK ((buy > sell) AND (sell > 0) AND (buy <= 999999999)),
  CONSTRAINT price_source CHECK ((source IN ('fixed', 'simulated', 'http'))
    AND ((source = 'http') = (url IS NOT NULL))),
  CONSTRAINT price_terms CHECK ((spread_basis_points > 0) AND (stale_after_seconds > 0)),
  CONSTRAINT price_pkey PRIMARY KEY (one)
);
CREATE TABLE gold.price_history (
  id bigint NOT NULL,
  mid bigint NOT NULL,
  buy bigint NOT NULL,
  sell bigint NOT NULL,
  as_of timestamptz(3) NOT NULL,
  stored_at timestamptz(3) NOT NULL,
  spread_basis_points integer NOT NULL,
  stale_after_seconds integer NOT NULL,
  quote_ttl_seconds integer NOT NULL,
  source text NOT NULL COLLATE "C",
  hash bytea NOT NULL,
  CONSTRAINT price_history_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.problem (
  code text NOT NULL COLLATE "C",
  status smallint NOT NULL,
  title text NOT NULL,
  retryable boolean NOT NULL,
  CONSTRAINT problem_pkey PRIMARY KEY (code)
);
CREATE TABLE gold.proposal (
  id uuid NOT NULL,
  kind text NOT NULL COLLATE "C",
  content jsonb NOT NULL,
  proposer text DEFAULT SESSION_USER NOT NULL COLLATE "C",
  proposed_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  state text DEFAULT 'pending' NOT NULL COLLATE "C",
  decided_by text COLLATE "C",
  decided_at timestamptz(3),
  secrets bytea,
  sealing_key text COLLATE "C",
  proposer_signature text COLLATE "C",
  approver_signature text COLLATE "C",
  CONSTRAINT proposal_decided CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
  CONSTRAINT proposal_decision CHECK ((state = 'applying') OR ((state = 'pending') = (decided_by IS NULL))),
  CONSTRAINT proposal_secrets CHECK ((secrets IS NULL) OR (sealing_key IS NOT NULL)),
  CONSTRAINT proposal_state CHECK (state IN ('pending', 'applying', 'approved', 'rejected')),
  CONSTRAINT proposal_two CHECK ((state = 'rejected') OR (decided_by IS DISTINCT FROM proposer)),
  CONSTRAINT proposal_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.published_reserves (
  one boolean DEFAULT true NOT NULL,
  as_of timestamptz(3) NOT NULL,
  body text NOT NULL,
  CONSTRAINT published_reserves_one CHECK (one),
  CONSTRAINT published_reserves_pkey PRIMARY KEY (one)
);
CREATE TABLE gold.quote (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  side gold.side NOT NULL,
  id uuid NOT NULL,
  grams bigint NOT NULL,
  price bigint NOT NULL,
  total bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  reference text,
  account_label text,
  price_id bigint,
  key_uuid uuid,
  key text COLLATE "C",
  CONSTRAINT quote_quantities CHECK ((grams > 0) AND (price > 0) AND (total > 0)),
  CONSTRAINT quote_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id)
);
CREATE TABLE gold.refusal (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  key text NOT NULL COLLATE "C",
  CONSTRAINT refusal_bucket_client_id_created_at_key_pk PRIMARY KEY (bucket, client_id, created_at, key)
);
CREATE TABLE gold.registry_version (
  one boolean DEFAULT true NOT NULL,
  version bigint NOT NULL,
  CONSTRAINT registry_version_one CHECK (one),
  CONSTRAINT registry_version_pkey PRIMARY KEY (one)
);
CREATE TABLE gold.retry (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  sequence bigint NOT NULL,
  tries smallint NOT NULL,
  is_test boolean DEFAULT false NOT NULL,
  due_at timestamptz(3),
  parked_at timestamptz(3),
  CONSTRAINT retry_state CHECK ((due_at IS NULL) OR (parked_at IS NULL)),
  CONSTRAINT retry_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence)
);
CREATE TABLE gold.signing_key (
  thumbprint text NOT NULL COLLATE "C",
  partner_id integer NOT NULL,
  kid text COLLATE "C",
  jwk jsonb NOT NULL,
  not_before timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  retire_at timestamptz(3),
  last_used_at timestamptz(3)
);
CREATE TABLE gold.simulated_price (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  quote_id uuid NOT NULL,
  percent integer NOT NULL,
  CONSTRAINT simulated_price_bucket_client_id_quote_id_pk PRIMARY KEY (bucket, client_id, quote_id)
);
CREATE TABLE gold.token_key (
  kid text NOT NULL COLLATE "C",
  public_jwk jsonb NOT NULL,
  sealed bytea NOT NULL,
  sealing_key text NOT NULL COLLATE "C",
  not_before timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  retire_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT token_key_pkey PRIMARY KEY (kid)
);
CREATE TABLE gold.transfer (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  leg smallint NOT NULL,
  stripe smallint DEFAULT 0 NOT NULL,
  sequence bigint NOT NULL,
  debit gold.book NOT NULL,
  credit gold.book NOT NULL,
  asset gold.asset NOT NULL,
  amount bigint NOT NULL,
  sar_available_after bigint NOT NULL,
  sar_held_after bigint NOT NULL,
  gold_after bigint NOT NULL,
  posted_at timestamptz(3) NOT NULL,
  CONSTRAINT transfer_amount CHECK (amount > 0),
  CONSTRAINT transfer_bucket CHECK (bucket = (client_id % 64)),
  CONSTRAINT transfer_form CHECK ((asset, debit, credit) IN (
    ('SAR', 'bank', 'available'), ('SAR', 'available', 'house'), ('SAR', 'house', 'available'),
    ('SAR', 'available', 'held'), ('SAR', 'held', 'available'), ('SAR', 'held', 'bank'), ('SAR', 'available', 'bank'),
    ('XAU', 'bars', 'vault'), ('XAU', 'vault', 'bars'), ('XAU', 'vault', 'gold'), ('XAU', 'gold', 'vault'))),
  CONSTRAINT transfer_owner CHECK ((client_id = 0) = ((debit = 'bars')
    OR (credit = 'bars'))),
  CONSTRAINT transfer_bucket_client_id_sequence_leg_pk PRIMARY KEY (bucket, client_id, sequence, leg)
);
CREATE TABLE gold.vault (
  stripe smallint NOT NULL,
  free bigint DEFAULT 0 NOT NULL,
  list_id integer DEFAULT 1 NOT NULL,
  maximum_exposure bigint,
  day_net bigint DEFAULT 0 NOT NULL,
  day_ends_at timestamptz(3) DEFAULT '-infinity' NOT NULL,
  CONSTRAINT vault_exposure CHECK (maximum_exposure > 0),
  CONSTRAINT vault_not_negative CHECK (free >= 0),
  CONSTRAINT vault_pkey PRIMARY KEY (stripe)
);
CREATE TABLE gold.webhook_secret (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  partner_id integer NOT NULL,
  sealed bytea NOT NULL,
  sealing_key text NOT NULL COLLATE "C",
  not_before timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  retire_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT webhook_secret_pkey PRIMARY KEY (id)
);
CREATE TABLE gold.withdrawal (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  id uuid NOT NULL,
  sequence bigint NOT NULL,
  amount bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  iban text NOT NULL COLLATE "C",
  reference text,
  account_label text,
  answer bytea,
  CONSTRAINT withdrawal_amount CHECK (amount > 0),
  CONSTRAINT withdrawal_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id)
);
CREATE TABLE gold.withdrawal_step (
  bucket smallint NOT NULL,
  client_id integer NOT NULL,
  withdrawal_id uuid NOT NULL,
  sequence bigint NOT NULL,
  status gold.withdrawal_status NOT NULL,
  login text NOT NULL COLLATE "C",
  previous gold.withdrawal_status,
  previous_login text COLLATE "C",
  at timestamptz(3) NOT NULL,
  batch_id uuid,
  CONSTRAINT withdrawal_step_batch CHECK ((status = 'submitted') = (batch_id IS NOT NULL)),
  CONSTRAINT withdrawal_step_legal CHECK ((coalesce(previous::text, ''), status::text) IN (
    ('', 'pending_approval'), ('pending_approval', 'approved'), ('pending_approval', 'rejected'), ('approved', 'rejected'),
    ('approved', 'submitted'), ('submitted', 'paid'), ('submitted', 'returned'), ('paid', 'returned'))),
  CONSTRAINT withdrawal_step_login CHECK ((previous IS NULL) = (previous_login IS NULL)),
  CONSTRAINT withdrawal_step_two CHECK ((status <> 'submitted')
    OR (login <> previous_login)),
  CONSTRAINT withdrawal_step_bucket_client_id_withdrawal_id_status_pk PRIMARY KEY (bucket, client_id,
    withdrawal_id, status)
);
ALTER TABLE gold.idempotency_key ADD CONSTRAINT idempotency_key_kind CHECK (result_kind IN ('quote',
  'order', 'funding', 'withdrawal', 'event', 'refusal', 'simulation')) NOT VALID;
ALTER TABLE gold.idempotency_key ADD CONSTRAINT idempotency_key_signed CHECK (
  result_kind NOT IN ('order', 'withdrawal') OR (request IS NOT NULL AND signing_thumbprint IS NOT NULL)
) NOT VALID;
-- The form of the texts that a partner may give a record. The protocol refuses other texts earlier. A
-- constraint is NOT VALID where a release added it to a table with rows.
ALTER TABLE gold.orders ADD CONSTRAINT orders_partner_texts CHECK (
  char_length(reference) BETWEEN 1 AND 64
  AND reference !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
  AND char_length(account_label) BETWEEN 1 AND 64
  AND account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
) NOT VALID;
ALTER TABLE gold.quote ADD CONSTRAINT quote_partner_texts CHECK (
  char_length(reference) BETWEEN 1 AND 64
  AND reference !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
  AND char_length(account_label) BETWEEN 1 AND 64
  AND account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
) NOT VALID;
ALTER TABLE gold.withdrawal ADD CONSTRAINT withdrawal_partner_texts CHECK (
  char_length(account_label) BETWEEN 1 AND 64
  AND account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
) NOT VALID;
CREATE UNIQUE INDEX allowed_ip_range ON gold.allowed_ip (partner_id, range);
CREATE UNIQUE INDEX attempt_event ON ONLY gold.attempt (bucket, client_id, sequence, attempted_at);
CREATE INDEX certificate_key_hash ON gold.certificate (key_hash);
CREATE INDEX certificate_partner ON gold.certificate (partner_id);
CREATE INDEX client_secret_partner ON gold.client_secret (partner_id);
CREATE UNIQUE INDEX closed_day_sequence ON gold.closed_day (bucket, client_id, sequence);
CREATE UNIQUE INDEX deposit_bank_reference ON gold.deposit (bank_reference) WHERE (reversed_at IS NULL);
CREATE INDEX deposit_client ON gold.deposit (client_id);
CREATE UNIQUE INDEX event_id ON gold.event (bucket, client_id, id);
CREATE UNIQUE INDEX expiry_notice_once ON gold.expiry_notice (bucket, client_id, kind, credential,
  expires_at, days_ahead);
CREATE INDEX retry_due ON gold.retry (((client_id + 0)), due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX retry_test ON gold.retry (((client_id + 0)), due_at) WHERE (is_test AND (due_at IS NOT NULL));
CREATE UNIQUE INDEX signing_key_thumbprint ON gold.signing_key (partner_id, thumbprint);
CREATE INDEX webhook_secret_partner ON gold.webhook_secret (partner_id);
CREATE UNIQUE INDEX withdrawal_id ON gold.withdrawal (id);
CREATE INDEX withdrawal_newest ON gold.withdrawal (((client_id + 0)), sequence);
CREATE INDEX withdrawal_reference ON gold.withdrawal (reference, client_id);
CREATE INDEX withdrawal_step_batch ON gold.withdrawal_step (batch_id);
CREATE UNIQUE INDEX withdrawal_step_login ON gold.withdrawal_step (bucket, client_id, withdrawal_id,
  status, login);
CREATE UNIQUE INDEX withdrawal_step_previous ON gold.withdrawal_step (bucket, client_id, withdrawal_id,
  previous);
ALTER TABLE gold.allowed_ip ADD CONSTRAINT allowed_ip_partner_id_partner_id_fk
  FOREIGN KEY (partner_id) REFERENCES gold.partner(id);
ALTER TABLE gold.certificate ADD CONSTRAINT certificate_authority_authority_fingerprint_fk
  FOREIGN KEY (authority) REFERENCES gold.authority(fingerprint);
ALTER TABLE gold.certificate ADD CONSTRAINT certificate_partner_id_partner_id_fk
  FOREIGN KEY (partner_id) REFERENCES gold.partner(id);
ALTER TABLE gold.client_secret ADD CONSTRAINT client_secret_partner_id_partner_id_fk
  FOREIGN KEY (partner_id) REFERENCES gold.partner(id);
ALTER TABLE gold.signing_key ADD CONSTRAINT signing_key_partner_id_partner_id_fk
  FOREIGN KEY (partner_id) REFERENCES gold.partner(id);
ALTER TABLE gold.webhook_secret ADD CONSTRAINT webhook_secret_partner_id_partner_id_fk
  FOREIGN KEY (partner_id) REFERENCES gold.partner(id);
ALTER TABLE gold.withdrawal_step ADD CONSTRAINT withdrawal_step_after FOREIGN KEY (bucket, client_id,
  withdrawal_id, previous, previous_login) REFERENCES gold.withdrawal_step(bucket, client_id,
  withdrawal_id, status, login);
ALTER TABLE gold.withdrawal_step ADD CONSTRAINT withdrawal_step_batch_id_payment_batch_id_fk
  FOREIGN KEY (batch_id) REFERENCES gold.payment_batch(id);
ALTER TABLE gold.withdrawal_step ADD CONSTRAINT withdrawal_step_of FOREIGN KEY (bucket, client_id,
  withdrawal_id) REFERENCES gold.withdrawal(bucket, client_id, id);
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "funding_newest" ON "gold"."funding" USING btree (("client_id" + 0),"sequence");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "orders_newest" ON "gold"."orders" USING btree (("client_id" + 0),"sequence");
