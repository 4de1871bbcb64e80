-- Made by `npm run schema` from the migrations and the routines beside the code; never edited by hand.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA gold;

CREATE TYPE gold.asset AS ENUM (
    'SAR',
    'XAU'
);

CREATE TYPE gold.book AS ENUM (
    'bank',
    'available',
    'held',
    'house',
    'bars',
    'vault',
    'gold'
);

CREATE TYPE gold.outcome AS (
	item integer,
	outcome text,
	status smallint,
	body text
);

CREATE TYPE gold.side AS ENUM (
    'buy',
    'sell'
);

CREATE TYPE gold.withdrawal_status AS ENUM (
    'pending_approval',
    'approved',
    'submitted',
    'paid',
    'rejected',
    'returned'
);

CREATE TABLE gold.account (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    admission_version bigint DEFAULT 1 NOT NULL,
    event_sequence bigint DEFAULT 0 NOT NULL,
    last_posted_at timestamp(3) with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    sar_available bigint DEFAULT 0 NOT NULL,
    sar_held bigint DEFAULT 0 NOT NULL,
    gold bigint DEFAULT 0 NOT NULL,
    closed_until timestamp(3) with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    simulations jsonb,
    CONSTRAINT account_bucket CHECK ((bucket = (client_id % 64))),
    CONSTRAINT account_not_negative CHECK (((sar_available >= 0) AND (sar_held >= 0) AND (gold >= 0)))
);

CREATE TABLE gold.price (
    one boolean DEFAULT true NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    mid bigint NOT NULL,
    buy bigint NOT NULL,
    sell bigint NOT NULL,
    spread_basis_points integer NOT NULL,
    stale_after_seconds integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    url text,
    always_open boolean DEFAULT true NOT NULL,
    quote_ttl_seconds integer DEFAULT 60 NOT NULL,
    id bigint DEFAULT 1 NOT NULL,
    stored_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    halt_basis_points integer,
    halt_seconds integer,
    halted_at timestamp(3) with time zone,
    watched_from bigint DEFAULT 1 NOT NULL,
    band_basis_points integer,
    band_hour_basis_points integer,
    band_from bigint DEFAULT 1 NOT NULL,
    CONSTRAINT price_band CHECK ((((band_basis_points IS NULL) = (band_hour_basis_points IS NULL)) AND ((band_basis_points >= 1) AND (band_basis_points <= band_hour_basis_points)) AND (band_hour_basis_points <= 10000))),
    CONSTRAINT price_halt CHECK ((((halt_basis_points IS NULL) = (halt_seconds IS NULL)) AND ((halt_basis_points >= 1) AND (halt_basis_points <= 10000)) AND ((halt_seconds >= 1) AND (halt_seconds <= 600)))),
    CONSTRAINT price_one CHECK (one),
    CONSTRAINT price_quote_ttl CHECK (((quote_ttl_seconds >= 1) AND (quote_ttl_seconds <= 3600))),
    CONSTRAINT price_sides CHECK (((buy > sell) AND (sell > 0) AND (buy <= 999999999))),
    CONSTRAINT price_source CHECK (((source = ANY (ARRAY['fixed'::text, 'simulated'::text, 'http'::text])) AND ((source = 'http'::text) = (url IS NOT NULL)))),
    CONSTRAINT price_terms CHECK (((spread_basis_points > 0) AND (stale_after_seconds > 0)))
);

CREATE TABLE gold.proposal (
    id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    content jsonb NOT NULL,
    proposer text DEFAULT SESSION_USER NOT NULL COLLATE pg_catalog."C",
    proposed_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL COLLATE pg_catalog."C",
    decided_by text COLLATE pg_catalog."C",
    decided_at timestamp(3) with time zone,
    secrets bytea,
    sealing_key text COLLATE pg_catalog."C",
    proposer_signature text COLLATE pg_catalog."C",
    approver_signature text COLLATE pg_catalog."C",
    deployment text COLLATE pg_catalog."C",
    CONSTRAINT proposal_decided CHECK (((decided_by IS NULL) = (decided_at IS NULL))),
    CONSTRAINT proposal_decision CHECK (((state = 'applying'::text) OR ((state = 'pending'::text) = (decided_by IS NULL)))),
    CONSTRAINT proposal_secrets CHECK (((secrets IS NULL) OR (sealing_key IS NOT NULL))),
    CONSTRAINT proposal_state CHECK ((state = ANY (ARRAY['pending'::text, 'applying'::text, 'approved'::text, 'rejected'::text]))),
    CONSTRAINT proposal_two CHECK (((state = 'rejected'::text) OR (decided_by IS DISTINCT FROM proposer)))
);

CREATE TABLE gold.deployment (
    one boolean DEFAULT true NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    public_base_url text NOT NULL,
    sealing_key_source text,
    pepper_source text,
    loopback_receivers boolean DEFAULT false NOT NULL,
    payout_name text,
    payout_iban text COLLATE pg_catalog."C",
    payout_bic text COLLATE pg_catalog."C",
    flood_per_second integer DEFAULT 5000 NOT NULL,
    partner_rate_per_second integer DEFAULT 50 NOT NULL,
    partner_burst integer DEFAULT 200 NOT NULL,
    webhook_ports integer[] DEFAULT '{443,8443}'::integer[] NOT NULL,
    attempts_kept_days smallint DEFAULT 90 NOT NULL,
    partner_open_quotes integer DEFAULT 100,
    partner_open_grams bigint DEFAULT 50000000,
    partner_daily_records integer DEFAULT 100000,
    requests_kept_since timestamp(3) with time zone,
    partner_net_grams bigint,
    partner_daily_withdrawals integer,
    partner_daily_withdrawn bigint,
    two_people boolean DEFAULT false NOT NULL,
    pepper_name text,
    id text COLLATE pg_catalog."C",
    CONSTRAINT deployment_attempts_kept CHECK (((attempts_kept_days >= 7) AND (attempts_kept_days <= 3650))),
    CONSTRAINT deployment_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT deployment_one CHECK (one),
    CONSTRAINT deployment_pepper_name CHECK ((pepper_name ~ '^[0-9a-f]{16}$'::text)),
    CONSTRAINT deployment_webhook_ports CHECK (((cardinality(webhook_ports) >= 1) AND (cardinality(webhook_ports) <= 32) AND (1 <= ALL (webhook_ports)) AND (65535 >= ALL (webhook_ports))))
);

CREATE TABLE gold.operator_key (
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    login text NOT NULL COLLATE pg_catalog."C",
    public_key text NOT NULL COLLATE pg_catalog."C",
    admitted_by text NOT NULL COLLATE pg_catalog."C",
    added_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone
);

CREATE TABLE gold.event (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint NOT NULL,
    id uuid NOT NULL,
    subject uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    line smallint DEFAULT 1 NOT NULL
);

CREATE TABLE gold.endpoint (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    passed bigint DEFAULT 0 NOT NULL,
    worker uuid,
    tenure integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    rests_until timestamp(3) with time zone,
    disabled_at timestamp(3) with time zone,
    CONSTRAINT endpoint_bucket CHECK ((bucket = (client_id % 64)))
);

CREATE TABLE gold.retry (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint NOT NULL,
    tries smallint NOT NULL,
    is_test boolean DEFAULT false NOT NULL,
    due_at timestamp(3) with time zone,
    parked_at timestamp(3) with time zone,
    CONSTRAINT retry_state CHECK (((due_at IS NULL) OR (parked_at IS NULL)))
);

CREATE TABLE gold.audit_tail (
    one boolean DEFAULT true NOT NULL,
    id bigint DEFAULT 0 NOT NULL,
    head bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
    CONSTRAINT audit_tail_one CHECK (one)
);

CREATE TABLE gold.audit (
    id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    login text DEFAULT SESSION_USER NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL,
    detail jsonb NOT NULL
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
    posted_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT transfer_amount CHECK ((amount > 0)),
    CONSTRAINT transfer_bucket CHECK ((bucket = (client_id % 64))),
    CONSTRAINT transfer_form CHECK (((((((((((((asset = 'SAR'::gold.asset) AND (debit = 'bank'::gold.book) AND (credit = 'available'::gold.book)) OR ((asset = 'SAR'::gold.asset) AND (debit = 'available'::gold.book) AND (credit = 'house'::gold.book))) OR ((asset = 'SAR'::gold.asset) AND (debit = 'house'::gold.book) AND (credit = 'available'::gold.book))) OR ((asset = 'SAR'::gold.asset) AND (debit = 'available'::gold.book) AND (credit = 'held'::gold.book))) OR ((asset = 'SAR'::gold.asset) AND (debit = 'held'::gold.book) AND (credit = 'available'::gold.book))) OR ((asset = 'SAR'::gold.asset) AND (debit = 'held'::gold.book) AND (credit = 'bank'::gold.book))) OR ((asset = 'SAR'::gold.asset) AND (debit = 'available'::gold.book) AND (credit = 'bank'::gold.book))) OR ((asset = 'XAU'::gold.asset) AND (debit = 'bars'::gold.book) AND (credit = 'vault'::gold.book))) OR ((asset = 'XAU'::gold.asset) AND (debit = 'vault'::gold.book) AND (credit = 'bars'::gold.book))) OR ((asset = 'XAU'::gold.asset) AND (debit = 'vault'::gold.book) AND (credit = 'gold'::gold.book))) OR ((asset = 'XAU'::gold.asset) AND (debit = 'gold'::gold.book) AND (credit = 'vault'::gold.book)))),
    CONSTRAINT transfer_owner CHECK (((client_id = 0) = ((debit = 'bars'::gold.book) OR (credit = 'bars'::gold.book))))
);

CREATE TABLE gold.bar (
    serial text NOT NULL,
    refiner text NOT NULL,
    vault_name text NOT NULL,
    gross bigint NOT NULL,
    fineness integer NOT NULL,
    fine bigint NOT NULL,
    added_at timestamp(3) with time zone NOT NULL,
    added_sequence bigint NOT NULL,
    removed_at timestamp(3) with time zone,
    removed_sequence bigint,
    added_list integer,
    removed_list integer,
    CONSTRAINT bar_fine CHECK (((fine > 0) AND (fine = ((gross * fineness) / 10000)))),
    CONSTRAINT bar_fineness CHECK (((fineness >= 9950) AND (fineness <= 9999)))
);

CREATE TABLE gold.bar_list (
    id integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    bars integer NOT NULL,
    fine bigint NOT NULL,
    sha256 bytea NOT NULL
);

CREATE TABLE gold.idempotency_key (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    status smallint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    request_id uuid NOT NULL,
    result_id uuid,
    created_at timestamp(3) with time zone NOT NULL,
    result_kind text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    request bytea,
    signing_thumbprint bytea
);

CREATE TABLE gold.refusal (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C"
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
    epoch integer NOT NULL
);

CREATE TABLE gold.epoch (
    id integer NOT NULL,
    system bigint NOT NULL,
    timeline integer NOT NULL,
    began_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE gold.expiry_notice (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    credential text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    days_ahead smallint NOT NULL
);

CREATE TABLE gold.funding (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    id uuid NOT NULL,
    sequence bigint NOT NULL,
    amount bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    answer bytea,
    CONSTRAINT funding_amount CHECK ((amount > 0))
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
    executed_at timestamp(3) with time zone NOT NULL,
    sar_available_after bigint NOT NULL,
    sar_held_after bigint NOT NULL,
    gold_after bigint NOT NULL,
    rounding_gain bigint GENERATED ALWAYS AS (
CASE
    WHEN (side = 'buy'::gold.side) THEN ((total * 1000000) - (grams * price))
    ELSE ((grams * price) - (total * 1000000))
END) STORED NOT NULL,
    reference text,
    account_label text,
    answer bytea,
    list_id integer,
    CONSTRAINT orders_rounding CHECK (((rounding_gain >= 0) AND (rounding_gain <= 999999)))
);

CREATE TABLE gold.partner (
    id integer NOT NULL,
    public_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    iban text NOT NULL COLLATE pg_catalog."C",
    webhook_url text,
    rate_per_second integer NOT NULL,
    burst integer NOT NULL,
    maximum_grams bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    suspended_at timestamp(3) with time zone,
    iban_changed_at timestamp(3) with time zone,
    pending_iban text COLLATE pg_catalog."C",
    pending_iban_by text COLLATE pg_catalog."C",
    pending_iban_at timestamp(3) with time zone,
    chain_key bytea DEFAULT sha256(((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) || uuid_send(gen_random_uuid()))) NOT NULL,
    maximum_daily_withdrawals integer,
    maximum_daily_withdrawn bigint,
    CONSTRAINT partner_maximum_grams CHECK (((maximum_grams >= 1) AND (maximum_grams <= 1000000000))),
    CONSTRAINT partner_pending_iban CHECK ((((pending_iban IS NULL) = (pending_iban_by IS NULL)) AND ((pending_iban IS NULL) = (pending_iban_at IS NULL)))),
    CONSTRAINT partner_public_id CHECK ((public_id ~ '^(sbx|live)_[a-z0-9]{20}$'::text)),
    CONSTRAINT partner_rate CHECK (((rate_per_second > 0) AND (burst > 0))),
    CONSTRAINT partner_withdrawals CHECK (((maximum_daily_withdrawals > 0) AND (maximum_daily_withdrawn > 0)))
);

CREATE TABLE gold.partner_change (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint NOT NULL,
    kind text COLLATE pg_catalog."C",
    credential text COLLATE pg_catalog."C",
    kid text COLLATE pg_catalog."C",
    valid_from timestamp(3) with time zone,
    valid_until timestamp(3) with time zone,
    iban text COLLATE pg_catalog."C",
    webhook_url text,
    login text COLLATE pg_catalog."C",
    approved_by text COLLATE pg_catalog."C",
    CONSTRAINT partner_change_form CHECK (((num_nonnulls(kind, iban, webhook_url) = 1) AND (num_nonnulls(kind, credential) = ANY (ARRAY[0, 2]))))
);

CREATE TABLE gold.withdrawal (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    id uuid NOT NULL,
    sequence bigint NOT NULL,
    amount bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    iban text NOT NULL COLLATE pg_catalog."C",
    reference text,
    account_label text,
    answer bytea,
    CONSTRAINT withdrawal_amount CHECK ((amount > 0))
);

CREATE TABLE gold.withdrawal_step (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    withdrawal_id uuid NOT NULL,
    sequence bigint NOT NULL,
    status gold.withdrawal_status NOT NULL,
    login text NOT NULL COLLATE pg_catalog."C",
    previous gold.withdrawal_status,
    previous_login text COLLATE pg_catalog."C",
    at timestamp(3) with time zone NOT NULL,
    batch_id uuid,
    CONSTRAINT withdrawal_step_batch CHECK (((status = 'submitted'::gold.withdrawal_status) = (batch_id IS NOT NULL))),
    CONSTRAINT withdrawal_step_legal CHECK ((((((((((COALESCE((previous)::text, ''::text) = ''::text) AND ((status)::text = 'pending_approval'::text)) OR ((COALESCE((previous)::text, ''::text) = 'pending_approval'::text) AND ((status)::text = 'approved'::text))) OR ((COALESCE((previous)::text, ''::text) = 'pending_approval'::text) AND ((status)::text = 'rejected'::text))) OR ((COALESCE((previous)::text, ''::text) = 'approved'::text) AND ((status)::text = 'rejected'::text))) OR ((COALESCE((previous)::text, ''::text) = 'approved'::text) AND ((status)::text = 'submitted'::text))) OR ((COALESCE((previous)::text, ''::text) = 'submitted'::text) AND ((status)::text = 'paid'::text))) OR ((COALESCE((previous)::text, ''::text) = 'submitted'::text) AND ((status)::text = 'returned'::text))) OR ((COALESCE((previous)::text, ''::text) = 'paid'::text) AND ((status)::text = 'returned'::text)))),
    CONSTRAINT withdrawal_step_login CHECK (((previous IS NULL) = (previous_login IS NULL))),
    CONSTRAINT withdrawal_step_two CHECK (((status <> 'submitted'::gold.withdrawal_status) OR (login <> previous_login)))
);

CREATE TABLE gold.certificate (
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    partner_id integer NOT NULL,
    serial text NOT NULL COLLATE pg_catalog."C",
    not_before timestamp(3) with time zone NOT NULL,
    not_after timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    revoked_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    authority text COLLATE pg_catalog."C",
    key_hash text COLLATE pg_catalog."C",
    revocation_reason text COLLATE pg_catalog."C",
    CONSTRAINT certificate_fingerprint CHECK ((fingerprint ~ '^[0-9a-f]{64}$'::text))
);

CREATE TABLE gold.client_secret (
    id integer NOT NULL,
    partner_id integer NOT NULL,
    hash bytea NOT NULL,
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

CREATE TABLE gold.signing_key (
    thumbprint text NOT NULL COLLATE pg_catalog."C",
    partner_id integer NOT NULL,
    kid text COLLATE pg_catalog."C",
    jwk jsonb NOT NULL,
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

CREATE TABLE gold.webhook_secret (
    id integer NOT NULL,
    partner_id integer NOT NULL,
    sealed bytea NOT NULL,
    sealing_key text NOT NULL COLLATE pg_catalog."C",
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

CREATE TABLE gold.chain_tail (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint DEFAULT 0 NOT NULL,
    head bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL
);

CREATE TABLE gold.attempt (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint NOT NULL,
    attempted_at timestamp(3) with time zone NOT NULL,
    duration_ms integer NOT NULL,
    http_status smallint,
    error text COLLATE pg_catalog."C",
    answer text
)
PARTITION BY RANGE (attempted_at);

CREATE TABLE gold.delivery_worker (
    id uuid NOT NULL,
    seen_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE gold.deposit (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    id uuid NOT NULL,
    amount bigint NOT NULL,
    bank_reference text NOT NULL COLLATE pg_catalog."C",
    recorded_at timestamp(3) with time zone NOT NULL,
    recorded_by text NOT NULL COLLATE pg_catalog."C",
    approved_at timestamp(3) with time zone,
    approved_by text COLLATE pg_catalog."C",
    reversed_at timestamp(3) with time zone,
    reversed_by text COLLATE pg_catalog."C",
    reversed_sequence bigint,
    CONSTRAINT deposit_amount CHECK ((amount > 0)),
    CONSTRAINT deposit_bank_reference_form CHECK ((bank_reference <> ''::text)),
    CONSTRAINT deposit_steps CHECK ((((approved_at IS NULL) = (approved_by IS NULL)) AND ((reversed_at IS NULL) = (reversed_by IS NULL)) AND ((reversed_sequence IS NULL) OR ((approved_at IS NOT NULL) AND (reversed_at IS NOT NULL))))),
    CONSTRAINT deposit_two CHECK ((approved_by <> recorded_by))
);

CREATE TABLE gold.chain_link (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE gold.allowance (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    maximum_open_quotes integer,
    maximum_open_grams bigint,
    maximum_daily_records integer,
    open_quotes bigint DEFAULT '2147483648'::bigint NOT NULL,
    open_grams bigint DEFAULT '1000000000000000'::bigint NOT NULL,
    open_from uuid NOT NULL,
    exact_until timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    counted_sequence bigint NOT NULL,
    records bigint DEFAULT 0 NOT NULL,
    day_ends_at timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    replays_paid_at timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    maximum_net_grams bigint,
    open_buy_grams bigint DEFAULT '500000000000000'::bigint NOT NULL,
    open_sell_grams bigint DEFAULT '500000000000000'::bigint NOT NULL,
    day_gold bigint DEFAULT 0 NOT NULL,
    CONSTRAINT allowance_bucket CHECK ((bucket = (client_id % 64))),
    CONSTRAINT allowance_counts CHECK (((open_quotes >= 0) AND (open_grams >= 0) AND (open_buy_grams >= 0) AND (open_sell_grams >= 0) AND (records >= 0))),
    CONSTRAINT allowance_maxima CHECK (((maximum_open_quotes > 0) AND (maximum_open_grams > 0) AND (maximum_daily_records > 0) AND (maximum_net_grams > 0)))
)
WITH (fillfactor='50');

CREATE TABLE gold.problem (
    code text NOT NULL COLLATE pg_catalog."C",
    status smallint NOT NULL,
    title text NOT NULL,
    retryable boolean NOT NULL
);

CREATE TABLE gold.vault (
    stripe smallint NOT NULL,
    free bigint DEFAULT 0 NOT NULL,
    list_id integer DEFAULT 1 NOT NULL,
    maximum_exposure bigint,
    day_net bigint DEFAULT 0 NOT NULL,
    day_ends_at timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT vault_exposure CHECK ((maximum_exposure > 0)),
    CONSTRAINT vault_not_negative CHECK ((free >= 0))
);

CREATE TABLE gold.payment_batch (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    login text NOT NULL COLLATE pg_catalog."C",
    document text NOT NULL
);

CREATE TABLE gold.market_session (
    day smallint NOT NULL,
    opens time without time zone NOT NULL,
    closes time without time zone NOT NULL,
    CONSTRAINT market_session_day CHECK (((day >= 0) AND (day <= 6))),
    CONSTRAINT market_session_span CHECK ((opens < closes))
);

CREATE TABLE gold.quote (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    side gold.side NOT NULL,
    id uuid NOT NULL,
    grams bigint NOT NULL,
    price bigint NOT NULL,
    total bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    reference text,
    account_label text,
    price_id bigint,
    key_uuid uuid,
    key text COLLATE pg_catalog."C",
    CONSTRAINT quote_quantities CHECK (((grams > 0) AND (price > 0) AND (total > 0)))
);

CREATE TABLE gold.price_history (
    id bigint NOT NULL,
    mid bigint NOT NULL,
    buy bigint NOT NULL,
    sell bigint NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    stored_at timestamp(3) with time zone NOT NULL,
    spread_basis_points integer NOT NULL,
    stale_after_seconds integer NOT NULL,
    quote_ttl_seconds integer NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL
);

CREATE TABLE gold.allowed_ip (
    partner_id integer NOT NULL,
    range cidr NOT NULL
);

CREATE TABLE gold.registry_version (
    one boolean DEFAULT true NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT registry_version_one CHECK (one)
);

CREATE TABLE gold.open_exposure (
    ends_at timestamp(3) with time zone NOT NULL,
    buys bigint NOT NULL,
    sells bigint NOT NULL,
    CONSTRAINT open_exposure_not_negative CHECK (((buys >= 0) AND (sells >= 0)))
);

CREATE TABLE gold.token_key (
    kid text NOT NULL COLLATE pg_catalog."C",
    public_jwk jsonb NOT NULL,
    sealed bytea NOT NULL,
    sealing_key text NOT NULL COLLATE pg_catalog."C",
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

CREATE TABLE gold.authority (
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    certificate text NOT NULL,
    key_source text,
    created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retired_at timestamp(3) with time zone,
    revocation_list text,
    revocation_number bigint DEFAULT 0 NOT NULL,
    revocation_next_at timestamp(3) with time zone,
    CONSTRAINT authority_fingerprint CHECK ((fingerprint ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT authority_revocation_list CHECK ((((revocation_list IS NULL) = (revocation_next_at IS NULL)) AND ((revocation_list IS NULL) = (revocation_number = 0))))
);

CREATE TABLE gold.nonce (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    nonce uuid NOT NULL,
    request_id uuid
);

CREATE VIEW gold.attempt_overview AS
 SELECT p.public_id,
    a.sequence,
    a.attempted_at,
    a.duration_ms,
    a.http_status,
    a.error,
    a.answer
   FROM (gold.partner p
     JOIN gold.attempt a ON (((a.bucket = (p.id % 64)) AND (a.client_id = p.id))));

ALTER TABLE gold.audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE gold.audit_link (
    id bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE VIEW gold.audit_link_overview AS
 SELECT audit_link.id,
    encode(audit_link.hash, 'hex'::text) AS head
   FROM gold.audit_link;

CREATE VIEW gold.audit_overview AS
 SELECT audit.id,
    audit.at,
    audit.login,
    audit.action,
    audit.subject,
    audit.detail
   FROM gold.audit;

CREATE VIEW gold.authority_overview AS
 SELECT authority.fingerprint,
    authority.certificate,
    authority.key_source,
    authority.created_at,
    authority.retired_at,
    authority.revocation_list,
    authority.revocation_number,
    authority.revocation_next_at
   FROM gold.authority;

CREATE VIEW gold.bar_overview AS
 SELECT bar.serial,
    bar.refiner,
    bar.vault_name,
    bar.gross,
    bar.fineness,
    bar.fine,
    bar.added_at,
    bar.removed_at,
    bar.added_list,
    bar.removed_list
   FROM gold.bar;

CREATE VIEW gold.certificate_overview AS
 SELECT p.public_id,
    c.fingerprint,
    c.serial,
    c.not_before,
    c.not_after,
    c.created_at,
    c.revoked_at,
    c.last_used_at,
    c.authority,
    c.revocation_reason
   FROM (gold.certificate c
     JOIN gold.partner p ON ((p.id = c.partner_id)));

CREATE VIEW gold.chain_link_overview AS
 SELECT p.public_id,
    l.sequence,
    encode(l.hash, 'hex'::text) AS head
   FROM (gold.partner p
     JOIN gold.chain_link l ON (((l.bucket = (p.id % 64)) AND (l.client_id = p.id))));

CREATE VIEW gold.chain_tail_overview AS
 SELECT p.public_id,
    t.sequence,
    encode(t.head, 'hex'::text) AS head
   FROM (gold.partner p
     JOIN gold.chain_tail t ON (((t.bucket = (p.id % 64)) AND (t.client_id = p.id))));

ALTER TABLE gold.client_secret ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.client_secret_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW gold.credential_overview AS
 SELECT c.kind,
    COALESCE(p.public_id, 'house'::text) AS owner,
    c.name,
    c.kid,
    c.certificate,
    c.not_before,
    c.expires_at,
    c.retire_at,
    c.last_used_at,
        CASE
            WHEN c.revoked THEN 'revoked'::text
            WHEN (c.retire_at <= clock_timestamp()) THEN 'retired'::text
            WHEN (c.expires_at <= clock_timestamp()) THEN 'expired'::text
            WHEN (c.not_before > clock_timestamp()) THEN 'not_yet'::text
            WHEN (c.retire_at IS NOT NULL) THEN 'retiring'::text
            ELSE 'active'::text
        END AS status,
        CASE
            WHEN ((NOT isfinite(c.not_before)) OR (NOT isfinite(c.expires_at)) OR (NOT isfinite(c.retire_at))) THEN 'it has an infinite date'::text
            WHEN (LEAST(c.not_before, c.expires_at, c.retire_at) < '0001-01-01 00:00:00+00'::timestamp with time zone) THEN 'it has a date before the year 1'::text
            WHEN (GREATEST(c.not_before, c.expires_at, c.retire_at) >= '10000-01-01 00:00:00+00'::timestamp with time zone) THEN 'it has a date after the year 9999'::text
            ELSE c.fault
        END AS fault
   FROM (( SELECT 'certificate'::text AS kind,
            certificate.partner_id,
            certificate.fingerprint AS name,
            NULL::text AS kid,
            NULL::text AS certificate,
            certificate.not_before,
            certificate.not_after AS expires_at,
            certificate.revoked_at AS retire_at,
            (certificate.revoked_at IS NOT NULL) AS revoked,
            certificate.last_used_at,
            NULL::text AS fault
           FROM gold.certificate
        UNION ALL
         SELECT 'client_secret'::text,
            client_secret.partner_id,
            (client_secret.id)::text AS id,
            NULL::text,
            NULL::text,
            client_secret.not_before,
            NULL::timestamp with time zone,
            client_secret.retire_at,
            false,
            client_secret.last_used_at,
                CASE
                    WHEN (octet_length(client_secret.hash) <> 32) THEN 'its hash is not a SHA-256'::text
                    ELSE NULL::text
                END AS "case"
           FROM gold.client_secret
        UNION ALL
         SELECT 'webhook_secret'::text,
            webhook_secret.partner_id,
            (webhook_secret.id)::text AS id,
            NULL::text,
            NULL::text,
            webhook_secret.not_before,
            NULL::timestamp with time zone,
            webhook_secret.retire_at,
            false,
            webhook_secret.last_used_at,
            NULL::text
           FROM gold.webhook_secret
        UNION ALL
         SELECT 'signing_key'::text,
            signing_key.partner_id,
            signing_key.thumbprint,
            signing_key.kid,
            NULL::text,
            signing_key.not_before,
            NULL::timestamp with time zone,
            signing_key.retire_at,
            false,
            signing_key.last_used_at,
            gold.public_key_fault(signing_key.jwk) AS public_key_fault
           FROM gold.signing_key
        UNION ALL
         SELECT 'token_key'::text,
            NULL::integer,
            token_key.kid,
            NULL::text,
            NULL::text,
            token_key.not_before,
            NULL::timestamp with time zone,
            token_key.retire_at,
            false,
            token_key.last_used_at,
            gold.public_key_fault(token_key.public_jwk) AS public_key_fault
           FROM gold.token_key
        UNION ALL
         SELECT 'authority'::text,
            NULL::integer,
            a.fingerprint,
            NULL::text,
            a.certificate,
            a.created_at,
            NULL::timestamp with time zone,
            a.retired_at,
            false,
            ( SELECT max(c_1.last_used_at) AS max
                   FROM gold.certificate c_1
                  WHERE (c_1.authority = a.fingerprint)) AS max,
            NULL::text
           FROM gold.authority a
        UNION ALL
         SELECT 'revocation_list'::text,
            NULL::integer,
            authority.fingerprint,
            NULL::text,
            NULL::text,
            NULL::timestamp with time zone,
            authority.revocation_next_at,
            NULL::timestamp with time zone,
            false,
            NULL::timestamp with time zone,
            NULL::text
           FROM gold.authority
          WHERE (authority.retired_at IS NULL)) c
     LEFT JOIN gold.partner p ON ((p.id = c.partner_id)));

CREATE VIEW gold.current_price AS
 SELECT p.source,
    p.buy,
    p.sell,
    p.mid,
    p.spread_basis_points,
    p.stale_after_seconds,
    p.as_of AS ticked_at,
        CASE
            WHEN (p.source = 'fixed'::text) THEN clock_timestamp()
            ELSE p.as_of
        END AS as_of,
    gold.is_stale(p.*, clock_timestamp()) AS stale,
    p.url,
    p.always_open,
    gold.market_open(clock_timestamp()) AS market_open,
    p.quote_ttl_seconds,
    p.halt_basis_points,
    p.halt_seconds,
    p.halted_at,
    p.band_basis_points,
    p.band_hour_basis_points
   FROM gold.price p;

CREATE VIEW gold.deployment_overview AS
 SELECT deployment.one,
    deployment.environment,
    deployment.public_base_url,
    deployment.sealing_key_source,
    deployment.pepper_source,
    deployment.loopback_receivers,
    deployment.payout_name,
    deployment.payout_iban,
    deployment.payout_bic,
    deployment.flood_per_second,
    deployment.partner_rate_per_second,
    deployment.partner_burst,
    deployment.webhook_ports,
    deployment.attempts_kept_days,
    deployment.partner_open_quotes,
    deployment.partner_open_grams,
    deployment.partner_daily_records,
    deployment.requests_kept_since,
    deployment.partner_net_grams,
    deployment.partner_daily_withdrawals,
    deployment.partner_daily_withdrawn,
    deployment.two_people,
    deployment.pepper_name,
    deployment.id
   FROM gold.deployment;

CREATE VIEW gold.deposit_overview AS
 SELECT d.id,
    p.public_id,
    d.amount,
    d.bank_reference,
    d.recorded_at,
    d.recorded_by,
    d.approved_at,
    d.approved_by,
    d.reversed_at,
    d.reversed_by,
        CASE
            WHEN (d.reversed_at IS NOT NULL) THEN 'reversed'::text
            WHEN (d.approved_at IS NOT NULL) THEN 'approved'::text
            ELSE 'recorded'::text
        END AS status
   FROM (gold.deposit d
     JOIN gold.partner p ON ((p.id = d.client_id)));

CREATE VIEW gold.endpoint_overview AS
 SELECT p.public_id,
    n.disabled_at,
    COALESCE(n.failures, 0) AS failures,
        CASE
            WHEN (n.rests_until > clock_timestamp()) THEN n.rests_until
            ELSE NULL::timestamp with time zone
        END AS rests_until,
    (((a.event_sequence - COALESCE(n.passed, (0)::bigint)) + r.due) - r.ahead) AS waiting,
    r.parked
   FROM (((gold.partner p
     JOIN gold.account a ON (((a.bucket = (p.id % 64)) AND (a.client_id = p.id))))
     LEFT JOIN gold.endpoint n ON (((n.bucket = (p.id % 64)) AND (n.client_id = p.id))))
     CROSS JOIN LATERAL ( SELECT count(r_1.due_at) AS due,
            count(r_1.parked_at) AS parked,
            count(*) FILTER (WHERE (r_1.sequence > COALESCE(n.passed, (0)::bigint))) AS ahead
           FROM gold.retry r_1
          WHERE ((r_1.bucket = (p.id % 64)) AND (r_1.client_id = p.id))) r);

CREATE VIEW gold.exposure_overview AS
 SELECT v.maximum_exposure,
    COALESCE(c.day_net,
        CASE
            WHEN (clock_timestamp() < v.day_ends_at) THEN v.day_net
            ELSE (0)::bigint
        END) AS day_net,
    COALESCE(c.open_buys, e.buys, (0)::bigint) AS open_buys,
    COALESCE(c.open_sells, e.sells, (0)::bigint) AS open_sells
   FROM ((gold.vault v
     CROSS JOIN LATERAL ( SELECT (sum(o.buys))::bigint AS buys,
            (sum(o.sells))::bigint AS sells
           FROM gold.open_exposure o
          WHERE (o.ends_at > clock_timestamp())) e)
     CROSS JOIN LATERAL gold.count_position(v.maximum_exposure) c(day_net, open_buys, open_sells))
  WHERE (v.stripe = 0);

CREATE VIEW gold.market_hours AS
 SELECT market_session.day,
    market_session.opens,
    market_session.closes
   FROM gold.market_session;

CREATE VIEW gold.operator_key_overview AS
 SELECT k.fingerprint,
    k.login,
    k.public_key,
    k.admitted_by,
    k.added_at,
    k.ended_at
   FROM gold.operator_key k;

CREATE VIEW gold.operator_overview AS
 SELECT (r.rolname)::text AS login,
    a.at AS added_at,
    a.login AS added_by,
    ( SELECT max(u.at) AS max
           FROM gold.audit u
          WHERE (u.login = r.rolname)) AS last_change_at,
    own.roles
   FROM ((pg_roles r
     CROSS JOIN LATERAL ( SELECT array_agg(role.name ORDER BY role."position") AS roles
           FROM (unnest('{treasury,credentials,pricing,keys,audit}'::text[]) WITH ORDINALITY role(name, "position")
             JOIN pg_roles g ON ((g.rolname = ('gold_'::text || role.name))))
          WHERE pg_has_role(r.oid, g.oid, 'usage'::text)) own)
     LEFT JOIN LATERAL ( SELECT u.at,
            u.login
           FROM gold.audit u
          WHERE ((u.action = 'operator.add'::text) AND (u.subject = r.rolname))
          ORDER BY u.id DESC
         LIMIT 1) a ON (true))
  WHERE (r.rolcanlogin AND (NOT r.rolsuper) AND (NOT r.rolcreaterole) AND (own.roles IS NOT NULL));

ALTER TABLE gold.partner ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.partner_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW gold.partner_overview AS
 SELECT p.id,
    p.public_id,
    p.name,
    p.iban,
    p.webhook_url,
    p.rate_per_second,
    p.burst,
    p.maximum_grams,
    p.created_at,
    p.suspended_at,
    ( SELECT array_agg((i.range)::text ORDER BY i.range) AS array_agg
           FROM gold.allowed_ip i
          WHERE (i.partner_id = p.id)) AS ips,
    a.sar_available,
    a.sar_held,
    a.gold,
    p.pending_iban,
    p.pending_iban_by,
    p.pending_iban_at,
    p.iban_changed_at,
        CASE
            WHEN (gold.held_until(p.iban_changed_at) > clock_timestamp()) THEN gold.held_until(p.iban_changed_at)
            ELSE NULL::timestamp with time zone
        END AS payouts_held_until,
    l.maximum_open_quotes,
    l.maximum_open_grams,
    l.maximum_daily_records,
    l.maximum_net_grams,
    p.maximum_daily_withdrawals,
    p.maximum_daily_withdrawn
   FROM ((gold.partner p
     JOIN gold.account a ON (((a.bucket = (p.id % 64)) AND (a.client_id = p.id))))
     LEFT JOIN gold.allowance l ON (((l.bucket = a.bucket) AND (l.client_id = a.client_id))));

CREATE VIEW gold.payment_batch_overview AS
 SELECT payment_batch.id,
    payment_batch.created_at,
    payment_batch.login,
    payment_batch.document
   FROM gold.payment_batch;

CREATE VIEW gold.proposal_overview AS
 SELECT p.id,
    p.kind,
        CASE
            WHEN own.may_read THEN p.content
            ELSE NULL::jsonb
        END AS content,
    p.proposer,
    p.proposed_at,
    p.expires_at,
    p.decided_by,
    p.decided_at,
        CASE
            WHEN ((p.state = 'pending'::text) AND (p.expires_at <= clock_timestamp())) THEN 'expired'::text
            ELSE p.state
        END AS status,
        CASE
            WHEN own.may_read THEN gold.proposal_text(p.*)
            ELSE NULL::text
        END AS canonical_text,
    gold.proposal_sha256(p.*) AS sha256,
    (p.secrets IS NOT NULL) AS has_secrets,
    p.proposer_signature,
    p.approver_signature,
    p.sealing_key,
    p.deployment
   FROM (gold.proposal p
     CROSS JOIN LATERAL ( SELECT ((p.proposer = SESSION_USER) OR pg_has_role('gold_audit'::name, 'usage'::text) OR pg_has_role((('gold_'::text || gold.role_of_kind(p.kind)))::name, 'usage'::text)) AS may_read) own);

CREATE TABLE gold.published_reserves (
    one boolean DEFAULT true NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    body text NOT NULL,
    CONSTRAINT published_reserves_one CHECK (one)
);

CREATE TABLE gold.simulated_price (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    quote_id uuid NOT NULL,
    percent integer NOT NULL
);

CREATE VIEW gold.token_key_overview AS
 SELECT token_key.kid,
    token_key.not_before,
    token_key.retire_at,
    token_key.last_used_at
   FROM gold.token_key;

ALTER TABLE gold.webhook_secret ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.webhook_secret_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW gold.withdrawal_overview AS
 SELECT w.id,
    p.public_id,
    p.name,
    w.amount,
    w.reference,
    w.iban,
    w.created_at,
    s.status,
    s.at AS status_at,
    s.login AS status_by,
    ( SELECT b.batch_id
           FROM gold.withdrawal_step b
          WHERE ((b.bucket = w.bucket) AND (b.client_id = w.client_id) AND (b.withdrawal_id = w.id) AND (b.status = 'submitted'::gold.withdrawal_status))) AS batch_id,
        CASE
            WHEN (gold.held_until(p.iban_changed_at) > clock_timestamp()) THEN gold.held_until(p.iban_changed_at)
            ELSE NULL::timestamp with time zone
        END AS held_until,
    gold.payment_text_fault(p.name) AS name_fault
   FROM ((gold.withdrawal w
     JOIN gold.partner p ON ((p.id = w.client_id)))
     JOIN LATERAL ( SELECT s_1.bucket,
            s_1.client_id,
            s_1.withdrawal_id,
            s_1.sequence,
            s_1.status,
            s_1.login,
            s_1.previous,
            s_1.previous_login,
            s_1.at,
            s_1.batch_id
           FROM gold.withdrawal_step s_1
          WHERE ((s_1.bucket = w.bucket) AND (s_1.client_id = w.client_id) AND (s_1.withdrawal_id = w.id))
          ORDER BY s_1.sequence DESC
         LIMIT 1) s ON (true));

ALTER TABLE ONLY gold.account
    ADD CONSTRAINT account_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

ALTER TABLE ONLY gold.allowance
    ADD CONSTRAINT allowance_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

ALTER TABLE ONLY gold.audit_link
    ADD CONSTRAINT audit_link_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.audit_tail
    ADD CONSTRAINT audit_tail_pkey PRIMARY KEY (one);

ALTER TABLE ONLY gold.authority
    ADD CONSTRAINT authority_pkey PRIMARY KEY (fingerprint);

ALTER TABLE ONLY gold.bar_list
    ADD CONSTRAINT bar_list_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.bar
    ADD CONSTRAINT bar_pkey PRIMARY KEY (serial);

ALTER TABLE ONLY gold.certificate
    ADD CONSTRAINT certificate_pkey PRIMARY KEY (fingerprint);

ALTER TABLE ONLY gold.chain_link
    ADD CONSTRAINT chain_link_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

ALTER TABLE ONLY gold.chain_tail
    ADD CONSTRAINT chain_tail_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

ALTER TABLE ONLY gold.client_secret
    ADD CONSTRAINT client_secret_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.closed_day
    ADD CONSTRAINT closed_day_bucket_client_id_day_pk PRIMARY KEY (bucket, client_id, day);

ALTER TABLE ONLY gold.delivery_worker
    ADD CONSTRAINT delivery_worker_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (one);

ALTER TABLE ONLY gold.deposit
    ADD CONSTRAINT deposit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.endpoint
    ADD CONSTRAINT endpoint_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

ALTER TABLE ONLY gold.epoch
    ADD CONSTRAINT epoch_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.event
    ADD CONSTRAINT event_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

ALTER TABLE ONLY gold.expiry_notice
    ADD CONSTRAINT expiry_notice_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

ALTER TABLE ONLY gold.funding
    ADD CONSTRAINT funding_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

ALTER TABLE ONLY gold.idempotency_key
    ADD CONSTRAINT idempotency_key_bucket_client_id_key_pk PRIMARY KEY (bucket, client_id, key);

ALTER TABLE gold.idempotency_key
    ADD CONSTRAINT idempotency_key_kind CHECK ((result_kind = ANY (ARRAY['quote'::text, 'order'::text, 'funding'::text, 'withdrawal'::text, 'event'::text, 'refusal'::text, 'simulation'::text]))) NOT VALID;

ALTER TABLE gold.idempotency_key
    ADD CONSTRAINT idempotency_key_signed CHECK (((result_kind <> ALL (ARRAY['order'::text, 'withdrawal'::text])) OR ((request IS NOT NULL) AND (signing_thumbprint IS NOT NULL)))) NOT VALID;

ALTER TABLE ONLY gold.market_session
    ADD CONSTRAINT market_session_day_opens_pk PRIMARY KEY (day, opens);

ALTER TABLE ONLY gold.nonce
    ADD CONSTRAINT nonce_bucket_client_id_nonce_pk PRIMARY KEY (bucket, client_id, nonce);

ALTER TABLE ONLY gold.open_exposure
    ADD CONSTRAINT open_exposure_pkey PRIMARY KEY (ends_at);

ALTER TABLE ONLY gold.operator_key
    ADD CONSTRAINT operator_key_pkey PRIMARY KEY (fingerprint);

ALTER TABLE ONLY gold.orders
    ADD CONSTRAINT orders_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

ALTER TABLE gold.orders
    ADD CONSTRAINT orders_partner_texts CHECK ((((char_length(reference) >= 1) AND (char_length(reference) <= 64)) AND (reference !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text) AND ((char_length(account_label) >= 1) AND (char_length(account_label) <= 64)) AND (account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text))) NOT VALID;

ALTER TABLE ONLY gold.partner_change
    ADD CONSTRAINT partner_change_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

ALTER TABLE ONLY gold.partner
    ADD CONSTRAINT partner_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.partner
    ADD CONSTRAINT "partner_publicId_unique" UNIQUE (public_id);

ALTER TABLE ONLY gold.payment_batch
    ADD CONSTRAINT payment_batch_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.price_history
    ADD CONSTRAINT price_history_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.price
    ADD CONSTRAINT price_pkey PRIMARY KEY (one);

ALTER TABLE ONLY gold.problem
    ADD CONSTRAINT problem_pkey PRIMARY KEY (code);

ALTER TABLE ONLY gold.proposal
    ADD CONSTRAINT proposal_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.published_reserves
    ADD CONSTRAINT published_reserves_pkey PRIMARY KEY (one);

ALTER TABLE ONLY gold.quote
    ADD CONSTRAINT quote_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

ALTER TABLE gold.quote
    ADD CONSTRAINT quote_partner_texts CHECK ((((char_length(reference) >= 1) AND (char_length(reference) <= 64)) AND (reference !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text) AND ((char_length(account_label) >= 1) AND (char_length(account_label) <= 64)) AND (account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text))) NOT VALID;

ALTER TABLE ONLY gold.refusal
    ADD CONSTRAINT refusal_bucket_client_id_created_at_key_pk PRIMARY KEY (bucket, client_id, created_at, key);

ALTER TABLE ONLY gold.registry_version
    ADD CONSTRAINT registry_version_pkey PRIMARY KEY (one);

ALTER TABLE ONLY gold.retry
    ADD CONSTRAINT retry_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

ALTER TABLE ONLY gold.simulated_price
    ADD CONSTRAINT simulated_price_bucket_client_id_quote_id_pk PRIMARY KEY (bucket, client_id, quote_id);

ALTER TABLE ONLY gold.token_key
    ADD CONSTRAINT token_key_pkey PRIMARY KEY (kid);

ALTER TABLE ONLY gold.transfer
    ADD CONSTRAINT transfer_bucket_client_id_sequence_leg_pk PRIMARY KEY (bucket, client_id, sequence, leg);

ALTER TABLE ONLY gold.vault
    ADD CONSTRAINT vault_pkey PRIMARY KEY (stripe);

ALTER TABLE ONLY gold.webhook_secret
    ADD CONSTRAINT webhook_secret_pkey PRIMARY KEY (id);

ALTER TABLE ONLY gold.withdrawal
    ADD CONSTRAINT withdrawal_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

ALTER TABLE gold.withdrawal
    ADD CONSTRAINT withdrawal_partner_texts CHECK ((((char_length(account_label) >= 1) AND (char_length(account_label) <= 64)) AND (account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text))) NOT VALID;

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_bucket_client_id_withdrawal_id_status_pk PRIMARY KEY (bucket, client_id, withdrawal_id, status);

CREATE UNIQUE INDEX allowed_ip_range ON gold.allowed_ip USING btree (partner_id, range);

CREATE UNIQUE INDEX attempt_event ON ONLY gold.attempt USING btree (bucket, client_id, sequence, attempted_at);

CREATE INDEX certificate_key_hash ON gold.certificate USING btree (key_hash);

CREATE INDEX certificate_partner ON gold.certificate USING btree (partner_id);

CREATE INDEX client_secret_partner ON gold.client_secret USING btree (partner_id);

CREATE UNIQUE INDEX closed_day_sequence ON gold.closed_day USING btree (bucket, client_id, sequence);

CREATE UNIQUE INDEX deposit_bank_reference ON gold.deposit USING btree (bank_reference) WHERE (reversed_at IS NULL);

CREATE INDEX deposit_client ON gold.deposit USING btree (client_id);

CREATE UNIQUE INDEX event_id ON gold.event USING btree (bucket, client_id, id);

CREATE UNIQUE INDEX expiry_notice_once ON gold.expiry_notice USING btree (bucket, client_id, kind, credential, expires_at, days_ahead);

CREATE INDEX funding_newest ON gold.funding USING btree (((client_id + 0)), sequence);

CREATE INDEX orders_newest ON gold.orders USING btree (((client_id + 0)), sequence);

CREATE INDEX retry_due ON gold.retry USING btree (((client_id + 0)), due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX retry_test ON gold.retry USING btree (((client_id + 0)), due_at) WHERE (is_test AND (due_at IS NOT NULL));

CREATE UNIQUE INDEX signing_key_thumbprint ON gold.signing_key USING btree (partner_id, thumbprint);

CREATE INDEX webhook_secret_partner ON gold.webhook_secret USING btree (partner_id);

CREATE UNIQUE INDEX withdrawal_id ON gold.withdrawal USING btree (id);

CREATE INDEX withdrawal_newest ON gold.withdrawal USING btree (((client_id + 0)), sequence);

CREATE INDEX withdrawal_reference ON gold.withdrawal USING btree (reference, client_id);

CREATE INDEX withdrawal_step_batch ON gold.withdrawal_step USING btree (batch_id);

CREATE UNIQUE INDEX withdrawal_step_login ON gold.withdrawal_step USING btree (bucket, client_id, withdrawal_id, status, login);

CREATE UNIQUE INDEX withdrawal_step_previous ON gold.withdrawal_step USING btree (bucket, client_id, withdrawal_id, previous);

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.attempt FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.audit FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.audit_link FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.bar FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.bar_list FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.chain_link FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.closed_day FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.deposit FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.epoch FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.event FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.expiry_notice FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.funding FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.idempotency_key FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.nonce FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.operator_key FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.orders FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.partner_change FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.payment_batch FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.price_history FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.proposal FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.quote FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.refusal FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.simulated_price FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.transfer FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.withdrawal FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.withdrawal_step FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

CREATE TRIGGER freeze_bar BEFORE INSERT OR UPDATE ON gold.bar FOR EACH ROW EXECUTE FUNCTION gold.freeze_bar();

CREATE TRIGGER freeze_operator_key BEFORE UPDATE ON gold.operator_key FOR EACH ROW EXECUTE FUNCTION gold.freeze_operator_key();

CREATE TRIGGER freeze_proposal BEFORE UPDATE ON gold.proposal FOR EACH ROW EXECUTE FUNCTION gold.freeze_proposal();

CREATE TRIGGER freeze_steps BEFORE UPDATE ON gold.deposit FOR EACH ROW EXECUTE FUNCTION gold.freeze_steps();

CREATE TRIGGER keep_price AFTER INSERT OR UPDATE OF source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of, quote_ttl_seconds ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.keep_price();

CREATE TRIGGER number_price BEFORE INSERT OR UPDATE OF source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of, quote_ttl_seconds ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.number_price();

CREATE TRIGGER post_transfers AFTER INSERT ON gold.transfer REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION gold.post_transfers();

CREATE TRIGGER refuse_malformed_key BEFORE INSERT OR UPDATE OF jwk ON gold.signing_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_malformed_key('jwk');

CREATE TRIGGER refuse_malformed_key BEFORE INSERT OR UPDATE OF public_jwk ON gold.token_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_malformed_key('public_jwk');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF key_source ON gold.authority FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('key_source');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF serial, refiner, vault_name ON gold.bar FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('serial', 'refiner', 'vault_name');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF serial, revocation_reason ON gold.certificate FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('serial', 'revocation_reason');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF public_base_url, sealing_key_source, pepper_source, payout_name, payout_iban, payout_bic ON gold.deployment FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('public_base_url', 'sealing_key_source', 'pepper_source', 'payout_name', 'payout_iban', 'payout_bic');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF bank_reference ON gold.deposit FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('bank_reference');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF name, iban, pending_iban, webhook_url ON gold.partner FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('name', 'iban', 'pending_iban', 'webhook_url');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF url ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('url');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF kid, thumbprint ON gold.signing_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('kid', 'thumbprint');

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF reference ON gold.withdrawal FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('reference');

ALTER TABLE ONLY gold.allowed_ip
    ADD CONSTRAINT allowed_ip_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

ALTER TABLE ONLY gold.certificate
    ADD CONSTRAINT certificate_authority_authority_fingerprint_fk FOREIGN KEY (authority) REFERENCES gold.authority(fingerprint);

ALTER TABLE ONLY gold.certificate
    ADD CONSTRAINT certificate_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

ALTER TABLE ONLY gold.client_secret
    ADD CONSTRAINT client_secret_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

ALTER TABLE ONLY gold.signing_key
    ADD CONSTRAINT signing_key_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

ALTER TABLE ONLY gold.webhook_secret
    ADD CONSTRAINT webhook_secret_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_after FOREIGN KEY (bucket, client_id, withdrawal_id, previous, previous_login) REFERENCES gold.withdrawal_step(bucket, client_id, withdrawal_id, status, login);

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_batch_id_payment_batch_id_fk FOREIGN KEY (batch_id) REFERENCES gold.payment_batch(id);

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_of FOREIGN KEY (bucket, client_id, withdrawal_id) REFERENCES gold.withdrawal(bucket, client_id, id);

--
-- PostgreSQL database dump complete
--
