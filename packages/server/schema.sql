-- Made by `npm run schema` from the migrations and the routines beside the code; never edited by hand.

--
-- PostgreSQL database dump
--

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

--
-- Name: gold; Type: SCHEMA; Schema: -; Owner: gold_migration
--

CREATE SCHEMA gold;

ALTER SCHEMA gold OWNER TO gold_migration;

--
-- Name: asset; Type: TYPE; Schema: gold; Owner: gold_owner
--

CREATE TYPE gold.asset AS ENUM (
    'SAR',
    'XAU'
);

ALTER TYPE gold.asset OWNER TO gold_owner;

--
-- Name: book; Type: TYPE; Schema: gold; Owner: gold_owner
--

CREATE TYPE gold.book AS ENUM (
    'bank',
    'available',
    'held',
    'house',
    'bars',
    'vault',
    'gold'
);

ALTER TYPE gold.book OWNER TO gold_owner;

--
-- Name: outcome; Type: TYPE; Schema: gold; Owner: gold_owner
--

CREATE TYPE gold.outcome AS (
	item integer,
	outcome text,
	status smallint,
	body text
);

ALTER TYPE gold.outcome OWNER TO gold_owner;

--
-- Name: side; Type: TYPE; Schema: gold; Owner: gold_owner
--

CREATE TYPE gold.side AS ENUM (
    'buy',
    'sell'
);

ALTER TYPE gold.side OWNER TO gold_owner;

--
-- Name: withdrawal_status; Type: TYPE; Schema: gold; Owner: gold_owner
--

CREATE TYPE gold.withdrawal_status AS ENUM (
    'pending_approval',
    'approved',
    'submitted',
    'paid',
    'rejected',
    'returned'
);

ALTER TYPE gold.withdrawal_status OWNER TO gold_owner;

--
-- Name: accept_losses(integer, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.accept_losses(epoch integer, losses jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
#variable_conflict use_variable
declare
  current_epoch int := note_epoch();
begin
  perform require_approval(jsonb_build_object('epoch', epoch, 'losses', losses), 'recovery.accept');
  if epoch <> current_epoch then
    raise exception 'the loss was found in epoch %, and the database is now in epoch %: run `gold recovery show` again', epoch, current_epoch using errcode = 'GR409';
  elsif jsonb_typeof(losses) <> 'array' or losses = '[]' or exists (
    select from jsonb_array_elements(losses) l
    where coalesce(jsonb_typeof(l -> 'client_id') <> 'string' or l ->> 'first' !~ '^[1-9][0-9]{0,17}$' or l ->> 'last' !~ '^[1-9][0-9]{0,17}$'
      or l ->> 'head' !~ '^[0-9a-f]{64}$', true))
  then
    raise exception 'a loss needs client_id, first, last and head' using errcode = 'GR409';
  end if;
  perform note('recovery.accept', 'epoch ' || epoch, jsonb_build_object('epoch', epoch, 'losses', losses));
end $_$;

ALTER FUNCTION gold.accept_losses(epoch integer, losses jsonb) OWNER TO gold_book;

--
-- Name: clock_tolerance(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.clock_tolerance() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:00:05'::interval;

ALTER FUNCTION gold.clock_tolerance() OWNER TO gold_book;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: account; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.account OWNER TO gold_owner;

--
-- Name: closed_end(gold.account, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.closed_end(holder gold.account, present timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (((holder).closed_until <= (GREATEST(present, (holder).last_posted_at) + gold.clock_tolerance())) OR ((holder).last_posted_at > (present + gold.clock_tolerance()))) THEN (holder).closed_until ELSE '-infinity'::timestamp with time zone END;

ALTER FUNCTION gold.closed_end(holder gold.account, present timestamp with time zone) OWNER TO gold_book;

--
-- Name: account_instant(gold.account, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.account_instant(holder gold.account, present timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (((holder).last_posted_at <= present) AND ((holder).closed_until < present)) THEN present ELSE GREATEST(present, (holder).last_posted_at, (gold.closed_end(holder, present) + '00:00:00.001'::interval)) END;

ALTER FUNCTION gold.account_instant(holder gold.account, present timestamp with time zone) OWNER TO gold_book;

--
-- Name: add_authority(boolean, text, text, text, text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_authority(first boolean, fingerprint text, certificate_pem text, key_source text, revocation_list text, revocation_next_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  newest text := hold_authorities();
begin
  perform require_approval(jsonb_build_object('first', first, 'fingerprint', add_authority.fingerprint, 'certificate', certificate_pem,
    'revocation_list', add_authority.revocation_list, 'revocation_next_at', instant_text(add_authority.revocation_next_at)), 'authority.add');
  if first and newest is not null then
    raise exception 'there is already a certificate authority: `gold key rotate ca` adds a new one beside it' using errcode = 'GR409';
  elsif not first and newest is null then
    raise exception 'there is no certificate authority yet: `gold ca init` creates the first one' using errcode = 'GR409';
  end if;
  -- created_at must be later than the previous authority's, even if the clock went back, because the newest
  -- authority signs.
  insert into authority (fingerprint, certificate, revocation_list, revocation_number, revocation_next_at, created_at)
  values (add_authority.fingerprint, certificate_pem, add_authority.revocation_list, 1, add_authority.revocation_next_at,
    greatest(clock_timestamp(), (select max(a.created_at) + interval '1 millisecond' from authority a)));
  perform note(case when first then 'ca.init' else 'ca.rotate' end, add_authority.fingerprint, jsonb_build_object(
    'list_sha256', hash_text(convert_to(add_authority.revocation_list, 'UTF8')),
    'revocation_next_at', instant_text(add_authority.revocation_next_at)));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.add_authority(first boolean, fingerprint text, certificate_pem text, key_source text, revocation_list text, revocation_next_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: add_bar(text, text, text, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  fine bigint := add_bar.gross * add_bar.fineness / 10000;
  booked record;
begin
  perform require_approval(jsonb_build_object('serial', add_bar.serial, 'refiner', add_bar.refiner, 'vault', add_bar.vault_name,
    'gross', add_bar.gross::text, 'fineness', add_bar.fineness), 'vault.add');
  if exists (select from bar b where b.serial = add_bar.serial) then
    raise exception 'a bar with serial % is on record already', add_bar.serial using errcode = 'GR409';
  end if;
  booked := book_bar(true, fine);
  insert into bar (serial, refiner, vault_name, gross, fineness, fine, added_at, added_sequence, added_list)
  values (add_bar.serial, add_bar.refiner, add_bar.vault_name, add_bar.gross, add_bar.fineness, fine, clock_timestamp(), booked.sequence, booked.list);
  perform open_bar_list(booked.list, booked.at);
  perform note('vault.add', add_bar.serial, jsonb_build_object('gross', add_bar.gross, 'fineness', add_bar.fineness, 'fine', fine,
    'list', booked.list));
  return fine;
end $$;

ALTER FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) OWNER TO gold_book;

--
-- Name: add_certificate(text, text, text, timestamp with time zone, timestamp with time zone, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone, authority text DEFAULT NULL::text, key_hash text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  newest text := hold_authorities();
  known certificate;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'fingerprint', add_certificate.fingerprint, 'serial', add_certificate.serial,
    'not_before', instant_text(add_certificate.not_before), 'not_after', instant_text(add_certificate.not_after),
    'authority', add_certificate.authority, 'key_hash', add_certificate.key_hash), 'certificate.issue');
  perform begin_change(subject.id);
  select c.* into known from certificate c where c.key_hash = add_certificate.key_hash;
  if add_certificate.authority <> newest then
    raise exception 'a new authority has replaced the one that signed this certificate: run the command again' using errcode = 'GR409';
  elsif known.revoked_at is not null then
    raise exception 'the certificate of this key was revoked at %, and a revoked key cannot be certified again: the partner must make a new one',
      instant_text(known.revoked_at) using errcode = 'GR409';
  elsif known.partner_id <> subject.id then
    raise exception 'this key is in a certificate of %: each partner must make its own key', public_of(known.partner_id) using errcode = 'GR409';
  elsif known.fingerprint is not null then
    raise exception 'this key is already in certificate %, and a key is certified only once. If `gold cert issue` was interrupted, the certificate may be beside the requested file, under the file''s name and a number. If it is not, the partner must make a new key', known.fingerprint
      using errcode = 'GR409';
  end if;
  insert into certificate (fingerprint, partner_id, serial, not_before, not_after, authority, key_hash)
  values (add_certificate.fingerprint, subject.id, add_certificate.serial, add_certificate.not_before, add_certificate.not_after,
    add_certificate.authority, add_certificate.key_hash);
  perform post_credential(subject.id, 'credential.added', 'certificate', add_certificate.fingerprint);
  perform note('certificate.issue', public, jsonb_build_object('fingerprint', add_certificate.fingerprint,
    'not_before', add_certificate.not_before, 'not_after', add_certificate.not_after, 'serial', add_certificate.serial,
    'authority', add_certificate.authority, 'key_hash', add_certificate.key_hash));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone, authority text, key_hash text) OWNER TO gold_book;

--
-- Name: add_operator(text, text, text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_operator(name text, verifier text, roles text[] DEFAULT NULL::text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  approval jsonb;
begin
  perform check_new_operator(name);
  if roles is null and two_people() then
    raise exception 'give each person only the roles that this person needs: add --roles with some of %', array_to_string(all_roles(), ',')
      using errcode = 'GR409';
  end if;
  roles := coalesce(roles, all_roles());
  perform check_roles(roles);
  approval := require_approved_operator('operator.add', jsonb_build_object('name', name, 'roles', roles));
  if not is_made_by_hand(name) then
    execute format('create role %I login password %L', name, verifier);
  end if;
  perform give_roles(name, roles);
  begin
    perform limit_operator_sessions(name);
  exception when insufficient_privilege then
    raise exception 'the login % may not change %. A superuser must run once: grant % to % with admin option', session_user, name, name, session_user
      using errcode = 'GR409';
  end;
  perform note('operator.add', name, approval || jsonb_build_object('roles', roles));
end $$;

ALTER FUNCTION gold.add_operator(name text, verifier text, roles text[]) OWNER TO gold_book;

--
-- Name: add_operator_key(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_operator_key(login text, public_key text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  admitted text;
begin
  perform require_approval(jsonb_build_object('login', login, 'public_key', public_key), 'operator_key.add');
  if not exists (select from operator_key) then
    raise exception 'register the first operator keys with `gold db migrate --operator-key LOGIN=FILE`' using errcode = 'GR409';
  end if;
  admitted := admit_operator_key(login, public_key, (applied_proposal()).id::text);
  perform note('operator_key.add', login, jsonb_build_object('public_key', public_key, 'fingerprint', admitted));
  perform registry_changed();
  return admitted;
end $$;

ALTER FUNCTION gold.add_operator_key(login text, public_key text) OWNER TO gold_book;

--
-- Name: add_root_keys(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_root_keys(keys jsonb) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  given record;
  needed int := case when (select d.environment = 'production' from deployment d) then 3 else 2 end;
begin
  perform from audit_tail for no key update;
  if exists (select from operator_key) then
    raise exception 'the first operator keys are registered already: propose another with `gold operator key add`' using errcode = 'GR409';
  elsif (select count(*) from jsonb_object_keys(keys)) < needed then
    raise exception 'register the first operator keys of at least % people, so that two people can replace a lost key', needed using errcode = 'GR409';
  end if;
  perform require_two_people();
  for given in select k.key as login, k.value as public_key from jsonb_each_text(keys) k order by 1 loop
    perform note('operator_key.root', given.login, jsonb_build_object('public_key', given.public_key,
      'fingerprint', admit_operator_key(given.login, given.public_key, 'root')));
  end loop;
  perform registry_changed();
  return (select count(*) from operator_key);
end $$;

ALTER FUNCTION gold.add_root_keys(keys jsonb) OWNER TO gold_book;

--
-- Name: add_signing_key(text, text, text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_signing_key(public text, thumbprint text, kid text, jwk jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  known signing_key;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'thumbprint', add_signing_key.thumbprint, 'kid', add_signing_key.kid,
    'jwk', add_signing_key.jwk), 'signing_key.add');
  perform begin_change(subject.id);
  perform hold_partner(public);
  select k.* into known from signing_key k where k.partner_id = subject.id and k.thumbprint = add_signing_key.thumbprint;
  if known.retire_at <= clock_timestamp() then
    raise exception 'this key was retired at %, and a retired key cannot be registered again: make a new one', instant_text(known.retire_at) using errcode = 'GR409';
  elsif known.thumbprint is not null then
    raise exception 'this key is registered already' using errcode = 'GR409';
  elsif exists (select from signing_key k where k.partner_id = subject.id and add_signing_key.kid in (k.kid, k.thumbprint)) then
    raise exception 'another key of this partner already has % as its kid or thumbprint: choose another kid', add_signing_key.kid using errcode = 'GR409';
  end if;
  perform refuse_crowd('signing key', (select count(*) from signing_key k
    where k.partner_id = subject.id and (k.retire_at is null or k.retire_at > clock_timestamp())));
  insert into signing_key (partner_id, thumbprint, kid, jwk, not_before)
  values (subject.id, add_signing_key.thumbprint, add_signing_key.kid, add_signing_key.jwk, present_millisecond());
  perform post_credential(subject.id, 'credential.added', 'signing_key', add_signing_key.thumbprint);
  perform note('signing_key.add', public, jsonb_strip_nulls(jsonb_build_object('thumbprint', add_signing_key.thumbprint, 'kid', add_signing_key.kid)));
  perform refuse_shared_key(subject.id, add_signing_key.thumbprint);
  perform registry_changed();
end $$;

ALTER FUNCTION gold.add_signing_key(public text, thumbprint text, kid text, jwk jsonb) OWNER TO gold_book;

--
-- Name: add_token_key(text, jsonb, bytea, text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform require_approval_of_setting(jsonb_build_object('kid', add_token_key.kid), 'token_key.rotate');
  insert into token_key (kid, public_jwk, sealed, sealing_key, not_before)
  values (add_token_key.kid, add_token_key.public_jwk, add_token_key.sealed, add_token_key.sealing_key, add_token_key.not_before);
  perform note('token_key.add', add_token_key.kid, jsonb_build_object('not_before', add_token_key.not_before,
    'sealed_sha256', hash_text(add_token_key.sealed), 'sealing_key', add_token_key.sealing_key));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) OWNER TO gold_book;

--
-- Name: admit_operator_key(text, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.admit_operator_key(login text, public_key text, admitted_by text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
#variable_conflict use_variable
declare
  admitted text := public_key_fingerprint(public_key);
  known operator_key;
begin
  if login !~ '^[!-~]+$' or login is null then
    raise exception 'the login of an operator must consist of visible ASCII characters' using errcode = 'GR409';
  end if;
  select k.* into known from operator_key k where k.fingerprint = admitted;
  if known.fingerprint is not null then
    raise exception 'the key % was registered before, for the login %: use a new key for each person', admitted, known.login
      using errcode = 'GR409';
  end if;
  insert into operator_key (fingerprint, login, public_key, admitted_by, added_at)
  values (admitted, login, public_key, admitted_by, ceil_millisecond(clock_timestamp()));
  return admitted;
end $_$;

ALTER FUNCTION gold.admit_operator_key(login text, public_key text, admitted_by text) OWNER TO gold_book;

--
-- Name: adopt_approvals(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.adopt_approvals(approvals jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
begin
  perform require_approval(jsonb_build_object('approvals', approvals), 'approval.adopt');
  if jsonb_typeof(approvals) is distinct from 'array' or approvals = '[]' or exists (
    select from jsonb_array_elements(approvals) pair
    left join proposal p on p.id::text = pair ->> 0 and p.state = 'approved' and p.deployment is null
    where jsonb_array_length(pair) <> 2 or proposal_sha256(p) is distinct from pair ->> 1)
  then
    raise exception 'the adopted approvals must be a list of pairs: the id of an approved proposal of version 1, and the hash of its text'
      using errcode = 'GR409';
  end if;
  perform note('approval.adopt', 'approvals', jsonb_build_object('adopted', jsonb_array_length(approvals),
    'approvals_sha256', hash_text(convert_to(canonical_json(approvals), 'UTF8'))));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.adopt_approvals(approvals jsonb) OWNER TO gold_book;

--
-- Name: adopt_registry(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.adopt_registry(rows jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
begin
  perform require_approval(jsonb_build_object('rows', rows), 'registry.adopt');
  if jsonb_typeof(rows) is distinct from 'array' or rows = '[]' or exists (
    select from jsonb_array_elements(rows) pair
    where jsonb_typeof(pair) <> 'array' or jsonb_array_length(pair) <> 2
      or jsonb_typeof(pair -> 0) <> 'string' or jsonb_typeof(pair -> 1) <> 'string')
  then
    raise exception 'the adopted rows must be a list of pairs of texts' using errcode = 'GR409';
  end if;
  perform note('registry.adopt', 'registry', jsonb_build_object('adopted', jsonb_array_length(rows),
    'rows_sha256', hash_text(convert_to(canonical_json(rows), 'UTF8'))));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.adopt_registry(rows jsonb) OWNER TO gold_book;

--
-- Name: require_admitted_login(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_admitted_login() RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if (applied_proposal()).id is null and 'operator.add' is distinct from (
    select a.action from audit a where a.subject = session_user and a.action in ('operator.add', 'operator.remove') order by a.id desc limit 1)
  then
    raise exception 'the login % may not approve a change or take a step of a withdrawal, because it was not added with `gold operator add`',
      session_user using errcode = 'GR403';
  end if;
end $$;

ALTER FUNCTION gold.require_admitted_login() OWNER TO gold_book;

--
-- Name: step_withdrawal(text, uuid, gold.withdrawal_status, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.step_withdrawal(actor text, id uuid, target gold.withdrawal_status, batch uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  given withdrawal;
  holder account;
  last withdrawal_step;
  follows withdrawal_status[];
  next_sequence bigint;
  at timestamptz;
  debit book;
  credit book;
begin
  perform require_read_committed();
  select w.* into given from withdrawal w where w.id = step_withdrawal.id;
  if given.id is null then
    raise exception 'there is no withdrawal wd_%', step_withdrawal.id using errcode = 'GR404';
  end if;
  select a.* into strict holder from account a where a.bucket = given.bucket and a.client_id = given.client_id for no key update;
  select s.* into strict last from withdrawal_step s
  where s.bucket = given.bucket and s.client_id = given.client_id and s.withdrawal_id = given.id order by s.sequence desc limit 1;
  follows := case target when 'approved' then '{pending_approval}' when 'submitted' then '{approved}' when 'paid' then '{submitted}'
    when 'rejected' then '{pending_approval,approved}' when 'returned' then '{submitted,paid}' end;
  if last.status <> all (follows) then
    raise exception 'the withdrawal wd_% is %; only one that is % can be %', given.id, last.status, array_to_string(follows, ' or '), target
      using errcode = 'GR409';
  elsif target = 'submitted' and last.login = actor then
    raise exception 'you approved the withdrawal wd_%, so another login has to submit it', given.id using errcode = 'GR409';
  end if;

  next_sequence := holder.event_sequence + 1;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  insert into withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, previous, previous_login, at, batch_id)
  values (given.bucket, given.client_id, given.id, next_sequence, target, actor, last.status, last.login, at, batch);
  debit := case when last.status = 'paid' then 'bank' else 'held' end;
  credit := case when target = 'paid' then 'bank' else 'available' end;
  if target in ('approved', 'submitted') then
    perform take_sequence(given.client_id, next_sequence, at);
  else
    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
    values (given.bucket, given.client_id, 1, next_sequence, debit, credit, 'SAR', given.amount,
      holder.sar_available + case credit when 'available' then given.amount else 0 end,
      holder.sar_held - case debit when 'held' then given.amount else 0 end, holder.gold, at);
  end if;
  perform post_event(given.client_id, next_sequence, new_uuid(at), given.id, at, 'withdrawal.' || target);
  perform note_as(actor, 'withdrawal.' || target, public_of(given.client_id),
    jsonb_strip_nulls(jsonb_build_object('withdrawal', 'wd_' || given.id, 'amount', given.amount, 'batch', batch)));
end $$;

ALTER FUNCTION gold.step_withdrawal(actor text, id uuid, target gold.withdrawal_status, batch uuid) OWNER TO gold_book;

--
-- Name: advance_withdrawal(uuid, gold.withdrawal_status, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.advance_withdrawal(id uuid, target gold.withdrawal_status, batch uuid) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT gold.require_admitted_login() AS require_admitted_login;
 SELECT gold.step_withdrawal((SESSION_USER)::text, id, target, batch) AS step_withdrawal;
END;

ALTER FUNCTION gold.advance_withdrawal(id uuid, target gold.withdrawal_status, batch uuid) OWNER TO gold_book;

--
-- Name: all_roles(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.all_roles() RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN '{treasury,credentials,pricing,keys,audit}'::text[];

ALTER FUNCTION gold.all_roles() OWNER TO gold_book;

--
-- Name: answer_of(text, bytea, integer, uuid, text, bytea, bytea); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.answer_of(key text, fingerprint bytea, status integer, request uuid, body text, signed_request bytea DEFAULT NULL::bytea, thumbprint bytea DEFAULT NULL::bytea) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN sha256(convert_to((((((((((((((key || chr(10)) || encode(fingerprint, 'hex'::text)) || chr(10)) || (status)::text) || chr(10)) || (request)::text) || chr(10)) || encode(sha256(convert_to(body, 'UTF8'::name)), 'hex'::text)) || chr(10)) || encode(sha256(COALESCE(signed_request, '\x'::bytea)), 'hex'::text)) || chr(10)) || COALESCE(encode(thumbprint, 'hex'::text), ''::text)) || chr(10)), 'UTF8'::name));

ALTER FUNCTION gold.answer_of(key text, fingerprint bytea, status integer, request uuid, body text, signed_request bytea, thumbprint bytea) OWNER TO gold_book;

--
-- Name: price; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.price OWNER TO gold_owner;

--
-- Name: append_price(gold.price); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.append_price(given gold.price) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  added price_history;
begin
  added := row((given).id, (given).mid, (given).buy, (given).sell, (given).as_of, (given).stored_at, (given).spread_basis_points,
    (given).stale_after_seconds, (given).quote_ttl_seconds, (given).source, null)::price_history;
  added.hash := sha256(coalesce((select h.hash from price_history h where h.id = added.id - 1), decode(repeat('00', 32), 'hex'))
    || convert_to(price_line(added), 'UTF8'));
  insert into price_history select added.*;
end $$;

ALTER FUNCTION gold.append_price(given gold.price) OWNER TO gold_book;

--
-- Name: proposal; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.proposal OWNER TO gold_owner;

--
-- Name: applied_proposal(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.applied_proposal() RETURNS gold.proposal
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  applied proposal;
begin
  select p.* into applied from proposal p where p.state = 'applying';
  return applied;
end $$;

ALTER FUNCTION gold.applied_proposal() OWNER TO gold_book;

--
-- Name: apply_change(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.apply_change(kind text, content jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  client text := content ->> 'client_id';
  mid bigint;
  spread int;
begin
  perform refuse_unknown_members(kind, content);
  perform refuse_no_change(kind, content);
  case kind
    when 'partner.create' then
      perform refuse_other_thumbprint(k ->> 'thumbprint', k -> 'jwk') from jsonb_array_elements(content -> 'keys') k;
      perform create_partner(client, content ->> 'name', content ->> 'iban', content ->> 'webhook_url',
        (content ->> 'rate_per_second')::int, (content ->> 'burst')::int, (content ->> 'maximum_grams')::bigint,
        texts_of(content -> 'ips')::cidr[], hex_of(content, 'secret_hash'), hex_of(content, 'webhook_sealed'),
        content ->> 'sealing_key', content -> 'keys');
      perform limit_partner(client, coalesce(content -> 'limits', '{}'));
    when 'partner.set' then
      if content ?| '{name,ips,webhook_url,rate_per_second,burst,maximum_grams}' then
        perform set_partner(client, content ->> 'name', texts_of(content -> 'ips')::cidr[], content ->> 'webhook_url',
          (content ->> 'rate_per_second')::int, (content ->> 'burst')::int, (content ->> 'maximum_grams')::bigint);
      end if;
      if content ? 'limits' then
        perform limit_partner(client, content -> 'limits');
      end if;
    when 'partner.iban' then
      perform ask_iban(client, content ->> 'iban');
    when 'partner.resume' then
      perform resume_partner(client);
    when 'certificate.issue' then
      perform add_certificate(client, content ->> 'fingerprint', content ->> 'serial', (content ->> 'not_before')::timestamptz,
        (content ->> 'not_after')::timestamptz, content ->> 'authority', content ->> 'key_hash');
    when 'signing_key.add' then
      perform refuse_other_thumbprint(content ->> 'thumbprint', content -> 'jwk');
      perform add_signing_key(client, content ->> 'thumbprint', content ->> 'kid', content -> 'jwk');
    when 'client_secret.rotate' then
      perform rotate_client_secret(client, hex_of(content, 'hash'), (content ->> 'overlap_seconds')::int);
    when 'webhook_secret.rotate' then
      perform rotate_webhook_secret(client, hex_of(content, 'sealed'), content ->> 'sealing_key', (content ->> 'overlap_seconds')::int);
    when 'price.set' then
      if content ?| '{source,mid,spread_basis_points,stale_after_seconds,url}' then
        perform lock_price();
        -- Without `mid`, the current price stays. If there is none yet, store the placeholder that `gold`
        -- stores, too.
        mid := coalesce((content ->> 'mid')::bigint, (select p.mid from price p), 10000);
        spread := (content ->> 'spread_basis_points')::int;
        perform set_price(content ->> 'source', mid, buy_of(mid, spread), sell_of(mid, spread), spread,
          (content ->> 'stale_after_seconds')::int, content ->> 'url');
      end if;
      if content ? 'hours' then
        perform set_market_hours((content -> 'hours' ->> 'always_open')::boolean, content -> 'hours' -> 'sessions');
      end if;
    when 'market.set' then
      if content ? 'breaker' then
        perform set_breaker((content -> 'breaker' ->> 'basis_points')::int, (content -> 'breaker' ->> 'seconds')::int);
      end if;
      if content ? 'band' then
        perform set_band((content -> 'band' ->> 'step_basis_points')::int, (content -> 'band' ->> 'hour_basis_points')::int);
      end if;
      if content ? 'exposure' then
        perform set_exposure((content ->> 'exposure')::bigint);
      end if;
    when 'market.open' then
      perform open_market();
    when 'authority.add' then
      perform refuse_other_fingerprint(content ->> 'fingerprint', content ->> 'certificate');
      perform add_authority((content ->> 'first')::boolean, content ->> 'fingerprint', content ->> 'certificate', null,
        content ->> 'revocation_list', (content ->> 'revocation_next_at')::timestamptz);
    when 'token_key.rotate' then
      perform refuse_other_thumbprint(content ->> 'kid', content -> 'public_jwk');
      perform rotate_token_key(content ->> 'kid', content -> 'public_jwk', hex_of(content, 'sealed'), content ->> 'sealing_key',
        (content ->> 'lead_seconds')::int, (content ->> 'overlap_seconds')::int);
    when 'sealing_key.rotate' then
      perform reseal(content ->> 'sealing_key', content -> 'secrets');
    when 'pepper.rotate' then
      perform rotate_pepper(content ->> 'pepper');
    when 'vault.add' then
      perform add_bar(content ->> 'serial', content ->> 'refiner', content ->> 'vault', (content ->> 'gross')::bigint, (content ->> 'fineness')::int);
    when 'vault.remove' then
      perform remove_bar(content ->> 'serial');
    when 'deposit.record' then
      perform record_deposit(client, (content ->> 'amount')::bigint, content ->> 'bank_reference');
    when 'deposit.reverse' then
      perform reverse_deposit((content ->> 'deposit')::uuid);
    when 'payment.submit' then
      perform submit_payment((content ->> 'batch')::uuid,
        array(select (p.value ->> 'withdrawal')::uuid from jsonb_array_elements(content -> 'payments') p),
        (content ->> 'prepared_at')::timestamptz, content ->> 'document_sha256');
    when 'withdrawal.return' then
      perform return_withdrawal((content ->> 'withdrawal')::uuid);
    when 'deployment.settle' then
      perform settle_deployment(content ->> 'environment', content ->> 'public_base_url', (content ->> 'loopback_receivers')::boolean, null, null,
        (content ->> 'flood_per_second')::int, texts_of(content -> 'webhook_ports')::int[], (content ->> 'attempts_kept_days')::int);
    when 'deployment.payout' then
      perform set_payout_account(content ->> 'name', content ->> 'iban', content ->> 'bic');
    when 'deployment.defaults' then
      if content ?| '{rate_per_second,burst}' then
        perform set_partner_defaults((content ->> 'rate_per_second')::int, (content ->> 'burst')::int);
      end if;
      if content ? 'limits' then
        perform set_limit_defaults(content -> 'limits');
      end if;
    when 'recovery.accept' then
      perform accept_losses((content ->> 'epoch')::int, content -> 'losses');
    when 'operator.add' then
      perform check_new_operator(content ->> 'name');
      perform check_roles(texts_of(content -> 'roles'));
    when 'operator.set' then
      perform check_operator(content ->> 'name');
      perform check_roles(texts_of(content -> 'roles'));
    when 'operator.remove' then
      perform check_operator(content ->> 'name');
    when 'operator_key.add' then
      perform add_operator_key(content ->> 'login', content ->> 'public_key');
    when 'registry.adopt' then
      perform adopt_registry(content -> 'rows');
    when 'approval.adopt' then
      perform adopt_approvals(content -> 'approvals');
  end case;
end $$;

ALTER FUNCTION gold.apply_change(kind text, content jsonb) OWNER TO gold_book;

--
-- Name: instant_text(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.instant_text(at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

ALTER FUNCTION gold.instant_text(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: deployment; Type: TABLE; Schema: gold; Owner: gold_owner
--

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
    CONSTRAINT deployment_webhook_ports CHECK ((((cardinality(webhook_ports) >= 1) AND (cardinality(webhook_ports) <= 32)) AND (1 <= ALL (webhook_ports)) AND (65535 >= ALL (webhook_ports))))
);

ALTER TABLE gold.deployment OWNER TO gold_owner;

--
-- Name: operator_key; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.operator_key (
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    login text NOT NULL COLLATE pg_catalog."C",
    public_key text NOT NULL COLLATE pg_catalog."C",
    admitted_by text NOT NULL COLLATE pg_catalog."C",
    added_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone
);

ALTER TABLE gold.operator_key OWNER TO gold_owner;

--
-- Name: approvals_of(text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.approvals_of(VARIADIC kinds text[]) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    RETURN jsonb_build_object('deployment', (SELECT d.id FROM gold.deployment d), 'ends', COALESCE((SELECT jsonb_object_agg(k.fingerprint, gold.instant_text(k.ended_at)) AS jsonb_object_agg FROM gold.operator_key k WHERE (k.ended_at IS NOT NULL)), '{}'::jsonb), 'approvals', COALESCE((SELECT jsonb_agg(jsonb_build_object('deployment', p.deployment, 'id', p.id, 'kind', p.kind, 'proposer', p.proposer, 'proposedAt', gold.instant_text(p.proposed_at), 'expiresAt', gold.instant_text(p.expires_at), 'content', p.content, 'approver', p.decided_by, 'approvedAt', gold.instant_text(p.decided_at), 'proposerSignature', p.proposer_signature, 'approverSignature', p.approver_signature) ORDER BY p.decided_at, p.id) AS jsonb_agg FROM gold.proposal p WHERE ((p.state = 'approved'::text) AND (p.approver_signature IS NOT NULL) AND ((p.kind = ANY (approvals_of.kinds)) OR (p.kind = ANY (ARRAY['operator_key.add'::text, 'approval.adopt'::text])) OR ((p.deployment IS NULL) AND ('version 1'::text = ANY (approvals_of.kinds)))))), '[]'::jsonb));

ALTER FUNCTION gold.approvals_of(VARIADIC kinds text[]) OWNER TO gold_book;

--
-- Name: approve_deposit(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.approve_deposit(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if two_people() then
    raise exception 'under two people, a deposit is approved with `gold proposal approve`: if dep_% is recorded but not approved, reverse it and record it again',
      approve_deposit.id using errcode = 'GR409';
  end if;
  perform require_admitted_login();
  perform approve_deposit_as(session_user, approve_deposit.id);
end $$;

ALTER FUNCTION gold.approve_deposit(id uuid) OWNER TO gold_book;

--
-- Name: approve_deposit_as(text, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.approve_deposit_as(actor text, id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  locked record;
  given deposit;
  at timestamptz;
begin
  select * into locked from lock_deposit(approve_deposit_as.id);
  given := locked.found_deposit;
  if given.reversed_at is not null then
    raise exception 'the deposit was reversed' using errcode = 'GR409';
  elsif given.approved_at is not null then
    raise exception 'the deposit was approved already, by %', given.approved_by using errcode = 'GR409';
  elsif given.recorded_by = actor then
    raise exception 'you recorded this deposit, so another login has to approve it' using errcode = 'GR409';
  elsif not has_room_for(locked.holder, given.amount) then
    raise exception 'an account holds at most 999999999999.99 SAR' using errcode = 'GR409';
  end if;
  at := account_instant(locked.holder, ceil_millisecond(clock_timestamp()));
  update deposit d set approved_at = at, approved_by = actor where d.id = given.id;
  perform post_funding(locked.holder, given.amount, given.id, at);
  perform note_as(actor, 'deposit.approve', public_of(given.client_id), jsonb_build_object('deposit', 'dep_' || given.id, 'amount', given.amount));
end $$;

ALTER FUNCTION gold.approve_deposit_as(actor text, id uuid) OWNER TO gold_book;

--
-- Name: approve_iban(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.approve_iban(public text, seen text) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
begin
  perform require_admitted_login();
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  subject := partner_of(public);
  if subject.pending_iban is null then
    raise exception 'no new IBAN was requested' using errcode = 'GR409';
  elsif subject.pending_iban_by = session_user then
    raise exception 'you requested this IBAN, so another login has to approve it' using errcode = 'GR409';
  elsif subject.pending_iban is distinct from seen then
    raise exception 'another IBAN was requested meanwhile: %', subject.pending_iban using errcode = 'GR409';
  elsif two_people() then
    raise exception 'this IBAN was requested with a single operator: run gold partner set % --iban % again', public, seen using errcode = 'GR409';
  end if;
  perform note('partner.approve_iban', public, jsonb_build_object('before', subject.iban, 'iban', seen, 'asked_by', subject.pending_iban_by));
  return register_iban(subject.id, seen, subject.pending_iban_by, session_user);
end $$;

ALTER FUNCTION gold.approve_iban(public text, seen text) OWNER TO gold_book;

--
-- Name: approve_proposal(uuid, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.approve_proposal(id uuid, sha256 text, signature text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
  signed jsonb;
begin
  perform refuse_decided(given);
  perform refuse_foreign(given);
  perform require_role_of(session_user, given.kind, true);
  perform require_admitted_login();
  -- The proposer may have lost the role since the proposal.
  perform require_role_of(given.proposer, given.kind, false);
  if given.proposer = session_user then
    raise exception 'you proposed this change, so another login has to approve it' using errcode = 'GR409';
  elsif clock_timestamp() >= given.expires_at then
    raise exception 'the proposal expired at %: propose the change again', instant_text(given.expires_at) using errcode = 'GR409';
  elsif proposal_sha256(given) is distinct from sha256 then
    raise exception 'the hash % is not the hash of the proposal: run `gold proposal show` again, and approve the hash that it shows', sha256
      using errcode = 'GR409';
  end if;
  signed := require_signatures(given, signature);
  update proposal p set state = 'applying', decided_by = session_user, decided_at = clock_timestamp(),
    approver_signature = case when signed <> '{}' then signature end where p.id = id returning * into given;
  perform apply_change(given.kind, given.content);
  perform refuse_outdated(given);
  perform note('proposal.approve', id::text, jsonb_strip_nulls(jsonb_build_object('kind', given.kind, 'sha256', sha256,
    'proposer', given.proposer, 'decided_at', instant_text(given.decided_at), 'replaces', replaced_by(given.kind, given.content))) || signed);
  update proposal p set state = 'approved' where p.id = id;
end $$;

ALTER FUNCTION gold.approve_proposal(id uuid, sha256 text, signature text) OWNER TO gold_book;

--
-- Name: approve_withdrawal(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.approve_withdrawal(id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT gold.advance_withdrawal(id, 'approved'::gold.withdrawal_status, NULL::uuid) AS advance_withdrawal;
END;

ALTER FUNCTION gold.approve_withdrawal(id uuid) OWNER TO gold_book;

--
-- Name: arm_simulation(gold.account, text, jsonb, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.arm_simulation(holder gold.account, name text, parameters jsonb, clock timestamp with time zone, OUT body text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  others jsonb := coalesce(holder.simulations, '{}') - name;
  state jsonb := jsonb_build_object(name, parameters - 'lasts' || jsonb_build_object('until',
    instant_text(clock + make_interval(secs => (parameters->>'lasts')::int))));
begin
  case
    when name = 'reset' then holder.simulations := others - '{market,prices,failure,webhooks}'::text[];
    when name = 'market' and parameters->>'state' = 'normal' then holder.simulations := others;
    -- `from` is the number of the first event that the simulation changes. So each worker decides by an
    -- event's number alone.
    when name = 'webhooks' then holder.simulations := others || jsonb_set(state, '{webhooks,from}', to_jsonb(holder.event_sequence + 1));
    else holder.simulations := others || state;
  end case;
  update account a set simulations = nullif(holder.simulations, '{}'), admission_version = a.admission_version + 1
  where a.bucket = holder.bucket and a.client_id = holder.client_id;
  perform registry_changed();
  perform endpoint_changed(holder.client_id);
  body := simulations_text(holder, clock);
end $$;

ALTER FUNCTION gold.arm_simulation(holder gold.account, name text, parameters jsonb, clock timestamp with time zone, OUT body text) OWNER TO gold_book;

--
-- Name: armed(jsonb, text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.armed(simulations jsonb, name text, clock timestamp with time zone) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN ((((simulations -> name) ->> 'until'::text))::timestamp with time zone > clock) THEN (simulations -> name) ELSE NULL::jsonb END;

ALTER FUNCTION gold.armed(simulations jsonb, name text, clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: due_now(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.due_now(due_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql
    RETURN LEAST(date_trunc('milliseconds'::text, clock_timestamp()), (due_at - '00:00:00.001'::interval));

ALTER FUNCTION gold.due_now(due_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: event; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.event OWNER TO gold_owner;

--
-- Name: event_of_number(integer, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.event_of_number(client integer, sequence bigint) RETURNS SETOF gold.event
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT e.bucket,
     e.client_id,
     e.sequence,
     e.id,
     e.subject,
     e.created_at,
     e.type,
     e.line
    FROM gold.event e
   WHERE ((e.bucket = (event_of_number.client % 64)) AND (e.client_id = event_of_number.client) AND (e.sequence >= event_of_number.sequence))
   ORDER BY e.sequence
  LIMIT 1;
END;

ALTER FUNCTION gold.event_of_number(client integer, sequence bigint) OWNER TO gold_book;

--
-- Name: endpoint; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.endpoint OWNER TO gold_owner;

--
-- Name: retry; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.retry OWNER TO gold_owner;

--
-- Name: ask_delivery(integer, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.ask_delivery(client integer, sequence bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 UPDATE gold.endpoint n SET worker = NULL::uuid, rests_until = NULL::timestamp with time zone
   WHERE ((n.bucket = (ask_delivery.client % 64)) AND (n.client_id = ask_delivery.client) AND (n.rests_until > clock_timestamp()));
 INSERT INTO gold.retry AS r (bucket, client_id, sequence, tries, is_test, due_at)  SELECT (ask_delivery.client % 64),
             ask_delivery.client AS client,
             e.sequence,
             0,
             (e.type = 'webhook.test'::text),
             gold.due_now(NULL::timestamp with time zone) AS due_now
            FROM gold.event_of_number(ask_delivery.client, ask_delivery.sequence) e(bucket, client_id, sequence, id, subject, created_at, type, line) ON CONFLICT(bucket, client_id, sequence) DO UPDATE SET tries = 0, due_at = gold.due_now(r.due_at), parked_at = NULL::timestamp with time zone;
 SELECT pg_notify('gold_event'::text, (client)::text) AS pg_notify;
END;

ALTER FUNCTION gold.ask_delivery(client integer, sequence bigint) OWNER TO gold_book;

--
-- Name: ask_iban(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.ask_iban(public text, iban text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  changer record := changer();
begin
  if two_people() then
    perform begin_change(subject.id);
  end if;
  perform end_admission(subject.id);
  subject := partner_of(public);
  if subject.iban = ask_iban.iban and subject.pending_iban is null then
    raise exception '% is the registered IBAN already', ask_iban.iban using errcode = 'GR409';
  elsif subject.iban = ask_iban.iban then
    update partner p set pending_iban = null, pending_iban_by = null, pending_iban_at = null where p.id = subject.id;
    perform note('partner.withdraw_iban', public, jsonb_build_object('iban', subject.pending_iban, 'asked_by', subject.pending_iban_by));
    perform registry_changed();
    return;
  end if;
  perform require_approval(jsonb_build_object('client_id', public, 'iban', ask_iban.iban), 'partner.iban');
  if two_people() then
    perform note('partner.iban', public, jsonb_build_object('before', subject.iban, 'iban', ask_iban.iban));
    perform register_iban(subject.id, ask_iban.iban, changer.changed_by, changer.approved_by);
    return;
  end if;
  update partner p set pending_iban = ask_iban.iban, pending_iban_by = session_user, pending_iban_at = clock_timestamp() where p.id = subject.id;
  perform note('partner.ask_iban', public, jsonb_build_object('before', subject.iban, 'iban', ask_iban.iban));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.ask_iban(public text, iban text) OWNER TO gold_book;

--
-- Name: audit_tail; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.audit_tail (
    one boolean DEFAULT true NOT NULL,
    id bigint DEFAULT 0 NOT NULL,
    head bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
    CONSTRAINT audit_tail_one CHECK (one)
);

ALTER TABLE gold.audit_tail OWNER TO gold_owner;

--
-- Name: audit_head(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.audit_head(OUT id bigint, OUT head text) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT t.id,
     encode(t.head, 'hex'::text) AS encode
    FROM gold.audit_tail t;
END;

ALTER FUNCTION gold.audit_head(OUT id bigint, OUT head text) OWNER TO gold_book;

--
-- Name: audit; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.audit (
    id bigint NOT NULL,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    login text DEFAULT SESSION_USER NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL,
    detail jsonb NOT NULL
);

ALTER TABLE gold.audit OWNER TO gold_owner;

--
-- Name: audit_line(gold.audit); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.audit_line(entry gold.audit) RETURNS text
    LANGUAGE sql STABLE
    RETURN (json_build_array(1, (entry).id, ((EXTRACT(epoch FROM (entry).at) * (1000)::numeric))::bigint, (entry).login, (entry).action, (entry).subject, (entry).detail))::text;

ALTER FUNCTION gold.audit_line(entry gold.audit) OWNER TO gold_book;

--
-- Name: transfer; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.transfer OWNER TO gold_owner;

--
-- Name: balance_after(integer, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.balance_after(client integer, sequence bigint, OUT available bigint, OUT held bigint, OUT gold bigint) RETURNS record
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT COALESCE(t.sar_available_after, (0)::bigint) AS "coalesce",
     COALESCE(t.sar_held_after, (0)::bigint) AS "coalesce",
     COALESCE(t.gold_after, (0)::bigint) AS "coalesce"
    FROM (( VALUES (1)) always(one)
      LEFT JOIN LATERAL ( SELECT t_1.bucket,
             t_1.client_id,
             t_1.leg,
             t_1.stripe,
             t_1.sequence,
             t_1.debit,
             t_1.credit,
             t_1.asset,
             t_1.amount,
             t_1.sar_available_after,
             t_1.sar_held_after,
             t_1.gold_after,
             t_1.posted_at
            FROM gold.transfer t_1
           WHERE ((t_1.bucket = (balance_after.client % 64)) AND (t_1.client_id = balance_after.client) AND (t_1.sequence <= balance_after.sequence))
           ORDER BY t_1.bucket DESC, t_1.client_id DESC, t_1.sequence DESC, t_1.leg DESC
          LIMIT 1) t ON (true));
END;

ALTER FUNCTION gold.balance_after(client integer, sequence bigint, OUT available bigint, OUT held bigint, OUT gold bigint) OWNER TO gold_book;

--
-- Name: balance_at(integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.balance_at(client integer, at timestamp with time zone) RETURNS TABLE(available bigint, held bigint, gold bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  holder account;
  clock timestamptz;
  closed timestamptz;
begin
  perform require_read_committed();
  select a.* into strict holder from account a where a.bucket = balance_at.client % 64 and a.client_id = balance_at.client;
  clock := clock_timestamp();
  closed := closed_end(holder, ceil_millisecond(clock));
  if balance_at.at > greatest(clock, holder.last_posted_at, closed) then
    return;
  elsif balance_at.at >= holder.last_posted_at and balance_at.at > closed then
    perform close_past(balance_at.client, balance_at.at);
  end if;
  return query select b.available, b.held, b.gold from balance_after(balance_at.client, sequence_at(balance_at.client, balance_at.at)) b;
end $$;

ALTER FUNCTION gold.balance_at(client integer, at timestamp with time zone) OWNER TO gold_book;

--
-- Name: balance_now(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.balance_now(client integer) RETURNS TABLE(available bigint, held bigint, gold bigint, as_of timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  holder account;
  clock timestamptz;
  present timestamptz;
begin
  perform require_read_committed();
  if current_setting('transaction_read_only')::boolean then
    holder := settled_account(balance_now.client);
    return query select holder.sar_available, holder.sar_held, holder.gold,
      greatest(holder.last_posted_at, closed_end(holder, ceil_millisecond(clock_timestamp())));
    return;
  end if;
  select a.* into strict holder from account a where a.bucket = balance_now.client % 64 and a.client_id = balance_now.client for no key update;
  clock := clock_timestamp();
  present := greatest(date_trunc('milliseconds', clock), holder.last_posted_at);
  if present > closed_end(holder, ceil_millisecond(clock)) then
    perform close_past(balance_now.client, present);
  end if;
  return query select holder.sar_available, holder.sar_held, holder.gold, present;
end $$;

ALTER FUNCTION gold.balance_now(client integer) OWNER TO gold_book;

--
-- Name: decimal_text(bigint, numeric); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.decimal_text(quantity bigint, unit numeric) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (trim_scale(((quantity)::numeric * unit)))::text;

ALTER FUNCTION gold.decimal_text(quantity bigint, unit numeric) OWNER TO gold_book;

--
-- Name: balances_text(bigint, bigint, bigint, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (((((((('{"sar":{"available":'::text || gold.decimal_text(available, 0.01)) || ',"held":'::text) || gold.decimal_text(held, 0.01)) || '},"gold":{"grams":'::text) || gold.decimal_text(gold, 0.0001)) || '},"as_of":"'::text) || gold.instant_text(at)) || '"}'::text);

ALTER FUNCTION gold.balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone) OWNER TO gold_book;

--
-- Name: bar; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.bar OWNER TO gold_owner;

--
-- Name: listed_bars(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.listed_bars(list integer) RETURNS SETOF gold.bar
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT b.serial,
     b.refiner,
     b.vault_name,
     b.gross,
     b.fineness,
     b.fine,
     b.added_at,
     b.added_sequence,
     b.removed_at,
     b.removed_sequence,
     b.added_list,
     b.removed_list
    FROM gold.bar b
   WHERE ((b.added_list <= listed_bars.list) AND ((b.removed_list IS NULL) OR (b.removed_list > listed_bars.list)));
END;

ALTER FUNCTION gold.listed_bars(list integer) OWNER TO gold_book;

--
-- Name: bar_list; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.bar_list (
    id integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    bars integer NOT NULL,
    fine bigint NOT NULL,
    sha256 bytea NOT NULL
);

ALTER TABLE gold.bar_list OWNER TO gold_owner;

--
-- Name: bar_list_text(gold.bar_list); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.bar_list_text(given gold.bar_list) RETURNS text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT (((((((((('[1,'::text || (given).id) || ','::text) || ((EXTRACT(epoch FROM (given).created_at) * (1000)::numeric))::bigint) || ','::text) || (given).fine) || ',"'::text) || COALESCE(( SELECT encode(p.sha256, 'hex'::text) AS encode
            FROM gold.bar_list p
           WHERE (p.id = ((bar_list_text.given).id - 1))), repeat('0'::text, 64))) || '",['::text) || COALESCE(( SELECT string_agg((((((((((((('['::text || to_json(b.serial)) || ','::text) || to_json(b.refiner)) || ','::text) || to_json(b.vault_name)) || ','::text) || b.gross) || ','::text) || b.fineness) || ','::text) || b.fine) || ']'::text), ','::text ORDER BY (b.serial COLLATE "C")) AS string_agg
            FROM gold.listed_bars((bar_list_text.given).id) b(serial, refiner, vault_name, gross, fineness, fine, added_at, added_sequence, removed_at, removed_sequence, added_list, removed_list)), ''::text)) || ']]'::text);
END;

ALTER FUNCTION gold.bar_list_text(given gold.bar_list) OWNER TO gold_book;

--
-- Name: bar_text(gold.bar); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.bar_text(given gold.bar) RETURNS text
    LANGUAGE sql STABLE
    RETURN (((((((((((('{"serial":'::text || to_json((given).serial)) || ',"refiner":'::text) || to_json((given).refiner)) || ',"vault":'::text) || to_json((given).vault_name)) || ',"gross_grams":'::text) || gold.decimal_text((given).gross, 0.0001)) || ',"fineness":'::text) || gold.decimal_text(((given).fineness)::bigint, 0.1)) || ',"fine_grams":'::text) || gold.decimal_text((given).fine, 0.0001)) || '}'::text);

ALTER FUNCTION gold.bar_text(given gold.bar) OWNER TO gold_book;

--
-- Name: begin_change(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.begin_change(client integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
begin
  perform lock_accounts(array[client], true);
  if not exists (select from partner_change c where c.bucket = client % 64 and c.client_id = client) then
    perform post_first_changes(client, null);
  end if;
end $$;

ALTER FUNCTION gold.begin_change(client integer) OWNER TO gold_book;

--
-- Name: begin_rotation(text, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.begin_rotation(public text, overlap_seconds integer, OUT partner_id integer, OUT retires_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if overlap_seconds not between 0 and 90 * 86400 then
    raise exception 'the overlap must be between 0 seconds and 90 days' using errcode = 'GR409';
  end if;
  perform begin_change((partner_of(public)).id);
  if overlap_seconds = 0 then
    perform end_admission((partner_of(public)).id);
  end if;
  partner_id := (hold_partner(public)).id;
  retires_at := present_millisecond() + make_interval(secs => overlap_seconds);
end $$;

ALTER FUNCTION gold.begin_rotation(public text, overlap_seconds integer, OUT partner_id integer, OUT retires_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: idempotency_key; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.idempotency_key OWNER TO gold_owner;

--
-- Name: refusal; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.refusal (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE gold.refusal OWNER TO gold_owner;

--
-- Name: bind_answer(gold.account, text, bytea, uuid, text, uuid, timestamp with time zone, integer, text, bytea, bytea); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.bind_answer(holder gold.account, key text, fingerprint bytea, request uuid, kind text, result uuid, at timestamp with time zone, status integer, body text, signed_request bytea DEFAULT NULL::bytea, thumbprint bytea DEFAULT NULL::bytea) RETURNS gold.outcome
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO gold.idempotency_key (bucket, client_id, status, key, fingerprint, request_id, result_id, created_at, result_kind, body, request, signing_thumbprint)
   VALUES ((bind_answer.holder).bucket, (bind_answer.holder).client_id, bind_answer.status, bind_answer.key, bind_answer.fingerprint, bind_answer.request, bind_answer.result, bind_answer.at, bind_answer.kind, bind_answer.body, bind_answer.signed_request, bind_answer.thumbprint);
 INSERT INTO gold.refusal (bucket, client_id, created_at, key)  SELECT (bind_answer.holder).bucket AS bucket,
             (bind_answer.holder).client_id AS client_id,
             bind_answer.at AS at,
             bind_answer.key AS key
           WHERE (bind_answer.kind = 'refusal'::text);
 SELECT ROW(1, 'answered'::text, (status)::smallint, body)::gold.outcome AS "row";
END;

ALTER FUNCTION gold.bind_answer(holder gold.account, key text, fingerprint bytea, request uuid, kind text, result uuid, at timestamp with time zone, status integer, body text, signed_request bytea, thumbprint bytea) OWNER TO gold_book;

--
-- Name: book_bar(boolean, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_bar(bar_in boolean, fine bigint, OUT sequence bigint, OUT list integer, OUT at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  house account;
  stock vault;
begin
  select a.* into strict house from account a where a.bucket = 0 and a.client_id = 0 for no key update;
  stock := gather_vault(case when bar_in then 0 else fine end);
  list := stock.list_id + 1;
  if not bar_in and stock.free < fine then
    raise exception 'the bar holds % g and only % g are free; the rest is owed to partners', decimal_text(fine, 0.0001), decimal_text(stock.free, 0.0001)
      using errcode = 'GR409';
  end if;
  sequence := house.event_sequence + 1;
  at := account_instant(house, ceil_millisecond(clock_timestamp()));
  insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
  values (0, 0, 1, book_bar.sequence, case when bar_in then 'bars' else 'vault' end::book,
    case when bar_in then 'vault' else 'bars' end::book, 'XAU', fine, 0, 0, 0, at);
end $$;

ALTER FUNCTION gold.book_bar(bar_in boolean, fine bigint, OUT sequence bigint, OUT list integer, OUT at timestamp with time zone) OWNER TO gold_book;

--
-- Name: book_funding(boolean, integer, bigint, text, bytea, bigint, bigint, uuid, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_funding(settle boolean, client integer, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid) RETURNS gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  turn record;
  holder account;
  at timestamptz;
  body text;
  limited outcome;
begin
  -- Refuse to create money in production, even with the service's login.
  if not exists (select from deployment d where d.environment = 'sandbox') then
    raise exception 'fundings can be booked only in the sandbox: record and approve a deposit instead' using errcode = 'GB004';
  end if;
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  holder := turn.holder;
  at := account_instant(holder, ceil_millisecond(turn.clock));
  if amount > maximum or not has_room_for(holder, amount) then
    limited := take_record(1, client, turn.clock, request, false);
    if limited.outcome is not null then
      return limited;
    end if;
    return bind_answer(holder, key, fingerprint, request, 'refusal', null, at, 422, problem_text('limit_exceeded',
      'A funding is at most ' || decimal_text(maximum, 0.01) || ' SAR, and an account holds at most 999999999999.99 SAR.', request));
  end if;
  body := '{"funding_id":"fnd_' || id || '","amount_sar":' || decimal_text(amount, 0.01) || ',"created_at":"' || instant_text(at)
    || '","balances":' || balances_text(holder.sar_available + amount, holder.sar_held, holder.gold, at) || '}';
  perform post_funding(holder, amount, id, at, answer_of(key, fingerprint, 201, request, body));
  return bind_answer(holder, key, fingerprint, request, 'funding', id, at, 201, body);
end $$;

ALTER FUNCTION gold.book_funding(settle boolean, client integer, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid) OWNER TO gold_book;

--
-- Name: book_orders(boolean, boolean, integer[], bigint[], uuid[], text[], bytea[], uuid[], uuid[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]) RETURNS SETOF gold.outcome
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select * from book_orders(wait, settle, clients, admissions, nonces, keys, fingerprints, quotes, requests, null::text[], null::text[], null::bytea[], null::bytea[])
$$;

ALTER FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]) OWNER TO gold_book;

--
-- Name: book_orders(boolean, boolean, integer[], bigint[], uuid[], text[], bytea[], uuid[], uuid[], text[], text[], bytea[], bytea[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[], partner_references text[], account_labels text[], signed_requests bytea[], thumbprints bytea[]) RETURNS SETOF gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  locked int[];
  accounts account[];
  clock timestamptz;
  present timestamptz;
  instant timestamptz;
  horizon timestamptz;
  crowded boolean;
  stripe smallint;
  free bigint;
  limits_exposure boolean;
  list int;
  is_short boolean;
  refused boolean := false;
  asked record;
  holder account;
  earlier int;
  refusal text;
  detail text;
  body text;
  answer idempotency_key;
  early outcome;
  limited outcome;
  placed orders;
  spent nonce[] := '{}';
  spent_names text[] := '{}';
  executed orders[] := '{}';
  executed_names text[] := '{}';
  bound idempotency_key[] := '{}';
  bound_names text[] := '{}';
begin
  select l.locked, l.accounts into locked, accounts from lock_accounts(clients, wait) l;
  clock := clock_timestamp();
  present := ceil_millisecond(clock);
  horizon := clock + clock_tolerance();
  -- Each nonce, key and quote belongs to one client. So an item can repeat a nonce, key or quote of the same
  -- batch only if the batch has two items of that client.
  crowded := cardinality(locked) < cardinality(clients);

  for asked in
    select i.n::int as n, i.client, i.admission, i.nonce, i.key, i.fingerprint, i.request,
      array_position(locked, i.client) as slot, s.nonce is not null as spent, s.request_id as spent_by,
      k.status as known_status, k.fingerprint as known_fingerprint, k.request_id as known_request, k.body as known_body,
      i.quote, q.side, q.grams, q.price, q.total, q.created_at as quoted_at, q.expires_at, o.id is not null as executed,
      i.signed_request, i.thumbprint, coalesce(sum(q.grams) filter (where q.side = 'buy') over (), 0)::bigint as need,
      -- An order inherits each of the two texts from its quote, unless its own request gives one.
      coalesce(i.reference, q.reference) as reference, coalesce(i.account_label, q.account_label) as account_label
    from unnest(clients, admissions, nonces, keys, fingerprints, quotes, requests, partner_references, account_labels, signed_requests, thumbprints)
      with ordinality i (client, admission, nonce, key, fingerprint, quote, request, reference, account_label, signed_request, thumbprint, n)
    left join lateral (select * from nonce n where n.bucket = i.client % 64 and n.client_id = i.client and n.nonce = i.nonce offset 0) s on true
    left join lateral (select * from idempotency_key k where k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key offset 0) k on true
    left join lateral (select * from quote q where q.bucket = i.client % 64 and q.client_id = i.client and q.id = i.quote offset 0) q on true
    left join lateral (select * from orders o where o.bucket = i.client % 64 and o.client_id = i.client and o.id = i.quote offset 0) o on true
    order by i.n
  loop
    if asked.slot is null then
      return next row(asked.n, 'busy', null, null)::outcome;
      continue;
    end if;
    holder := accounts[asked.slot];
    early := prior_outcome(asked.n, settle, asked.request, asked.spent_by, asked.known_request,
      asked.known_fingerprint = asked.fingerprint, asked.known_status, asked.known_body, holder.admission_version = asked.admission);
    if early.outcome is not null then
      return next early;
      continue;
    end if;
    if crowded then
      asked.spent := asked.spent or asked.client || ' ' || asked.nonce = any (spent_names);
      asked.executed := asked.executed or asked.client || ' ' || asked.quote = any (executed_names);
      earlier := array_position(bound_names, asked.client || ' ' || asked.key);
      if earlier is not null then
        asked.known_status := bound[earlier].status;
        asked.known_fingerprint := bound[earlier].fingerprint;
        asked.known_body := bound[earlier].body;
      end if;
    end if;
    -- If the clock stepped back after the quote was made, the quote's age is unknown. Its order is then
    -- refused, too.
    if greatest(holder.last_posted_at, asked.quoted_at) > horizon and asked.known_body is null then
      return next row(asked.n, 'service_unavailable', null, seconds_behind(greatest(holder.last_posted_at, asked.quoted_at), clock))::outcome;
      continue;
    end if;
    if asked.spent then
      return next row(asked.n, 'nonce_reused', null, null)::outcome;
      continue;
    end if;
    if asked.known_body is not null then
      limited := take_record(asked.n, asked.client, clock, asked.request, true);
      if limited.outcome is not null then
        return next limited;
        continue;
      end if;
      spent := spent || row(holder.bucket, asked.client, asked.nonce, asked.request)::nonce;
      if crowded then
        spent_names := spent_names || (asked.client || ' ' || asked.nonce);
      end if;
      return next settled(asked.n, false, asked.known_fingerprint = asked.fingerprint, asked.known_status, asked.known_body);
      continue;
    end if;

    refusal := null;
    instant := greatest(account_instant(holder, present), asked.quoted_at);
    is_short := false;
    -- Only a partner of the sandbox can have simulations.
    if holder.simulations is not null then
      select * into asked.expires_at, is_short from simulated_order(holder, asked.quote, clock, asked.expires_at);
    end if;
    if asked.side is null then
      refusal := 'not_found';
      detail := 'There is no quote of yours with this quote_id.';
    elsif asked.executed then
      refusal := 'quote_already_executed';
      detail := 'The quote was executed as ord_' || asked.quote || '.';
    elsif asked.expires_at <= clock or asked.expires_at < instant then
      refusal := 'quote_expired';
      detail := 'The quote was firm until ' || instant_text(asked.expires_at) || '.';
    elsif asked.side = 'buy' and holder.sar_available < asked.total then
      refusal := 'insufficient_funds';
      detail := 'The order needs ' || decimal_text(asked.total, 0.01) || ' SAR and ' || decimal_text(holder.sar_available, 0.01) || ' SAR are available.';
    elsif asked.side = 'sell' and holder.gold < asked.grams then
      refusal := 'insufficient_gold';
      detail := 'The order needs ' || decimal_text(asked.grams, 0.0001) || ' g and you hold ' || decimal_text(holder.gold, 0.0001) || ' g.';
    else
      if free is null then
        -- A stripe that no other batch holds and that covers all buys of this batch; see gather_vault().
        select v.stripe, v.free, v.list_id, false into stripe, free, list, limits_exposure from vault v
        where v.free >= asked.need and v.maximum_exposure is null
        limit 1 for no key update skip locked;
        if not found then
          -- Postgres can lock a row and not return it: if the row changes while the statement reaches it,
          -- Postgres locks the new version and checks it afterwards. If this batch held such a stripe and
          -- waited for a lower one, it could deadlock with another batch. So it starts again.
          if exists (select from vault v where v.stripe > 0 and v.xmax = pg_current_xact_id()::xid) then
            raise exception 'a stripe changed while it was locked: run the statement again' using errcode = '40001';
          end if;
          select v.stripe, v.free, v.list_id, v.maximum_exposure is not null into strict stripe, free, list, limits_exposure
          from gather_vault(asked.need) v;
        end if;
      end if;
      if asked.side = 'buy' and (free < asked.grams or is_short) then
        refusal := 'insufficient_inventory';
        detail := 'The vault does not hold ' || decimal_text(asked.grams, 0.0001) || ' g that are free to sell.';
      end if;
    end if;

    if refusal is not null then
      limited := take_record(asked.n, asked.client, clock, asked.request, false,
        case when crowded then (
          select count(*) from unnest(executed) e
          where e.client_id = asked.client and e.id >= first_id_at(day_end(clock) - interval '24 hours')
        ) else 0 end);
      if limited.outcome is not null then
        return next limited;
        continue;
      end if;
    end if;
    spent := spent || row(holder.bucket, asked.client, asked.nonce, asked.request)::nonce;
    if crowded then
      spent_names := spent_names || (asked.client || ' ' || asked.nonce);
    end if;

    if refusal is null then
      holder.event_sequence := holder.event_sequence + 1;
      holder.last_posted_at := instant;
      if asked.side = 'buy' then
        holder.sar_available := holder.sar_available - asked.total;
        holder.gold := holder.gold + asked.grams;
        free := free - asked.grams;
      else
        holder.sar_available := holder.sar_available + asked.total;
        holder.gold := holder.gold - asked.grams;
        free := free + asked.grams;
      end if;
      accounts[asked.slot] := holder;
      if crowded then
        executed_names := executed_names || (asked.client || ' ' || asked.quote);
      end if;
      placed := row(holder.bucket, asked.client, asked.side, asked.quote, holder.event_sequence, asked.grams, asked.price,
        asked.total, holder.last_posted_at, holder.sar_available, holder.sar_held, holder.gold, 0,
        asked.reference, asked.account_label, null, list)::orders;
      body := '{' || order_members(placed) || ',"balances":'
        || balances_text(holder.sar_available, holder.sar_held, holder.gold, holder.last_posted_at) || '}';
      -- Without a signed request, a process of 0.3.0 booked the order. Its line in the hash chain has version
      -- 1.
      if asked.signed_request is not null then
        placed.answer := answer_of(asked.key, asked.fingerprint, 201, asked.request, body, asked.signed_request, asked.thumbprint);
      end if;
      executed := executed || placed;
      answer := row(holder.bucket, asked.client, 201, asked.key, asked.fingerprint, asked.request, asked.quote, holder.last_posted_at, 'order', body,
        asked.signed_request, asked.thumbprint);
    else
      refused := true;
      body := problem_text(refusal, detail, asked.request);
      select p.status into strict asked.known_status from problem p where p.code = refusal;
      answer := row(holder.bucket, asked.client, asked.known_status, asked.key, asked.fingerprint, asked.request, null,
        instant, 'refusal', body, asked.signed_request, asked.thumbprint);
    end if;
    bound := bound || answer;
    if crowded then
      bound_names := bound_names || (asked.client || ' ' || asked.key);
    end if;
    return next row(asked.n, 'answered', answer.status, body)::outcome;
  end loop;

  if cardinality(executed) > 0 then
    perform write_orders(executed, stripe);
    if limits_exposure then
      perform settle_exposure(executed);
    end if;
  end if;

  with spending as (
    insert into nonce select * from unnest(spent)
  )
  insert into idempotency_key select * from unnest(bound);
  if refused then
    perform keep_refusals(bound);
  end if;
end $$;

ALTER FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[], partner_references text[], account_labels text[], signed_requests bytea[], thumbprints bytea[]) OWNER TO gold_book;

--
-- Name: book_quotes(boolean, boolean, integer[], bigint[], text[], bytea[], gold.side[], bigint[], bigint[], bigint[], bigint[], uuid[], uuid[], text[], text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], partner_references text[], account_labels text[]) RETURNS SETOF gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  locked int[];
  accounts account[];
  holder account;
  clock timestamptz;
  present timestamptz;
  made_at timestamptz;
  firm_until timestamptz;
  horizon timestamptz;
  current price;
  open boolean;
  stale boolean;
  beyond boolean;
  unit_price bigint;
  lifetime interval;
  percent int;
  shut boolean;
  unpriced boolean;
  grams bigint;
  total bigint;
  quoted_grams bigint;
  asked record;
  body text;
  detail text;
  answer idempotency_key;
  early outcome;
  held allowance;
  allowances allowance[] := '{}';
  limited boolean := false;
  limits_exposure boolean;
  house vault;
  open_buys bigint;
  open_sells bigint;
  refused boolean := false;
  reached text;
  made quote;
  is_uuid boolean;
  quoted quote[] := '{}';
  simulated simulated_price[] := '{}';
  bound idempotency_key[] := '{}';
  bound_names text[] := '{}';
begin
  select l.locked, l.accounts into locked, accounts from lock_accounts(clients, wait) l;
  clock := clock_timestamp();
  present := ceil_millisecond(clock);
  horizon := clock + clock_tolerance();
  select * into current from price;
  if current.stored_at > horizon then
    -- The clock stepped back after the price was stored. Store it again, so that the history shows that it
    -- was the current price at this instant, too.
    update price set source = source returning * into current;
  end if;
  limits_exposure := (select v.maximum_exposure is not null from vault v where v.stripe = 0);
  lifetime := make_interval(secs => current.quote_ttl_seconds);
  open := market_open(clock);
  stale := is_stale(current, clock);

  for asked in
    select i.n::int as n, i.client, i.admission, i.client || ' ' || i.key as name, i.key, i.fingerprint, i.request,
      array_position(locked, i.client) as slot,
      k.status as known_status, k.fingerprint as known_fingerprint, k.request_id as known_request, k.body as known_body,
      i.id, i.side, i.grams, i.amount, i.minimum, i.maximum, i.reference, i.account_label, (l.h).client_id is not null as limited, l.h as allowance
    from unnest(clients, admissions, keys, fingerprints, sides, asked_grams, asked_amounts, minimum_grams, maximum_grams, ids, requests,
      partner_references, account_labels)
      with ordinality i (client, admission, key, fingerprint, side, grams, amount, minimum, maximum, id, request, reference, account_label, n)
    left join lateral (select * from idempotency_key k where k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key offset 0) k on true
    left join lateral (select h from allowance h where h.bucket = i.client % 64 and h.client_id = i.client offset 0) l on true
    order by i.n
  loop
    if asked.slot is null then
      return next row(asked.n, 'busy', null, null)::outcome;
      continue;
    end if;
    holder := accounts[asked.slot];
    early := prior_outcome(asked.n, settle, asked.request, null, asked.known_request,
      asked.known_fingerprint = asked.fingerprint, asked.known_status, asked.known_body,
      holder.admission_version = asked.admission);
    if early.outcome is not null then
      return next early;
      continue;
    end if;

    if asked.known_body is null and array_position(bound_names, asked.name) is not null then
      answer := bound[array_position(bound_names, asked.name)];
      asked.known_status := answer.status;
      asked.known_fingerprint := answer.fingerprint;
      asked.known_body := answer.body;
    end if;
    if asked.known_body is not null then
      return next settled(asked.n, false, asked.known_fingerprint = asked.fingerprint, asked.known_status, asked.known_body);
      continue;
    end if;

    if holder.last_posted_at > horizon then
      return next row(asked.n, 'service_unavailable', null, seconds_behind(holder.last_posted_at, clock))::outcome;
      continue;
    end if;
    made_at := account_instant(holder, present);
    firm_until := made_at + lifetime;

    -- If the requested `grams` are outside the limits, no price changes that. Such a request is refused for
    -- its quantity, even if the market is closed or the price is missing.
    if asked.limited then
      asked.maximum := least(asked.maximum, (asked.allowance).maximum_open_grams);
    end if;
    beyond := asked.grams not between asked.minimum and asked.maximum;
    unit_price := case asked.side when 'buy' then current.buy else current.sell end;
    shut := not open;
    unpriced := current.one is null or stale;
    percent := null;
    -- Only a partner of the sandbox can have simulations.
    if holder.simulations is not null then
      select * into unit_price, shut, unpriced from simulated_market(holder, asked.side, clock, unit_price, shut, unpriced);
      percent := armed(holder.simulations, 'prices', clock)->>'percent';
    end if;
    if shut and beyond is not true then
      return next row(asked.n, 'market_closed', null, null)::outcome;
      continue;
    end if;
    if beyond is not true and unpriced then
      return next row(asked.n, 'price_unavailable', null, null)::outcome;
      continue;
    end if;

    if asked.amount is not null then
      grams := case asked.side
        when 'buy' then asked.amount * 1000000 / unit_price
        else (asked.amount * 1000000 + unit_price - 1) / unit_price end;
    else
      grams := asked.grams;
    end if;

    if grams between asked.minimum and asked.maximum then
      total := case asked.side when 'buy' then (grams * unit_price + 999999) / 1000000 else grams * unit_price / 1000000 end;
    else
      total := 0;
    end if;
    quoted_grams := case when total > 0 then grams end;

    if asked.limited then
      held := coalesce(allowances[asked.slot], asked.allowance);
      if is_other_day(held.day_ends_at, clock)
        or exceeded_limit(held, quoted_grams, asked.side, holder.gold, firm_until) is not null then
        held := renewed(held, clock, quoted_grams, asked.side, holder.gold, firm_until);
        if held is distinct from coalesce(allowances[asked.slot], asked.allowance) then
          allowances[asked.slot] := held;
          limited := true;
        end if;
        reached := exceeded_limit(held, quoted_grams, asked.side, holder.gold, firm_until);
        if reached is not null then
          return next limit_reached(asked.n, held, reached, clock, asked.request, net_used(held, asked.side, holder.gold, firm_until));
          continue;
        end if;
      end if;
    end if;
    if limits_exposure and total > 0 then
      -- The vault is locked after the accounts, as in book_orders. Every quote waits for this lock, so the
      -- limit holds for quotes that other sessions make at the same time.
      if house.stripe is null then
        house := lock_exposure(clock);
        select coalesce(sum(e.buys), 0), coalesce(sum(e.sells), 0) into open_buys, open_sells from open_exposure e where e.ends_at > clock;
      end if;
      if coarse_exposure(
          side_used(asked.side, house.day_net, open_buys, open_sells, firm_until, house.day_ends_at), house.maximum_exposure
        ) + grams > house.maximum_exposure then
        return next exposure_reached(asked.n, asked.side, asked.request);
        continue;
      end if;
      if asked.side = 'buy' then
        open_buys := open_buys + grams;
      else
        open_sells := open_sells + grams;
      end if;
    end if;
    if asked.limited then
      held.records := held.records + 1;
      if total > 0 then
        held.open_quotes := held.open_quotes + 1;
        held.open_grams := held.open_grams + grams;
        held.open_buy_grams := held.open_buy_grams + case asked.side when 'buy' then grams else 0 end;
        held.open_sell_grams := held.open_sell_grams + case asked.side when 'sell' then grams else 0 end;
        held.open_from := least(held.open_from, asked.id);
        held.exact_until := least(held.exact_until, firm_until);
      end if;
      allowances[asked.slot] := held;
      limited := true;
    end if;

    if total = 0 then
      detail := 'An order is between ' || decimal_text(asked.minimum, 0.0001) || ' g and ' || decimal_text(asked.maximum, 0.0001)
        || ' g and moves at least 0.01 SAR'
        -- The service cuts an amount above 10,000,000,000 SAR to one halala above that maximum. The grams of
        -- the amount that the partner asked for are then not known here.
        || case when asked.amount <= 1000000000000 then '; this amount comes to ' || decimal_text(grams, 0.0001) || ' g.' else '.' end;
      refused := true;
      body := problem_text('limit_exceeded', detail, asked.request);
      answer := row(asked.client % 64, asked.client, 422, asked.key, asked.fingerprint, asked.request, null, made_at, 'refusal', body, null, null);
    else
      is_uuid := asked.key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
      made := row(asked.client % 64, asked.client, asked.side, asked.id, grams, unit_price, total, made_at,
        firm_until, asked.reference, asked.account_label, current.id,
        case when is_uuid then asked.key end, case when not is_uuid then asked.key end)::quote;
      quoted := quoted || made;
      if percent is not null then
        simulated := simulated || row(made.bucket, made.client_id, made.id, percent)::simulated_price;
      end if;
      body := quote_text(made, 'open');
      answer := row(asked.client % 64, asked.client, 201, asked.key, asked.fingerprint, asked.request, asked.id, made_at, 'quote', body, null, null);
    end if;
    bound := bound || answer;
    bound_names := bound_names || asked.name;
    return next row(asked.n, 'answered', answer.status, body)::outcome;
  end loop;

  insert into quote select * from unnest(quoted);
  if house.stripe is not null then
    perform open_exposure(quoted);
  end if;
  if cardinality(simulated) > 0 then
    insert into simulated_price select * from unnest(simulated);
  end if;
  insert into idempotency_key select * from unnest(bound);
  if refused then
    perform keep_refusals(bound);
  end if;
  if limited then
    perform keep_allowances(allowances);
  end if;
end $_$;

ALTER FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], partner_references text[], account_labels text[]) OWNER TO gold_book;

--
-- Name: book_quotes(boolean, boolean, integer[], bigint[], text[], bytea[], gold.side[], bigint[], bigint[], bigint[], bigint[], uuid[], uuid[], integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) RETURNS SETOF gold.outcome
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT book_quotes.item,
     book_quotes.outcome,
     book_quotes.status,
     book_quotes.body
    FROM gold.book_quotes(book_quotes.wait, book_quotes.settle, book_quotes.clients, book_quotes.admissions, book_quotes.keys, book_quotes.fingerprints, book_quotes.sides, book_quotes.asked_grams, book_quotes.asked_amounts, book_quotes.minimum_grams, book_quotes.maximum_grams, book_quotes.ids, book_quotes.requests, NULL::text[], NULL::text[]) book_quotes(item, outcome, status, body);
END;

ALTER FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) OWNER TO gold_book;

--
-- Name: book_redelivery(boolean, integer, bigint, text, bytea, uuid, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_redelivery(settle boolean, client integer, admission bigint, key text, fingerprint bytea, event uuid, request uuid) RETURNS gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  turn record;
  given gold.event;
  limited outcome;
begin
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  given := event_of(client, book_redelivery.event);
  if given.id is null then
    return row(1, 'not_found', null, null)::outcome;
  end if;
  limited := take_record(1, client, turn.clock, request, false);
  if limited.outcome is not null then
    return limited;
  end if;
  perform seal_newest(client);
  perform ask_delivery(client, given.sequence);
  return bind_answer(turn.holder, key, fingerprint, request, 'event', given.id, account_instant(turn.holder, ceil_millisecond(turn.clock)), 201, told_event(given));
end $$;

ALTER FUNCTION gold.book_redelivery(settle boolean, client integer, admission bigint, key text, fingerprint bytea, event uuid, request uuid) OWNER TO gold_book;

--
-- Name: book_simulation(boolean, integer, bigint, text, bytea, text, jsonb, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_simulation(settle boolean, client integer, admission bigint, key text, fingerprint bytea, name text, parameters jsonb, request uuid) RETURNS gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  turn record;
  made record;
  limited outcome;
  at timestamptz;
begin
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  limited := take_record(1, client, turn.clock, request, false);
  if limited.outcome is not null then
    return limited;
  end if;
  case name
    when 'withdrawal' then select * into made from simulate_withdrawal(turn.holder, parameters);
    when 'deposit' then select * into made from simulate_deposit(turn.holder, parameters, request);
    when 'deposit_reversal' then select * into made from simulate_deposit_reversal(turn.holder, parameters);
    when 'quote_expiry' then select * into made from simulate_quote_expiry(turn.holder, parameters, turn.clock);
    else select null as refusal, null as detail, a.body into made from arm_simulation(turn.holder, name, parameters, turn.clock) a;
  end case;
  -- A request with a wrong id or outcome does not bind its idempotency key.
  if made.refusal = 'not_found' then
    return row(1, made.refusal, null, made.detail)::outcome;
  elsif made.refusal = 'withdrawal_outcome_unreachable' then
    -- The whole body, because processes of the last release do not know this code.
    return row(1, 'answered', 409, problem_text(made.refusal, made.detail, request))::outcome;
  end if;
  at := account_instant(turn.holder, ceil_millisecond(turn.clock));
  if made.refusal is not null then
    return bind_answer(turn.holder, key, fingerprint, request, 'refusal', null, at,
      (select p.status from problem p where p.code = made.refusal), problem_text(made.refusal, made.detail, request));
  end if;
  return bind_answer(turn.holder, key, fingerprint, request, 'simulation', null, at, 201, made.body);
end $$;

ALTER FUNCTION gold.book_simulation(settle boolean, client integer, admission bigint, key text, fingerprint bytea, name text, parameters jsonb, request uuid) OWNER TO gold_book;

--
-- Name: book_webhook_test(boolean, integer, bigint, text, bytea, uuid, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_webhook_test(settle boolean, client integer, admission bigint, key text, fingerprint bytea, id uuid, request uuid) RETURNS gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  turn record;
  holder account;
  at timestamptz;
  made event;
  limited outcome;
begin
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  limited := take_record(1, client, turn.clock, request, false);
  if limited.outcome is not null then
    return limited;
  end if;
  holder := turn.holder;
  at := account_instant(holder, ceil_millisecond(turn.clock));
  perform take_sequence(client, holder.event_sequence + 1, at);
  perform post_event(client, holder.event_sequence + 1, book_webhook_test.id, book_webhook_test.id, at, 'webhook.test');
  perform seal_newest(client);
  perform ask_delivery(client, holder.event_sequence + 1);
  made := event_of(client, book_webhook_test.id);
  return bind_answer(holder, key, fingerprint, request, 'event', made.id, at, 201, told_event(made));
end $$;

ALTER FUNCTION gold.book_webhook_test(settle boolean, client integer, admission bigint, key text, fingerprint bytea, id uuid, request uuid) OWNER TO gold_book;

--
-- Name: book_withdrawal(boolean, integer, bigint, uuid, text, bytea, bigint, bigint, text, uuid, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid) RETURNS gold.outcome
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select book_withdrawal(settle, client, admission, nonce, key, fingerprint, amount, maximum, reference, id, request, null::text, null::bytea, null::bytea)
$$;

ALTER FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid) OWNER TO gold_book;

--
-- Name: book_withdrawal(boolean, integer, bigint, uuid, text, bytea, bigint, bigint, text, uuid, uuid, text, bytea, bytea); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid, account_label text, signed_request bytea, thumbprint bytea) RETURNS gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_variable
declare
  turn record;
  holder account;
  registered partner;
  requested int;
  withdrawn bigint;
  doubled uuid;
  refusal text;
  detail text;
  at timestamptz;
  body text;
  limited outcome;
begin
  if nonce is null then
    raise exception 'the nonce of a withdrawal must not be null' using errcode = 'null_value_not_allowed';
  end if;
  select * into turn from take_turn(settle, client, admission, nonce, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  holder := turn.holder;
  at := account_instant(holder, ceil_millisecond(turn.clock));
  -- The signed reference, like the nonce, prevents a second payment. The Idempotency-Key does not, because it
  -- is not signed: a copied request could arrive with another key.
  select w.id into doubled from withdrawal w
  where w.reference = reference and w.client_id = client and not exists (
    select from withdrawal_step s where s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id
      and s.status in ('rejected', 'returned'))
  limit 1;
  select p.* into strict registered from partner p where p.id = client;
  if num_nonnulls(registered.maximum_daily_withdrawals, registered.maximum_daily_withdrawn, holder.simulations) > 0 then
    select d.requested, d.withdrawn into requested, withdrawn from withdrawals_since(client, day_end(at) - interval '1 day') d;
  end if;
  -- Only a partner of the sandbox can have simulations.
  if holder.simulations is not null and armed(holder.simulations, 'market', turn.clock)->>'state' = 'withdrawals_spent' then
    registered.maximum_daily_withdrawals := requested;
  end if;
  if amount > maximum then
    refusal := 'limit_exceeded';
    detail := 'A withdrawal is at most ' || decimal_text(maximum, 0.01) || ' SAR.';
  elsif doubled is not null then
    refusal := 'withdrawal_reference_reused';
    detail := 'The withdrawal wd_' || doubled || ' has this reference.';
  elsif holder.sar_available < amount then
    refusal := 'insufficient_funds';
    detail := 'The withdrawal needs ' || decimal_text(amount, 0.01) || ' SAR and ' || decimal_text(holder.sar_available, 0.01)
      || ' SAR are available.';
  elsif requested >= registered.maximum_daily_withdrawals then
    refusal := 'withdrawal_limit_exceeded';
    detail := 'You may request ' || registered.maximum_daily_withdrawals || ' withdrawals a day and have requested ' || requested
      || '. The day ends at ' || instant_text(day_end(at)) || '.';
  elsif withdrawn + amount > registered.maximum_daily_withdrawn then
    refusal := 'withdrawal_limit_exceeded';
    detail := 'You may withdraw ' || decimal_text(registered.maximum_daily_withdrawn, 0.01) || ' SAR a day and have requested '
      || decimal_text(withdrawn, 0.01) || ' SAR. The day ends at ' || instant_text(day_end(at)) || '.';
  end if;
  if refusal is not null then
    limited := take_record(1, client, turn.clock, request, false);
    if limited.outcome is not null then
      return limited;
    end if;
  end if;
  perform spend_nonce(holder, nonce, request);
  if refusal is not null then
    return bind_answer(holder, key, fingerprint, request, 'refusal', null, at,
      (select p.status from problem p where p.code = refusal), problem_text(refusal, detail, request), signed_request, thumbprint);
  end if;

  body := '{"withdrawal_id":"wd_' || id || '","amount_sar":' || decimal_text(amount, 0.01)
    || ',"reference":' || coalesce(to_json(reference)::text, 'null') || ',"iban_masked":"' || mask_iban(registered.iban)
    || '","status":"pending_approval","created_at":"' || instant_text(at) || '"' || partner_texts(null, account_label)
    || ',"balances":' || balances_text(holder.sar_available - amount, holder.sar_held + amount, holder.gold, at) || '}';
  insert into withdrawal (bucket, client_id, id, sequence, amount, iban, reference, created_at, account_label, answer)
  values (holder.bucket, client, id, holder.event_sequence + 1, amount, registered.iban, reference, at, account_label,
    case when signed_request is not null then answer_of(key, fingerprint, 201, request, body, signed_request, thumbprint) end);
  insert into withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, at)
  values (holder.bucket, client, id, holder.event_sequence + 1, 'pending_approval', session_user, at);
  insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
  values (holder.bucket, client, 1, holder.event_sequence + 1, 'available', 'held', 'SAR', amount,
    holder.sar_available - amount, holder.sar_held + amount, holder.gold, at);
  perform post_event(client, holder.event_sequence + 1, id, id, at, 'withdrawal.created', case when signed_request is null then 1 else 2 end);
  return bind_answer(holder, key, fingerprint, request, 'withdrawal', id, at, 201, body, signed_request, thumbprint);
end $$;

ALTER FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid, account_label text, signed_request bytea, thumbprint bytea) OWNER TO gold_book;

--
-- Name: buy_of(bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.buy_of(mid bigint, spread_basis_points integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    RETURN (((mid * (20000 + spread_basis_points)) + 19999) / 20000);

ALTER FUNCTION gold.buy_of(mid bigint, spread_basis_points integer) OWNER TO gold_book;

--
-- Name: canonical_json(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.canonical_json(value jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
begin
  case jsonb_typeof(value)
    when 'object' then
      if exists (select from jsonb_object_keys(value) name where name !~ '^[a-zA-Z0-9_]+$') then
        raise exception 'the names of members in the content of a proposal may have only letters, digits and _' using errcode = 'GR409';
      end if;
      return '{' || coalesce((
        select string_agg(to_json(m.key)::text || ':' || canonical_json(m.value), ',' order by m.key collate "C") from jsonb_each(value) m), '') || '}';
    when 'array' then
      return '[' || coalesce((
        select string_agg(canonical_json(e.value), ',' order by e.ordinality) from jsonb_array_elements(value) with ordinality e), '') || ']';
    when 'number' then
      if value::text !~ '^(0|-?[1-9][0-9]{0,14})$' then
        raise exception 'a number in the content of a proposal must be a whole number of at most 15 digits; got %', value using errcode = 'GR409';
      end if;
      return value::text;
    else
      return value::text;
  end case;
end $_$;

ALTER FUNCTION gold.canonical_json(value jsonb) OWNER TO gold_book;

--
-- Name: ceil_millisecond(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.ceil_millisecond(at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (date_trunc('milliseconds'::text, at) = at) THEN at ELSE (date_trunc('milliseconds'::text, at) + '00:00:00.001'::interval) END;

ALTER FUNCTION gold.ceil_millisecond(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: event_number(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.event_number(type text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_position(ARRAY['order.executed'::text, 'funding.completed'::text, 'withdrawal.created'::text, 'withdrawal.approved'::text, 'withdrawal.submitted'::text, 'withdrawal.paid'::text, 'withdrawal.rejected'::text, 'withdrawal.returned'::text, 'funding.reversed'::text, 'webhook.test'::text, 'credential.expiring'::text, 'credential.added'::text, 'credential.ended'::text, 'settlement.changed'::text, 'webhook_endpoint.changed'::text, 'day.closed'::text], type);

ALTER FUNCTION gold.event_number(type text) OWNER TO gold_book;

--
-- Name: is_partner_change(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_partner_change(type text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (type = ANY (ARRAY['credential.added'::text, 'credential.ended'::text, 'settlement.changed'::text, 'webhook_endpoint.changed'::text]));

ALTER FUNCTION gold.is_partner_change(type text) OWNER TO gold_book;

--
-- Name: line_salt(bytea, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.line_salt(chain_key bytea, sequence bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(substr(sha256((chain_key || int8send(sequence))), 1, 16), 'hex'::text);

ALTER FUNCTION gold.line_salt(chain_key bytea, sequence bigint) OWNER TO gold_book;

--
-- Name: closed_day; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.closed_day OWNER TO gold_owner;

--
-- Name: epoch; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.epoch (
    id integer NOT NULL,
    system bigint NOT NULL,
    timeline integer NOT NULL,
    began_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE gold.epoch OWNER TO gold_owner;

--
-- Name: expiry_notice; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.expiry_notice (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    credential text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    days_ahead smallint NOT NULL
);

ALTER TABLE gold.expiry_notice OWNER TO gold_owner;

--
-- Name: funding; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.funding OWNER TO gold_owner;

--
-- Name: orders; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.orders OWNER TO gold_owner;

--
-- Name: partner; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.partner OWNER TO gold_owner;

--
-- Name: partner_change; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.partner_change OWNER TO gold_owner;

--
-- Name: withdrawal; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.withdrawal OWNER TO gold_owner;

--
-- Name: withdrawal_step; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.withdrawal_step OWNER TO gold_owner;

--
-- Name: chain_lines(integer, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.chain_lines(client integer, after_sequence bigint, most integer) RETURNS TABLE(sequence bigint, line text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT e.sequence,
     (((((((((((((((((e.line || '|'::text) || e.client_id) || '|'::text) || e.sequence) || '|'::text) || gold.event_number(e.type)) || '|'::text) || e.subject) || '|'::text) || ((EXTRACT(epoch FROM e.created_at) * (1000)::numeric))::bigint) || COALESCE(( SELECT string_agg(((((((((((((((('|'::text || t.leg) || '|'::text) || array_position(( SELECT enum_range(NULL::gold.book) AS enum_range), t.debit)) || '|'::text) || array_position(( SELECT enum_range(NULL::gold.book) AS enum_range), t.credit)) || '|'::text) || array_position(( SELECT enum_range(NULL::gold.asset) AS enum_range), t.asset)) || '|'::text) || t.amount) || '|'::text) || t.sar_available_after) || '|'::text) || t.sar_held_after) || '|'::text) || t.gold_after), ''::text ORDER BY t.leg) AS string_agg
            FROM gold.transfer t
           WHERE ((t.bucket = e.bucket) AND (t.client_id = e.client_id) AND (t.sequence = e.sequence))), ''::text)) || COALESCE(((((((('|'::text || array_position(( SELECT enum_range(NULL::gold.side) AS enum_range), o.side)) || '|'::text) || o.grams) || '|'::text) || o.price) || '|'::text) || o.total), ''::text)) || COALESCE(
         CASE
             WHEN (e.type ~~ 'withdrawal.%'::text) THEN ( SELECT string_agg(((('|'::text || array_position(( SELECT enum_range(NULL::gold.withdrawal_status) AS enum_range), s.status)) || '|'::text) || encode(sha256(convert_to((json_build_array(w.iban, w.reference, s.login))::text, 'UTF8'::name)), 'hex'::text)), ''::text ORDER BY s.status) AS string_agg
                FROM (gold.withdrawal w
                  JOIN gold.withdrawal_step s ON (((s.bucket = w.bucket) AND (s.client_id = w.client_id) AND (s.withdrawal_id = w.id) AND (s.sequence = e.sequence))))
               WHERE ((w.bucket = e.bucket) AND (w.client_id = e.client_id) AND (w.id = e.subject)))
             ELSE NULL::text
         END, ''::text)) || COALESCE(
         CASE
             WHEN (e.type = 'credential.expiring'::text) THEN ( SELECT ('|'::text || encode(sha256(convert_to((json_build_array(n.kind, n.credential, ((EXTRACT(epoch FROM n.expires_at) * (1000)::numeric))::bigint))::text, 'UTF8'::name)), 'hex'::text))
                FROM gold.expiry_notice n
               WHERE ((n.bucket = e.bucket) AND (n.client_id = e.client_id) AND (n.id = e.subject)))
             ELSE NULL::text
         END, ''::text)) || COALESCE(
         CASE
             WHEN gold.is_partner_change(e.type) THEN ( SELECT ('|'::text || encode(sha256(convert_to((json_build_array(c.kind, c.credential, c.kid, ((EXTRACT(epoch FROM c.valid_from) * (1000)::numeric))::bigint, ((EXTRACT(epoch FROM c.valid_until) * (1000)::numeric))::bigint, encode(sha256(convert_to(c.iban, 'UTF8'::name)), 'hex'::text), c.webhook_url, c.login, c.approved_by))::text, 'UTF8'::name)), 'hex'::text))
                FROM gold.partner_change c
               WHERE ((c.bucket = e.bucket) AND (c.client_id = e.client_id) AND (c.sequence = e.sequence)))
             ELSE NULL::text
         END, ''::text)) || COALESCE(
         CASE
             WHEN (e.type = 'day.closed'::text) THEN ( SELECT ('|'::text || encode(sha256(convert_to((json_build_array(d.day, d.first_sequence, d.last_sequence, d.opening_available, d.opening_held, d.opening_gold, d.closing_available, d.closing_held, d.closing_gold, d.quotes, d.orders, d.refusals, d.broken, encode(d.quotes_sha256, 'hex'::text), encode(d.refusals_sha256, 'hex'::text), p.id, p.timeline, ((EXTRACT(epoch FROM p.began_at) * (1000)::numeric))::bigint))::text, 'UTF8'::name)), 'hex'::text))
                FROM (gold.closed_day d
                  JOIN gold.epoch p ON ((p.id = d.epoch)))
               WHERE ((d.bucket = e.bucket) AND (d.client_id = e.client_id) AND (d.sequence = e.sequence)))
             ELSE NULL::text
         END, ''::text)) ||
         CASE
             WHEN (e.line = 2) THEN ((('|'::text || COALESCE(encode(
             CASE e.type
                 WHEN 'order.executed'::text THEN o.answer
                 WHEN 'funding.completed'::text THEN ( SELECT f.answer
                    FROM gold.funding f
                   WHERE ((f.bucket = e.bucket) AND (f.client_id = e.client_id) AND (f.id = e.subject)))
                 WHEN 'withdrawal.created'::text THEN ( SELECT w.answer
                    FROM gold.withdrawal w
                   WHERE ((w.bucket = e.bucket) AND (w.client_id = e.client_id) AND (w.id = e.subject)))
                 ELSE NULL::bytea
             END, 'hex'::text), ''::text)) || '|'::text) || gold.line_salt(( SELECT p.chain_key
                FROM gold.partner p
               WHERE (p.id = chain_lines.client)), e.sequence))
             ELSE ''::text
         END)
    FROM (gold.event e
      LEFT JOIN LATERAL ( SELECT o_1.bucket,
             o_1.client_id,
             o_1.side,
             o_1.id,
             o_1.sequence,
             o_1.grams,
             o_1.price,
             o_1.total,
             o_1.executed_at,
             o_1.sar_available_after,
             o_1.sar_held_after,
             o_1.gold_after,
             o_1.rounding_gain,
             o_1.reference,
             o_1.account_label,
             o_1.answer,
             o_1.list_id
            FROM gold.orders o_1
           WHERE ((e.type = 'order.executed'::text) AND (o_1.bucket = e.bucket) AND (o_1.client_id = e.client_id) AND (o_1.id = e.subject))
          OFFSET 0) o ON (true))
   WHERE ((e.bucket = (chain_lines.client % 64)) AND (e.client_id = chain_lines.client) AND (e.sequence > chain_lines.after_sequence))
   ORDER BY e.sequence
  LIMIT chain_lines.most;
END;

ALTER FUNCTION gold.chain_lines(client integer, after_sequence bigint, most integer) OWNER TO gold_book;

--
-- Name: mask_iban(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.mask_iban(iban text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((substr(iban, 1, 4) || repeat('*'::text, (length(iban) - 8))) || "right"(iban, 4));

ALTER FUNCTION gold.mask_iban(iban text) OWNER TO gold_book;

--
-- Name: change_text(gold.partner_change); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.change_text(given gold.partner_change) RETURNS text
    LANGUAGE sql STABLE
    RETURN (((((CASE WHEN ((given).iban IS NOT NULL) THEN (((('"settlement":{"iban_masked":"'::text || gold.mask_iban((given).iban)) || '","iban_sha256":"'::text) || encode(sha256(convert_to((given).iban, 'UTF8'::name)), 'hex'::text)) || '"'::text) WHEN ((given).webhook_url IS NOT NULL) THEN ('"webhook_endpoint":{"url":'::text || to_json((given).webhook_url)) ELSE ((((((((('"credential":{"kind":"'::text || (given).kind) || '","id":'::text) || to_json((given).credential)) || ',"kid":'::text) || COALESCE((to_json((given).kid))::text, 'null'::text)) || ',"valid_from":'::text) || COALESCE((('"'::text || gold.instant_text((given).valid_from)) || '"'::text), 'null'::text)) || ',"valid_until":'::text) || COALESCE((('"'::text || gold.instant_text((given).valid_until)) || '"'::text), 'null'::text)) END || ',"changed_by":'::text) || COALESCE((to_json((given).login))::text, 'null'::text)) || ',"approved_by":'::text) || COALESCE((to_json((given).approved_by))::text, 'null'::text)) || '}'::text);

ALTER FUNCTION gold.change_text(given gold.partner_change) OWNER TO gold_book;

--
-- Name: changer(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.changer(OUT changed_by text, OUT approved_by text) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  applied proposal := applied_proposal();
begin
  changed_by := coalesce(applied.proposer, session_user);
  approved_by := applied.decided_by;
end $$;

ALTER FUNCTION gold.changer(OUT changed_by text, OUT approved_by text) OWNER TO gold_book;

--
-- Name: check_answer_is_bound(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_answer_is_bound() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select r.kind || ' ' || r.id, 'its stored answer differs from the reply, status, fingerprint, key or request that is stored with its key'
  from (
    select 'order' as kind, o.bucket, o.client_id, o.id, o.sequence, o.answer from orders o
    union all
    select 'funding', f.bucket, f.client_id, f.id, f.sequence, f.answer from funding f
    union all
    select 'withdrawal', w.bucket, w.client_id, w.id, w.sequence, w.answer from withdrawal w
  ) r
  left join event e on e.bucket = r.bucket and e.client_id = r.client_id and e.sequence = r.sequence and e.line = 2
  left join idempotency_key k on e.sequence is not null
    and k.bucket = r.bucket and k.client_id = r.client_id and k.result_id = r.id and k.result_kind = r.kind
  where r.answer is distinct from answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body, k.request, k.signing_thumbprint)
$$;

ALTER FUNCTION gold.check_answer_is_bound() OWNER TO gold_book;

--
-- Name: check_balance_is_sum(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_balance_is_sum() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || a.client_id,
    format('holds %s/%s/%s, transfers sum to %s/%s/%s', a.sar_available, a.sar_held, a.gold,
      coalesce(s.available, 0), coalesce(s.held, 0), coalesce(s.gold, 0))
  from account a
  left join (
    select client_id,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end) as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end) as held,
      sum(case when credit = 'gold' then amount when debit = 'gold' then -amount else 0 end) as gold
    from transfer group by client_id
  ) s on s.client_id = a.client_id
  where (a.sar_available, a.sar_held, a.gold) is distinct from
    (coalesce(s.available, 0), coalesce(s.held, 0), coalesce(s.gold, 0))
$$;

ALTER FUNCTION gold.check_balance_is_sum() OWNER TO gold_book;

--
-- Name: check_bar_is_booked(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_bar_is_booked() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'bar ' || b.serial, 'its transfer is missing or has another weight'
  from bar b
  left join transfer i on i.bucket = 0 and i.client_id = 0 and i.sequence = b.added_sequence and i.debit = 'bars' and i.amount = b.fine
  left join transfer o on o.bucket = 0 and o.client_id = 0 and o.sequence = b.removed_sequence and o.credit = 'bars' and o.amount = b.fine
  where i.amount is null or (b.removed_at is not null and o.amount is null)
$$;

ALTER FUNCTION gold.check_bar_is_booked() OWNER TO gold_book;

--
-- Name: check_bar_list_is_whole(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_bar_list_is_whole() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'list ' || l.id, 'its number, bars, weight or hash differs from its bars or from the list before it'
  from (select b as given, b.*, row_number() over (order by id) as n from bar_list b) l,
    lateral (select count(*) as bars, coalesce(sum(fine), 0) as fine from listed_bars(l.id)) b
  where l.id <> l.n or (l.bars, l.fine) <> (b.bars, b.fine) or l.sha256 <> sha256(convert_to(bar_list_text(l.given), 'UTF8'))
  union all
  select 'list ' || v.list_id, 'the vault names it, but the newest list is ' || coalesce(l.id::text, 'missing')
  from vault v, (select max(id) as id from bar_list) l
  where v.list_id is distinct from l.id
  union all
  select 'bar ' || serial, 'it was removed, but is in the list in force'
  from bar where (removed_at is null) <> (removed_list is null) and added_list is not null or removed_at is null and added_list is null
$$;

ALTER FUNCTION gold.check_bar_list_is_whole() OWNER TO gold_book;

--
-- Name: check_change_has_event(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_change_has_event() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || c.client_id || ' sequence ' || c.sequence, 'no event belongs to this change of a credential, IBAN or webhook URL'
  from partner_change c
  left join event e on e.bucket = c.bucket and e.client_id = c.client_id and e.sequence = c.sequence and is_partner_change(e.type)
  where e.sequence is null
$$;

ALTER FUNCTION gold.check_change_has_event() OWNER TO gold_book;

--
-- Name: check_day_is_closed(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_day_is_closed() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || d.client_id || ' day ' || d.day, 'its event has other values than the rows of the day'
  from closed_day d, lateral (select to_jsonb(day_facts(d.client_id, d.day)) as facts) f
  where to_jsonb(d) - '{sequence,epoch}'::text[] <> f.facts - '{sequence,epoch}'::text[]
  union all
  select 'client ' || d.client_id || ' day ' || d.day, 'its event is missing'
  from closed_day d
  left join event e on e.bucket = d.bucket and e.client_id = d.client_id and e.sequence = d.sequence and e.type = 'day.closed'
  where e.sequence is null
$$;

ALTER FUNCTION gold.check_day_is_closed() OWNER TO gold_book;

--
-- Name: check_deposit_is_booked(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_deposit_is_booked() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'deposit ' || d.id, 'its funding or the transfer of its reversal is missing or differs from it'
  from deposit d
  left join funding f on f.bucket = d.bucket and f.client_id = d.client_id and f.id = d.id and f.amount = d.amount and f.created_at = d.approved_at
  left join transfer t on t.bucket = d.bucket and t.client_id = d.client_id and t.sequence = d.reversed_sequence
    and (t.leg, t.debit, t.credit, t.amount, t.posted_at) = (1, 'available'::book, 'bank'::book, d.amount, d.reversed_at)
  where (d.approved_at is not null) <> (f.id is not null)
    or (d.approved_at is not null and d.reversed_at is not null) <> (t.amount is not null)
$$;

ALTER FUNCTION gold.check_deposit_is_booked() OWNER TO gold_book;

--
-- Name: check_deposit_is_noted(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_deposit_is_noted() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'deposit ' || d.id, 'its amount, bank reference or logins differ from the audit'
  from deposit d
  left join audit r on r.action = 'deposit.record' and r.detail->>'deposit' = 'dep_' || d.id
  left join audit y on y.action = 'deposit.approve' and y.detail->>'deposit' = 'dep_' || d.id
  left join audit z on z.action = 'deposit.reverse' and z.detail->>'deposit' = 'dep_' || d.id
  where (r.login, r.detail->>'bank_reference', (r.detail->>'amount')::bigint, y.login, z.login) is distinct from
    (d.recorded_by, d.bank_reference, d.amount, d.approved_by, d.reversed_by)
$$;

ALTER FUNCTION gold.check_deposit_is_noted() OWNER TO gold_book;

--
-- Name: check_end(text, integer, timestamp with time zone, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_end(noun text, id integer, last_used_at timestamp with time zone, seen jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if not seen ? id::text then
    raise exception 'the % % was created meanwhile: check who created it, and run the command again', noun, id using errcode = 'GR409';
  elsif seen is not null then
    perform refuse_use_meanwhile(format('%s %s', noun, id), last_used_at, (seen ->> id::text)::timestamptz);
  end if;
end $$;

ALTER FUNCTION gold.check_end(noun text, id integer, last_used_at timestamp with time zone, seen jsonb) OWNER TO gold_book;

--
-- Name: check_epoch_is_whole(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_epoch_is_whole() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'epoch ' || p.id, 'its number or its timeline does not follow from the epoch before it'
  from (
    select e.id, row_number() over w as n, lag(e.system) over w = e.system and lag(e.timeline) over w >= e.timeline as is_back
    from epoch e window w as (order by id)
  ) p
  where p.id <> p.n or p.is_back
  union all
  select 'client ' || d.client_id || ' day ' || d.day, 'its epoch was not the current one when its event was posted'
  from closed_day d
  join event e on e.bucket = d.bucket and e.client_id = d.client_id and e.sequence = d.sequence
  left join (select id, began_at, lead(began_at, 1, 'infinity') over (order by id) as ended_at from epoch) p on p.id = d.epoch
  where p.id is null or e.created_at not between p.began_at - clock_tolerance() and p.ended_at + clock_tolerance()
$$;

ALTER FUNCTION gold.check_epoch_is_whole() OWNER TO gold_book;

--
-- Name: check_event_has_execution(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_event_has_execution() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || e.client_id || ' sequence ' || e.sequence, 'the record of this ' || e.type || ' event does not exist'
  from event e
  left join orders o on e.type = 'order.executed' and o.bucket = e.bucket and o.client_id = e.client_id and o.id = e.subject
    and o.sequence = e.sequence
  left join funding f on e.type = 'funding.completed' and f.bucket = e.bucket and f.client_id = e.client_id and f.id = e.subject
    and f.sequence = e.sequence
  left join withdrawal_step s on e.type like 'withdrawal.%' and s.bucket = e.bucket and s.client_id = e.client_id
    and s.withdrawal_id = e.subject and s.sequence = e.sequence
  left join deposit d on e.type = 'funding.reversed' and d.bucket = e.bucket and d.client_id = e.client_id and d.id = e.subject
    and d.reversed_sequence = e.sequence
  left join expiry_notice n on e.type = 'credential.expiring' and n.bucket = e.bucket and n.client_id = e.client_id and n.id = e.subject
  left join partner_change c on c.bucket = e.bucket and c.client_id = e.client_id and c.sequence = e.sequence and case e.type
    when 'settlement.changed' then c.iban when 'webhook_endpoint.changed' then c.webhook_url else c.kind end is not null
  left join closed_day y on e.type = 'day.closed' and y.bucket = e.bucket and y.client_id = e.client_id and y.sequence = e.sequence
  -- The subject of a webhook test, of a change and of a closed day is the event itself. A webhook test has no
  -- other row.
  where coalesce(o.id, f.id, s.withdrawal_id, d.id, n.id, case when e.type = 'webhook.test' and e.subject = e.id then e.id end,
    case when is_partner_change(e.type) and e.subject = e.id and c.sequence is not null then e.id end,
    case when e.subject = e.id and y.sequence is not null then e.id end) is null
$$;

ALTER FUNCTION gold.check_event_has_execution() OWNER TO gold_book;

--
-- Name: check_events_without_gap(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_events_without_gap() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || a.client_id, format('the account is at %s, events: %s, last %s', a.event_sequence, e.n, e.last)
  from account a
  left join (select client_id, count(*) as n, max(sequence) as last from event group by client_id) e on e.client_id = a.client_id
  where a.client_id <> 0 and (coalesce(e.n, 0), coalesce(e.last, 0)) <> (a.event_sequence, a.event_sequence)
$$;

ALTER FUNCTION gold.check_events_without_gap() OWNER TO gold_book;

--
-- Name: check_execution_has_event(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_execution_has_event() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select r.kind || ' ' || r.id, 'its event is missing or belongs to something else'
  from (
    select 'order' as kind, o.bucket, o.client_id, o.id, o.sequence from orders o
    union all
    select 'funding', f.bucket, f.client_id, f.id, f.sequence from funding f
    union all
    select 'withdrawal', w.bucket, w.client_id, w.id, w.sequence from withdrawal w
  ) r
  left join event e on e.bucket = r.bucket and e.client_id = r.client_id and e.sequence = r.sequence
  where e.subject is distinct from r.id
$$;

ALTER FUNCTION gold.check_execution_has_event() OWNER TO gold_book;

--
-- Name: check_execution_has_key(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_execution_has_key() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select r.kind || ' ' || r.id, 'it is bound to ' || r.keys || ' keys'
  from (
    select 'order' as kind, o.id, count(k.key) as keys
    from orders o left join idempotency_key k on k.bucket = o.bucket and k.client_id = o.client_id and k.result_id = o.id and k.result_kind = 'order'
    group by o.id
    union all
    -- A funding without a key comes from an approved deposit.
    select 'funding', f.id, count(k.key) + count(d.id)
    from funding f
    left join idempotency_key k on k.bucket = f.bucket and k.client_id = f.client_id and k.result_id = f.id and k.result_kind = 'funding'
    left join deposit d on d.client_id = f.client_id and d.id = f.id and d.approved_at is not null
    group by f.id
    union all
    select 'withdrawal', w.id, count(k.key)
    from withdrawal w left join idempotency_key k on k.bucket = w.bucket and k.client_id = w.client_id and k.result_id = w.id and k.result_kind = 'withdrawal'
    group by w.id
  ) r
  where r.keys <> 1
$$;

ALTER FUNCTION gold.check_execution_has_key() OWNER TO gold_book;

--
-- Name: check_funding_is_booked(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_funding_is_booked() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'funding ' || f.id, 'its transfer is missing or differs from it'
  from funding f
  left join transfer t on t.bucket = f.bucket and t.client_id = f.client_id and t.sequence = f.sequence
    and (t.leg, t.debit, t.credit, t.amount, t.posted_at) = (1, 'bank'::book, 'available'::book, f.amount, f.created_at)
  where t.amount is null
$$;

ALTER FUNCTION gold.check_funding_is_booked() OWNER TO gold_book;

--
-- Name: check_gold_is_backed(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_gold_is_backed() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'vault', format('clients hold %s, the vault has %s free, the bars hold %s, the list in force has %s', c.held, v.free, b.fine, l.fine)
  from (select coalesce(sum(gold), 0) as held from account) c, (select coalesce(sum(free), 0) as free from vault) v,
    (select coalesce(sum(fine), 0) as fine from bar where removed_at is null) b,
    (select (select fine from bar_list order by id desc limit 1) as fine) l
  where (c.held + v.free, b.fine) is distinct from (b.fine, l.fine)
$$;

ALTER FUNCTION gold.check_gold_is_backed() OWNER TO gold_book;

--
-- Name: check_held_is_withdrawals(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_held_is_withdrawals() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || a.client_id, format('%s is held, the open withdrawals sum to %s', a.sar_held, coalesce(w.waiting, 0))
  from account a
  left join (
    select w.client_id, sum(w.amount) as waiting from withdrawal w
    where not exists (
      select from withdrawal_step s where s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id
        and s.status in ('paid', 'rejected', 'returned'))
    group by w.client_id
  ) w on w.client_id = a.client_id
  where a.sar_held <> coalesce(w.waiting, 0)
$$;

ALTER FUNCTION gold.check_held_is_withdrawals() OWNER TO gold_book;

--
-- Name: check_new_operator(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_new_operator(name text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
begin
  if name is null or name !~ '^[a-z][a-z0-9_]{2,39}$' or name ~ '^(gold|pg)_' or name in ('postgres', 'public', 'none') then
    raise exception 'the name of a login must have 3 to 40 characters of a-z, 0-9 and _, and begin with a letter. It must not be postgres, public or none, or begin with gold_ or pg_'
      using errcode = 'GR409';
  elsif is_made_by_hand(name) then
    return;
  elsif exists (select from pg_roles r where r.rolname = check_new_operator.name) then
    raise exception 'there is already a database login %', name using errcode = 'GR409';
  elsif is_known_login(name) then
    raise exception 'the login name % was used before and appears in the audit or the books. A name must always mean one person: choose another name', name
      using errcode = 'GR409';
  end if;
end $_$;

ALTER FUNCTION gold.check_new_operator(name text) OWNER TO gold_book;

--
-- Name: check_operator(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_operator(name text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform from operator_overview o where o.login = check_operator.name;
  if not found then
    raise exception 'there is no operator %', name using errcode = 'GR404';
  end if;
end $$;

ALTER FUNCTION gold.check_operator(name text) OWNER TO gold_book;

--
-- Name: check_order_is_booked(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_order_is_booked() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'order ' || o.id, 'its two transfers are missing or differ from it'
  from orders o
  left join transfer s on s.bucket = o.bucket and s.client_id = o.client_id and s.sequence = o.sequence and s.leg = 1
  left join transfer g on g.bucket = o.bucket and g.client_id = o.client_id and g.sequence = o.sequence and g.leg = 2
  where (s.asset, s.debit, s.credit, s.amount, g.asset, g.debit, g.credit, g.amount, g.posted_at,
      g.sar_available_after, g.sar_held_after, g.gold_after)
    is distinct from ('SAR'::asset, case o.side when 'buy' then 'available' else 'house' end::book,
      case o.side when 'buy' then 'house' else 'available' end::book, o.total, 'XAU'::asset,
      case o.side when 'buy' then 'vault' else 'gold' end::book, case o.side when 'buy' then 'gold' else 'vault' end::book, o.grams,
      o.executed_at, o.sar_available_after, o.sar_held_after, o.gold_after)
$$;

ALTER FUNCTION gold.check_order_is_booked() OWNER TO gold_book;

--
-- Name: check_order_is_quoted(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_order_is_quoted() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'order ' || o.id, 'it differs from its quote, or was executed before the quote was made or after its end'
  from orders o
  left join quote q on q.bucket = o.bucket and q.client_id = o.client_id and q.id = o.id
  where (q.side, q.grams, q.price, q.total) is distinct from (o.side, o.grams, o.price, o.total) or o.executed_at not between q.created_at and q.expires_at
$$;

ALTER FUNCTION gold.check_order_is_quoted() OWNER TO gold_book;

--
-- Name: check_order_names_list(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_order_names_list() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'order ' || o.id, 'its list of bars was not in force when it was executed'
  from orders o
  left join (select id, created_at, lead(created_at) over (order by id) as ended_at from bar_list) l on l.id = o.list_id
  where o.list_id is not null
    and (l.id is null or o.executed_at not between l.created_at - clock_tolerance() and coalesce(l.ended_at, 'infinity') + clock_tolerance())
$$;

ALTER FUNCTION gold.check_order_names_list() OWNER TO gold_book;

--
-- Name: check_price_is_kept(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_price_is_kept() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'price ' || h.id, 'its number or hash does not follow from the row before it'
  from (
    select p as given, p.id, p.hash, row_number() over w as n, lag(hash, 1, decode(repeat('00', 32), 'hex')) over w as before
    from price_history p window w as (order by id)
  ) h
  where h.id <> h.n or h.hash <> sha256(h.before || convert_to(price_line(h.given), 'UTF8'))
  union all
  select 'price ' || p.id, 'the current price differs from the newest row of the history'
  from price p left join price_history h on h.id = (select max(id) from price_history)
  where (p.id, p.source, p.mid, p.buy, p.sell, p.spread_basis_points, p.stale_after_seconds, p.quote_ttl_seconds, p.as_of, p.stored_at)
    is distinct from (h.id, h.source, h.mid, h.buy, h.sell, h.spread_basis_points, h.stale_after_seconds, h.quote_ttl_seconds, h.as_of, h.stored_at)
$$;

ALTER FUNCTION gold.check_price_is_kept() OWNER TO gold_book;

--
-- Name: check_quote_is_priced(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_quote_is_priced() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'quote ' || q.id, 'its price, total or end does not follow from the price that it names, or that price was not in force'
  from quote q
  left join (
    select *, lead(stored_at) over (order by id) as ended_at, case source when 'fixed' then 'infinity'
      else as_of + make_interval(secs => stale_after_seconds) end as stale_at
    from price_history
  ) h on h.id = q.price_id
  left join simulated_price s on s.bucket = q.bucket and s.client_id = q.client_id and s.quote_id = q.id
  where q.price_id is not null and (
    q.total <> case q.side when 'buy' then (q.grams * q.price + 999999) / 1000000 else q.grams * q.price / 1000000 end
    or (q.price, q.expires_at) is distinct from (
      case q.side
        when 'buy' then (h.buy * (100 + coalesce(s.percent, 0)) + 99) / 100
        else greatest(h.sell * (100 + coalesce(s.percent, 0)) / 100, 1) end,
      q.created_at + make_interval(secs => h.quote_ttl_seconds))
    or q.created_at < h.stored_at - clock_tolerance()
    or q.created_at >= h.stale_at + clock_tolerance()
    or h.ended_at >= h.stored_at and q.created_at > h.ended_at + 2 * clock_tolerance())
$$;

ALTER FUNCTION gold.check_quote_is_priced() OWNER TO gold_book;

--
-- Name: check_rate(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_rate(rate_per_second integer) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  flood int := (select d.flood_per_second from deployment d);
begin
  if rate_per_second > flood / 4 then
    raise exception 'the rate %/s is more than a quarter of the proxy''s limit of %/s for one certificate: set at most %/s',
      rate_per_second, flood, flood / 4 using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.check_rate(rate_per_second integer) OWNER TO gold_book;

--
-- Name: check_record_has_its_legs(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_record_has_its_legs() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || r.client_id || ' sequence ' || r.sequence, r.type || ' has ' || r.legs || ' transfer(s)'
  from (
    select e.client_id, e.sequence, e.type, count(t.leg) as legs
    from event e left join transfer t on t.bucket = e.bucket and t.client_id = e.client_id and t.sequence = e.sequence
    group by e.client_id, e.sequence, e.type
  ) r
  where r.legs <> case r.type when 'order.executed' then 2 when 'funding.completed' then 1 when 'funding.reversed' then 1
    when 'withdrawal.created' then 1 when 'withdrawal.paid' then 1 when 'withdrawal.rejected' then 1 when 'withdrawal.returned' then 1 else 0 end
$$;

ALTER FUNCTION gold.check_record_has_its_legs() OWNER TO gold_book;

--
-- Name: check_request_is_kept(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_request_is_kept() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select k.result_kind || ' ' || k.result_id, 'its signed request is not stored'
  from idempotency_key k
  left join orders o on k.result_kind = 'order' and o.bucket = k.bucket and o.client_id = k.client_id and o.id = k.result_id
  left join withdrawal w on k.result_kind = 'withdrawal' and w.bucket = k.bucket and w.client_id = k.client_id and w.id = k.result_id
  left join event e on e.bucket = k.bucket and e.client_id = k.client_id and e.sequence = coalesce(o.sequence, w.sequence)
  where k.result_kind in ('order', 'withdrawal') and (k.request is null or k.signing_thumbprint is null)
    and (e.line = 2 or k.created_at > (select d.requests_kept_since from deployment d))
$$;

ALTER FUNCTION gold.check_request_is_kept() OWNER TO gold_book;

--
-- Name: check_result_is_bound(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_result_is_bound() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select k.result_kind || ' ' || k.result_id, 'the key''s result does not exist'
  from idempotency_key k
  left join orders o on k.result_kind = 'order' and o.bucket = k.bucket and o.client_id = k.client_id and o.id = k.result_id
  left join funding f on k.result_kind = 'funding' and f.bucket = k.bucket and f.client_id = k.client_id and f.id = k.result_id
  left join quote q on k.result_kind = 'quote' and q.bucket = k.bucket and q.client_id = k.client_id and q.id = k.result_id
  left join withdrawal w on k.result_kind = 'withdrawal' and w.bucket = k.bucket and w.client_id = k.client_id and w.id = k.result_id
  left join event e on k.result_kind = 'event' and e.bucket = k.bucket and e.client_id = k.client_id and e.id = k.result_id
  where k.result_kind not in ('refusal', 'simulation') and coalesce(o.id, f.id, q.id, w.id, e.id) is null
$$;

ALTER FUNCTION gold.check_result_is_bound() OWNER TO gold_book;

--
-- Name: check_retirement(text, timestamp with time zone, timestamp with time zone, timestamp with time zone, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_retirement(noun text, ended_at timestamp with time zone, last_used_at timestamp with time zone, seen timestamp with time zone, heirs bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if ended_at <= clock_timestamp() then
    raise exception 'the % is retired already, since %', noun, instant_text(ended_at) using errcode = 'GR409';
  elsif heirs = 0 then
    raise exception 'the partner would have no other % without a retirement date: add one first, or suspend the partner', noun using errcode = 'GR409';
  end if;
  perform refuse_use_meanwhile(noun, last_used_at, seen);
end $$;

ALTER FUNCTION gold.check_retirement(noun text, ended_at timestamp with time zone, last_used_at timestamp with time zone, seen timestamp with time zone, heirs bigint) OWNER TO gold_book;

--
-- Name: check_roles(text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_roles(roles text[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if cardinality(roles) > 0 and roles = array(select r from unnest(all_roles()) with ordinality every (r, n) where r = any (roles) order by n) then
    return;
  end if;
  raise exception 'the roles of an operator must be some of %, each once and in this order; got %',
    array_to_string(all_roles(), ', '), coalesce(array_to_string(roles, ', '), 'none') using errcode = 'GR409';
end $$;

ALTER FUNCTION gold.check_roles(roles text[]) OWNER TO gold_book;

--
-- Name: check_running_balance(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_running_balance() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || t.client_id || ' sequence ' || t.sequence || ' leg ' || t.leg,
    'the stated balances do not follow from the transfer before'
  from (
    select *, lag(sar_available_after, 1, 0::bigint) over w as available_before, lag(sar_held_after, 1, 0::bigint) over w as held_before,
      lag(gold_after, 1, 0::bigint) over w as gold_before, lag(posted_at, 1, 'epoch'::timestamptz) over w as posted_before
    from transfer window w as (partition by client_id order by sequence, leg)
  ) t
  where sar_available_after <> available_before
      + case when credit = 'available' then amount when debit = 'available' then -amount else 0 end
    or sar_held_after <> held_before + case when credit = 'held' then amount when debit = 'held' then -amount else 0 end
    or gold_after <> gold_before + case when credit = 'gold' then amount when debit = 'gold' then -amount else 0 end
    or posted_at < posted_before
$$;

ALTER FUNCTION gold.check_running_balance() OWNER TO gold_book;

--
-- Name: check_secret_hash(bytea); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_secret_hash(hash bytea) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if octet_length(hash) is distinct from 32 then
    raise exception 'the hash of a client secret is a SHA-256 of 32 bytes, not of %', coalesce(octet_length(hash), 0) using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.check_secret_hash(hash bytea) OWNER TO gold_book;

--
-- Name: check_transfer_has_record(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_transfer_has_record() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'client ' || t.client_id || ' sequence ' || t.sequence, 'no event belongs to this transfer'
  from transfer t
  left join event e on e.bucket = t.bucket and e.client_id = t.client_id and e.sequence = t.sequence
  where t.client_id <> 0 and (e.sequence is null or e.created_at <> t.posted_at)
$$;

ALTER FUNCTION gold.check_transfer_has_record() OWNER TO gold_book;

--
-- Name: check_withdrawal_is_booked(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.check_withdrawal_is_booked() RETURNS TABLE(subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'withdrawal ' || w.id || ' ' || coalesce(s.status::text, ''), 'its transfer or event is missing or differs from it'
  from withdrawal w
  left join withdrawal_step s on s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id
  left join transfer t on t.bucket = s.bucket and t.client_id = s.client_id and t.sequence = s.sequence
  left join event e on e.bucket = s.bucket and e.client_id = s.client_id and e.sequence = s.sequence
  where (t.leg, t.debit::text, t.credit::text, t.amount) is distinct from (
      case when s.status not in ('approved', 'submitted') then 1 end,
      case when s.status = 'pending_approval' then 'available' when s.previous = 'paid' then 'bank' when s.status not in ('approved', 'submitted') then 'held' end,
      case when s.status = 'pending_approval' then 'held' when s.status = 'paid' then 'bank' when s.status not in ('approved', 'submitted') then 'available' end,
      case when s.status not in ('approved', 'submitted') then w.amount end)
    or s.previous is null and (s.sequence, s.at) is distinct from (w.sequence, w.created_at)
    or (e.subject, e.created_at, e.type) is distinct from
      (w.id, s.at, 'withdrawal.' || case s.status when 'pending_approval' then 'created' else s.status::text end)
$$;

ALTER FUNCTION gold.check_withdrawal_is_booked() OWNER TO gold_book;

--
-- Name: claim_endpoints(uuid, integer[], integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.claim_endpoints(worker uuid, clients integer[], most integer) RETURNS TABLE(client integer, url text, tenure integer, passed bigint, failures integer, disabled boolean, secrets jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  clock timestamptz := clock_timestamp();
  living_since timestamptz := clock - interval '5 seconds';
begin
  perform require_read_committed();
  if not exists (select from delivery_worker w where w.id = claim_endpoints.worker and w.seen_at > living_since) then
    return;
  end if;
  clients := coalesce(clients, array(select p.id from partner p where p.webhook_url is not null));
  insert into endpoint (bucket, client_id)
  select a.bucket, a.client_id from unnest(clients) c (client) join account a on a.bucket = c.client % 64 and a.client_id = c.client
  where a.client_id <> 0 and a.event_sequence > 0
    and not exists (select from endpoint n where n.bucket = a.bucket and n.client_id = a.client_id)
  on conflict do nothing;

  return query
  with waiting as materialized (
    select n.bucket, n.client_id, n.worker, p.webhook_url
    from unnest(clients) c (client)
    join endpoint n on n.bucket = c.client % 64 and n.client_id = c.client
    join account a on a.bucket = n.bucket and a.client_id = n.client_id
    join partner p on p.id = n.client_id and p.webhook_url is not null
    where (n.rests_until is null or n.rests_until <= clock)
      and (n.disabled_at is null and (a.event_sequence > n.passed
          or exists (select from retry r where r.client_id + 0 = n.client_id and r.due_at <= clock))
        or exists (select from retry r where r.client_id + 0 = n.client_id and r.is_test and r.due_at <= clock))
      and not exists (select from delivery_worker w where w.id = n.worker and w.seen_at > living_since)
    limit most
  ), free as (
    select n.bucket, n.client_id, w.webhook_url
    from waiting w join endpoint n on n.bucket = w.bucket and n.client_id = w.client_id and n.worker is not distinct from w.worker
    for no key update of n skip locked
  )
  update endpoint n set worker = claim_endpoints.worker, tenure = n.tenure + 1 from free f where n.bucket = f.bucket and n.client_id = f.client_id
  returning n.client_id, f.webhook_url, n.tenure, n.passed, n.failures, n.disabled_at is not null, webhook_secrets(n.client_id);
end $$;

ALTER FUNCTION gold.claim_endpoints(worker uuid, clients integer[], most integer) OWNER TO gold_book;

--
-- Name: close_day(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.close_day(client integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  day date;
  ends timestamptz;
  facts closed_day;
  holder account;
  at timestamptz;
  id uuid;
begin
  perform require_read_committed();
  -- Without this lock, two workers could both read the whole day. The first number identifies this kind of
  -- lock.
  if not pg_try_advisory_xact_lock(1735355493, close_day.client) then
    return false;
  end if;
  day := unclosed_day(close_day.client);
  if day is null then
    return false;
  end if;
  ends := day_begin(day + 1);
  if (select a.last_posted_at < ends from account a where a.bucket = close_day.client % 64 and a.client_id = close_day.client) then
    perform lock_accounts(array[close_day.client], true);
    update account a set last_posted_at = greatest(a.last_posted_at, ends)
    where a.bucket = close_day.client % 64 and a.client_id = close_day.client;
    return true;
  end if;

  facts := day_facts(close_day.client, day);
  facts.epoch := note_epoch();
  select (l.accounts[1]).* into strict holder from lock_accounts(array[close_day.client], true) l;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  id := new_uuid(at);
  facts.sequence := holder.event_sequence + 1;
  insert into closed_day select (facts).*;
  perform take_sequence(close_day.client, facts.sequence, at);
  perform post_event(close_day.client, facts.sequence, id, id, at, 'day.closed');
  return true;
end $$;

ALTER FUNCTION gold.close_day(client integer) OWNER TO gold_book;

--
-- Name: close_delay(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.close_delay() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:05:00'::interval;

ALTER FUNCTION gold.close_delay() OWNER TO gold_book;

--
-- Name: close_past(integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.close_past(client integer, until timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update account a set closed_until = greatest(closed_end(a, ceil_millisecond(clock_timestamp())), ceil_millisecond(until)) where a.bucket = client % 64 and a.client_id = client;
end $$;

ALTER FUNCTION gold.close_past(client integer, until timestamp with time zone) OWNER TO gold_book;

--
-- Name: closed_day_text(gold.closed_day); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.closed_day_text(given gold.closed_day) RETURNS text
    LANGUAGE sql STABLE
    RETURN (SELECT (((((((((((((((((((((((((((((((((((('{"date":"'::text || (closed_day_text.given).day) || '","first_sequence":'::text) || COALESCE(((closed_day_text.given).first_sequence)::text, 'null'::text)) || ',"last_sequence":'::text) || COALESCE(((closed_day_text.given).last_sequence)::text, 'null'::text)) || ',"opening_balance":{"available_sar":'::text) || gold.decimal_text((closed_day_text.given).opening_available, 0.01)) || ',"held_sar":'::text) || gold.decimal_text((closed_day_text.given).opening_held, 0.01)) || ',"gold_grams":'::text) || gold.decimal_text((closed_day_text.given).opening_gold, 0.0001)) || '},"closing_balance":{"available_sar":'::text) || gold.decimal_text((closed_day_text.given).closing_available, 0.01)) || ',"held_sar":'::text) || gold.decimal_text((closed_day_text.given).closing_held, 0.01)) || ',"gold_grams":'::text) || gold.decimal_text((closed_day_text.given).closing_gold, 0.0001)) || '},"quotes":'::text) || (closed_day_text.given).quotes) || ',"orders":'::text) || (closed_day_text.given).orders) || ',"refusals":'::text) || (closed_day_text.given).refusals) || ',"broken":'::text) || (closed_day_text.given).broken) || ',"quotes_sha256":"'::text) || encode((closed_day_text.given).quotes_sha256, 'hex'::text)) || '","refusals_sha256":"'::text) || encode((closed_day_text.given).refusals_sha256, 'hex'::text)) || '","epoch":{"number":'::text) || p.id) || ',"timeline":'::text) || p.timeline) || ',"began_at":"'::text) || gold.instant_text(p.began_at)) || '"}}'::text) FROM gold.epoch p WHERE (p.id = (closed_day_text.given).epoch));

ALTER FUNCTION gold.closed_day_text(given gold.closed_day) OWNER TO gold_book;

--
-- Name: exposure_step(bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.exposure_step(maximum bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN GREATEST((1)::bigint, LEAST((1000000)::bigint, (maximum / 10)));

ALTER FUNCTION gold.exposure_step(maximum bigint) OWNER TO gold_book;

--
-- Name: coarse_exposure(bigint, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.coarse_exposure(used bigint, maximum bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((used + CASE WHEN (used > 0) THEN (gold.exposure_step(maximum) - 1) ELSE (0)::bigint END) / gold.exposure_step(maximum)) * gold.exposure_step(maximum));

ALTER FUNCTION gold.coarse_exposure(used bigint, maximum bigint) OWNER TO gold_book;

--
-- Name: compute_reserves(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.compute_reserves(at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT (((((((((((('{"bars":['::text || COALESCE(held.bars, ''::text)) || '],"fine_grams":'::text) || gold.decimal_text(held.fine, 0.0001)) || ',"owed_grams":'::text) || gold.decimal_text(owed.gold, 0.0001)) || ',"coverage":'::text) || COALESCE(gold.decimal_text((div(((held.fine)::numeric * (10000)::numeric), (NULLIF(owed.gold, 0))::numeric))::bigint, 0.0001), 'null'::text)) || ',"as_of":"'::text) || gold.instant_text(compute_reserves.at)) || '","reserves_list_id":"lst_'::text) || listed.id) || '"}'::text)
    FROM ( SELECT (COALESCE(sum(b.fine), (0)::numeric))::bigint AS fine,
             string_agg(gold.bar_text(b.*), ','::text ORDER BY b.added_at, b.serial) AS bars
            FROM gold.bar b
           WHERE (b.removed_at IS NULL)) held,
     ( SELECT (COALESCE(sum(a.gold), (0)::numeric))::bigint AS gold
            FROM gold.account a
           WHERE (a.client_id <> 0)) owed,
     ( SELECT max(l.id) AS id
            FROM gold.bar_list l) listed;
END;

ALTER FUNCTION gold.compute_reserves(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: coordinate_value(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.coordinate_value(text text) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  bytes bytea := decode(translate(text, '-_', '+/') || '=', 'base64');
  total numeric := 0;
begin
  for n in 0 .. length(bytes) - 1 loop
    total := total * 256 + get_byte(bytes, n);
  end loop;
  return total;
end $$;

ALTER FUNCTION gold.coordinate_value(text text) OWNER TO gold_book;

--
-- Name: count_events(text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.count_events(public text, since timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
begin
  return (select a.event_sequence from account a where a.bucket = subject.id % 64 and a.client_id = subject.id)
    - sequence_at(subject.id, since - interval '1 millisecond');
end $$;

ALTER FUNCTION gold.count_events(public text, since timestamp with time zone) OWNER TO gold_book;

--
-- Name: count_position(bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if maximum is null then
    day_net := net_of_day(clock_timestamp());
    select coalesce(sum(o.buys), 0), coalesce(sum(o.sells), 0) into open_buys, open_sells from open_quotes_at(clock_timestamp()) o;
  end if;
end $$;

ALTER FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) OWNER TO gold_book;

--
-- Name: create_partner(text, text, text, text, integer, integer, bigint, cidr[], bytea, bytea, text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  created int;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'name', create_partner.name, 'iban', create_partner.iban,
    'webhook_url', create_partner.webhook_url, 'rate_per_second', create_partner.rate_per_second, 'burst', create_partner.burst,
    'maximum_grams', create_partner.maximum_grams::text, 'ips', ips, 'secret_hash', encode(secret_hash, 'hex'),
    'webhook_sealed', encode(webhook_sealed, 'hex'), 'sealing_key', create_partner.sealing_key, 'keys', signing_keys), 'partner.create');
  perform check_rate(create_partner.rate_per_second);
  perform check_secret_hash(secret_hash);
  insert into partner (public_id, name, iban, webhook_url, rate_per_second, burst, maximum_grams)
  values (public, create_partner.name, create_partner.iban, create_partner.webhook_url, create_partner.rate_per_second,
    create_partner.burst, create_partner.maximum_grams)
  returning id into created;
  insert into account (bucket, client_id) values (created % 64, created);
  insert into allowed_ip (partner_id, range) select distinct created, unnest(ips);
  insert into client_secret (partner_id, hash) values (created, secret_hash);
  insert into webhook_secret (partner_id, sealed, sealing_key) values (created, webhook_sealed, create_partner.sealing_key);
  insert into signing_key (partner_id, thumbprint, kid, jwk)
  select created, k->>'thumbprint', k->>'kid', k->'jwk' from jsonb_array_elements(signing_keys) k;
  perform note('partner.create', public, jsonb_build_object('name', create_partner.name, 'iban', create_partner.iban, 'ips', ips,
    'webhook_url', create_partner.webhook_url, 'rate_per_second', create_partner.rate_per_second, 'burst', create_partner.burst,
    'maximum_grams', create_partner.maximum_grams,
    'signing_keys', (select jsonb_agg(k->>'thumbprint') from jsonb_array_elements(signing_keys) k),
    'kids', (select jsonb_object_agg(k->>'thumbprint', k->>'kid') from jsonb_array_elements(signing_keys) k),
    'secret_sha256', hash_text(secret_hash), 'sealed_sha256', hash_text(webhook_sealed), 'sealing_key', create_partner.sealing_key));
  perform refuse_shared_key(created, k->>'thumbprint') from jsonb_array_elements(signing_keys) k;
  perform post_first_changes(created, c.changed_by, c.approved_by) from changer() c;
  perform registry_changed();
  return created;
end $$;

ALTER FUNCTION gold.create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb) OWNER TO gold_book;

--
-- Name: certificate; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.certificate OWNER TO gold_owner;

--
-- Name: client_secret; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.client_secret (
    id integer NOT NULL,
    partner_id integer NOT NULL,
    hash bytea NOT NULL,
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

ALTER TABLE gold.client_secret OWNER TO gold_owner;

--
-- Name: signing_key; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.signing_key (
    thumbprint text NOT NULL COLLATE pg_catalog."C",
    partner_id integer NOT NULL,
    kid text COLLATE pg_catalog."C",
    jwk jsonb NOT NULL,
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

ALTER TABLE gold.signing_key OWNER TO gold_owner;

--
-- Name: webhook_secret; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.webhook_secret (
    id integer NOT NULL,
    partner_id integer NOT NULL,
    sealed bytea NOT NULL,
    sealing_key text NOT NULL COLLATE pg_catalog."C",
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

ALTER TABLE gold.webhook_secret OWNER TO gold_owner;

--
-- Name: credentials_of(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.credentials_of(client integer) RETURNS TABLE(kind text, credential text, kid text, valid_from timestamp with time zone, valid_until timestamp with time zone)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT c.kind,
     c.credential,
     c.kid,
         CASE
             WHEN isfinite(c.valid_from) THEN c.valid_from
             ELSE NULL::timestamp with time zone
         END AS "case",
         CASE
             WHEN isfinite(c.valid_until) THEN c.valid_until
             ELSE NULL::timestamp with time zone
         END AS "case"
    FROM ( SELECT 'certificate'::text AS kind,
             c_1.fingerprint AS credential,
             NULL::text AS kid,
             c_1.not_before AS valid_from,
             COALESCE(c_1.revoked_at, c_1.not_after) AS valid_until
            FROM gold.certificate c_1
           WHERE (c_1.partner_id = credentials_of.client)
         UNION ALL
          SELECT 'signing_key'::text,
             k.thumbprint,
             k.kid,
             k.not_before,
             k.retire_at
            FROM gold.signing_key k
           WHERE (k.partner_id = credentials_of.client)
         UNION ALL
          SELECT 'client_secret'::text,
             (s.id)::text AS id,
             NULL::text,
             s.not_before,
             s.retire_at
            FROM gold.client_secret s
           WHERE (s.partner_id = credentials_of.client)
         UNION ALL
          SELECT 'webhook_secret'::text,
             (s.id)::text AS id,
             NULL::text,
             s.not_before,
             s.retire_at
            FROM gold.webhook_secret s
           WHERE (s.partner_id = credentials_of.client)) c;
END;

ALTER FUNCTION gold.credentials_of(client integer) OWNER TO gold_book;

--
-- Name: chain_tail; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.chain_tail (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint DEFAULT 0 NOT NULL,
    head bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL
);

ALTER TABLE gold.chain_tail OWNER TO gold_owner;

--
-- Name: current_heads(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.current_heads() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(jsonb_build_object('client_id', h.client_id, 'sequence', (h.sequence)::text, 'head', encode(h.head, 'hex'::text)) ORDER BY h.client_id), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT p.public_id AS client_id,
             t.sequence,
             t.head
            FROM (gold.chain_tail t
              JOIN gold.partner p ON ((p.id = t.client_id)))
           WHERE ((t.bucket = (p.id % 64)) AND (t.sequence > 0))
         UNION ALL
          SELECT 'audit'::text,
             t.id,
             t.head
            FROM gold.audit_tail t
           WHERE (t.id > 0)) h;
END;

ALTER FUNCTION gold.current_heads() OWNER TO gold_book;

--
-- Name: day_begin(date); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.day_begin(day date) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((day)::timestamp without time zone AT TIME ZONE 'Asia/Riyadh'::text);

ALTER FUNCTION gold.day_begin(day date) OWNER TO gold_book;

--
-- Name: day_end(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.day_end(clock timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((date_trunc('day'::text, (clock AT TIME ZONE 'Asia/Riyadh'::text)) + '1 day'::interval) AT TIME ZONE 'Asia/Riyadh'::text);

ALTER FUNCTION gold.day_end(clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: day_facts(integer, date); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.day_facts(client integer, day date) RETURNS gold.closed_day
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  begins timestamptz := day_begin(day_facts.day);
  ends timestamptz := day_begin(day_facts.day + 1);
  opening bigint := sequence_at(day_facts.client, begins - interval '1 millisecond');
  closing bigint := sequence_at(day_facts.client, ends - interval '1 millisecond');
  facts closed_day;
begin
  facts.bucket := day_facts.client % 64;
  facts.client_id := day_facts.client;
  facts.day := day_facts.day;
  if closing > opening then
    facts.first_sequence := opening + 1;
    facts.last_sequence := closing;
  end if;
  select b.available, b.held, b.gold into facts.opening_available, facts.opening_held, facts.opening_gold
  from balance_after(day_facts.client, opening) b;
  select b.available, b.held, b.gold into facts.closing_available, facts.closing_held, facts.closing_gold
  from balance_after(day_facts.client, closing) b;
  select count(*) into facts.orders
  from event e
  where e.bucket = facts.bucket and e.client_id = facts.client_id and e.sequence > opening and e.sequence <= closing
    and e.type = 'order.executed';

  select count(*), sha256(coalesce(string_agg(sha256(convert_to(q.id || '|' || array_position(enum_range(null::side), q.side) || '|' || q.grams || '|'
      || q.price || '|' || q.total || '|' || (extract(epoch from q.created_at) * 1000)::bigint || '|'
      || (extract(epoch from q.expires_at) * 1000)::bigint || '|'
      || coalesce(encode(answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body), 'hex'), ''), 'UTF8')), ''::bytea order by q.id), ''))
  into facts.quotes, facts.quotes_sha256
  from quote q
  left join lateral (
    -- OFFSET 0 keeps this a lookup by the whole key; see chain_lines().
    select k.* from idempotency_key k
    where k.bucket = q.bucket and k.client_id = q.client_id and k.key = coalesce(q.key_uuid::text, q.key) offset 0
  ) k on true
  where q.bucket = facts.bucket and q.client_id = facts.client_id and q.created_at >= begins and q.created_at < ends
    and q.id >= first_id_at(begins - id_tolerance()) and q.id < first_id_at(ends + id_tolerance());

  select count(*), count(*) filter (where is_broken(k::idempotency_key)), sha256(coalesce(string_agg(sha256(convert_to((extract(epoch from r.created_at) * 1000)::bigint || '|'
      || encode(answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body, k.request, k.signing_thumbprint), 'hex'), 'UTF8')),
      ''::bytea order by r.created_at, r.key), ''))
  into facts.refusals, facts.broken, facts.refusals_sha256
  from refusal r
  cross join lateral (
    select k.* from idempotency_key k where k.bucket = r.bucket and k.client_id = r.client_id and k.key = r.key offset 0
  ) k
  where r.bucket = facts.bucket and r.client_id = facts.client_id and r.created_at >= begins and r.created_at < ends;
  return facts;
end $$;

ALTER FUNCTION gold.day_facts(client integer, day date) OWNER TO gold_book;

--
-- Name: day_in_riyadh(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.day_in_riyadh(at timestamp with time zone) RETURNS date
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((at AT TIME ZONE 'Asia/Riyadh'::text))::date;

ALTER FUNCTION gold.day_in_riyadh(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: day_of(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.day_of(instant timestamp with time zone) RETURNS date
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((instant AT TIME ZONE 'Asia/Riyadh'::text))::date;

ALTER FUNCTION gold.day_of(instant timestamp with time zone) OWNER TO gold_book;

--
-- Name: decode_base64(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.decode_base64(given text) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  return decode(given, 'base64');
exception when invalid_parameter_value then
  return null;
end $$;

ALTER FUNCTION gold.decode_base64(given text) OWNER TO gold_book;

--
-- Name: delivery_status(bigint, bigint, gold.retry); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.delivery_status(mark bigint, sequence bigint, own gold.retry) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((own).parked_at IS NOT NULL) THEN 'parked'::text WHEN (((own).due_at IS NOT NULL) OR (((own).sequence IS NULL) AND (sequence > mark))) THEN 'pending'::text ELSE 'delivered'::text END;

ALTER FUNCTION gold.delivery_status(mark bigint, sequence bigint, own gold.retry) OWNER TO gold_book;

--
-- Name: next_attempt_at(text, gold.retry, gold.endpoint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.next_attempt_at(type text, own gold.retry, standing gold.endpoint) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (((own).due_at IS NOT NULL) AND (((standing).disabled_at IS NULL) OR (type = 'webhook.test'::text))) THEN GREATEST((own).due_at, (standing).rests_until) ELSE NULL::timestamp with time zone END;

ALTER FUNCTION gold.next_attempt_at(type text, own gold.retry, standing gold.endpoint) OWNER TO gold_book;

--
-- Name: attempt; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.attempt OWNER TO gold_owner;

--
-- Name: delivery_text(gold.event); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.delivery_text(given gold.event) RETURNS text
    LANGUAGE sql STABLE
    RETURN (SELECT (((((('{"status":"'::text || CASE WHEN ((r.sequence IS NULL) AND a.delivered) THEN 'delivered'::text ELSE gold.delivery_status(COALESCE(n.passed, (0)::bigint), (delivery_text.given).sequence, r.*) END) || '","next_attempt_at":'::text) || COALESCE((('"'::text || gold.instant_text(gold.next_attempt_at((delivery_text.given).type, r.*, n.*))) || '"'::text), 'null'::text)) || ',"attempts":['::text) || COALESCE(a.listed, ''::text)) || ']}'::text) FROM (((SELECT bool_or(((a_1.http_status >= 200) AND (a_1.http_status <= 299))) AS delivered, string_agg((((((('{"attempted_at":"'::text || gold.instant_text(a_1.attempted_at)) || '","http_status":'::text) || COALESCE((a_1.http_status)::text, 'null'::text)) || ',"duration_ms":'::text) || a_1.duration_ms) || '}'::text), ','::text ORDER BY a_1.attempted_at) AS listed FROM (SELECT a_2.bucket, a_2.client_id, a_2.sequence, a_2.attempted_at, a_2.duration_ms, a_2.http_status, a_2.error, a_2.answer FROM gold.attempt a_2 WHERE ((a_2.bucket = (delivery_text.given).bucket) AND (a_2.client_id = (delivery_text.given).client_id) AND (a_2.sequence = (delivery_text.given).sequence) AND ((a_2.attempted_at >= ((delivery_text.given).created_at - '00:01:00'::interval)) AND (a_2.attempted_at <= (now() + '00:01:00'::interval)))) ORDER BY a_2.attempted_at DESC LIMIT 100) a_1) a LEFT JOIN gold.endpoint n ON (((n.bucket = (delivery_text.given).bucket) AND (n.client_id = (delivery_text.given).client_id)))) LEFT JOIN gold.retry r ON (((r.bucket = (delivery_text.given).bucket) AND (r.client_id = (delivery_text.given).client_id) AND (r.sequence = (delivery_text.given).sequence)))));

ALTER FUNCTION gold.delivery_text(given gold.event) OWNER TO gold_book;

--
-- Name: delivery_and_line(gold.event); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.delivery_and_line(given gold.event) RETURNS text
    LANGUAGE sql STABLE
    RETURN (((gold.delivery_text(given) || ',"line":"'::text) || (SELECT l.line FROM gold.chain_lines((delivery_and_line.given).client_id, ((delivery_and_line.given).sequence - 1), 1) l(sequence, line))) || '"'::text);

ALTER FUNCTION gold.delivery_and_line(given gold.event) OWNER TO gold_book;

--
-- Name: delivery_worker; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.delivery_worker (
    id uuid NOT NULL,
    seen_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE gold.delivery_worker OWNER TO gold_owner;

--
-- Name: dismiss_worker(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.dismiss_worker(worker uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 UPDATE gold.endpoint n SET worker = NULL::uuid
   WHERE (n.worker = dismiss_worker.worker);
 DELETE FROM gold.delivery_worker w
   WHERE (w.id = dismiss_worker.worker);
END;

ALTER FUNCTION gold.dismiss_worker(worker uuid) OWNER TO gold_book;

--
-- Name: due_notices(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.due_notices(at timestamp with time zone) RETURNS TABLE(client_id integer, kind text, credential text, expires_at timestamp with time zone, days_ahead integer)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT c.partner_id,
     c.kind,
     c.name,
     c.ends_at,
     d.days_ahead
    FROM (( SELECT certificate.partner_id,
             'certificate'::text AS kind,
             certificate.fingerprint AS name,
             certificate.not_after AS ends_at
            FROM gold.certificate
           WHERE (certificate.revoked_at IS NULL)
         UNION ALL
          SELECT signing_key.partner_id,
             'signing_key'::text,
             signing_key.thumbprint,
             signing_key.retire_at
            FROM gold.signing_key
         UNION ALL
          SELECT client_secret.partner_id,
             'client_secret'::text,
             (client_secret.id)::text AS id,
             client_secret.retire_at
            FROM gold.client_secret
         UNION ALL
          SELECT webhook_secret.partner_id,
             'webhook_secret'::text,
             (webhook_secret.id)::text AS id,
             webhook_secret.retire_at
            FROM gold.webhook_secret) c
      JOIN LATERAL ( SELECT min(days.days) AS days_ahead
            FROM unnest(ARRAY[1, 7, 30]) days(days)
           WHERE (c.ends_at <= (due_notices.at + make_interval(hours => (24 * days.days))))) d ON ((d.days_ahead IS NOT NULL)))
   WHERE ((c.ends_at > due_notices.at) AND (NOT (EXISTS ( SELECT
            FROM gold.expiry_notice n
           WHERE ((n.bucket = (c.partner_id % 64)) AND (n.client_id = c.partner_id) AND (n.kind = c.kind) AND (n.credential = c.name) AND (n.expires_at = c.ends_at) AND (n.days_ahead = d.days_ahead))))));
END;

ALTER FUNCTION gold.due_notices(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: early_outcome(integer, boolean, uuid, uuid, uuid, boolean, smallint, text, boolean); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.early_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean) RETURNS gold.outcome
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;

ALTER FUNCTION gold.early_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean) OWNER TO gold_book;

--
-- Name: endpoint_changed(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.endpoint_changed(client integer) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT pg_notify('gold_endpoint'::text, (client)::text) AS pg_notify,
     pg_notify('gold_event'::text, (client)::text) AS pg_notify;
END;

ALTER FUNCTION gold.endpoint_changed(client integer) OWNER TO gold_book;

--
-- Name: enable_endpoint(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.enable_endpoint(client integer) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 UPDATE gold.endpoint n SET worker = NULL::uuid, failures = 0, rests_until = NULL::timestamp with time zone, disabled_at = NULL::timestamp with time zone
   WHERE ((n.bucket = (enable_endpoint.client % 64)) AND (n.client_id = enable_endpoint.client));
 UPDATE gold.retry r SET due_at = gold.due_now(r.due_at)
   WHERE (r.ctid = ANY (ARRAY( SELECT r_1.ctid
            FROM gold.retry r_1
           WHERE (((r_1.client_id + 0) = enable_endpoint.client) AND (r_1.due_at IS NOT NULL))
           ORDER BY (r_1.client_id + 0), r_1.due_at
          LIMIT 10000)));
 SELECT gold.endpoint_changed(client) AS endpoint_changed;
END;

ALTER FUNCTION gold.enable_endpoint(client integer) OWNER TO gold_book;

--
-- Name: end_admission(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.end_admission(partner_id integer) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 UPDATE gold.account a SET admission_version = (a.admission_version + 1)
   WHERE ((a.bucket = (end_admission.partner_id % 64)) AND (a.client_id = end_admission.partner_id));
END;

ALTER FUNCTION gold.end_admission(partner_id integer) OWNER TO gold_book;

--
-- Name: end_operator_key(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.end_operator_key(fingerprint text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  held operator_key;
begin
  -- First the key, then the audit, as in an approval.
  select k.* into held from operator_key k where k.fingerprint = fingerprint for update;
  perform from audit_tail for no key update;
  if held.fingerprint is null then
    raise exception 'there is no operator key %', fingerprint using errcode = 'GR404';
  elsif held.ended_at is not null then
    raise exception 'the operator key % ended already, at %', fingerprint, instant_text(held.ended_at) using errcode = 'GR409';
  elsif (
    select bool_or(k.fingerprint = fingerprint) and count(distinct k.login) filter (where k.fingerprint <> fingerprint) < 2
    from operator_key k join operator_overview o on o.login = k.login where k.ended_at is null and 'keys' = any (o.roles))
  then
    raise exception 'fewer than two people with the role keys would have an operator key, so nobody could approve a new key: add a key first' using errcode = 'GR409';
  end if;
  update operator_key k set ended_at = clock_timestamp() where k.fingerprint = fingerprint;
  perform note('operator_key.end', held.login, jsonb_build_object('fingerprint', fingerprint));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.end_operator_key(fingerprint text) OWNER TO gold_book;

--
-- Name: deposit; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.deposit OWNER TO gold_owner;

--
-- Name: funding_text(gold.funding, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.funding_text(given gold.funding, as_of bigint) RETURNS text
    LANGUAGE sql STABLE
    RETURN (((((((('{"funding_id":"fnd_'::text || (given).id) || '","amount_sar":'::text) || gold.decimal_text((given).amount, 0.01)) || ',"created_at":"'::text) || gold.instant_text((given).created_at)) || '","reversed_at":'::text) || COALESCE((SELECT (('"'::text || gold.instant_text(d.reversed_at)) || '"'::text) FROM gold.deposit d WHERE ((d.id = (funding_text.given).id) AND (d.reversed_sequence <= COALESCE(funding_text.as_of, d.reversed_sequence)))), 'null'::text)) || '}'::text);

ALTER FUNCTION gold.funding_text(given gold.funding, as_of bigint) OWNER TO gold_book;

--
-- Name: partner_texts(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.partner_texts(reference text, account_label text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (COALESCE((',"reference":'::text || (to_json(reference))::text), ''::text) || COALESCE((',"account_label":'::text || (to_json(account_label))::text), ''::text));

ALTER FUNCTION gold.partner_texts(reference text, account_label text) OWNER TO gold_book;

--
-- Name: order_members(gold.orders); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.order_members(given gold.orders) RETURNS text
    LANGUAGE sql STABLE
    RETURN (((((((((((((((('"order_id":"ord_'::text || (given).id) || '","quote_id":"qt_'::text) || (given).id) || '","side":"'::text) || (given).side) || '","gold_grams":'::text) || gold.decimal_text((given).grams, 0.0001)) || ',"price_per_gram_sar":'::text) || gold.decimal_text((given).price, 0.0001)) || ',"total_sar":'::text) || gold.decimal_text((given).total, 0.01)) || ',"status":"executed","executed_at":"'::text) || gold.instant_text((given).executed_at)) || '"'::text) || gold.partner_texts((given).reference, (given).account_label)) || COALESCE(((',"reserves_list_id":"lst_'::text || (given).list_id) || '"'::text), ''::text));

ALTER FUNCTION gold.order_members(given gold.orders) OWNER TO gold_book;

--
-- Name: order_text(gold.orders); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.order_text(given gold.orders) RETURNS text
    LANGUAGE sql STABLE
    RETURN (('{'::text || gold.order_members(given)) || '}'::text);

ALTER FUNCTION gold.order_text(given gold.orders) OWNER TO gold_book;

--
-- Name: withdrawal_text(gold.withdrawal, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.withdrawal_text(given gold.withdrawal, as_of bigint) RETURNS text
    LANGUAGE sql STABLE
    RETURN (((((((((((((('{"withdrawal_id":"wd_'::text || (given).id) || '","amount_sar":'::text) || gold.decimal_text((given).amount, 0.01)) || ',"reference":'::text) || COALESCE((to_json((given).reference))::text, 'null'::text)) || ',"iban_masked":"'::text) || gold.mask_iban((given).iban)) || '","status":"'::text) || (SELECT s.status FROM gold.withdrawal_step s WHERE ((s.bucket = (withdrawal_text.given).bucket) AND (s.client_id = (withdrawal_text.given).client_id) AND (s.withdrawal_id = (withdrawal_text.given).id) AND (s.sequence <= COALESCE(withdrawal_text.as_of, s.sequence))) ORDER BY s.sequence DESC LIMIT 1)) || '","created_at":"'::text) || gold.instant_text((given).created_at)) || '"'::text) || gold.partner_texts(NULL::text, (given).account_label)) || '}'::text);

ALTER FUNCTION gold.withdrawal_text(given gold.withdrawal, as_of bigint) OWNER TO gold_book;

--
-- Name: chain_link; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.chain_link (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    sequence bigint NOT NULL,
    hash bytea NOT NULL
);

ALTER TABLE gold.chain_link OWNER TO gold_owner;

--
-- Name: event_body(gold.event); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.event_body(given gold.event) RETURNS TABLE(body text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT (((((((((((('{"type":"'::text || (event_body.given).type) || '","id":"evt_'::text) || (event_body.given).id) || '","sequence":'::text) || (event_body.given).sequence) || ',"created_at":"'::text) || gold.instant_text((event_body.given).created_at)) || '","data":{'::text) ||
         CASE
             WHEN ((event_body.given).type = 'order.executed'::text) THEN (('"order":'::text || gold.order_text(o.*)) || ','::text)
             WHEN ((event_body.given).type ~~ 'withdrawal.%'::text) THEN (('"withdrawal":'::text || gold.withdrawal_text(w.*, (event_body.given).sequence)) || ','::text)
             WHEN ((event_body.given).type ~~ 'funding.%'::text) THEN (('"funding":'::text || gold.funding_text(f.*, (event_body.given).sequence)) || ','::text)
             WHEN ((event_body.given).type = 'credential.expiring'::text) THEN (((((('"credential":{"kind":"'::text || n.kind) || '","id":'::text) || to_json(n.credential)) || ',"expires_at":"'::text) || gold.instant_text(n.expires_at)) || '"},'::text)
             WHEN gold.is_partner_change((event_body.given).type) THEN (gold.change_text(c.*) || ','::text)
             WHEN ((event_body.given).type = 'day.closed'::text) THEN ( SELECT (('"day":'::text || gold.closed_day_text(d.*)) || ','::text)
                FROM gold.closed_day d
               WHERE ((d.bucket = (event_body.given).bucket) AND (d.client_id = (event_body.given).client_id) AND (d.sequence = (event_body.given).sequence)))
             ELSE ''::text
         END) || '"chain_head":"'::text) || encode(l.hash, 'hex'::text)) || '"}}'::text)
    FROM (((((gold.chain_link l
      LEFT JOIN gold.orders o ON (((o.bucket = l.bucket) AND (o.client_id = l.client_id) AND (o.id =
         CASE
             WHEN ((event_body.given).type = 'order.executed'::text) THEN (event_body.given).subject
             ELSE NULL::uuid
         END))))
      LEFT JOIN gold.withdrawal w ON (((w.bucket = l.bucket) AND (w.client_id = l.client_id) AND (w.id =
         CASE
             WHEN ((event_body.given).type ~~ 'withdrawal.%'::text) THEN (event_body.given).subject
             ELSE NULL::uuid
         END))))
      LEFT JOIN gold.funding f ON (((f.bucket = l.bucket) AND (f.client_id = l.client_id) AND (f.id =
         CASE
             WHEN ((event_body.given).type ~~ 'funding.%'::text) THEN (event_body.given).subject
             ELSE NULL::uuid
         END))))
      LEFT JOIN gold.expiry_notice n ON (((n.bucket = l.bucket) AND (n.client_id = l.client_id) AND (n.id =
         CASE
             WHEN ((event_body.given).type = 'credential.expiring'::text) THEN (event_body.given).subject
             ELSE NULL::uuid
         END))))
      LEFT JOIN gold.partner_change c ON (((c.bucket = l.bucket) AND (c.client_id = l.client_id) AND (c.sequence =
         CASE
             WHEN gold.is_partner_change((event_body.given).type) THEN (event_body.given).sequence
             ELSE NULL::bigint
         END))))
   WHERE ((l.bucket = (event_body.given).bucket) AND (l.client_id = (event_body.given).client_id) AND (l.sequence = (event_body.given).sequence));
END;

ALTER FUNCTION gold.event_body(given gold.event) OWNER TO gold_book;

--
-- Name: event_of(integer, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.event_of(client integer, id uuid) RETURNS gold.event
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  given event;
begin
  select e.* into given from event e
  where e.bucket = event_of.client % 64 and e.client_id = event_of.client and e.id >= event_of.id order by e.id limit 1;
  return case when given.id = event_of.id then given end;
end $$;

ALTER FUNCTION gold.event_of(client integer, id uuid) OWNER TO gold_book;

--
-- Name: with_delivery(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.with_delivery(body text, delivery text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((("left"(body, '-1'::integer) || ',"delivery":'::text) || delivery) || '}'::text);

ALTER FUNCTION gold.with_delivery(body text, delivery text) OWNER TO gold_book;

--
-- Name: event_text(gold.event, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.event_text(given gold.event, delivery text) RETURNS text
    LANGUAGE sql STABLE
    RETURN (SELECT gold.with_delivery(b.body, event_text.delivery) AS with_delivery FROM gold.event_body(event_text.given) b(body));

ALTER FUNCTION gold.event_text(given gold.event, delivery text) OWNER TO gold_book;

--
-- Name: side_used(gold.side, bigint, bigint, bigint, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.side_used(side gold.side, net bigint, open_buys bigint, open_sells bigint, ends_at timestamp with time zone, day_ends_at timestamp with time zone) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (GREATEST(CASE side WHEN 'buy'::gold.side THEN net ELSE (- net) END, (CASE WHEN (ends_at >= day_ends_at) THEN 0 ELSE NULL::integer END)::bigint) + CASE side WHEN 'buy'::gold.side THEN open_buys ELSE open_sells END);

ALTER FUNCTION gold.side_used(side gold.side, net bigint, open_buys bigint, open_sells bigint, ends_at timestamp with time zone, day_ends_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: allowance; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.allowance OWNER TO gold_owner;

--
-- Name: net_used(gold.allowance, gold.side, bigint, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.net_used(held gold.allowance, side gold.side, gold bigint, ends_at timestamp with time zone) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN gold.side_used(side, (gold - (held).day_gold), (held).open_buy_grams, (held).open_sell_grams, ends_at, (held).day_ends_at);

ALTER FUNCTION gold.net_used(held gold.allowance, side gold.side, gold bigint, ends_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: exceeded_limit(gold.allowance, bigint, gold.side, bigint, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.exceeded_limit(held gold.allowance, grams bigint, side gold.side DEFAULT NULL::gold.side, gold bigint DEFAULT NULL::bigint, ends_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((grams IS NOT NULL) AND ((held).open_quotes >= (held).maximum_open_quotes)) THEN 'open_quotes'::text WHEN (((held).open_grams + grams) > (held).maximum_open_grams) THEN 'open_grams'::text WHEN (((held).maximum_net_grams IS NOT NULL) AND ((gold.net_used(held, side, gold, ends_at) + grams) > (held).maximum_net_grams)) THEN 'net_position'::text WHEN ((held).records >= (held).maximum_daily_records) THEN 'daily_records'::text ELSE NULL::text END;

ALTER FUNCTION gold.exceeded_limit(held gold.allowance, grams bigint, side gold.side, gold bigint, ends_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: problem; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.problem (
    code text NOT NULL COLLATE pg_catalog."C",
    status smallint NOT NULL,
    title text NOT NULL,
    retryable boolean NOT NULL
);

ALTER TABLE gold.problem OWNER TO gold_owner;

--
-- Name: exposure_reached(integer, gold.side, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.exposure_reached(item integer, side gold.side, request uuid) RETURNS gold.outcome
    LANGUAGE sql STABLE
    RETURN (SELECT ROW(exposure_reached.item, 'answered'::text, p.status, (json_build_object('type', ('/docs/errors#'::text || p.code), 'title', p.title, 'status', p.status, 'detail', (('The operator''s limit does not allow a '::text || exposure_reached.side) || ' of this size now. A smaller quote, or one on the other side, may be possible.'::text), 'code', p.code, 'request_id', ('req_'::text || exposure_reached.request), 'retryable', p.retryable))::text)::gold.outcome AS "row" FROM gold.problem p WHERE (p.code = 'exposure_exceeded'::text));

ALTER FUNCTION gold.exposure_reached(item integer, side gold.side, request uuid) OWNER TO gold_book;

--
-- Name: exposure_slot(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.exposure_slot(created_at timestamp with time zone, expires_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
declare
  width interval := make_interval(secs => greatest(1, ceil(extract(epoch from expires_at - created_at) / 60)));
begin
  return date_bin(width, expires_at, timestamptz '1970-01-01 00:00:00Z') + width;
end $$;

ALTER FUNCTION gold.exposure_slot(created_at timestamp with time zone, expires_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: find_event(integer, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.find_event(client integer, id uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  given event;
begin
  perform seal_newest(client);
  given := event_of(client, find_event.id);
  return case when given.id is not null then event_text(given, delivery_and_line(given)) end;
end $$;

ALTER FUNCTION gold.find_event(client integer, id uuid) OWNER TO gold_book;

--
-- Name: find_funding(integer, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.find_funding(client integer, id uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return (select funding_text(f, null) from funding f
    where f.bucket = client % 64 and f.client_id = client and f.id = find_funding.id);
end $$;

ALTER FUNCTION gold.find_funding(client integer, id uuid) OWNER TO gold_book;

--
-- Name: find_losses(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.find_losses(known jsonb) RETURNS TABLE(client_id text, first bigint, last bigint, ends_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  head record;
begin
  for head in
    select k.client_id, k.sequence, k.head, p.id as client, a.event_sequence, a.last_posted_at
    from jsonb_to_recordset(known) as k (client_id text, sequence bigint, head text)
    left join partner p on p.public_id = k.client_id
    left join account a on a.bucket = p.id % 64 and a.client_id = p.id
    left join chain_tail t on t.bucket = p.id % 64 and t.client_id = p.id
    where k.client_id <> 'audit' and (t.sequence, encode(t.head, 'hex')) is distinct from (k.sequence, k.head)
    order by k.client_id
  loop
    while head.event_sequence >= head.sequence
      and head.sequence > coalesce(
        (select t.sequence from chain_tail t where t.bucket = head.client % 64 and t.client_id = head.client), 0)
    loop
      perform seal_chain(head.client);
    end loop;
    continue when exists (
      select from chain_link l
      where l.bucket = head.client % 64 and l.client_id = head.client and l.sequence = head.sequence
        and encode(l.hash, 'hex') = head.head);
    return query
      select head.client_id, least(coalesce(head.event_sequence, 0) + 1, head.sequence), head.sequence,
        head.last_posted_at;
  end loop;
  return query
    select 'audit', least(t.id + 1, k.sequence), k.sequence, (select a.at from audit a where a.id = t.id)
    from jsonb_to_recordset(known) as k (client_id text, sequence bigint, head text) cross join audit_tail t
    where k.client_id = 'audit'
      and not exists (select from audit_link l where l.id = k.sequence and encode(l.hash, 'hex') = k.head);
end $$;

ALTER FUNCTION gold.find_losses(known jsonb) OWNER TO gold_book;

--
-- Name: find_order(integer, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.find_order(client integer, id uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return (select order_text(o) from orders o where o.bucket = client % 64 and o.client_id = client and o.id = find_order.id);
end $$;

ALTER FUNCTION gold.find_order(client integer, id uuid) OWNER TO gold_book;

--
-- Name: find_quote(integer, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.find_quote(client integer, id uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  given quote;
  holder account;
  clock timestamptz;
begin
  select q.* into given from quote q
  where q.bucket = find_quote.client % 64 and q.client_id = find_quote.client and q.id = find_quote.id;
  if given.id is null then
    return null;
  end if;
  select a.* into holder from account a where a.bucket = find_quote.client % 64 and a.client_id = find_quote.client;
  for round in 1..2 loop
    if exists (select from orders o where o.bucket = given.bucket and o.client_id = given.client_id and o.id = given.id) then
      return quote_text(given, 'executed');
    end if;
    clock := clock_timestamp();
    if given.expires_at > clock and given.expires_at >= account_instant(holder, ceil_millisecond(clock))
      and holder.simulations->'expired_quotes'->given.id::text is null then
      return quote_text(given, 'open');
    end if;
    holder := settled_account(given.client_id);
  end loop;
  -- A simulation may have ended the quote before `expires_at`.
  given.expires_at := least(given.expires_at, (holder.simulations->'expired_quotes'->>given.id::text)::timestamptz);
  return quote_text(given, 'expired');
end $$;

ALTER FUNCTION gold.find_quote(client integer, id uuid) OWNER TO gold_book;

--
-- Name: find_reserves_list(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.find_reserves_list(list integer) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT (((((((((((('{"reserves_list_id":"lst_'::text || l.id) || '","created_at":"'::text) || gold.instant_text(l.created_at)) || '","bars":['::text) || COALESCE(( SELECT string_agg(gold.bar_text(b.*), ','::text ORDER BY (b.serial COLLATE "C")) AS string_agg
            FROM gold.listed_bars(l.id) b(serial, refiner, vault_name, gross, fineness, fine, added_at, added_sequence, removed_at, removed_sequence, added_list, removed_list)), ''::text)) || '],"fine_grams":'::text) || gold.decimal_text(l.fine, 0.0001)) || ',"previous_sha256":"'::text) || COALESCE(( SELECT encode(p.sha256, 'hex'::text) AS encode
            FROM gold.bar_list p
           WHERE (p.id = (l.id - 1))), repeat('0'::text, 64))) || '","sha256":"'::text) || encode(l.sha256, 'hex'::text)) || '"}'::text)
    FROM gold.bar_list l
   WHERE (l.id = find_reserves_list.list);
END;

ALTER FUNCTION gold.find_reserves_list(list integer) OWNER TO gold_book;

--
-- Name: find_withdrawal(integer, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.find_withdrawal(client integer, id uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return (select withdrawal_text(w, null) from withdrawal w
    where w.bucket = client % 64 and w.client_id = client and w.id = find_withdrawal.id);
end $$;

ALTER FUNCTION gold.find_withdrawal(client integer, id uuid) OWNER TO gold_book;

--
-- Name: first_id_at(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.first_id_at(instant timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((lpad(to_hex(((EXTRACT(epoch FROM instant) * (1000)::numeric))::bigint), 12, '0'::text) || '70008000000000000000'::text))::uuid;

ALTER FUNCTION gold.first_id_at(instant timestamp with time zone) OWNER TO gold_book;

--
-- Name: freeze_bar(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.freeze_bar() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.removed_at is not null
    or to_jsonb(new) - '{removed_at,removed_sequence,removed_list}'::text[] <> to_jsonb(old) - '{removed_at,removed_sequence,removed_list}'::text[] then
    raise exception 'a bar never changes: remove it, and add the right one' using errcode = 'GB002';
  elsif new.added_list is null and new.removed_at is null or new.removed_at is not null and new.removed_list is null then
    raise exception 'the database was migrated while this statement waited: run the statement again' using errcode = '40001';
  end if;
  return new;
end $$;

ALTER FUNCTION gold.freeze_bar() OWNER TO gold_book;

--
-- Name: freeze_operator_key(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.freeze_operator_key() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.ended_at is not null or new.ended_at is null or to_jsonb(new) - 'ended_at' <> to_jsonb(old) - 'ended_at' then
    raise exception 'an operator key never changes: end it, and add another' using errcode = 'GB002';
  end if;
  return new;
end $$;

ALTER FUNCTION gold.freeze_operator_key() OWNER TO gold_book;

--
-- Name: freeze_proposal(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.freeze_proposal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if to_jsonb(new) - '{state,decided_by,decided_at,secrets,proposer_signature,approver_signature}'::text[]
      <> to_jsonb(old) - '{state,decided_by,decided_at,secrets,proposer_signature,approver_signature}'::text[]
    -- The proposer signs once, while the proposal is pending. The approver signs in the approval.
    or (old.state, new.state) = ('pending', 'pending')
      and (old.proposer_signature is not null or to_jsonb(new) - 'proposer_signature' <> to_jsonb(old) - 'proposer_signature')
    or (old.state, new.state) <> ('pending', 'pending') and new.proposer_signature is distinct from old.proposer_signature
    or new.state <> 'applying' and new.approver_signature is distinct from old.approver_signature
    or (old.state, new.state) not in (('pending', 'pending'), ('pending', 'applying'), ('pending', 'rejected'), ('applying', 'approved'), ('approved', 'approved'))
    or old.state in ('applying', 'approved') and (new.decided_by, new.decided_at) is distinct from (old.decided_by, old.decided_at)
    or new.secrets is not null and new.secrets is distinct from old.secrets then
    raise exception 'a proposal is decided once, and its content never changes' using errcode = 'GB002';
  end if;
  return new;
end $$;

ALTER FUNCTION gold.freeze_proposal() OWNER TO gold_book;

--
-- Name: freeze_steps(); Type: FUNCTION; Schema: gold; Owner: gold_owner
--

CREATE FUNCTION gold.freeze_steps() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (old.approved_at is not null or old.reversed_at is not null)
      and (new.approved_at, new.approved_by) is distinct from (old.approved_at, old.approved_by)
    or old.reversed_at is not null
      and (new.reversed_at, new.reversed_by, new.reversed_sequence) is distinct from (old.reversed_at, old.reversed_by, old.reversed_sequence) then
    raise exception 'a step of a deposit can be written only once' using errcode = 'GB002';
  end if;
  return new;
end $$;

ALTER FUNCTION gold.freeze_steps() OWNER TO gold_owner;

--
-- Name: vault; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.vault OWNER TO gold_owner;

--
-- Name: gather_vault(bigint); Type: FUNCTION; Schema: gold; Owner: gold_owner
--

CREATE FUNCTION gold.gather_vault(need bigint) RETURNS gold.vault
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  stripes vault[];
  first vault;
  others int;
  total bigint;
  share bigint;
begin
  select array_agg(s::vault) into strict stripes from (select v.* from vault v order by v.stripe for no key update) s;
  first := stripes[1];
  others := cardinality(stripes) - 1;
  if others > 0 and first.free < need then
    select sum(s.free) into total from unnest(stripes) s;
    share := greatest(total - need, 0) / (others + 1);
    first.free := total - share * others;
    -- Only the locked stripes: set_stripes() may have added others meanwhile.
    update vault v set free = case v.stripe when 0 then first.free else share end
    from unnest(stripes) s where v.stripe = s.stripe;
  end if;
  return first;
end $$;

ALTER FUNCTION gold.gather_vault(need bigint) OWNER TO gold_owner;

--
-- Name: give_roles(text, text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.give_roles(name text, roles text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  role text;
  groups constant text := 'gold_' || array_to_string(all_roles(), ', gold_');
begin
  begin
    if pg_has_role(name, 'gold_operator', 'member') then
      execute format('revoke gold_operator from %I', name);
    end if;
    foreach role in array all_roles() loop
      if (role = any (roles)) <> pg_has_role(name, 'gold_' || role, 'member') then
        execute format(case when role = any (roles) then 'grant %I to %I' else 'revoke %I from %I' end, 'gold_' || role, name);
      end if;
    end loop;
  exception when insufficient_privilege then
    raise exception 'the login % may not grant the roles of operators. A superuser must run once: grant gold_operator, % to % with admin option',
      session_user, groups, session_user using errcode = 'GR409';
  end;
  -- Since Postgres 16, a login can only revoke what it granted itself.
  if roles_of_login(name) <> roles then
    raise exception 'the login % may not revoke a role that another login granted. A superuser must run once: revoke gold_operator, % from %',
      session_user, groups, name using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.give_roles(name text, roles text[]) OWNER TO gold_book;

--
-- Name: gold_before(integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.gold_before(client integer, at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  return (select b.gold from balance_after(client, sequence_at(client, at - interval '1 millisecond')) b);
end $$;

ALTER FUNCTION gold.gold_before(client integer, at timestamp with time zone) OWNER TO gold_book;

--
-- Name: halt_on_jump(gold.price); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.halt_on_jump(ticked gold.price) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  earlier price_history;
begin
  if ticked.halt_basis_points is null or ticked.halted_at is not null then
    return false;
  end if;
  for earlier in
    select h.* from price_history h where h.id >= ticked.watched_from and h.id is distinct from ticked.id order by h.id desc
  loop
    -- An http source that has given no price yet has a placeholder.
    if earlier.as_of > 'epoch' and abs(ticked.mid - earlier.mid) * 10000 >= earlier.mid * ticked.halt_basis_points then
      update price p set halted_at = clock_timestamp();
      perform note('market.halt', 'circuit breaker', jsonb_strip_nulls(jsonb_build_object('source', ticked.source, 'price_id', ticked.id,
        'mid', ticked.mid, 'earlier_price_id', earlier.id, 'earlier_mid', earlier.mid, 'basis_points', ticked.halt_basis_points,
        'seconds', ticked.halt_seconds)));
      return true;
    end if;
    exit when earlier.stored_at <= ticked.stored_at - make_interval(secs => ticked.halt_seconds);
  end loop;
  return false;
end $$;

ALTER FUNCTION gold.halt_on_jump(ticked gold.price) OWNER TO gold_book;

--
-- Name: has_room_for(gold.account, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.has_room_for(holder gold.account, amount bigint) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN ((((holder).sar_available + (holder).sar_held) + amount) <= '99999999999999'::bigint);

ALTER FUNCTION gold.has_room_for(holder gold.account, amount bigint) OWNER TO gold_book;

--
-- Name: hash_text(bytea); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.hash_text(stored bytea) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(sha256(stored), 'hex'::text);

ALTER FUNCTION gold.hash_text(stored bytea) OWNER TO gold_book;

--
-- Name: held_until(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.held_until(changed timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (changed + '24:00:00'::interval);

ALTER FUNCTION gold.held_until(changed timestamp with time zone) OWNER TO gold_book;

--
-- Name: hex_of(jsonb, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.hex_of(content jsonb, name text) RETURNS bytea
    LANGUAGE sql IMMUTABLE
    RETURN decode((content ->> name), 'hex'::text);

ALTER FUNCTION gold.hex_of(content jsonb, name text) OWNER TO gold_book;

--
-- Name: hold_authorities(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.hold_authorities() RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform from deployment for no key update;
  if not found then
    raise exception 'the database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key' using errcode = 'GR409';
  end if;
  return (select a.fingerprint from authority a where a.retired_at is null order by a.created_at desc limit 1);
end $$;

ALTER FUNCTION gold.hold_authorities() OWNER TO gold_book;

--
-- Name: hold_partner(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.hold_partner(public text) RETURNS gold.partner
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  held partner := partner_of(public);
begin
  perform from partner p where p.id = held.id for no key update;
  return held;
end $$;

ALTER FUNCTION gold.hold_partner(public text) OWNER TO gold_book;

--
-- Name: hold_proposal(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.hold_proposal(id uuid) RETURNS gold.proposal
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  held proposal;
begin
  perform require_read_committed();
  select p.* into held from proposal p where p.id = hold_proposal.id for no key update;
  if held.id is null then
    raise exception 'there is no proposal %', hold_proposal.id using errcode = 'GR404';
  end if;
  return held;
end $$;

ALTER FUNCTION gold.hold_proposal(id uuid) OWNER TO gold_book;

--
-- Name: id_tolerance(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.id_tolerance() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '01:00:00'::interval;

ALTER FUNCTION gold.id_tolerance() OWNER TO gold_book;

--
-- Name: identify_deployment(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.identify_deployment() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  known deployment;
  tail audit_tail;
  made text;
begin
  select * into strict known from deployment for update;
  select * into strict tail from audit_tail for no key update;
  made := known.environment || '-' || gen_random_uuid();
  update deployment d set id = made;
  perform note('deployment.identify', made, case when known.id is null then '{}' else
    jsonb_build_object('before', known.id, 'audit_id', tail.id::text, 'head', encode(tail.head, 'hex')) end);
end $$;

ALTER FUNCTION gold.identify_deployment() OWNER TO gold_book;

--
-- Name: inner_members(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.inner_members(name text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN (CASE name WHEN 'limits'::text THEN '{open_quotes,open_grams,daily_records,net_grams,daily_withdrawals,daily_withdrawn}'::text WHEN 'breaker'::text THEN '{basis_points,seconds}'::text WHEN 'band'::text THEN '{step_basis_points,hour_basis_points}'::text WHEN 'hours'::text THEN '{always_open,sessions}'::text ELSE NULL::text END)::text[];

ALTER FUNCTION gold.inner_members(name text) OWNER TO gold_book;

--
-- Name: is_broken(gold.idempotency_key); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_broken(refused gold.idempotency_key) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN CASE (((refused).body)::json ->> 'code'::text) WHEN 'insufficient_inventory'::text THEN true WHEN 'quote_expired'::text THEN COALESCE((((NULLIF(split_part(convert_from((refused).request, 'UTF8'::name), chr(10), 3), ''::text))::bigint)::numeric < EXTRACT(epoch FROM ("substring"((((refused).body)::json ->> 'detail'::text), 'until ([0-9TZ:.-]+Z)'::text))::timestamp with time zone)), false) ELSE false END;

ALTER FUNCTION gold.is_broken(refused gold.idempotency_key) OWNER TO gold_book;

--
-- Name: payment_batch; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.payment_batch (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    login text NOT NULL COLLATE pg_catalog."C",
    document text NOT NULL
);

ALTER TABLE gold.payment_batch OWNER TO gold_owner;

--
-- Name: is_known_login(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_known_login(name text) RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT ((EXISTS ( SELECT
            FROM gold.audit a
           WHERE ((a.login = is_known_login.name) OR ((a.action = 'operator.add'::text) AND (a.subject = is_known_login.name))))) OR (EXISTS ( SELECT
            FROM gold.withdrawal_step s
           WHERE (s.login = is_known_login.name))) OR (EXISTS ( SELECT
            FROM gold.payment_batch b
           WHERE (b.login = is_known_login.name))) OR (EXISTS ( SELECT
            FROM gold.deposit d
           WHERE (((is_known_login.name = d.recorded_by) OR (is_known_login.name = d.approved_by)) OR (is_known_login.name = d.reversed_by)))) OR (EXISTS ( SELECT
            FROM gold.partner p
           WHERE (p.pending_iban_by = is_known_login.name))) OR (EXISTS ( SELECT
            FROM gold.proposal p
           WHERE ((is_known_login.name = p.proposer) OR (is_known_login.name = p.decided_by)))));
END;

ALTER FUNCTION gold.is_known_login(name text) OWNER TO gold_book;

--
-- Name: is_made_by_hand(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_made_by_hand(name text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  return exists (select from operator_overview o where o.login = is_made_by_hand.name and o.added_at is null);
end $$;

ALTER FUNCTION gold.is_made_by_hand(name text) OWNER TO gold_book;

--
-- Name: is_other_day(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_other_day(ends_at timestamp with time zone, clock timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ((clock >= ends_at) OR (clock < ((ends_at - '24:00:00'::interval) - gold.clock_tolerance())));

ALTER FUNCTION gold.is_other_day(ends_at timestamp with time zone, clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: is_outside_band(bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  given price;
begin
  select p.* into given from price p where p.band_basis_points is not null;
  if found then
    given.mid := is_outside_band.mid;
    given.spread_basis_points := is_outside_band.spread_basis_points;
    given.buy := buy_of(given.mid, given.spread_basis_points);
    given.sell := sell_of(given.mid, given.spread_basis_points);
    given.stored_at := clock_timestamp();
    perform refuse_outside_band(given);
  end if;
  return false;
exception when sqlstate 'GR409' then
  return true;
end $$;

ALTER FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) OWNER TO gold_book;

--
-- Name: is_price_approved(bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_price_approved(mid bigint) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM gold.proposal p
           WHERE ((p.state = 'applying'::text) AND (p.kind = 'price.set'::text) AND ((p.content ->> 'mid'::text) = (is_price_approved.mid)::text)))) AS "exists";
END;

ALTER FUNCTION gold.is_price_approved(mid bigint) OWNER TO gold_book;

--
-- Name: is_stale(gold.price, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN (((given).source <> 'fixed'::text) AND ((clock >= ((given).as_of + make_interval(secs => ((given).stale_after_seconds)::double precision))) OR ((given).as_of > (clock + gold.clock_tolerance()))));

ALTER FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: keep_allowances(gold.allowance[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.keep_allowances(changed gold.allowance[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update gold.allowance l set open_quotes = c.open_quotes, open_grams = c.open_grams, open_buy_grams = c.open_buy_grams,
    open_sell_grams = c.open_sell_grams, open_from = c.open_from, exact_until = c.exact_until,
    counted_sequence = c.counted_sequence, records = c.records, day_ends_at = c.day_ends_at, day_gold = c.day_gold,
    replays_paid_at = c.replays_paid_at
  from unnest(changed) c
  where l.bucket = c.bucket and l.client_id = c.client_id;
end $$;

ALTER FUNCTION gold.keep_allowances(changed gold.allowance[]) OWNER TO gold_book;

--
-- Name: keep_attempts(); Type: FUNCTION; Schema: gold; Owner: gold_owner
--

CREATE FUNCTION gold.keep_attempts() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '200ms'
    AS $$
declare
  this_week date := date_trunc('week', clock_timestamp());
  week date;
  old record;
begin
  for week in select this_week + 7 * n from generate_series(0, 3) n loop
    continue when to_regclass('gold_attempts.week_' || to_char(week, 'YYYYMMDD')) is not null;
    -- If two workers call this at once, let the second one wait here. It then finds that the table exists.
    -- Attempts can still be written meanwhile.
    lock table attempt in share update exclusive mode;
    continue when to_regclass('gold_attempts.week_' || to_char(week, 'YYYYMMDD')) is not null;
    execute format('create table gold_attempts.week_%s (like gold.attempt including defaults)', to_char(week, 'YYYYMMDD'));
    execute format('create trigger append_only before update or delete or truncate on gold_attempts.week_%s
      for each statement execute function gold.refuse_change()', to_char(week, 'YYYYMMDD'));
    execute format('alter table gold.attempt attach partition gold_attempts.week_%s for values from (%L) to (%L)',
      to_char(week, 'YYYYMMDD'), week, week + 7);
  end loop;

  for old in
    select c.oid::regclass as name from pg_class c, deployment d
    where c.relnamespace = 'gold_attempts'::regnamespace and c.relkind = 'r'
      and to_date(right(c.relname, 8), 'YYYYMMDD') + 7 + d.attempts_kept_days <= clock_timestamp()::date
  loop
    begin
      -- Dropping a partition needs an exclusive lock for a moment. If a long read holds the table, this
      -- attempt fails, and a later call drops the partition.
      execute format('drop table if exists %s', old.name);
    exception when lock_not_available then
      exit;
    end;
  end loop;
end $$;

ALTER FUNCTION gold.keep_attempts() OWNER TO gold_owner;

--
-- Name: keep_heads(jsonb, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.keep_heads(known jsonb, known_epoch integer) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  current_epoch int := note_epoch();
  losses jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('client_id', l.client_id, 'first', l.first::text, 'last', l.last::text,
    'ends_at', instant_text(l.ends_at)) order by l.client_id), '[]') into losses
  from find_losses(known) l
  join jsonb_to_recordset(known) as k (client_id text, sequence bigint, head text)
    on k.client_id = l.client_id and k.sequence = l.last
  where not exists (
    select from audit a cross join jsonb_array_elements(a.detail -> 'losses') r
    where a.action = 'recovery.accept' and r ->> 'client_id' = l.client_id and r ->> 'head' = k.head
      and (r ->> 'last')::bigint = l.last and (r ->> 'first')::bigint <= l.first);
  perform pg_logical_emit_message(true, 'gold', '');
  return jsonb_build_object('epoch', current_epoch, 'at', instant_text(clock_timestamp()), 'losses', losses, 'heads', current_heads());
end $$;

ALTER FUNCTION gold.keep_heads(known jsonb, known_epoch integer) OWNER TO gold_book;

--
-- Name: keep_pepper(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.keep_pepper(name text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  known text;
begin
  select d.pepper_name into known from deployment d;
  if known is null then
    update deployment d set pepper_name = keep_pepper.name where d.pepper_name is null;
    if found then
      perform note('pepper.keep', keep_pepper.name, '{}');
    end if;
    select d.pepper_name into known from deployment d;
  end if;
  return known;
end $$;

ALTER FUNCTION gold.keep_pepper(name text) OWNER TO gold_book;

--
-- Name: keep_price(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.keep_price() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform append_price(new);
  return null;
end $$;

ALTER FUNCTION gold.keep_price() OWNER TO gold_book;

--
-- Name: keep_refusals(gold.idempotency_key[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.keep_refusals(bound gold.idempotency_key[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO gold.refusal (bucket, client_id, created_at, key)  SELECT b.bucket,
             b.client_id,
             b.created_at,
             b.key
            FROM unnest(keep_refusals.bound) b(bucket, client_id, status, key, fingerprint, request_id, result_id, created_at, result_kind, body, request, signing_thumbprint)
           WHERE (b.result_kind = 'refusal'::text);
END;

ALTER FUNCTION gold.keep_refusals(bound gold.idempotency_key[]) OWNER TO gold_book;

--
-- Name: key_fingerprint(bytea); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.key_fingerprint(blob bytea) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN ('SHA256:'::text || rtrim(encode(sha256(blob), 'base64'::text), '='::text));

ALTER FUNCTION gold.key_fingerprint(blob bytea) OWNER TO gold_book;

--
-- Name: key_thumbprint(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.key_thumbprint(jwk jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN translate(encode(sha256(convert_to(gold.canonical_json(jwk), 'UTF8'::name)), 'base64'::text), '+/='::text, '-_'::text);

ALTER FUNCTION gold.key_thumbprint(jwk jsonb) OWNER TO gold_book;

--
-- Name: life_text(timestamp with time zone, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.life_text(not_before timestamp with time zone, retire_at timestamp with time zone, last_used_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    RETURN ((((('"not_before":"'::text || gold.instant_text(not_before)) || '","retire_at":'::text) || COALESCE((('"'::text || gold.instant_text(retire_at)) || '"'::text), 'null'::text)) || ',"last_used_at":'::text) || COALESCE((('"'::text || gold.instant_text(last_used_at)) || '"'::text), 'null'::text));

ALTER FUNCTION gold.life_text(not_before timestamp with time zone, retire_at timestamp with time zone, last_used_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: limit_all_sessions(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.limit_all_sessions() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  item record;
  operators constant text[] := '{gold_operator, gold_treasury, gold_credentials, gold_pricing, gold_keys, gold_audit}';
  services constant text[] := '{gold_api, gold_delivery, gold_ticker, gold_trust}';
begin
  for item in
    select r.rolname as login, bool_or(g.name = any (operators)) as is_operator
    from pg_roles r join unnest(operators || services) g (name) on pg_has_role(r.oid, g.name, 'member')
    where r.rolcanlogin and not r.rolsuper and not r.rolcreaterole
    group by r.rolname
  loop
    begin
      if item.is_operator then
        perform limit_operator_sessions(item.login);
      else
        -- For the service and the sidecar's trust sync. Some functions set a shorter lock_timeout of their
        -- own.
        perform limit_sessions(item.login,
          '{"lock_timeout": "2000", "statement_timeout": "10000", "idle_in_transaction_session_timeout": "10000"}');
      end if;
    exception when insufficient_privilege then
      raise warning 'Sessions of the login % have no time limits, because % may not alter it. As a superuser, run: grant % to % with admin option, then gold db migrate again.',
        item.login, current_user, item.login, current_user;
    -- The login was dropped meanwhile. Logins belong to the server, so another database's operator can do
    -- that.
    when undefined_object then
      null;
    end;
  end loop;
  -- Limit only idle transactions. Migrations, pg_dump and a manual CREATE INDEX take long.
  if not (select r.rolsuper from pg_roles r where r.rolname = current_user) then
    perform limit_sessions(current_user, '{"idle_in_transaction_session_timeout": "60000"}');
  end if;
end $$;

ALTER FUNCTION gold.limit_all_sessions() OWNER TO gold_book;

--
-- Name: limit_sessions(name, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.limit_sessions(login name, limits jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  present text[] := (
    select s.setconfig from pg_db_role_setting s
    where s.setrole = (select r.oid from pg_roles r where r.rolname = login) and s.setdatabase = (select d.oid from pg_database d where d.datname = current_database())
  );
  wanted record;
begin
  for wanted in select key as name, value as milliseconds from jsonb_each_text(limits) loop
    continue when wanted.name || '=' || wanted.milliseconds = any (present);
    execute format('alter role %I in database %I set %I = %L', login, current_database(), wanted.name, wanted.milliseconds);
  end loop;
end $$;

ALTER FUNCTION gold.limit_sessions(login name, limits jsonb) OWNER TO gold_book;

--
-- Name: limit_operator_sessions(name); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.limit_operator_sessions(login name) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    RETURN gold.limit_sessions(login, '{"lock_timeout": "2000", "statement_timeout": "10000", "idle_in_transaction_session_timeout": "5000"}'::jsonb);

ALTER FUNCTION gold.limit_operator_sessions(login name) OWNER TO gold_book;

--
-- Name: limit_partner(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.limit_partner(public text, limits jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  sequence bigint;
  held allowance;
  unknown text := (select name from jsonb_object_keys(limits) name where name <> all (inner_members('limits')) limit 1);
begin
  -- The audit row contains all members. A member such as `proposal` would state an approval that there was
  -- not.
  if unknown is not null then
    raise exception 'there is no limit %', unknown using errcode = 'GR409';
  end if;
  select a.event_sequence into strict sequence from account a
  where a.bucket = subject.id % 64 and a.client_id = subject.id for no key update;
  insert into allowance (bucket, client_id, open_from, counted_sequence)
  values (subject.id % 64, subject.id, first_id_at(clock_timestamp() - interval '1 hour'), sequence)
  on conflict do nothing;
  select l.* into strict held from allowance l where l.bucket = subject.id % 64 and l.client_id = subject.id;
  subject := partner_of(public);
  if raises_limit(jsonb_build_object('open_quotes', held.maximum_open_quotes, 'open_grams', held.maximum_open_grams,
    'daily_records', held.maximum_daily_records, 'net_grams', held.maximum_net_grams, 'daily_withdrawals', subject.maximum_daily_withdrawals,
    'daily_withdrawn', subject.maximum_daily_withdrawn), limits)
  then
    perform require_approval(jsonb_build_object('client_id', public, 'limits', limits), 'partner.set', 'partner.create');
  end if;
  update allowance l set
    maximum_open_quotes = case when limits ? 'open_quotes' then (limits->>'open_quotes')::int else l.maximum_open_quotes end,
    maximum_open_grams = case when limits ? 'open_grams' then (limits->>'open_grams')::bigint else l.maximum_open_grams end,
    maximum_daily_records = case when limits ? 'daily_records' then (limits->>'daily_records')::int else l.maximum_daily_records end,
    maximum_net_grams = case when limits ? 'net_grams' then (limits->>'net_grams')::bigint else l.maximum_net_grams end
  where l.bucket = subject.id % 64 and l.client_id = subject.id
  returning l.* into held;
  if limits ? 'net_grams' then
    held := renewed(held, clock_timestamp(), null);
    held.day_gold := case when held.maximum_net_grams is null then 0
      else gold_before(subject.id, held.day_ends_at - interval '24 hours') end;
    -- The counts of the two sides may be unknown. The next quote that they would refuse counts them exactly.
    held.open_buy_grams := 500000000000000;
    held.open_sell_grams := 500000000000000;
    held.open_grams := held.open_buy_grams + held.open_sell_grams;
    held.exact_until := '-infinity';
    perform keep_allowances(array[held]);
  end if;
  update partner p set
    maximum_daily_withdrawals = case when limits ? 'daily_withdrawals' then (limits->>'daily_withdrawals')::int else p.maximum_daily_withdrawals end,
    maximum_daily_withdrawn = case when limits ? 'daily_withdrawn' then (limits->>'daily_withdrawn')::bigint else p.maximum_daily_withdrawn end
  where p.id = subject.id and limits ?| array['daily_withdrawals', 'daily_withdrawn'];
  -- Delete the row of a partner without limits, so that booking counts nothing for it.
  delete from allowance l
  where l.bucket = subject.id % 64 and l.client_id = subject.id
    and l.maximum_open_quotes is null and l.maximum_open_grams is null and l.maximum_daily_records is null and l.maximum_net_grams is null;
  perform note('partner.limit', public, limits);
end $$;

ALTER FUNCTION gold.limit_partner(public text, limits jsonb) OWNER TO gold_book;

--
-- Name: limit_reached(integer, gold.allowance, text, timestamp with time zone, uuid, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.limit_reached(item integer, held gold.allowance, reached text, clock timestamp with time zone, request uuid, used bigint DEFAULT NULL::bigint) RETURNS gold.outcome
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  answer text;
  detail text;
  quota bigint;
  free bigint := 0;
  window_seconds bigint := 86400;
  changes_at timestamptz := held.exact_until;
begin
  case reached
    when 'open_quotes' then
      answer := 'open_quotes_exceeded';
      quota := held.maximum_open_quotes;
      window_seconds := 60;
      detail := 'You have ' || held.open_quotes || ' of at most ' || quota || ' open quotes.';
    when 'open_grams' then
      answer := 'open_quotes_exceeded';
      quota := held.maximum_open_grams / 10000;
      free := greatest(held.maximum_open_grams - held.open_grams, 0) / 10000;
      window_seconds := 60;
      detail := 'Your open quotes hold ' || decimal_text(held.open_grams, 0.0001) || ' g; with this one they would exceed your limit of '
        || decimal_text(held.maximum_open_grams, 0.0001) || ' g.';
    when 'net_position' then
      answer := 'net_position_exceeded';
      quota := held.maximum_net_grams / 10000;
      free := greatest(held.maximum_net_grams - used, 0) / 10000;
      changes_at := held.day_ends_at;
      detail := 'With this quote, your orders of today and your open quotes could change your gold by more than your limit of '
        || decimal_text(held.maximum_net_grams, 0.0001) || ' g a day; at most ' || decimal_text(greatest(held.maximum_net_grams - used, 0), 0.0001)
        || ' g on this side are left. The day ends at ' || instant_text(held.day_ends_at) || '.';
    when 'daily_records' then
      answer := 'daily_budget_exceeded';
      quota := held.maximum_daily_records;
      changes_at := held.day_ends_at;
      detail := 'You have used your daily budget of ' || quota || ' stored records. The day ends at '
        || instant_text(held.day_ends_at) || '.';
    when 'replays' then
      answer := 'rate_limited';
      quota := replay_burst();
      window_seconds := quota / replays_per_second();
      changes_at := clock + interval '1 second';
      detail := 'You may replay ' || replays_per_second() || ' known keys a second, with a burst of ' || quota || '.';
  end case;
  return (
    select row(item, 'answered', p.status, json_build_object('type', '/docs/errors#' || p.code, 'title', p.title, 'status', p.status,
      'detail', detail, 'code', p.code, 'request_id', 'req_' || request, 'retryable', p.retryable,
      'limit', json_build_object('policy', reached, 'quota', quota, 'window_seconds', window_seconds, 'remaining', free,
        'reset_seconds', greatest(1, ceil(extract(epoch from changes_at - clock)))))::text)::outcome
    from problem p where p.code = answer
  );
end $$;

ALTER FUNCTION gold.limit_reached(item integer, held gold.allowance, reached text, clock timestamp with time zone, request uuid, used bigint) OWNER TO gold_book;

--
-- Name: link_audit(gold.audit); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.link_audit(entry gold.audit) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  tail audit_tail;
begin
  select * into strict tail from audit_tail;
  tail.head := sha256(tail.head || convert_to(audit_line(entry), 'UTF8'));
  insert into audit_link (id, hash) values (entry.id, tail.head);
  update audit_tail t set id = entry.id, head = tail.head;
end $$;

ALTER FUNCTION gold.link_audit(entry gold.audit) OWNER TO gold_book;

--
-- Name: list_bounds(integer, timestamp with time zone, timestamp with time zone, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_bounds(client integer, created_after timestamp with time zone, created_before timestamp with time zone, next_below bigint, OUT above bigint, OUT below bigint) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  above := case when created_after is null then 0 else sequence_at(client, created_after) end;
  below := coalesce(least(next_below, case when created_before is not null then sequence_at(client, created_before - interval '1 millisecond') + 1 end),
    9223372036854775807);
end $$;

ALTER FUNCTION gold.list_bounds(client integer, created_after timestamp with time zone, created_before timestamp with time zone, next_below bigint, OUT above bigint, OUT below bigint) OWNER TO gold_book;

--
-- Name: list_deliveries(text, text, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_deliveries(public text, wanted text, most integer) RETURNS TABLE(sequence bigint, id uuid, type text, created_at timestamp with time zone, status text, next_attempt_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  subject partner := partner_of(public);
  standing endpoint;
  mark bigint;
  above bigint;
  last bigint;
begin
  select n.* into standing from endpoint n where n.bucket = subject.id % 64 and n.client_id = subject.id;
  mark := coalesce(standing.passed, 0);
  above := case when wanted = 'pending' then mark else 0 end;
  last := case wanted when 'parked' then 0 when 'delivered' then mark else 9223372036854775807 end;
  return query
    select e.sequence, e.id, e.type, e.created_at, delivery_status(mark, e.sequence, r),
      next_attempt_at(e.type, r, standing)
    from (
      (select r.sequence from retry r
        where r.bucket = subject.id % 64 and r.client_id = subject.id
          and (wanted is null or delivery_status(mark, r.sequence, r) = wanted)
        order by r.sequence desc limit most)
      union all
      (select e.sequence from event e
        where e.bucket = subject.id % 64 and e.client_id = subject.id and e.sequence > above and e.sequence <= last
          and not exists (select from retry r where r.bucket = e.bucket and r.client_id = e.client_id and r.sequence = e.sequence)
        order by e.sequence desc limit most)
      order by 1 desc limit most
    ) found
    join event e on e.bucket = subject.id % 64 and e.client_id = subject.id and e.sequence = found.sequence
    left join retry r on r.bucket = e.bucket and r.client_id = e.client_id and r.sequence = e.sequence
    order by e.sequence desc;
end $$;

ALTER FUNCTION gold.list_deliveries(public text, wanted text, most integer) OWNER TO gold_book;

--
-- Name: list_events(integer, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_events(client integer, after_sequence bigint, most integer) RETURNS TABLE(sequence bigint, body text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
begin
  perform seal_newest(client);
  return query
    select e.sequence, with_delivery(b.body, delivery_and_line(e.one))
    from (
      select e as one, e.sequence from event e
      where e.bucket = client % 64 and e.client_id = client and e.sequence > after_sequence
        and e.sequence <= (select t.sequence from chain_tail t where t.bucket = client % 64 and t.client_id = client)
      order by e.sequence limit most
    ) e
    cross join lateral event_body(e.one) b
    order by e.sequence;
end $$;

ALTER FUNCTION gold.list_events(client integer, after_sequence bigint, most integer) OWNER TO gold_book;

--
-- Name: list_fundings(integer, timestamp with time zone, timestamp with time zone, text, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_fundings(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) RETURNS TABLE(sequence bigint, body text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  bounds record;
begin
  select * into bounds from list_bounds(client, created_after, created_before, next_below);
  if list_fundings.key is not null then
    return query select f.sequence, funding_text(f, null) from funding f
      where f.bucket = client % 64 and f.client_id = client and f.id = result_of(client, list_fundings.key, 'funding')
        and f.sequence > bounds.above and f.sequence < bounds.below;
  else
    return query select f.sequence, funding_text(f, null) from funding f
      where f.client_id + 0 = client and f.sequence > bounds.above and f.sequence < bounds.below
      order by f.client_id + 0 desc, f.sequence desc limit most;
  end if;
end $$;

ALTER FUNCTION gold.list_fundings(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) OWNER TO gold_book;

--
-- Name: list_orders(integer, timestamp with time zone, timestamp with time zone, text, bigint, integer, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) RETURNS TABLE(sequence bigint, body text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  bounds record;
  listed bigint;
begin
  select b.*, b.above as searched_above into bounds from list_bounds(client, created_after, created_before, next_below) b;
  if list_orders.reference is not null or list_orders.account_label is not null then
    bounds.searched_above := search_bound(client, bounds.above, bounds.below);
  end if;
  if list_orders.key is not null then
    return query select o.sequence, order_text(o) from orders o
      where o.bucket = client % 64 and o.client_id = client and o.id = result_of(client, list_orders.key, 'order')
        and o.sequence > bounds.above and o.sequence < bounds.below
        and (list_orders.reference is null or o.reference = list_orders.reference)
        and (list_orders.account_label is null or o.account_label = list_orders.account_label);
  else
    return query select o.sequence, order_text(o) from orders o
      where o.client_id + 0 = client and o.sequence > bounds.searched_above and o.sequence < bounds.below
        and (list_orders.reference is null or o.reference = list_orders.reference)
        and (list_orders.account_label is null or o.account_label = list_orders.account_label)
      order by o.client_id + 0 desc, o.sequence desc limit most;
    get diagnostics listed = row_count;
    if listed < most and bounds.searched_above > bounds.above then
      return query select bounds.searched_above + 1, null::text;
    end if;
  end if;
end $$;

ALTER FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) OWNER TO gold_book;

--
-- Name: list_orders(integer, timestamp with time zone, timestamp with time zone, text, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) RETURNS TABLE(sequence bigint, body text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT l.sequence,
     l.body
    FROM gold.list_orders(list_orders.client, list_orders.created_after, list_orders.created_before, list_orders.key, list_orders.next_below, list_orders.most, NULL::text, NULL::text) l(sequence, body);
END;

ALTER FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) OWNER TO gold_book;

--
-- Name: list_postings(integer, bigint, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_postings(client integer, above bigint, last bigint) RETURNS SETOF json
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select json_strip_nulls(row_to_json(p)) from (
      select instant_text(t.posted_at) as posted_at,
        case when e.type like 'order.%' then 'ord_' when e.type like 'funding.%' then 'fnd_' else 'wd_' end || e.subject as id,
        e.type, l.account, decimal_text(l.change, l.unit) as change, decimal_text(l.after, l.unit) as balance_after,
        coalesce(o.reference, w.reference) as reference, coalesce(o.account_label, w.account_label) as account_label,
        'lst_' || o.list_id as reserves_list_id
      from (
        -- The limit makes the planner use the index by number. It omits no event, because the numbers have no
        -- gaps.
        select e.* from event e where e.bucket = client % 64 and e.client_id = client and e.sequence > above and e.sequence <= last
        order by e.sequence limit last - above
      ) e
      join transfer t on t.bucket = e.bucket and t.client_id = e.client_id and t.sequence = e.sequence
      left join orders o on o.bucket = e.bucket and o.client_id = e.client_id
        and o.id = case when e.type = 'order.executed' then e.subject end
      left join withdrawal w on w.bucket = e.bucket and w.client_id = e.client_id
        and w.id = case when e.type like 'withdrawal.%' then e.subject end
      cross join lateral (values
        (1, 'available_sar', case when t.credit = 'available' then t.amount when t.debit = 'available' then -t.amount end, t.sar_available_after, 0.01),
        (2, 'held_sar', case when t.credit = 'held' then t.amount when t.debit = 'held' then -t.amount end, t.sar_held_after, 0.01),
        (3, 'gold_grams', case when t.credit = 'gold' then t.amount when t.debit = 'gold' then -t.amount end, t.gold_after, 0.0001)
      ) l (n, account, change, after, unit)
      where l.change is not null
      order by e.sequence, t.leg, l.n
    ) p;
end $$;

ALTER FUNCTION gold.list_postings(client integer, above bigint, last bigint) OWNER TO gold_book;

--
-- Name: list_withdrawals(integer, timestamp with time zone, timestamp with time zone, text, bigint, integer, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) RETURNS TABLE(sequence bigint, body text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  bounds record;
  listed bigint;
begin
  select b.*, b.above as searched_above into bounds from list_bounds(client, created_after, created_before, next_below) b;
  if list_withdrawals.reference is not null or list_withdrawals.account_label is not null then
    bounds.searched_above := search_bound(client, bounds.above, bounds.below);
  end if;
  if list_withdrawals.key is not null then
    return query select w.sequence, withdrawal_text(w, null) from withdrawal w
      where w.bucket = client % 64 and w.client_id = client and w.id = result_of(client, list_withdrawals.key, 'withdrawal')
        and w.sequence > bounds.above and w.sequence < bounds.below
        and (list_withdrawals.reference is null or w.reference = list_withdrawals.reference)
        and (list_withdrawals.account_label is null or w.account_label = list_withdrawals.account_label);
  else
    return query select w.sequence, withdrawal_text(w, null) from withdrawal w
      where w.client_id + 0 = client and w.sequence > bounds.searched_above and w.sequence < bounds.below
        and (list_withdrawals.reference is null or w.reference = list_withdrawals.reference)
        and (list_withdrawals.account_label is null or w.account_label = list_withdrawals.account_label)
      order by w.client_id + 0 desc, w.sequence desc limit most;
    get diagnostics listed = row_count;
    if listed < most and bounds.searched_above > bounds.above then
      return query select bounds.searched_above + 1, null::text;
    end if;
  end if;
end $$;

ALTER FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) OWNER TO gold_book;

--
-- Name: list_withdrawals(integer, timestamp with time zone, timestamp with time zone, text, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) RETURNS TABLE(sequence bigint, body text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT l.sequence,
     l.body
    FROM gold.list_withdrawals(list_withdrawals.client, list_withdrawals.created_after, list_withdrawals.created_before, list_withdrawals.key, list_withdrawals.next_below, list_withdrawals.most, NULL::text, NULL::text) l(sequence, body);
END;

ALTER FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) OWNER TO gold_book;

--
-- Name: lock_accounts(integer[], boolean); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.lock_accounts(clients integer[], wait boolean, OUT locked integer[], OUT accounts gold.account[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform require_read_committed();
  if wait then
    select array_agg((l.a).client_id), array_agg(l.a) into locked, accounts
    from (
      select a from account a
      join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a
    ) l;
  else
    select array_agg((l.a).client_id), array_agg(l.a) into locked, accounts
    from (
      select a from account a
      join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a skip locked
    ) l;
  end if;
end $$;

ALTER FUNCTION gold.lock_accounts(clients integer[], wait boolean, OUT locked integer[], OUT accounts gold.account[]) OWNER TO gold_book;

--
-- Name: lock_deposit(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.lock_deposit(id uuid, OUT found_deposit gold.deposit, OUT holder gold.account) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
begin
  perform require_read_committed();
  select d.* into found_deposit from deposit d where d.id = lock_deposit.id;
  if found_deposit.id is null then
    raise exception 'there is no deposit dep_%', lock_deposit.id using errcode = 'GR404';
  end if;
  select a.* into strict holder from account a where a.bucket = found_deposit.bucket and a.client_id = found_deposit.client_id for no key update;
  -- Read the deposit again, because it may have changed before the lock.
  select d.* into strict found_deposit from deposit d where d.id = lock_deposit.id for no key update;
end $$;

ALTER FUNCTION gold.lock_deposit(id uuid, OUT found_deposit gold.deposit, OUT holder gold.account) OWNER TO gold_book;

--
-- Name: lock_exposure(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.lock_exposure(clock timestamp with time zone) RETURNS gold.vault
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  house vault;
begin
  select v.* into strict house from vault v where v.stripe = 0 for no key update;
  if is_other_day(house.day_ends_at, clock) then
    update vault v set day_ends_at = day_end(clock), day_net = net_of_day(clock)
    where v.stripe = 0 returning v.* into house;
  end if;
  -- An instant that has passed is kept for a minute, because the clock may step back.
  delete from open_exposure e where e.ends_at <= clock - interval '1 minute';
  return house;
end $$;

ALTER FUNCTION gold.lock_exposure(clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: lock_payees(uuid[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.lock_payees(ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform 1 from (
    select from account a join (select distinct w.client_id from withdrawal w where w.id = any (ids)) c on a.bucket = c.client_id % 64 and a.client_id = c.client_id
    order by a.client_id for no key update of a
  ) locked;
end $$;

ALTER FUNCTION gold.lock_payees(ids uuid[]) OWNER TO gold_book;

--
-- Name: lock_price(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.lock_price() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform from price for update;
end $$;

ALTER FUNCTION gold.lock_price() OWNER TO gold_book;

--
-- Name: market_session; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.market_session (
    day smallint NOT NULL,
    opens time without time zone NOT NULL,
    closes time without time zone NOT NULL,
    CONSTRAINT market_session_day CHECK (((day >= 0) AND (day <= 6))),
    CONSTRAINT market_session_span CHECK ((opens < closes))
);

ALTER TABLE gold.market_session OWNER TO gold_owner;

--
-- Name: market_open(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.market_open(at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT COALESCE(( SELECT ((p.halted_at IS NULL) AND (p.always_open OR (EXISTS ( SELECT
                    FROM gold.market_session s
                   WHERE (((s.day)::numeric = EXTRACT(dow FROM (market_open.at AT TIME ZONE 'Asia/Riyadh'::text))) AND (s.opens <= ((market_open.at AT TIME ZONE 'Asia/Riyadh'::text))::time without time zone) AND (((market_open.at AT TIME ZONE 'Asia/Riyadh'::text))::time without time zone < s.closes))))))
            FROM gold.price p), true) AS "coalesce";
END;

ALTER FUNCTION gold.market_open(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: mode_of_change(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.mode_of_change() RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  applied proposal := applied_proposal();
begin
  return case when applied.id is not null then jsonb_build_object('proposal', applied.id)
    when two_people() then '{"mode": "two_people"}' else '{"mode": "single_operator"}' end;
end $$;

ALTER FUNCTION gold.mode_of_change() OWNER TO gold_book;

--
-- Name: move_authority_key(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.move_authority_key(fingerprint text, key_source text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform note('ca.move_key', move_authority_key.fingerprint, jsonb_build_object('key_source', move_authority_key.key_source));
end $$;

ALTER FUNCTION gold.move_authority_key(fingerprint text, key_source text) OWNER TO gold_book;

--
-- Name: move_bar(boolean, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.move_bar(bar_in boolean, fine bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;

ALTER FUNCTION gold.move_bar(bar_in boolean, fine bigint) OWNER TO gold_book;

--
-- Name: net_of_day(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.net_of_day(clock timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  start timestamptz := day_end(clock) - interval '24 hours';
begin
  return (
    select coalesce(sum(a.gold - gold_before(a.client_id, start)), 0)
    from account a where a.client_id <> 0 and a.last_posted_at >= start
  );
end $$;

ALTER FUNCTION gold.net_of_day(clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: new_uuid(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.new_uuid(at timestamp with time zone) RETURNS uuid
    LANGUAGE sql
    RETURN (SELECT (((lpad(to_hex(((EXTRACT(epoch FROM new_uuid.at) * (1000)::numeric))::bigint), 12, '0'::text) || '7'::text) || substr(random.digits, 14)))::uuid AS uuid FROM (SELECT replace((gen_random_uuid())::text, '-'::text, ''::text) AS digits) random);

ALTER FUNCTION gold.new_uuid(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: note(text, text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.note(action text, subject text, detail jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform note_as(session_user, action, subject, detail);
end $$;

ALTER FUNCTION gold.note(action text, subject text, detail jsonb) OWNER TO gold_book;

--
-- Name: note_as(text, text, text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.note_as(actor text, action text, subject text, detail jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  entry audit;
begin
  -- Lock the tail before the row gets its number, so that numbers follow the order of the chain.
  perform from audit_tail for no key update;
  insert into audit (login, action, subject, detail) values (actor, action, subject, mode_of_change() || detail) returning * into entry;
  -- Link only this row. If something other than note_as() inserted a row, verify_audit() reports it
  -- permanently.
  perform link_audit(entry);
end $$;

ALTER FUNCTION gold.note_as(actor text, action text, subject text, detail jsonb) OWNER TO gold_book;

--
-- Name: note_epoch(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.note_epoch() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  newest epoch;
  current_system bigint := (select c.system_identifier from pg_control_system() c);
  current_timeline int := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int;
begin
  select e.* into newest from epoch e order by e.id desc limit 1;
  if (newest.system, newest.timeline) is distinct from (current_system, current_timeline) then
    newest.id := coalesce(newest.id, 0) + 1;
    -- Another worker may have stored the same epoch meanwhile.
    insert into epoch (id, system, timeline, began_at)
    values (newest.id, current_system, current_timeline, ceil_millisecond(clock_timestamp())) on conflict do nothing;
  end if;
  return newest.id;
end $$;

ALTER FUNCTION gold.note_epoch() OWNER TO gold_book;

--
-- Name: number_price(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.number_price() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  new.id := coalesce((select max(h.id) from price_history h), 0) + 1;
  new.stored_at := date_trunc('milliseconds', clock_timestamp());
  if new.band_basis_points is not null and new.as_of > 'epoch' then
    if is_price_approved(new.mid) then
      new.band_from := new.id;
    else
      perform refuse_outside_band(new);
    end if;
  end if;
  return new;
end $$;

ALTER FUNCTION gold.number_price() OWNER TO gold_book;

--
-- Name: open_bar_list(integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.open_bar_list(list integer, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  opened bar_list;
begin
  select list, at, count(*), coalesce(sum(b.fine), 0) into opened.id, opened.created_at, opened.bars, opened.fine from listed_bars(list) b;
  opened.sha256 := sha256(convert_to(bar_list_text(opened), 'UTF8'));
  insert into bar_list select opened.*;
  update vault v set list_id = list;
end $$;

ALTER FUNCTION gold.open_bar_list(list integer, at timestamp with time zone) OWNER TO gold_book;

--
-- Name: quote; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.quote OWNER TO gold_owner;

--
-- Name: open_exposure(gold.quote[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.open_exposure(quoted gold.quote[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  insert into open_exposure as e (ends_at, buys, sells)
  select exposure_slot(q.created_at, q.expires_at), sum(case q.side when 'buy' then q.grams else 0 end),
    sum(case q.side when 'sell' then q.grams else 0 end)
  from unnest(quoted) q group by 1
  on conflict (ends_at) do update set buys = e.buys + excluded.buys, sells = e.sells + excluded.sells;
end $$;

ALTER FUNCTION gold.open_exposure(quoted gold.quote[]) OWNER TO gold_book;

--
-- Name: open_market(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.open_market() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform require_approval('{}', 'market.open');
  update price p set halted_at = null, watched_from = p.id where p.halted_at is not null;
  if not found then
    raise exception 'the circuit breaker has not closed the market' using errcode = 'GR409';
  end if;
  perform note('market.open', 'circuit breaker', jsonb_build_object('price_id', (select p.id from price p)));
end $$;

ALTER FUNCTION gold.open_market() OWNER TO gold_book;

--
-- Name: open_quotes_at(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.open_quotes_at(clock timestamp with time zone) RETURNS TABLE(ends_at timestamp with time zone, buys bigint, sells bigint)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT gold.exposure_slot(q.created_at, q.expires_at) AS exposure_slot,
     (sum(
         CASE q.side
             WHEN 'buy'::gold.side THEN q.grams
             ELSE (0)::bigint
         END))::bigint AS sum,
     (sum(
         CASE q.side
             WHEN 'sell'::gold.side THEN q.grams
             ELSE (0)::bigint
         END))::bigint AS sum
    FROM (gold.account a
      JOIN gold.quote q ON (((q.bucket = a.bucket) AND (q.client_id = a.client_id) AND (q.id >= gold.first_id_at((open_quotes_at.clock - '02:00:00'::interval))))))
   WHERE ((gold.exposure_slot(q.created_at, q.expires_at) > open_quotes_at.clock) AND (NOT (EXISTS ( SELECT
            FROM gold.orders o
           WHERE ((o.bucket = q.bucket) AND (o.client_id = q.client_id) AND (o.id = q.id))))))
   GROUP BY (gold.exposure_slot(q.created_at, q.expires_at));
END;

ALTER FUNCTION gold.open_quotes_at(clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: partner_of(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.partner_of(public text) RETURNS gold.partner
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  found_partner partner;
begin
  select * into found_partner from partner p where p.public_id = public;
  if found_partner.id is null then
    raise exception 'there is no partner %', public using errcode = 'GR404';
  end if;
  return found_partner;
end $$;

ALTER FUNCTION gold.partner_of(public text) OWNER TO gold_book;

--
-- Name: pay_withdrawal(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.pay_withdrawal(id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT gold.advance_withdrawal(id, 'paid'::gold.withdrawal_status, NULL::uuid) AS advance_withdrawal;
END;

ALTER FUNCTION gold.pay_withdrawal(id uuid) OWNER TO gold_book;

--
-- Name: payment_document(uuid, timestamp with time zone, date, uuid[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.payment_document(batch uuid, at timestamp with time zone, day date, ids uuid[]) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
#variable_conflict use_variable
declare
  payer deployment;
  payer_name text;
  paid record;
  totals text;
begin
  if coalesce(cardinality(ids), 0) = 0 then
    raise exception 'a batch must contain at least one withdrawal' using errcode = 'GR409';
  end if;
  select count(*) as count, sum(w.amount) as amount,
    string_agg(payment_element(w, p.name), '' order by w.id) as elements into paid
  from withdrawal w join partner p on p.id = w.client_id where w.id = any (ids);
  if paid.count <> cardinality(ids) then
    raise exception 'the batch names a withdrawal twice, or one that does not exist' using errcode = 'GR404';
  end if;
  select d.* into payer from deployment d;
  if payer.payout_iban is null then
    raise exception 'the account that withdrawals are paid from is not set: run `gold db migrate --payout-name NAME --payout-iban SA… --payout-bic BIC`'
      using errcode = 'GR409';
  elsif payer.payout_bic !~ '^[0-9A-Z]{4}[A-Z]{2}[0-9A-Z]{2}([0-9A-Z]{3})?$' then
    raise exception 'the BIC % of the payout account is invalid: it must have 8 or 11 characters, such as RIBLSARI', payer.payout_bic using errcode = 'GR409';
  end if;
  payer_name := '<Nm>' || payment_text('the name of the payout account', payer.payout_name) || '</Nm>';
  totals := format(E'      <NbOfTxs>%s</NbOfTxs>\n      <CtrlSum>%s</CtrlSum>', paid.count, sar_text(paid.amount));
  return concat_ws(E'\n',
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">',
    '  <CstmrCdtTrfInitn>',
    '    <GrpHdr>',
    '      <MsgId>' || payment_id(batch) || '</MsgId>',
    '      <CreDtTm>' || instant_text(at) || '</CreDtTm>',
    totals,
    '      <InitgPty>',
    '        ' || payer_name,
    '      </InitgPty>',
    '    </GrpHdr>',
    '    <PmtInf>',
    '      <PmtInfId>' || payment_id(batch) || '</PmtInfId>',
    '      <PmtMtd>TRF</PmtMtd>',
    totals,
    '      <ReqdExctnDt>',
    '        <Dt>' || to_char(day, 'YYYY-MM-DD') || '</Dt>',
    '      </ReqdExctnDt>',
    '      <Dbtr>',
    '        ' || payer_name,
    '      </Dbtr>',
    '      <DbtrAcct>',
    '        <Id>',
    '          <IBAN>' || payment_iban('the IBAN of the payout account', payer.payout_iban) || '</IBAN>',
    '        </Id>',
    '      </DbtrAcct>',
    '      <DbtrAgt>',
    '        <FinInstnId>',
    '          <BICFI>' || payer.payout_bic || '</BICFI>',
    '        </FinInstnId>',
    '      </DbtrAgt>',
    paid.elements || '    </PmtInf>',
    '  </CstmrCdtTrfInitn>',
    '</Document>') || E'\n';
end $_$;

ALTER FUNCTION gold.payment_document(batch uuid, at timestamp with time zone, day date, ids uuid[]) OWNER TO gold_book;

--
-- Name: payment_iban(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.payment_iban(what text, value text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
begin
  if value !~ '^SA[0-9]{4}[0-9A-Z]{18}$' or (
    select string_agg(case when c between 'A' and 'Z' then (ascii(c) - 55)::text else c end, '' order by n)::numeric % 97 <> 1
    from regexp_split_to_table(substr(value, 5) || left(value, 4), '') with ordinality letter (c, n))
  then
    raise exception '% is not a valid Saudi IBAN', what using errcode = 'GR409';
  end if;
  return value;
end $_$;

ALTER FUNCTION gold.payment_iban(what text, value text) OWNER TO gold_book;

--
-- Name: payment_id(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.payment_id(id uuid) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN replace((id)::text, '-'::text, ''::text);

ALTER FUNCTION gold.payment_id(id uuid) OWNER TO gold_book;

--
-- Name: payment_text(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.payment_text(what text, value text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  fault text := coalesce(payment_text_fault(value), case when value is null then 'is missing' end);
begin
  if fault is not null then
    raise exception '% %: register it again as the bank knows it', what, fault using errcode = 'GR409';
  end if;
  return replace(replace(replace(replace(normalize(value, NFC), '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;');
end $$;

ALTER FUNCTION gold.payment_text(what text, value text) OWNER TO gold_book;

--
-- Name: sar_text(numeric); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.sar_text(halalas numeric) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (trunc((halalas / (100)::numeric), 2))::text;

ALTER FUNCTION gold.sar_text(halalas numeric) OWNER TO gold_book;

--
-- Name: payment_element(gold.withdrawal, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.payment_element(given gold.withdrawal, name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    RETURN (concat_ws('
'::text, '      <CdtTrfTxInf>', '        <PmtId>', (('          <EndToEndId>'::text || gold.payment_id((given).id)) || '</EndToEndId>'::text), '        </PmtId>', '        <Amt>', (('          <InstdAmt Ccy="SAR">'::text || gold.sar_text(((given).amount)::numeric)) || '</InstdAmt>'::text), '        </Amt>', '        <Cdtr>', (('          <Nm>'::text || gold.payment_text(('the name of the partner of wd_'::text || (given).id), name)) || '</Nm>'::text), '        </Cdtr>', '        <CdtrAcct>', '          <Id>', (('            <IBAN>'::text || gold.payment_iban(('the IBAN of wd_'::text || (given).id), (given).iban)) || '</IBAN>'::text), '          </Id>', '        </CdtrAcct>', CASE WHEN ((given).reference IS NOT NULL) THEN concat_ws('
'::text, '        <RmtInf>', (('          <Ustrd>'::text || gold.payment_text(('the reference of wd_'::text || (given).id), (given).reference)) || '</Ustrd>'::text), '        </RmtInf>') ELSE NULL::text END, '      </CdtTrfTxInf>') || '
'::text);

ALTER FUNCTION gold.payment_element(given gold.withdrawal, name text) OWNER TO gold_book;

--
-- Name: payment_text_fault(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.payment_text_fault(value text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
declare
  normal text := normalize(value, NFC);
  space constant text := '[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]';
  unprintable text := substring(normal from
    '[\u0001-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064'
    '\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001'
    '\U000e0020-\U000e007f\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe\U0003ffff'
    '\U0004fffe\U0004ffff\U0005fffe\U0005ffff\U0006fffe\U0006ffff\U0007fffe\U0007ffff\U0008fffe\U0008ffff\U0009fffe\U0009ffff'
    '\U000afffe\U000affff\U000bfffe\U000bffff\U000cfffe\U000cffff\U000dfffe\U000dffff\U000efffe\U000effff\U000f0000-\U0010ffff]');
begin
  return case
    when unprintable is not null then 'contains the unprintable character U+' || lpad(upper(to_hex(ascii(unprintable))), 4, '0')
    when normal ~ ('^' || space || '|' || space || '$') then 'has leading or trailing spaces'
    when char_length(normal) not between 1 and 140 then 'has ' || char_length(normal) || ' characters; a bank accepts 1 to 140'
  end;
end $_$;

ALTER FUNCTION gold.payment_text_fault(value text) OWNER TO gold_book;

--
-- Name: payments_of(uuid[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.payments_of(ids uuid[]) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    RETURN (SELECT COALESCE(jsonb_agg(jsonb_build_object('withdrawal', w.id, 'client_id', p.public_id, 'amount', (w.amount)::text, 'iban', w.iban) ORDER BY w.id), '[]'::jsonb) AS "coalesce" FROM (gold.withdrawal w JOIN gold.partner p ON ((p.id = w.client_id))) WHERE (w.id = ANY (payments_of.ids)));

ALTER FUNCTION gold.payments_of(ids uuid[]) OWNER TO gold_book;

--
-- Name: post_change(integer, text, text, text, text, text, text, timestamp with time zone, timestamp with time zone, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_change(client integer, type text, login text, approved_by text DEFAULT NULL::text, kind text DEFAULT NULL::text, credential text DEFAULT NULL::text, kid text DEFAULT NULL::text, valid_from timestamp with time zone DEFAULT NULL::timestamp with time zone, valid_until timestamp with time zone DEFAULT NULL::timestamp with time zone, iban text DEFAULT NULL::text, webhook_url text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  holder account;
  at timestamptz;
  id uuid;
begin
  select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client for no key update;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  id := new_uuid(at);
  insert into partner_change (bucket, client_id, sequence, kind, credential, kid, valid_from, valid_until, iban, webhook_url, login, approved_by)
  values (holder.bucket, client, holder.event_sequence + 1, kind, credential, kid, valid_from, valid_until, iban, webhook_url, login, approved_by);
  perform take_sequence(client, holder.event_sequence + 1, at);
  perform post_event(client, holder.event_sequence + 1, id, id, at, type);
end $$;

ALTER FUNCTION gold.post_change(client integer, type text, login text, approved_by text, kind text, credential text, kid text, valid_from timestamp with time zone, valid_until timestamp with time zone, iban text, webhook_url text) OWNER TO gold_book;

--
-- Name: post_credential(integer, text, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_credential(client integer, type text, kind text, credential text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform post_change(client, post_credential.type, w.changed_by, w.approved_by, c.kind, c.credential, c.kid, c.valid_from, c.valid_until)
  from credentials_of(client) c, changer() w where c.kind = post_credential.kind and c.credential = post_credential.credential;
end $$;

ALTER FUNCTION gold.post_credential(client integer, type text, kind text, credential text) OWNER TO gold_book;

--
-- Name: post_event(integer, bigint, uuid, uuid, timestamp with time zone, text, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_event(client integer, sequence bigint, id uuid, subject uuid, at timestamp with time zone, type text, line integer DEFAULT 2) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO gold.event (bucket, client_id, sequence, id, subject, created_at, type, line)
   VALUES ((post_event.client % 64), post_event.client, post_event.sequence, post_event.id, post_event.subject, post_event.at, post_event.type, post_event.line);
 SELECT pg_notify('gold_event'::text, (client)::text) AS pg_notify;
END;

ALTER FUNCTION gold.post_event(client integer, sequence bigint, id uuid, subject uuid, at timestamp with time zone, type text, line integer) OWNER TO gold_book;

--
-- Name: post_expiry_notices(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_expiry_notices(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  clients int[] := array(select distinct d.client_id from due_notices(clock_timestamp()) d order by d.client_id limit most);
  due record;
  holder account;
  at timestamptz;
  notice uuid;
begin
  perform require_read_committed();
  perform from account a join unnest(clients) c (client) on a.bucket = c.client % 64 and a.client_id = c.client
  order by a.client_id for no key update of a;
  for due in
    select * from due_notices(clock_timestamp()) d where d.client_id = any (clients) order by d.client_id, d.expires_at, d.kind, d.credential
  loop
    select a.* into strict holder from account a where a.bucket = due.client_id % 64 and a.client_id = due.client_id;
    at := account_instant(holder, ceil_millisecond(clock_timestamp()));
    notice := new_uuid(at);
    insert into expiry_notice (bucket, client_id, id, kind, credential, expires_at, days_ahead)
    values (holder.bucket, holder.client_id, notice, due.kind, due.credential, due.expires_at, due.days_ahead);
    perform take_sequence(holder.client_id, holder.event_sequence + 1, at);
    perform post_event(holder.client_id, holder.event_sequence + 1, new_uuid(at), notice, at, 'credential.expiring');
  end loop;
  return cardinality(clients);
end $$;

ALTER FUNCTION gold.post_expiry_notices(most integer) OWNER TO gold_book;

--
-- Name: post_first_changes(integer, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_first_changes(client integer, login text, approved_by text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform post_change(client, 'settlement.changed', post_first_changes.login, post_first_changes.approved_by, iban => p.iban) from partner p where p.id = client;
  perform post_change(client, 'webhook_endpoint.changed', post_first_changes.login, post_first_changes.approved_by, webhook_url => p.webhook_url)
  from partner p where p.id = client and p.webhook_url is not null;
  perform post_change(client, 'credential.added', post_first_changes.login, post_first_changes.approved_by, c.kind, c.credential, c.kid, c.valid_from, c.valid_until)
  from (
    select * from credentials_of(client) c
    where c.valid_until is null or c.valid_until > clock_timestamp() order by c.kind, c.valid_from, c.credential
  ) c;
end $$;

ALTER FUNCTION gold.post_first_changes(client integer, login text, approved_by text) OWNER TO gold_book;

--
-- Name: post_funding(gold.account, bigint, uuid, timestamp with time zone, bytea); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_funding(holder gold.account, amount bigint, id uuid, at timestamp with time zone, answer bytea DEFAULT NULL::bytea) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO gold.funding (bucket, client_id, id, sequence, amount, created_at, answer)
   VALUES ((post_funding.holder).bucket, (post_funding.holder).client_id, post_funding.id, ((post_funding.holder).event_sequence + 1), post_funding.amount, post_funding.at, post_funding.answer);
 INSERT INTO gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
   VALUES ((post_funding.holder).bucket, (post_funding.holder).client_id, 1, ((post_funding.holder).event_sequence + 1), 'bank'::gold.book, 'available'::gold.book, 'SAR'::gold.asset, post_funding.amount, ((post_funding.holder).sar_available + post_funding.amount), (post_funding.holder).sar_held, (post_funding.holder).gold, post_funding.at);
 SELECT gold.post_event((holder).client_id, ((holder).event_sequence + 1), id, id, at, 'funding.completed'::text, 2) AS post_event;
END;

ALTER FUNCTION gold.post_funding(holder gold.account, amount bigint, id uuid, at timestamp with time zone, answer bytea) OWNER TO gold_book;

--
-- Name: post_missing_changes(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_missing_changes(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  clients int[] := array(
    select p.id from partner p
    where not exists (select from partner_change c where c.bucket = p.id % 64 and c.client_id = p.id) order by p.id limit most);
begin
  perform lock_accounts(clients, true);
  perform begin_change(client) from unnest(clients) client;
  return cardinality(clients);
end $$;

ALTER FUNCTION gold.post_missing_changes(most integer) OWNER TO gold_book;

--
-- Name: post_transfers(); Type: FUNCTION; Schema: gold; Owner: gold_owner
--

CREATE FUNCTION gold.post_transfers() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  owners int;
  followed int;
  stripes int;
begin
  with moved as (
    select bucket, client_id,
      max(posted_at) as posted_at,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end)::bigint as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end)::bigint as held,
      sum(case when credit = 'gold' then amount when debit = 'gold' then -amount else 0 end)::bigint as gold,
      -- The last transfer and the balances that it states.
      max(array[sequence, leg, sar_available_after, sar_held_after, gold_after]) as last
    from posted
    group by bucket, client_id
  ), followed as (
    update account a
    set event_sequence = moved.last[1],
        last_posted_at = moved.posted_at,
        sar_available = a.sar_available + moved.available,
        sar_held = a.sar_held + moved.held,
        gold = a.gold + moved.gold
    from moved
    where a.bucket = moved.bucket and a.client_id = moved.client_id
      and a.event_sequence < moved.last[1]
      and a.last_posted_at <= moved.posted_at
      and array[a.sar_available + moved.available, a.sar_held + moved.held, a.gold + moved.gold] = moved.last[3:5]
    returning 1
  )
  select (select count(*) from moved), (select count(*) from followed) into owners, followed;
  if owners <> followed then
    raise exception 'a client''s transfers do not match its account: wrong balances, a sequence number that did not increase, or an instant before the last posting' using errcode = 'GB001';
  end if;

  with moved as (
    select stripe, sum(case when credit = 'vault' then amount when debit = 'vault' then -amount else 0 end)::bigint as free
    from posted
    where asset = 'XAU'
    group by stripe
  ), followed as (
    update vault v set free = v.free + moved.free from moved where v.stripe = moved.stripe and moved.free <> 0 returning 1
  )
  select (select count(*) from moved where free <> 0), (select count(*) from followed) into stripes, followed;
  if stripes <> followed then
    raise exception 'the transfers name a stripe that the vault does not have' using errcode = 'GB001';
  end if;
  return null;
end $$;

ALTER FUNCTION gold.post_transfers() OWNER TO gold_owner;

--
-- Name: prepare_payment(uuid[], uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.prepare_payment(ids uuid[], INOUT batch uuid DEFAULT NULL::uuid, OUT prepared_at timestamp with time zone, OUT document text, OUT sha256 text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
begin
  prepared_at := date_trunc('milliseconds', clock_timestamp());
  batch := coalesce(batch, new_uuid(prepared_at));
  document := payment_document(batch, prepared_at, day_in_riyadh(prepared_at), ids);
  sha256 := encode(sha256(convert_to(document, 'UTF8')), 'hex');
end $$;

ALTER FUNCTION gold.prepare_payment(ids uuid[], INOUT batch uuid, OUT prepared_at timestamp with time zone, OUT document text, OUT sha256 text) OWNER TO gold_book;

--
-- Name: present_millisecond(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.present_millisecond() RETURNS timestamp with time zone
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT date_trunc('milliseconds'::text, clock_timestamp()) AS date_trunc;
END;

ALTER FUNCTION gold.present_millisecond() OWNER TO gold_book;

--
-- Name: price_history; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.price_history OWNER TO gold_owner;

--
-- Name: price_line(gold.price_history); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.price_line(given gold.price_history) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((((((((((((((((((('1|'::text || (given).id) || '|'::text) || (given).source) || '|'::text) || (given).mid) || '|'::text) || (given).buy) || '|'::text) || (given).sell) || '|'::text) || (given).spread_basis_points) || '|'::text) || (given).stale_after_seconds) || '|'::text) || (given).quote_ttl_seconds) || '|'::text) || ((EXTRACT(epoch FROM (given).as_of) * (1000)::numeric))::bigint) || '|'::text) || ((EXTRACT(epoch FROM (given).stored_at) * (1000)::numeric))::bigint);

ALTER FUNCTION gold.price_line(given gold.price_history) OWNER TO gold_book;

--
-- Name: settled(integer, boolean, boolean, smallint, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.settled(item integer, own boolean, same boolean, status smallint, body text) RETURNS gold.outcome
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN own THEN ROW(item, 'answered'::text, status, body)::gold.outcome WHEN same THEN ROW(item, 'replayed'::text, status, body)::gold.outcome ELSE ROW(item, 'idempotency_key_conflict'::text, NULL::smallint, NULL::text)::gold.outcome END;

ALTER FUNCTION gold.settled(item integer, own boolean, same boolean, status smallint, body text) OWNER TO gold_book;

--
-- Name: prior_outcome(integer, boolean, uuid, uuid, uuid, boolean, smallint, text, boolean); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.prior_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean) RETURNS gold.outcome
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (settle AND ((known_request = request) OR (spent_by = request))) THEN gold.settled(item, (known_request = request), same, status, body) WHEN (is_admitted IS NOT TRUE) THEN ROW(item, 'admission_changed'::text, NULL::smallint, NULL::text)::gold.outcome ELSE NULL::gold.outcome END;

ALTER FUNCTION gold.prior_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean) OWNER TO gold_book;

--
-- Name: probe_write(boolean); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.probe_write(standby boolean) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    SET work_mem TO '64kB'
    AS $$
declare
  -- The defaults of the database and the role that a new session of this login gets. A session keeps those
  -- from its login, and booking may open a new session at any time.
  defaults jsonb := (
    select jsonb_object_agg(d.name, d.value) from (
      select distinct on (name) split_part(c.setting, '=', 1) as name, split_part(c.setting, '=', 2) as value
      from pg_db_role_setting s cross join unnest(s.setconfig) c (setting)
      where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
        and s.setrole in (0, (select oid from pg_roles where rolname = session_user))
      order by name, s.setrole <> 0 desc, s.setdatabase <> 0 desc
    ) d
  );
  acknowledged_by text := lower(coalesce(defaults->>'synchronous_commit', current_setting('synchronous_commit')));
begin
  if pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
    or (defaults->>'default_transaction_read_only')::boolean then
    raise read_only_sql_transaction using message = 'the database accepts no writes';
  elsif acknowledged_by in ('off', 'local', 'false', 'no', '0') or not current_setting('fsync')::boolean
    or not current_setting('full_page_writes')::boolean then
    raise exception 'the settings can lose acknowledged writes' using errcode = 'GB005';
  elsif standby and (current_setting('synchronous_standby_names') = '' or acknowledged_by = 'remote_write'
      or current_setting('max_wal_senders')::int = 0) then
    return 'no_standby';
  -- Do not commit if a session of this login has waited for the standby for more than 2 s. The probe would
  -- wait as well, and a waiting commit cannot be cancelled safely and occupies its connection.
  elsif exists (select from pg_stat_get_activity(null) a where a.wait_event = 'SyncRep' and a.state_change < clock_timestamp() - interval '2 seconds') then
    return 'no_standby';
  end if;
  -- Read more rows than work_mem holds, so that Postgres writes a temporary file of 40 kB. On a full disk
  -- that fails with disk_full (53100).
  perform count(*) from generate_series(1, 3000);
  perform pg_logical_emit_message(true, 'gold', '');
  return null;
end $$;

ALTER FUNCTION gold.probe_write(standby boolean) OWNER TO gold_book;

--
-- Name: problem_text(text, text, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.problem_text(refusal text, detail text, request uuid) RETURNS text
    LANGUAGE sql STABLE
    RETURN (SELECT (((((((((((((('{"type":"/docs/errors#'::text || p.code) || '","title":'::text) || to_json(p.title)) || ',"status":'::text) || p.status) || ',"detail":'::text) || to_json((problem_text.detail || COALESCE((' This answer is bound to the Idempotency-Key: '::text || CASE p.code WHEN 'not_found'::text THEN 'check the quote_id, or request a new quote and order it with a new key.'::text WHEN 'quote_already_executed'::text THEN 'look up this order before you trade again; another trade needs a new quote and a new key.'::text WHEN 'quote_expired'::text THEN 'request a new quote and order it with a new key.'::text WHEN 'insufficient_funds'::text THEN 'send the request with a new key when GET /v1/balances shows enough.'::text WHEN 'insufficient_gold'::text THEN 'sell at most what GET /v1/balances shows, with a new quote and a new key.'::text WHEN 'insufficient_inventory'::text THEN 'order less, or order later, with a new quote and a new key.'::text WHEN 'limit_exceeded'::text THEN 'send a quantity within the limits with a new key.'::text WHEN 'withdrawal_limit_exceeded'::text THEN 'send it with a new key when the day has ended, or earlier if a smaller amount is within the limit.'::text WHEN 'withdrawal_reference_reused'::text THEN 'look up this withdrawal; a second payment needs another reference and a new key.'::text ELSE NULL::text END), ''::text)))) || ',"code":"'::text) || p.code) || '","request_id":"req_'::text) || problem_text.request) || '","retryable":'::text) || p.retryable) || '}'::text) FROM gold.problem p WHERE (p.code = problem_text.refusal));

ALTER FUNCTION gold.problem_text(refusal text, detail text, request uuid) OWNER TO gold_book;

--
-- Name: proposal_members(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.proposal_members(kind text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN (CASE kind WHEN 'partner.create'::text THEN '{client_id,name,iban,webhook_url,rate_per_second,burst,maximum_grams,ips,secret_hash,webhook_sealed,sealing_key,keys,limits}'::text WHEN 'partner.set'::text THEN '{client_id,name,ips,webhook_url,rate_per_second,burst,maximum_grams,limits}'::text WHEN 'partner.iban'::text THEN '{client_id,iban}'::text WHEN 'partner.resume'::text THEN '{client_id}'::text WHEN 'certificate.issue'::text THEN '{client_id,fingerprint,serial,not_before,not_after,authority,key_hash}'::text WHEN 'signing_key.add'::text THEN '{client_id,thumbprint,kid,jwk}'::text WHEN 'client_secret.rotate'::text THEN '{client_id,hash,overlap_seconds}'::text WHEN 'webhook_secret.rotate'::text THEN '{client_id,sealed,sealing_key,overlap_seconds}'::text WHEN 'price.set'::text THEN '{source,mid,spread_basis_points,stale_after_seconds,url,hours}'::text WHEN 'market.set'::text THEN '{breaker,band,exposure}'::text WHEN 'market.open'::text THEN '{}'::text WHEN 'authority.add'::text THEN '{first,fingerprint,certificate,revocation_list,revocation_next_at}'::text WHEN 'token_key.rotate'::text THEN '{kid,public_jwk,sealed,sealing_key,lead_seconds,overlap_seconds}'::text WHEN 'sealing_key.rotate'::text THEN '{sealing_key,secrets}'::text WHEN 'pepper.rotate'::text THEN '{pepper}'::text WHEN 'vault.add'::text THEN '{serial,refiner,vault,gross,fineness}'::text WHEN 'vault.remove'::text THEN '{serial}'::text WHEN 'deposit.record'::text THEN '{client_id,amount,bank_reference}'::text WHEN 'deposit.reverse'::text THEN '{deposit}'::text WHEN 'payment.submit'::text THEN '{batch,prepared_at,document_sha256,payments}'::text WHEN 'withdrawal.return'::text THEN '{withdrawal}'::text WHEN 'deployment.settle'::text THEN '{environment,public_base_url,loopback_receivers,flood_per_second,webhook_ports,attempts_kept_days}'::text WHEN 'deployment.payout'::text THEN '{name,iban,bic}'::text WHEN 'deployment.defaults'::text THEN '{rate_per_second,burst,limits}'::text WHEN 'recovery.accept'::text THEN '{epoch,losses}'::text WHEN 'operator.add'::text THEN '{name,roles}'::text WHEN 'operator.set'::text THEN '{name,roles}'::text WHEN 'operator.remove'::text THEN '{name}'::text WHEN 'operator_key.add'::text THEN '{login,public_key}'::text WHEN 'registry.adopt'::text THEN '{rows}'::text WHEN 'approval.adopt'::text THEN '{approvals}'::text ELSE NULL::text END)::text[];

ALTER FUNCTION gold.proposal_members(kind text) OWNER TO gold_book;

--
-- Name: proposal_text(gold.proposal); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.proposal_text(given gold.proposal) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN (concat_ws('
'::text, CASE WHEN ((given).deployment IS NULL) THEN 'gold proposal 1'::text ELSE 'gold proposal 2'::text END, (given).deployment, (given).id, (given).kind, (given).proposer, gold.instant_text((given).proposed_at), gold.instant_text((given).expires_at), gold.canonical_json((given).content)) || '
'::text);

ALTER FUNCTION gold.proposal_text(given gold.proposal) OWNER TO gold_book;

--
-- Name: proposal_sha256(gold.proposal); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.proposal_sha256(given gold.proposal) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN encode(sha256(convert_to(gold.proposal_text(given), 'UTF8'::name)), 'hex'::text);

ALTER FUNCTION gold.proposal_sha256(given gold.proposal) OWNER TO gold_book;

--
-- Name: propose(text, jsonb, bytea, text, interval); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.propose(kind text, content jsonb, secrets bytea DEFAULT NULL::bytea, sealing_key text DEFAULT NULL::text, lifetime interval DEFAULT '3 days'::interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
#variable_conflict use_variable
declare
  at timestamptz := ceil_millisecond(clock_timestamp());
  made proposal;
begin
  perform require_read_committed();
  perform require_role_of(session_user, kind, false);
  if lifetime <= interval '0' then
    raise exception 'the change could be made only until %: run the command again', instant_text(at + lifetime) using errcode = 'GR409';
  elsif lifetime > interval '7 days' then
    raise exception 'a proposal expires after at most 7 days' using errcode = 'GR409';
  elsif session_user !~ '^[!-~]+$' then
    raise exception 'the login of a proposer must consist of visible ASCII characters' using errcode = 'GR409';
  end if;
  -- A price is right only for minutes. Market hours alone are no price.
  if kind = 'price.set' and content ? 'source' then
    lifetime := least(lifetime, interval '15 minutes');
  end if;
  insert into proposal (id, kind, content, proposed_at, expires_at, secrets, sealing_key, deployment)
  values (new_uuid(at), kind, content, at, at + lifetime, secrets, sealing_key, (select d.id from deployment d)) returning * into made;
  perform try_proposal(made);
  id := made.id;
  sha256 := proposal_sha256(made);
  expires_at := made.expires_at;
  perform note('proposal.propose', id::text, jsonb_strip_nulls(jsonb_build_object('kind', kind, 'sha256', sha256,
    'sealing_key', sealing_key, 'secrets_sha256', hash_text(secrets))));
end $_$;

ALTER FUNCTION gold.propose(kind text, content jsonb, secrets bytea, sealing_key text, lifetime interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: public_key_fault(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.public_key_fault(jwk jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
declare
  prime constant numeric := 115792089210356248762697446949407573530086143415290314195533631308867097853951;
  b constant numeric := 41058363725152142129326129780047268409114441015993725554835256314039467401291;
  -- 43 characters with 258 bits. The last two bits must be zero, because one coordinate would otherwise have
  -- four spellings.
  coordinate constant text := '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$';
  x numeric;
  y numeric;
begin
  if jsonb_typeof(jwk) is distinct from 'object' then
    return 'it is not a JSON object';
  elsif jwk ->> 'kty' is distinct from 'EC' or jwk ->> 'crv' is distinct from 'P-256' then
    return 'kty must be EC and crv must be P-256';
  elsif jwk - array['kty', 'crv', 'x', 'y'] <> '{}' then
    return 'it has members other than kty, crv, x and y';
  elsif coalesce(jwk ->> 'x', '') !~ coordinate or coalesce(jwk ->> 'y', '') !~ coordinate then
    return 'x and y must each be 32 bytes in base64url without padding';
  end if;
  x := coordinate_value(jwk ->> 'x');
  y := coordinate_value(jwk ->> 'y');
  if x >= prime or y >= prime or mod(y * y, prime) <> mod(x * x * x + (prime - 3) * x + b, prime) then
    return 'x and y are not a point of P-256';
  end if;
  return null;
end $_$;

ALTER FUNCTION gold.public_key_fault(jwk jsonb) OWNER TO gold_book;

--
-- Name: public_key_fingerprint(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.public_key_fingerprint(public_key text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
declare
  blob bytea;
begin
  if public_key ~ '^(ssh-ed25519|ecdsa-sha2-nistp256|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com) [A-Za-z0-9+/]{40,255}={0,2}$' then
    blob := decode_base64(split_part(public_key, ' ', 2));
  end if;
  if blob is null then
    raise exception 'the public key must be an OpenSSH key without a comment, of a supported type: ssh-ed25519, ecdsa-sha2-nistp256, or sk- for a security key'
      using errcode = 'GR409';
  end if;
  return key_fingerprint(blob);
end $_$;

ALTER FUNCTION gold.public_key_fingerprint(public_key text) OWNER TO gold_book;

--
-- Name: public_of(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.public_of(client integer) RETURNS text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT p.public_id
    FROM gold.partner p
   WHERE (p.id = public_of.client);
END;

ALTER FUNCTION gold.public_of(client integer) OWNER TO gold_book;

--
-- Name: quote_text(gold.quote, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.quote_text(given gold.quote, status text) RETURNS text
    LANGUAGE sql STABLE
    RETURN (((((((((((((((((('{"quote_id":"qt_'::text || (given).id) || '","side":"'::text) || (given).side) || '","gold_grams":'::text) || gold.decimal_text((given).grams, 0.0001)) || ',"price_per_gram_sar":'::text) || gold.decimal_text((given).price, 0.0001)) || ',"total_sar":'::text) || gold.decimal_text((given).total, 0.01)) || ',"status":"'::text) || status) || '","created_at":"'::text) || gold.instant_text((given).created_at)) || '","expires_at":"'::text) || gold.instant_text((given).expires_at)) || '"'::text) || gold.partner_texts((given).reference, (given).account_label)) || '}'::text);

ALTER FUNCTION gold.quote_text(given gold.quote, status text) OWNER TO gold_book;

--
-- Name: raises_limit(jsonb, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.raises_limit(before jsonb, given jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM jsonb_each_text(raises_limit.given) g(key, value)
           WHERE (((raises_limit.before ->> g.key) IS NOT NULL) AND ((g.value IS NULL) OR ((g.value)::numeric > ((raises_limit.before ->> g.key))::numeric))))) AS "exists";
END;

ALTER FUNCTION gold.raises_limit(before jsonb, given jsonb) OWNER TO gold_book;

--
-- Name: allowed_ip; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.allowed_ip (
    partner_id integer NOT NULL,
    range cidr NOT NULL
);

ALTER TABLE gold.allowed_ip OWNER TO gold_owner;

--
-- Name: registry_version; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.registry_version (
    one boolean DEFAULT true NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT registry_version_one CHECK (one)
);

ALTER TABLE gold.registry_version OWNER TO gold_owner;

--
-- Name: read_addresses(bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_addresses(known_version bigint) RETURNS TABLE(version bigint, partners jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT v.version,
         CASE
             WHEN (v.version IS DISTINCT FROM read_addresses.known_version) THEN COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.public_id, 'ranges', COALESCE(( SELECT jsonb_agg((i.range)::text) AS jsonb_agg
                        FROM gold.allowed_ip i
                       WHERE (i.partner_id = p.id)), '[]'::jsonb)) ORDER BY p.id) AS jsonb_agg
                FROM gold.partner p
               WHERE (p.suspended_at IS NULL)), '[]'::jsonb)
             ELSE NULL::jsonb
         END AS "case"
    FROM gold.registry_version v;
END;

ALTER FUNCTION gold.read_addresses(known_version bigint) OWNER TO gold_book;

--
-- Name: read_approvals(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_approvals() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN gold.approvals_of(VARIADIC ARRAY['partner.create'::text, 'partner.set'::text, 'partner.iban'::text, 'certificate.issue'::text, 'signing_key.add'::text, 'client_secret.rotate'::text, 'authority.add'::text, 'deployment.payout'::text, 'registry.adopt'::text]);

ALTER FUNCTION gold.read_approvals() OWNER TO gold_book;

--
-- Name: read_archive(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_archive() RETURNS TABLE(archiving boolean, newest_at timestamp with time zone, age_seconds double precision, waiting bigint, failing boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  -- The name of a WAL file has 8 digits each for its timeline, its log and its file in this log.
  files_per_log bigint := 4294967296 / pg_size_bytes(current_setting('wal_segment_size'));
  current_file text := pg_walfile_name(pg_current_wal_insert_lsn());
  archived pg_stat_archiver;
begin
  select a.* into archived from pg_stat_archiver a;
  archiving := current_setting('archive_mode') <> 'off'
    and (current_setting('archive_command') <> '' or coalesce(current_setting('archive_library', true), '') <> '');
  newest_at := coalesce(archived.last_archived_time, pg_postmaster_start_time());
  age_seconds := extract(epoch from clock_timestamp() - newest_at);
  failing := coalesce(archived.last_failed_time > archived.last_archived_time, archived.last_failed_time is not null);
  -- A history file, which a new timeline archives first, has no number.
  waiting := case when archived.last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0,
    (select sum((('x' || substr(f.name, 9, 8))::bit(32)::bigint * files_per_log + ('x' || substr(f.name, 17, 8))::bit(32)::bigint) * f.sign)
     from (values (current_file, 1), (archived.last_archived_wal, -1)) f (name, sign)) - 1)
  else 0 end;
  return next;
end $$;

ALTER FUNCTION gold.read_archive() OWNER TO gold_book;

--
-- Name: read_backlog(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_backlog() RETURNS TABLE(waiting bigint, oldest_seconds double precision, parked bigint, disabled bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT (COALESCE(sum(p.waiting), (0)::numeric))::bigint AS "coalesce",
     (COALESCE(EXTRACT(epoch FROM (clock_timestamp() - min(p.oldest))), (0)::numeric))::double precision AS "coalesce",
     ( SELECT count(*) AS count
            FROM gold.retry r
           WHERE (r.parked_at IS NOT NULL)) AS count,
     count(*) FILTER (WHERE p.is_disabled) AS count
    FROM ( SELECT (((a.event_sequence - COALESCE(n.passed, (0)::bigint)) + r.due) - r.ahead) AS waiting,
             (n.disabled_at IS NOT NULL) AS is_disabled,
             ( SELECT e.created_at
                    FROM gold.event e
                   WHERE ((n.disabled_at IS NULL) AND (e.bucket = a.bucket) AND (e.client_id = a.client_id) AND (e.sequence = LEAST(r.first, (COALESCE(n.passed, (0)::bigint) + 1))))) AS oldest
            FROM (((gold.partner o
              JOIN gold.account a ON (((a.bucket = (o.id % 64)) AND (a.client_id = o.id))))
              LEFT JOIN gold.endpoint n ON (((n.bucket = a.bucket) AND (n.client_id = a.client_id))))
              CROSS JOIN LATERAL ( SELECT count(r_1.due_at) AS due,
                     count(*) FILTER (WHERE (r_1.sequence > COALESCE(n.passed, (0)::bigint))) AS ahead,
                     min(r_1.sequence) FILTER (WHERE (r_1.due_at IS NOT NULL)) AS first
                    FROM gold.retry r_1
                   WHERE ((r_1.bucket = a.bucket) AND (r_1.client_id = a.client_id))) r)
           WHERE (o.webhook_url IS NOT NULL)) p;
END;

ALTER FUNCTION gold.read_backlog() OWNER TO gold_book;

--
-- Name: read_chain_key(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_chain_key(client integer) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT (((('{"client_number":'::text || p.id) || ',"chain_key":"'::text) || encode(p.chain_key, 'hex'::text)) || '"}'::text)
    FROM gold.partner p
   WHERE (p.id = read_chain_key.client);
END;

ALTER FUNCTION gold.read_chain_key(client integer) OWNER TO gold_book;

--
-- Name: read_credentials(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_credentials(client integer) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT (((((((('{"certificates":['::text || COALESCE(( SELECT string_agg((((((((('{"sha256":"'::text || c.fingerprint) || '","expires_at":"'::text) || gold.instant_text(c.not_after)) || '","revoked_at":'::text) || COALESCE((('"'::text || gold.instant_text(c.revoked_at)) || '"'::text), 'null'::text)) || ','::text) || gold.life_text(c.not_before, NULL::timestamp with time zone, c.last_used_at)) || '}'::text), ','::text ORDER BY c.not_before, c.fingerprint) AS string_agg
            FROM gold.certificate c
           WHERE (c.partner_id = read_credentials.client)), ''::text)) || '],"signing_keys":['::text) || COALESCE(( SELECT string_agg((((((('{"kid":'::text || to_json(COALESCE(k.kid, k.thumbprint))) || ',"thumbprint":'::text) || to_json(k.thumbprint)) || ','::text) || gold.life_text(k.not_before, k.retire_at, k.last_used_at)) || '}'::text), ','::text ORDER BY k.not_before, k.thumbprint) AS string_agg
            FROM gold.signing_key k
           WHERE (k.partner_id = read_credentials.client)), ''::text)) || '],"client_secrets":['::text) || COALESCE(( SELECT string_agg((((('{"secret_id":"'::text || s.id) || '",'::text) || gold.life_text(s.not_before, s.retire_at, s.last_used_at)) || '}'::text), ','::text ORDER BY s.id) AS string_agg
            FROM gold.client_secret s
           WHERE (s.partner_id = read_credentials.client)), ''::text)) || '],"webhook_secrets":['::text) || COALESCE(( SELECT string_agg((((('{"secret_id":"'::text || s.id) || '",'::text) || gold.life_text(s.not_before, s.retire_at, s.last_used_at)) || '}'::text), ','::text ORDER BY s.id) AS string_agg
            FROM gold.webhook_secret s
           WHERE (s.partner_id = read_credentials.client)), ''::text)) || ']}'::text);
END;

ALTER FUNCTION gold.read_credentials(client integer) OWNER TO gold_book;

--
-- Name: withdrawals_since(integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.withdrawals_since(client integer, since timestamp with time zone, OUT requested integer, OUT withdrawn bigint) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  select count(*), coalesce(sum(w.amount), 0) into requested, withdrawn from withdrawal w
  where w.client_id + 0 = client and w.sequence > sequence_at(client, since - interval '1 millisecond');
end $$;

ALTER FUNCTION gold.withdrawals_since(client integer, since timestamp with time zone, OUT requested integer, OUT withdrawn bigint) OWNER TO gold_book;

--
-- Name: open_exposure; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.open_exposure (
    ends_at timestamp(3) with time zone NOT NULL,
    buys bigint NOT NULL,
    sells bigint NOT NULL,
    CONSTRAINT open_exposure_not_negative CHECK (((buys >= 0) AND (sells >= 0)))
);

ALTER TABLE gold.open_exposure OWNER TO gold_owner;

--
-- Name: read_day_limits(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_day_limits(client integer) RETURNS TABLE(maximum_withdrawals integer, maximum_withdrawn bigint, withdrawals integer, withdrawn bigint, maximum_net_grams bigint, net_buys bigint, net_sells bigint, limits_exposure boolean, buys_open boolean, sells_open boolean, halted_at timestamp with time zone, resets_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    BEGIN ATOMIC
 SELECT p.maximum_daily_withdrawals,
     p.maximum_daily_withdrawn,
     w.requested,
     w.withdrawn,
     l.maximum_net_grams,
     ((a.gold - b.gold) + q.buys),
     ((b.gold - a.gold) + q.sells),
     (v.maximum_exposure IS NOT NULL),
     (gold.coarse_exposure((e.net + e.buys), v.maximum_exposure) < v.maximum_exposure),
     (gold.coarse_exposure((e.sells - e.net), v.maximum_exposure) < v.maximum_exposure),
     ( SELECT c.halted_at
            FROM gold.price c) AS halted_at,
     d.ends_at
    FROM ((((((((( SELECT c.clock,
             gold.day_end(c.clock) AS ends_at
            FROM ( SELECT clock_timestamp() AS clock) c) d
      JOIN gold.partner p ON ((p.id = read_day_limits.client)))
      JOIN gold.account a ON (((a.bucket = (p.id % 64)) AND (a.client_id = p.id))))
      LEFT JOIN gold.allowance l ON (((l.bucket = a.bucket) AND (l.client_id = a.client_id))))
      CROSS JOIN LATERAL gold.withdrawals_since(p.id, (d.ends_at - '1 day'::interval)) w(requested, withdrawn))
      CROSS JOIN LATERAL ( SELECT gold.gold_before(p.id, (d.ends_at - '1 day'::interval)) AS gold) b)
      CROSS JOIN LATERAL ( SELECT (COALESCE(sum(o.grams) FILTER (WHERE (o.side = 'buy'::gold.side)), (0)::numeric))::bigint AS buys,
             (COALESCE(sum(o.grams) FILTER (WHERE (o.side = 'sell'::gold.side)), (0)::numeric))::bigint AS sells
            FROM gold.quote o
           WHERE ((o.bucket = a.bucket) AND (o.client_id = a.client_id) AND (o.id >= l.open_from) AND (o.expires_at > d.clock) AND (NOT (EXISTS ( SELECT
                    FROM gold.orders x
                   WHERE ((x.bucket = o.bucket) AND (x.client_id = o.client_id) AND (x.id = o.id))))))) q)
      JOIN gold.vault v ON ((v.stripe = 0)))
      CROSS JOIN LATERAL ( SELECT
                 CASE
                     WHEN (d.clock < v.day_ends_at) THEN v.day_net
                     ELSE (0)::bigint
                 END AS net,
             (COALESCE(sum(s.buys), (0)::numeric))::bigint AS buys,
             (COALESCE(sum(s.sells), (0)::numeric))::bigint AS sells
            FROM gold.open_exposure s
           WHERE (s.ends_at > d.clock)) e);
END;

ALTER FUNCTION gold.read_day_limits(client integer) OWNER TO gold_book;

--
-- Name: read_first_approvals(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_first_approvals() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN gold.approvals_of(VARIADIC ARRAY['version 1'::text]);

ALTER FUNCTION gold.read_first_approvals() OWNER TO gold_book;

--
-- Name: read_key_approvals(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_key_approvals() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN gold.approvals_of(VARIADIC '{}'::text[]);

ALTER FUNCTION gold.read_key_approvals() OWNER TO gold_book;

--
-- Name: read_limits(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_limits(client integer) RETURNS TABLE(maximum_open_quotes integer, maximum_open_grams bigint, maximum_daily_records integer, open_quotes bigint, open_grams bigint, records bigint, resets_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    BEGIN ATOMIC
 SELECT l.maximum_open_quotes,
     l.maximum_open_grams,
     l.maximum_daily_records,
     q.number,
     q.grams,
         CASE
             WHEN (c.clock < l.day_ends_at) THEN GREATEST((l.records - o.number), (0)::bigint)
             ELSE (0)::bigint
         END AS "case",
     gold.day_end(c.clock) AS day_end
    FROM (((gold.allowance l
      CROSS JOIN ( SELECT clock_timestamp() AS clock) c)
      CROSS JOIN LATERAL ( SELECT count(*) AS number,
             (COALESCE(sum(q_1.grams), (0)::numeric))::bigint AS grams
            FROM gold.quote q_1
           WHERE ((q_1.bucket = l.bucket) AND (q_1.client_id = l.client_id) AND (q_1.id >= l.open_from) AND (q_1.expires_at > c.clock) AND (NOT (EXISTS ( SELECT
                    FROM gold.orders o_1
                   WHERE ((o_1.bucket = q_1.bucket) AND (o_1.client_id = q_1.client_id) AND (o_1.id = q_1.id))))))) q)
      CROSS JOIN LATERAL ( SELECT count(*) AS number
            FROM gold.orders o_1
           WHERE (((o_1.client_id + 0) = l.client_id) AND (o_1.sequence > l.counted_sequence) AND (o_1.id >=
                 CASE
                     WHEN isfinite(l.day_ends_at) THEN gold.first_id_at((l.day_ends_at - '24:00:00'::interval))
                     ELSE NULL::uuid
                 END))) o)
   WHERE ((l.bucket = (read_limits.client % 64)) AND (l.client_id = read_limits.client));
END;

ALTER FUNCTION gold.read_limits(client integer) OWNER TO gold_book;

--
-- Name: read_payee_approvals(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_payee_approvals() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN gold.approvals_of(VARIADIC ARRAY['partner.create'::text, 'partner.set'::text, 'partner.iban'::text, 'deployment.payout'::text, 'registry.adopt'::text]);

ALTER FUNCTION gold.read_payee_approvals() OWNER TO gold_book;

--
-- Name: token_key; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.token_key (
    kid text NOT NULL COLLATE pg_catalog."C",
    public_jwk jsonb NOT NULL,
    sealed bytea NOT NULL,
    sealing_key text NOT NULL COLLATE pg_catalog."C",
    not_before timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    retire_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone
);

ALTER TABLE gold.token_key OWNER TO gold_owner;

--
-- Name: read_registry(bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_registry(known_version bigint) RETURNS TABLE(version bigint, at timestamp with time zone, document jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT v.version,
     clock_timestamp() AS clock_timestamp,
         CASE
             WHEN (v.version IS DISTINCT FROM read_registry.known_version) THEN ( SELECT jsonb_build_object('environment', d.environment, 'public_base_url', d.public_base_url, 'loopback_receivers', d.loopback_receivers, 'webhook_ports', to_jsonb(d.webhook_ports), 'receivers', COALESCE(( SELECT jsonb_agg(p.id) AS jsonb_agg
                        FROM gold.partner p
                       WHERE (p.webhook_url IS NOT NULL)), '[]'::jsonb), 'token_keys', COALESCE(( SELECT jsonb_agg(jsonb_build_object('kid', t.kid, 'public_jwk', t.public_jwk, 'sealed', encode(t.sealed, 'base64'::text), 'sealing_key', t.sealing_key, 'not_before', t.not_before, 'retire_at', t.retire_at) ORDER BY t.not_before, t.kid) AS jsonb_agg
                        FROM gold.token_key t), '[]'::jsonb), 'partners', COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'public_id', p.public_id, 'suspended', (p.suspended_at IS NOT NULL), 'rate_per_second', p.rate_per_second, 'burst', p.burst, 'maximum_grams', (p.maximum_grams)::text, 'admission_version', (a.admission_version)::text, 'simulations', a.simulations, 'ips', COALESCE(( SELECT jsonb_agg((i.range)::text) AS jsonb_agg
                                FROM gold.allowed_ip i
                               WHERE (i.partner_id = p.id)), '[]'::jsonb), 'certificates', COALESCE(( SELECT jsonb_agg(jsonb_build_object('fingerprint', c.fingerprint, 'not_before', c.not_before, 'not_after', c.not_after, 'revoked', (c.revoked_at IS NOT NULL))) AS jsonb_agg
                                FROM gold.certificate c
                               WHERE (c.partner_id = p.id)), '[]'::jsonb), 'secrets', COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', s.id, 'hash', encode(s.hash, 'hex'::text), 'not_before', s.not_before, 'retire_at', s.retire_at)) AS jsonb_agg
                                FROM gold.client_secret s
                               WHERE (s.partner_id = p.id)), '[]'::jsonb), 'signing_keys', COALESCE(( SELECT jsonb_agg(jsonb_build_object('thumbprint', k.thumbprint, 'kid', k.kid, 'jwk', k.jwk, 'not_before', k.not_before, 'retire_at', k.retire_at)) AS jsonb_agg
                                FROM gold.signing_key k
                               WHERE (k.partner_id = p.id)), '[]'::jsonb)) ORDER BY p.id) AS jsonb_agg
                        FROM (gold.partner p
                          JOIN gold.account a ON (((a.bucket = (p.id % 64)) AND (a.client_id = p.id))))), '[]'::jsonb)) AS jsonb_build_object
                FROM gold.deployment d)
             ELSE NULL::jsonb
         END AS "case"
    FROM gold.registry_version v;
END;

ALTER FUNCTION gold.read_registry(known_version bigint) OWNER TO gold_book;

--
-- Name: read_registry_approvals(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_registry_approvals() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN gold.approvals_of(VARIADIC ARRAY['partner.create'::text, 'partner.set'::text, 'certificate.issue'::text, 'signing_key.add'::text, 'client_secret.rotate'::text, 'registry.adopt'::text]);

ALTER FUNCTION gold.read_registry_approvals() OWNER TO gold_book;

--
-- Name: read_reserves(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_reserves() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  due timestamptz := clock - interval '1 hour';
begin
  if not exists (select from published_reserves p where p.as_of > due) then
    begin
      -- Do not wait for a synchronous standby, because this is a read. If the figure is lost in a failover,
      -- the next reader publishes another one.
      perform set_config('synchronous_commit', 'local', true);
      -- Publish the figure. If several readers get here at once, the first publishes, and the others wait for
      -- its commit and change nothing.
      insert into published_reserves as p (as_of, body) values (clock, compute_reserves(clock))
      on conflict (one) do update set as_of = excluded.as_of, body = excluded.body where p.as_of <= due;
    exception when read_only_sql_transaction or disk_full then
      -- On a replica, or without disk space, keep the last figure with its `as_of`.
    end;
  end if;
  return (select p.body from published_reserves p);
end $$;

ALTER FUNCTION gold.read_reserves() OWNER TO gold_book;

--
-- Name: authority; Type: TABLE; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.authority OWNER TO gold_owner;

--
-- Name: read_rows(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_rows() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN (SELECT jsonb_build_object('partners', (r.document -> 'partners'::text), 'authorities', COALESCE((SELECT jsonb_agg(a.certificate ORDER BY a.created_at) AS jsonb_agg FROM gold.authority a WHERE (a.retired_at IS NULL)), '[]'::jsonb), 'payees', COALESCE((SELECT jsonb_agg(jsonb_build_object('client_id', p.public_id, 'name', p.name, 'iban', p.iban) ORDER BY p.id) AS jsonb_agg FROM gold.partner p), '[]'::jsonb), 'payer', (SELECT jsonb_build_object('name', d.payout_name, 'iban', d.payout_iban, 'bic', d.payout_bic) AS jsonb_build_object FROM gold.deployment d WHERE (d.payout_iban IS NOT NULL))) AS jsonb_build_object FROM gold.read_registry(NULL::bigint) r(version, at, document));

ALTER FUNCTION gold.read_rows() OWNER TO gold_book;

--
-- Name: read_sealed(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_sealed() RETURNS TABLE(kind text, id text, sealed bytea, sealing_key text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT 'webhook_secret'::text,
     (w.id)::text AS id,
     w.sealed,
     w.sealing_key
    FROM gold.webhook_secret w
   WHERE ((w.retire_at IS NULL) OR (w.retire_at > clock_timestamp()))
 UNION ALL
  SELECT 'token_key'::text,
     t.kid,
     t.sealed,
     t.sealing_key
    FROM gold.token_key t
   WHERE ((t.retire_at IS NULL) OR (t.retire_at > clock_timestamp()));
END;

ALTER FUNCTION gold.read_sealed() OWNER TO gold_book;

--
-- Name: read_sending(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_sending() RETURNS TABLE(failing bigint, unsent_seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT count(*) FILTER (WHERE (p.failures > 0)) AS count,
     (COALESCE(EXTRACT(epoch FROM (clock_timestamp() - min(p.oldest_unsent) FILTER (WHERE (p.failures = 0)))), (0)::numeric))::double precision AS "coalesce"
    FROM ( SELECT COALESCE(n.failures, 0) AS failures,
             ( SELECT e.created_at
                    FROM gold.event e
                   WHERE ((e.bucket = a.bucket) AND (e.client_id = a.client_id) AND (e.sequence = (COALESCE(n.passed, (0)::bigint) + 1)))) AS oldest_unsent
            FROM ((gold.partner o
              JOIN gold.account a ON (((a.bucket = (o.id % 64)) AND (a.client_id = o.id))))
              LEFT JOIN gold.endpoint n ON (((n.bucket = a.bucket) AND (n.client_id = a.client_id))))
           WHERE ((o.webhook_url IS NOT NULL) AND (n.disabled_at IS NULL))) p;
END;

ALTER FUNCTION gold.read_sending() OWNER TO gold_book;

--
-- Name: read_simulated_price(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_simulated_price(client integer) RETURNS TABLE(buy bigint, sell bigint, as_of timestamp with time zone, stale boolean, market_open boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select b.unit_price, s.unit_price, case when p.source = 'fixed' then c.clock else p.as_of end, b.unpriced, not b.shut
  from price p
  cross join (select clock_timestamp() as clock) c
  join account a on a.bucket = client % 64 and a.client_id = client
  cross join simulated_market(a, 'buy', c.clock, p.buy, not market_open(c.clock), is_stale(p, c.clock)) b
  cross join simulated_market(a, 'sell', c.clock, p.sell, not market_open(c.clock), is_stale(p, c.clock)) s
$$;

ALTER FUNCTION gold.read_simulated_price(client integer) OWNER TO gold_book;

--
-- Name: read_simulations(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_simulations(client integer) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select simulations_text(a, clock_timestamp()) from account a where a.bucket = client % 64 and a.client_id = client
$$;

ALTER FUNCTION gold.read_simulations(client integer) OWNER TO gold_book;

--
-- Name: read_trust(bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_trust(known_version bigint) RETURNS TABLE(version bigint, document jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT v.version,
         CASE
             WHEN (v.version IS DISTINCT FROM read_trust.known_version) THEN ( SELECT jsonb_build_object('authorities', COALESCE(jsonb_agg(jsonb_build_object('certificate', a.certificate, 'revocation_list', a.revocation_list, 'revocation_next_at', a.revocation_next_at) ORDER BY a.created_at, a.fingerprint), '[]'::jsonb)) AS jsonb_build_object
                FROM gold.authority a
               WHERE (a.retired_at IS NULL))
             ELSE NULL::jsonb
         END AS "case"
    FROM gold.registry_version v;
END;

ALTER FUNCTION gold.read_trust(known_version bigint) OWNER TO gold_book;

--
-- Name: read_trust_approvals(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.read_trust_approvals() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    RETURN gold.approvals_of(VARIADIC ARRAY['authority.add'::text, 'partner.create'::text, 'partner.set'::text, 'registry.adopt'::text]);

ALTER FUNCTION gold.read_trust_approvals() OWNER TO gold_book;

--
-- Name: record_deposit(text, bigint, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.record_deposit(public text, amount bigint, bank_reference text, OUT id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  applied proposal := applied_proposal();
  subject partner;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'amount', amount::text, 'bank_reference', bank_reference), 'deposit.record');
  if applied.id is null then
    id := record_deposit_as(session_user, public, amount, bank_reference);
    return;
  end if;
  -- Lock the account before the audit trail, as every other change of money does. Otherwise, two of them
  -- could deadlock.
  subject := partner_of(public);
  perform from account a where a.bucket = subject.id % 64 and a.client_id = subject.id for no key update;
  id := record_deposit_as(applied.proposer, public, amount, bank_reference);
  -- propose() tries the change before anybody has approved it, so decided_by can be null.
  perform approve_deposit_as(coalesce(applied.decided_by, 'the approver'), id);
end $$;

ALTER FUNCTION gold.record_deposit(public text, amount bigint, bank_reference text, OUT id uuid) OWNER TO gold_book;

--
-- Name: record_deposit_as(text, text, bigint, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.record_deposit_as(actor text, public text, amount bigint, bank_reference text, OUT id uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  subject partner := partner_of(public);
  known deposit;
begin
  if record_deposit_as.amount <= 0 or record_deposit_as.amount > 99999999999999 then
    raise exception 'the amount of a deposit must be more than 0 and at most 999999999999.99 SAR' using errcode = 'GR409';
  end if;
  record_deposit_as.id := new_uuid(clock_timestamp());
  insert into deposit (bucket, client_id, id, amount, bank_reference, recorded_at, recorded_by)
  values (subject.id % 64, subject.id, record_deposit_as.id, record_deposit_as.amount, record_deposit_as.bank_reference, clock_timestamp(), actor)
  on conflict (bank_reference) where reversed_at is null do nothing;
  if not found then
    select d.* into known from deposit d where d.bank_reference = record_deposit_as.bank_reference and d.reversed_at is null;
    raise exception 'the bank reference % is on record already, as dep_%', record_deposit_as.bank_reference, known.id using errcode = 'GR409';
  end if;
  perform note_as(actor, 'deposit.record', public, jsonb_build_object('deposit', 'dep_' || record_deposit_as.id, 'amount', record_deposit_as.amount,
    'bank_reference', record_deposit_as.bank_reference));
end $$;

ALTER FUNCTION gold.record_deposit_as(actor text, public text, amount bigint, bank_reference text, OUT id uuid) OWNER TO gold_book;

--
-- Name: record_use(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.record_use(uses jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 WITH due AS (
          SELECT c_1.fingerprint,
             u.at
            FROM (gold.certificate c_1
              JOIN jsonb_to_recordset(record_use.uses) u(kind text, id text, at timestamp with time zone) ON (((u.kind = 'certificate'::text) AND (u.id = c_1.fingerprint))))
           WHERE ((c_1.last_used_at IS NULL) OR (c_1.last_used_at <= (u.at - '00:01:00'::interval)))
          FOR UPDATE OF c_1 SKIP LOCKED
         )
  UPDATE gold.certificate c SET last_used_at = due.at
    FROM due
   WHERE (c.fingerprint = due.fingerprint);
 WITH due AS (
          SELECT s_1.id,
             u.at
            FROM (gold.client_secret s_1
              JOIN jsonb_to_recordset(record_use.uses) u(kind text, id text, at timestamp with time zone) ON (((u.kind = 'client_secret'::text) AND (u.id = (s_1.id)::text))))
           WHERE ((s_1.last_used_at IS NULL) OR (s_1.last_used_at <= (u.at - '00:01:00'::interval)))
          FOR UPDATE OF s_1 SKIP LOCKED
         )
  UPDATE gold.client_secret s SET last_used_at = due.at
    FROM due
   WHERE (s.id = due.id);
 WITH due AS (
          SELECT k_1.partner_id,
             k_1.thumbprint,
             u.at
            FROM (gold.signing_key k_1
              JOIN jsonb_to_recordset(record_use.uses) u(kind text, partner integer, id text, at timestamp with time zone) ON (((u.kind = 'signing_key'::text) AND (u.partner = k_1.partner_id) AND (u.id = k_1.thumbprint))))
           WHERE ((k_1.last_used_at IS NULL) OR (k_1.last_used_at <= (u.at - '00:01:00'::interval)))
          FOR UPDATE OF k_1 SKIP LOCKED
         )
  UPDATE gold.signing_key k SET last_used_at = due.at
    FROM due
   WHERE ((k.partner_id = due.partner_id) AND (k.thumbprint = due.thumbprint));
 WITH due AS (
          SELECT t_1.kid,
             u.at
            FROM (gold.token_key t_1
              JOIN jsonb_to_recordset(record_use.uses) u(kind text, id text, at timestamp with time zone) ON (((u.kind = 'token_key'::text) AND (u.id = t_1.kid))))
           WHERE ((t_1.last_used_at IS NULL) OR (t_1.last_used_at <= (u.at - '00:01:00'::interval)))
          FOR UPDATE OF t_1 SKIP LOCKED
         )
  UPDATE gold.token_key t SET last_used_at = due.at
    FROM due
   WHERE (t.kid = due.kid);
 WITH due AS (
          SELECT s_1.id,
             u.at
            FROM (gold.webhook_secret s_1
              JOIN jsonb_to_recordset(record_use.uses) u(kind text, id text, at timestamp with time zone) ON (((u.kind = 'webhook_secret'::text) AND (u.id = (s_1.id)::text))))
           WHERE ((s_1.last_used_at IS NULL) OR (s_1.last_used_at <= (u.at - '00:01:00'::interval)))
          FOR UPDATE OF s_1 SKIP LOCKED
         )
  UPDATE gold.webhook_secret s SET last_used_at = due.at
    FROM due
   WHERE (s.id = due.id);
END;

ALTER FUNCTION gold.record_use(uses jsonb) OWNER TO gold_book;

--
-- Name: redeliver_event(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.redeliver_event(id uuid, OUT public text, OUT sequence bigint, OUT disabled_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  given event;
begin
  select e.* into given from partner p cross join lateral event_of(p.id, redeliver_event.id) e where e.id is not null;
  if given.id is null then
    raise exception 'there is no event evt_%', redeliver_event.id using errcode = 'GR404';
  end if;
  perform from account a where a.bucket = given.bucket and a.client_id = given.client_id for no key update;
  perform ask_delivery(given.client_id, given.sequence);
  public := public_of(given.client_id);
  sequence := given.sequence;
  select n.disabled_at into redeliver_event.disabled_at from endpoint n where n.bucket = given.bucket and n.client_id = given.client_id;
  perform note('event.redeliver', public, jsonb_build_object('event', 'evt_' || given.id, 'sequence', given.sequence));
end $$;

ALTER FUNCTION gold.redeliver_event(id uuid, OUT public text, OUT sequence bigint, OUT disabled_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: refuse_change(); Type: FUNCTION; Schema: gold; Owner: gold_owner
--

CREATE FUNCTION gold.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception '% is append-only: write a new row that corrects the old one', tg_table_name using errcode = 'GB002';
end $$;

ALTER FUNCTION gold.refuse_change() OWNER TO gold_owner;

--
-- Name: refuse_crowd(text, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_crowd(noun text, active bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if active >= 5 then
    raise exception '% %s are active, which is the maximum: retire one that is no longer used', active, noun using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_crowd(noun text, active bigint) OWNER TO gold_book;

--
-- Name: refuse_decided(gold.proposal); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_decided(given gold.proposal) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if (given).state <> 'pending' then
    raise exception 'the proposal was % already, by % at %', (given).state, (given).decided_by, instant_text((given).decided_at)
      using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_decided(given gold.proposal) OWNER TO gold_book;

--
-- Name: refuse_foreign(gold.proposal); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_foreign(given gold.proposal) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  own text := (select d.id from deployment d);
begin
  if (given).deployment is null and own is not null then
    raise exception 'the text of the proposal names no deployment, as in 0.5.0 and earlier: propose the change again' using errcode = 'GR409';
  elsif (given).deployment <> own then
    raise exception 'the text of the proposal names the deployment %, but this database is the deployment %: propose the change here',
      (given).deployment, own using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_foreign(given gold.proposal) OWNER TO gold_book;

--
-- Name: refuse_malformed_key(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_malformed_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  fault text := public_key_fault(to_jsonb(new) -> tg_argv[0]);
begin
  if fault is not null then
    raise exception 'this is not the public JWK of a P-256 key: %', fault using errcode = 'GR409';
  end if;
  return new;
end $$;

ALTER FUNCTION gold.refuse_malformed_key() OWNER TO gold_book;

--
-- Name: refuse_no_change(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_no_change(kind text, content jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
begin
  if kind in ('partner.set', 'price.set', 'market.set', 'deployment.defaults') and not exists (
    select from jsonb_each(content) m where m.key <> 'client_id' and m.value <> '{}' and (m.value <> 'null' or m.key = 'exposure'))
  then
    raise exception 'the proposal would change nothing: a proposal of the kind % needs at least one of %', kind,
      array_to_string(array_remove(proposal_members(kind), 'client_id'), ', ') using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_no_change(kind text, content jsonb) OWNER TO gold_book;

--
-- Name: refuse_other_fingerprint(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_other_fingerprint(fingerprint text, certificate text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
declare
  body text := replace(substring(certificate from '^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n?$'), E'\n', '');
  der bytea := case when body ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' then decode(body, 'base64') end;
begin
  -- A sequence of 256 to 65535 bytes, as DER encodes it.
  if der is null or length(der) < 260 or substr(der, 1, 2) <> '\x3082' or length(der) <> 4 + get_byte(der, 2) * 256 + get_byte(der, 3) then
    raise exception 'the certificate must be exactly one certificate as PEM' using errcode = 'GR409';
  elsif fingerprint is distinct from encode(sha256(der), 'hex') then
    raise exception 'the fingerprint of the certificate is %, not %', encode(sha256(der), 'hex'), fingerprint using errcode = 'GR409';
  end if;
end $_$;

ALTER FUNCTION gold.refuse_other_fingerprint(fingerprint text, certificate text) OWNER TO gold_book;

--
-- Name: refuse_other_thumbprint(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_other_thumbprint(thumbprint text, jwk jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if thumbprint is distinct from key_thumbprint(jwk) then
    raise exception 'the thumbprint of the key is %, not %', key_thumbprint(jwk), thumbprint using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_other_thumbprint(thumbprint text, jwk jsonb) OWNER TO gold_book;

--
-- Name: refuse_outdated(gold.proposal); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_outdated(given gold.proposal) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  newer proposal;
  replaced text := replaced_by((given).kind, (given).content);
begin
  if replaced is null then return; end if;
  select p.* into newer
  from audit proposed
  join audit approved on approved.id > proposed.id and approved.action = 'proposal.approve'
  join proposal p on p.id::text = approved.subject
  where proposed.action = 'proposal.propose' and proposed.subject = (given).id::text
    and replaced_by(p.kind, p.content) = replaced
  order by approved.id desc limit 1;
  if found then
    raise exception 'the proposal is outdated: another change of the same values was approved at %, after it was made (proposal %): if this change is still right, propose it again',
      instant_text(newer.decided_at), newer.id using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_outdated(given gold.proposal) OWNER TO gold_book;

--
-- Name: refuse_outside_band(gold.price); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_outside_band(given gold.price) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  earlier price_history;
  is_step boolean := true;
  band int;
  low bigint := (given).mid;
  high bigint := (given).mid;
  is_rise boolean;
  rises bigint := 0;
  falls bigint := 0;
  oldest bigint;
begin
  if ((given).buy, (given).sell) is distinct from
    (buy_of((given).mid, (given).spread_basis_points), sell_of((given).mid, (given).spread_basis_points)) then
    raise exception 'the buy price % and the sell price % do not follow from the mid price % and a spread of % basis points, which the price band requires',
      decimal_text((given).buy, 0.0001), decimal_text((given).sell, 0.0001), decimal_text((given).mid, 0.0001), (given).spread_basis_points using errcode = 'GR409', detail = 'outside_band';
  end if;
  for earlier in
    -- An http source that has given no price yet has a placeholder.
    select h.* from price_history h where h.id >= (given).band_from and h.as_of > 'epoch' order by h.id desc
  loop
    -- A new spread or a new time does not move the price.
    exit when is_step and earlier.mid = (given).mid;
    band := case when is_step then (given).band_basis_points else (given).band_hour_basis_points end;
    if abs((given).mid - earlier.mid) * 10000 > earlier.mid * band then
      raise exception 'the price % differs by more than % %% from %, the price %: set it with `gold price set --mid` under two people, or widen the band with `gold market set --band`',
        decimal_text((given).mid, 0.0001), decimal_text(band, 0.01), decimal_text(earlier.mid, 0.0001),
        case when is_step then 'before it' else 'of ' || instant_text(earlier.stored_at) end
        using errcode = 'GR409', detail = 'outside_band';
    end if;
    if is_rise is null then
      low := least(low, earlier.mid);
      high := greatest(high, earlier.mid);
      if (high - low) * 10000 > low * (given).spread_basis_points then
        is_rise := earlier.mid = low;
      end if;
    elsif is_rise and (earlier.mid - low) * 10000 > low * (given).spread_basis_points then
      rises := rises + high - low;
      high := earlier.mid;
      is_rise := false;
    elsif not is_rise and (high - earlier.mid) * 10000 > earlier.mid * (given).spread_basis_points then
      falls := falls + high - low;
      low := earlier.mid;
      is_rise := true;
    elsif is_rise then
      low := least(low, earlier.mid);
    else
      high := greatest(high, earlier.mid);
    end if;
    oldest := earlier.mid;
    exit when earlier.stored_at <= (given).stored_at - interval '1 hour';
    is_step := false;
  end loop;
  if is_rise then
    rises := rises + high - low;
  elsif not is_rise then
    falls := falls + high - low;
  end if;
  if greatest(rises, falls) * 10000 > oldest * (given).band_hour_basis_points then
    raise exception 'the price % brings the % of the last hour to more than % %% of %: set it with `gold price set --mid` under two people, or widen the band with `gold market set --band`',
      decimal_text((given).mid, 0.0001), case when rises > falls then 'rises' else 'falls' end,
      decimal_text((given).band_hour_basis_points, 0.01), decimal_text(oldest, 0.0001)
      using errcode = 'GR409', detail = 'outside_band';
  end if;
end $$;

ALTER FUNCTION gold.refuse_outside_band(given gold.price) OWNER TO gold_book;

--
-- Name: refuse_shared_key(integer, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_shared_key(client integer, thumbprint text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  other int := (select k.partner_id from signing_key k where k.thumbprint = refuse_shared_key.thumbprint and k.partner_id <> client limit 1);
begin
  if other is not null then
    raise exception 'this key is registered for %: each partner needs its own signing key', public_of(other) using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_shared_key(client integer, thumbprint text) OWNER TO gold_book;

--
-- Name: refuse_unknown_members(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_unknown_members(kind text, content jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  unknown text;
begin
  if proposal_members(kind) is null then
    raise exception 'there is no kind of proposal %', kind using errcode = 'GR409';
  elsif jsonb_typeof(content) is distinct from 'object' then
    raise exception 'the content of a proposal must be an object' using errcode = 'GR409';
  end if;
  select name into unknown from jsonb_object_keys(content) name where name <> all (proposal_members(kind))
  union all
  select m.key || '.' || name from jsonb_each(content) m, jsonb_object_keys(m.value) name
  where jsonb_typeof(m.value) = 'object' and name <> all (inner_members(m.key))
  limit 1;
  if unknown is not null then
    raise exception 'a proposal of the kind % has no member %', kind, unknown using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_unknown_members(kind text, content jsonb) OWNER TO gold_book;

--
-- Name: refuse_unprintable(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_unprintable() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  field text;
begin
  foreach field in array tg_argv loop
    if to_jsonb(new) ->> field ~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]' then
      raise exception '%.% must not contain control characters, line breaks or characters that change the text direction',
        tg_table_name, field using errcode = 'GR409';
    end if;
  end loop;
  return new;
end $$;

ALTER FUNCTION gold.refuse_unprintable() OWNER TO gold_book;

--
-- Name: refuse_use_meanwhile(text, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.refuse_use_meanwhile(noun text, last_used_at timestamp with time zone, seen timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  in_use_since timestamptz := clock_timestamp() - interval '1 hour';
begin
  if last_used_at > in_use_since and coalesce(seen, '-infinity') <= in_use_since then
    raise exception 'the % was used meanwhile, at %: run the command again, and confirm only if nobody needs it any more', noun, instant_text(last_used_at) using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.refuse_use_meanwhile(noun text, last_used_at timestamp with time zone, seen timestamp with time zone) OWNER TO gold_book;

--
-- Name: register_iban(integer, text, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.register_iban(client integer, iban text, asked_by text, approver text) RETURNS timestamp with time zone
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  changed_at timestamptz;
begin
  update partner p set iban = register_iban.iban, iban_changed_at = clock_timestamp(), pending_iban = null, pending_iban_by = null,
    pending_iban_at = null
  where p.id = client returning p.iban_changed_at into changed_at;
  perform post_change(client, 'settlement.changed', asked_by, approver, iban => register_iban.iban);
  perform registry_changed();
  return held_until(changed_at);
end $$;

ALTER FUNCTION gold.register_iban(client integer, iban text, asked_by text, approver text) OWNER TO gold_book;

--
-- Name: registry_changed(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.registry_changed() RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 UPDATE gold.registry_version SET version = (registry_version.version + 1);
END;

ALTER FUNCTION gold.registry_changed() OWNER TO gold_book;

--
-- Name: reject_proposal(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.reject_proposal(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
begin
  perform refuse_decided(given);
  update proposal p set state = 'rejected', decided_by = session_user, decided_at = clock_timestamp(), secrets = null where p.id = id
  returning * into given;
  perform note('proposal.reject', id::text, jsonb_build_object('kind', given.kind, 'proposer', given.proposer,
    'decided_at', instant_text(given.decided_at)));
end $$;

ALTER FUNCTION gold.reject_proposal(id uuid) OWNER TO gold_book;

--
-- Name: reject_withdrawal(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.reject_withdrawal(id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT gold.advance_withdrawal(id, 'rejected'::gold.withdrawal_status, NULL::uuid) AS advance_withdrawal;
END;

ALTER FUNCTION gold.reject_withdrawal(id uuid) OWNER TO gold_book;

--
-- Name: remove_bar(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.remove_bar(serial text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  leaving bar;
  booked record;
begin
  perform require_approval(jsonb_build_object('serial', remove_bar.serial), 'vault.remove');
  -- Read the bar before the locks, because its weight never changes. Under the locks, the update checks that
  -- the bar is still in the vault.
  select b.* into leaving from bar b where b.serial = remove_bar.serial;
  if leaving.serial is null then
    raise exception 'there is no bar with serial %', remove_bar.serial using errcode = 'GR404';
  elsif leaving.removed_at is not null then
    raise exception 'the bar % was removed already', remove_bar.serial using errcode = 'GR409';
  end if;
  booked := book_bar(false, leaving.fine);
  update bar b set removed_at = clock_timestamp(), removed_sequence = booked.sequence, removed_list = booked.list
  where b.serial = remove_bar.serial and b.removed_at is null;
  if not found then
    raise exception 'the bar % was removed already', remove_bar.serial using errcode = 'GR409';
  end if;
  perform open_bar_list(booked.list, booked.at);
  perform note('vault.remove', remove_bar.serial, jsonb_build_object('fine', leaving.fine, 'list', booked.list));
  return leaving.fine;
end $$;

ALTER FUNCTION gold.remove_bar(serial text) OWNER TO gold_book;

--
-- Name: remove_operator(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.remove_operator(name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  approval jsonb;
begin
  perform check_operator(name);
  approval := require_approved_operator('operator.remove', jsonb_build_object('name', name));
  begin
    -- Become a member of the login's role first: only members may terminate the sessions of a role.
    execute format('grant %I to %I', name, session_user);
    perform pg_terminate_backend(s.pid, 5000) from pg_stat_activity s where s.usename = remove_operator.name;
    -- Only after the sessions have ended, because they can hold the key or the audit trail locked. Before the
    -- login is dropped, because only the key of an existing login counts as one that must remain.
    perform end_operator_key(k.fingerprint) from operator_key k where k.login = name and k.ended_at is null;
    execute format('drop role %I', name);
  exception
    when insufficient_privilege then
      raise exception 'the login % may not remove %: use the login that created it, or a superuser', session_user, name using errcode = 'GR409';
    when dependent_objects_still_exist then
      raise exception '% owns objects in a database or was granted privileges directly: drop or reassign the objects and revoke the privileges first', name using errcode = 'GR409';
  end;
  perform note('operator.remove', name, approval);
end $$;

ALTER FUNCTION gold.remove_operator(name text) OWNER TO gold_book;

--
-- Name: renew_deployment_id(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.renew_deployment_id(OUT id text, OUT earlier text, OUT ended_at timestamp with time zone, OUT audit_id bigint, OUT head text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform identify_deployment();
  select n.subject, n.detail ->> 'before', a.at + interval '1 millisecond', a.id, n.detail ->> 'head'
  into id, earlier, ended_at, audit_id, head
  from audit n join audit a on a.id = (n.detail ->> 'audit_id')::bigint
  order by n.id desc limit 1;
end $$;

ALTER FUNCTION gold.renew_deployment_id(OUT id text, OUT earlier text, OUT ended_at timestamp with time zone, OUT audit_id bigint, OUT head text) OWNER TO gold_book;

--
-- Name: renew_endpoints(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.renew_endpoints(worker uuid) RETURNS TABLE(client integer, url text, tenure integer, passed bigint, failures integer, disabled boolean, secrets jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
begin
  perform require_read_committed();
  insert into delivery_worker as w (id, seen_at) values (renew_endpoints.worker, clock_timestamp())
  on conflict (id) do update set seen_at = excluded.seen_at;
  -- Delete the rows of dead workers. A row older than five seconds has no effect. A worker that was only
  -- paused inserts its row again with its next heartbeat.
  delete from delivery_worker w where w.seen_at <= clock_timestamp() - interval '1 minute';
  return query
  select n.client_id, p.webhook_url, n.tenure, n.passed, n.failures, n.disabled_at is not null, webhook_secrets(n.client_id)
  from endpoint n join partner p on p.id = n.client_id
  where n.worker = renew_endpoints.worker and p.webhook_url is not null;
end $$;

ALTER FUNCTION gold.renew_endpoints(worker uuid) OWNER TO gold_book;

--
-- Name: renewed(gold.allowance, timestamp with time zone, bigint, gold.side, bigint, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.renewed(held gold.allowance, clock timestamp with time zone, grams bigint, side gold.side DEFAULT NULL::gold.side, gold bigint DEFAULT NULL::bigint, ends_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS gold.allowance
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  first_of_day uuid := case when isfinite(held.day_ends_at) then first_id_at(held.day_ends_at - interval '24 hours') end;
  executed bigint;
  executed_today bigint;
  executed_buys bigint;
  executed_sells bigint;
  newest bigint;
begin
  select count(*), count(*) filter (where o.id >= first_of_day), coalesce(sum(o.grams) filter (where o.side = 'buy'), 0),
    coalesce(sum(o.grams) filter (where o.side = 'sell'), 0), max(o.sequence)
  into executed, executed_today, executed_buys, executed_sells, newest
  from orders o where o.client_id + 0 = held.client_id and o.sequence > held.counted_sequence;
  if executed > 0 then
    held.open_quotes := greatest(held.open_quotes - executed, 0);
    held.open_buy_grams := greatest(held.open_buy_grams - executed_buys, 0);
    held.open_sell_grams := greatest(held.open_sell_grams - executed_sells, 0);
    held.open_grams := held.open_buy_grams + held.open_sell_grams;
    held.records := greatest(held.records - executed_today, 0);
    held.counted_sequence := newest;
  end if;
  if is_other_day(held.day_ends_at, clock) then
    if clock >= held.day_ends_at then
      held.records := 0;
    end if;
    held.day_ends_at := day_end(clock);
    if held.maximum_net_grams is not null then
      held.day_gold := gold_before(held.client_id, held.day_ends_at - interval '24 hours');
    end if;
  end if;
  -- The open quotes are also counted again if `exact_until` is more than two minutes ahead of the clock,
  -- because then the clock stepped back.
  if exceeded_limit(held, grams, side, gold, ends_at) in ('open_quotes', 'open_grams', 'net_position')
    and (clock >= held.exact_until or held.exact_until > clock + interval '2 minutes') then
    select count(*), coalesce(sum(q.grams) filter (where q.side = 'buy'), 0), coalesce(sum(q.grams) filter (where q.side = 'sell'), 0),
      coalesce(min(q.expires_at), clock + interval '1 minute'),
      coalesce((array_agg(q.id order by q.id))[1], 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    into held.open_quotes, held.open_buy_grams, held.open_sell_grams, held.exact_until, held.open_from
    from quote q
    where q.bucket = held.bucket and q.client_id = held.client_id and q.id >= held.open_from and q.expires_at > clock
      and not exists (
        select from orders o where o.bucket = q.bucket and o.client_id = q.client_id and o.id = q.id offset 0
      );
    held.open_grams := held.open_buy_grams + held.open_sell_grams;
  end if;
  return held;
end $$;

ALTER FUNCTION gold.renewed(held gold.allowance, clock timestamp with time zone, grams bigint, side gold.side, gold bigint, ends_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: replaced_by(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.replaced_by(kind text, content jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (kind = ANY (ARRAY['partner.set'::text, 'partner.iban'::text])) THEN ((kind || ' '::text) || (content ->> 'client_id'::text)) WHEN (kind = ANY (ARRAY['price.set'::text, 'market.set'::text, 'market.open'::text, 'deployment.settle'::text, 'deployment.payout'::text, 'deployment.defaults'::text])) THEN kind ELSE NULL::text END;

ALTER FUNCTION gold.replaced_by(kind text, content jsonb) OWNER TO gold_book;

--
-- Name: replay_burst(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.replay_burst() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 500;

ALTER FUNCTION gold.replay_burst() OWNER TO gold_book;

--
-- Name: replay_events(text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.replay_events(public text, since timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  last bigint;
  events bigint;
begin
  perform require_read_committed();
  select a.event_sequence into strict last from account a where a.bucket = subject.id % 64 and a.client_id = subject.id for no key update;
  events := count_events(public, since);
  if events = 0 then
    raise exception 'partner % has no events since %', public, instant_text(since) using errcode = 'GR409';
  end if;
  update endpoint n set passed = least(n.passed, last - events), worker = null where n.bucket = subject.id % 64 and n.client_id = subject.id;
  delete from retry r
  where r.bucket = subject.id % 64 and r.client_id = subject.id and r.sequence > last - events and r.due_at is null;
  update retry r set tries = 0, due_at = due_now(r.due_at)
  where r.bucket = subject.id % 64 and r.client_id = subject.id and r.sequence > last - events;
  perform endpoint_changed(subject.id);
  perform note('event.replay', public, jsonb_build_object('since', instant_text(since), 'after_sequence', last - events, 'events', events));
  return events;
end $$;

ALTER FUNCTION gold.replay_events(public text, since timestamp with time zone) OWNER TO gold_book;

--
-- Name: replays_per_second(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.replays_per_second() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;

ALTER FUNCTION gold.replays_per_second() OWNER TO gold_book;

--
-- Name: require_approval(jsonb, text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_approval(part jsonb, VARIADIC kinds text[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  applied proposal;
begin
  if not two_people() then
    return;
  end if;
  applied := applied_proposal();
  if applied.kind = any (kinds) and not exists (
    select from jsonb_each(part) p where coalesce(applied.content -> p.key, 'null') <> p.value)
  then
    return;
  end if;
  raise exception 'this change needs two people: one proposes it with gold, and another login approves it'
    using errcode = 'GR409', detail = 'needs_approval';
end $$;

ALTER FUNCTION gold.require_approval(part jsonb, VARIADIC kinds text[]) OWNER TO gold_book;

--
-- Name: require_approval_of_setting(jsonb, text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_approval_of_setting(part jsonb, VARIADIC kinds text[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if exists (select from partner) or not pg_has_role(session_user, 'gold_owner', 'usage') then
    perform require_approval(part, variadic kinds);
  end if;
end $$;

ALTER FUNCTION gold.require_approval_of_setting(part jsonb, VARIADIC kinds text[]) OWNER TO gold_book;

--
-- Name: require_approved_operator(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_approved_operator(kind text, content jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  approved uuid := (
    select p.id from proposal p
    where p.kind = require_approved_operator.kind and p.content = require_approved_operator.content and p.state = 'approved'
      and p.expires_at > clock_timestamp()
      and not exists (select from audit a where a.action = p.kind and a.detail ->> 'proposal' = p.id::text)
    order by p.id desc limit 1);
begin
  if approved is null then
    perform require_approval_of_setting(require_approved_operator.content, require_approved_operator.kind);
    return '{}';
  end if;
  return jsonb_build_object('proposal', approved);
end $$;

ALTER FUNCTION gold.require_approved_operator(kind text, content jsonb) OWNER TO gold_book;

--
-- Name: require_operator_key(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_operator_key(login text, signature text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  found_key text := signing_fingerprint(signature);
begin
  if not exists (select from operator_key k where k.login = login and k.ended_at is null) then
    raise exception 'the login % has no operator key: another operator proposes it with `gold operator key add`', login using errcode = 'GR409';
  end if;
  perform from operator_key k where k.login = login and k.fingerprint = found_key and k.ended_at is null for share;
  if not found then
    raise exception 'the signature was made with the key %, which is not an active key of the login %', found_key, login using errcode = 'GR409';
  end if;
  return found_key;
end $$;

ALTER FUNCTION gold.require_operator_key(login text, signature text) OWNER TO gold_book;

--
-- Name: require_read_committed(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_read_committed() RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'booking runs at READ COMMITTED: each statement after a lock must see what the previous holder of the lock committed';
  end if;
end $$;

ALTER FUNCTION gold.require_read_committed() OWNER TO gold_book;

--
-- Name: require_role_of(text, text, boolean); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_role_of(login text, kind text, approving boolean) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  needed text := role_of_kind(kind);
begin
  if needed is null or exists (
    select from pg_roles r where r.rolname = login
      and (pg_has_role(r.oid, 'gold_' || needed, 'usage') or (not approving and pg_has_role(r.oid, 'gold_owner', 'usage'))))
  then
    return;
  end if;
  raise exception 'a change of the kind % needs the role %, which the login % does not have', kind, needed, login
    using errcode = 'GR403';
end $$;

ALTER FUNCTION gold.require_role_of(login text, kind text, approving boolean) OWNER TO gold_book;

--
-- Name: require_signatures(gold.proposal, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_signatures(given gold.proposal, signature text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  signed jsonb;
begin
  if not signatures_demanded() then
    if (select d.environment = 'production' from deployment d) then
      raise exception 'nobody can approve in production before the first operator keys are registered: run `gold db migrate --operator-key LOGIN=FILE`, with one key for each of at least three people'
        using errcode = 'GR409';
    end if;
    return '{}';
  elsif (given).proposer_signature is null then
    raise exception 'the proposer has not signed the proposal: % runs `gold proposal sign %`', (given).proposer, (given).id using errcode = 'GR409';
  elsif signature is null then
    raise exception 'the approval is not signed: approve with gold, which signs with your SSH key' using errcode = 'GR409';
  end if;
  signed := signed_with(session_user, signature);
  if require_operator_key((given).proposer, (given).proposer_signature) = signed ->> 'key' then
    raise exception 'the proposer signed with the same key: another person has to approve' using errcode = 'GR409';
  end if;
  return signed;
end $$;

ALTER FUNCTION gold.require_signatures(given gold.proposal, signature text) OWNER TO gold_book;

--
-- Name: require_two_people(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.require_two_people() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  update deployment d set two_people = true where not d.two_people;
  if found then
    perform note('deployment.two_people', 'deployment', '{}');
    perform store_first_breaker();
    perform store_first_band();
  elsif not exists (select from deployment) then
    raise exception 'the database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key' using errcode = 'GR409';
  end if;
end $$;

ALTER FUNCTION gold.require_two_people() OWNER TO gold_book;

--
-- Name: reseal(text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.reseal(sealing_key text, secrets jsonb) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  resealed text[];
  hashes jsonb;
begin
  perform require_approval(jsonb_build_object('sealing_key', reseal.sealing_key, 'secrets', secrets), 'sealing_key.rotate');
  with given as (
    select g.kind, g.id, decode(g.before, 'hex') as before, decode(g.after, 'hex') as after
    from jsonb_to_recordset(secrets) g(kind text, id text, before text, after text)
  ), webhooks as (
    update webhook_secret w set sealed = g.after, sealing_key = reseal.sealing_key from given g
    where g.kind = 'webhook_secret' and w.id::text = g.id and w.sealed = g.before returning g.kind || ' ' || g.id as name, w.sealed
  ), tokens as (
    update token_key t set sealed = g.after, sealing_key = reseal.sealing_key from given g
    where g.kind = 'token_key' and t.kid = g.id and t.sealed = g.before returning g.kind || ' ' || g.id as name, t.sealed
  )
  select array_agg(r.name order by r.name), jsonb_object_agg(r.name, hash_text(r.sealed)) into resealed, hashes from (select * from webhooks union all select * from tokens) r;
  if resealed is null then
    return 0;
  end if;
  perform note('sealing_key.rotate', reseal.sealing_key, jsonb_build_object('resealed', resealed, 'sealed_sha256', hashes));
  perform registry_changed();
  return cardinality(resealed);
end $$;

ALTER FUNCTION gold.reseal(sealing_key text, secrets jsonb) OWNER TO gold_book;

--
-- Name: reserves_at(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.reserves_at(at timestamp with time zone) RETURNS TABLE(list integer, fine bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT l.id,
     l.fine
    FROM gold.bar_list l
   WHERE (l.created_at <= reserves_at.at)
   ORDER BY l.id DESC
  LIMIT 1;
END;

ALTER FUNCTION gold.reserves_at(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: result_of(integer, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.result_of(client integer, key text, kind text) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT k.result_id
    FROM gold.idempotency_key k
   WHERE ((k.bucket = (result_of.client % 64)) AND (k.client_id = result_of.client) AND (k.key = result_of.key) AND (k.result_kind = result_of.kind));
END;

ALTER FUNCTION gold.result_of(client integer, key text, kind text) OWNER TO gold_book;

--
-- Name: resume_partner(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.resume_partner(public text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
begin
  perform require_approval(jsonb_build_object('client_id', public), 'partner.resume');
  update partner set suspended_at = null where id = subject.id and suspended_at is not null;
  if not found then
    raise exception 'partner % is not suspended', public using errcode = 'GR409';
  end if;
  perform note('partner.resume', public, '{}');
  perform registry_changed();
end $$;

ALTER FUNCTION gold.resume_partner(public text) OWNER TO gold_book;

--
-- Name: retire_authority(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.retire_authority(fingerprint text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  newest text := hold_authorities();
  subject authority;
  client int;
  revoked text[];
begin
  select a.* into subject from authority a where a.fingerprint = retire_authority.fingerprint;
  if subject.fingerprint is null then
    raise exception 'there is no certificate authority %', retire_authority.fingerprint using errcode = 'GR404';
  elsif subject.retired_at is not null then
    raise exception 'the authority is retired already, since %', instant_text(subject.retired_at) using errcode = 'GR409';
  elsif subject.fingerprint = newest then
    raise exception 'this is the newest authority, which signs new certificates: replace it with `gold key rotate ca` first' using errcode = 'GR409';
  end if;
  for client in
    select distinct c.partner_id from certificate c
    where c.authority = subject.fingerprint and c.revoked_at is null and c.not_after > clock_timestamp() order by 1
  loop
    perform begin_change(client);
    perform end_admission(client);
  end loop;
  with ended as (
    update certificate c set revoked_at = clock_timestamp(), revocation_reason = 'cessation_of_operation'
    where c.authority = subject.fingerprint and c.revoked_at is null and c.not_after > clock_timestamp() returning c.fingerprint)
  select coalesce(array_agg(e.fingerprint), '{}') into revoked from ended e;
  perform post_credential(c.partner_id, 'credential.ended', 'certificate', c.fingerprint)
  from (select c.* from certificate c where c.fingerprint = any (revoked) order by c.partner_id, c.fingerprint) c;
  update authority a set retired_at = clock_timestamp() where a.fingerprint = subject.fingerprint;
  perform note('ca.retire', subject.fingerprint, jsonb_build_object('revoked', revoked));
  perform registry_changed();
  return cardinality(revoked);
end $$;

ALTER FUNCTION gold.retire_authority(fingerprint text) OWNER TO gold_book;

--
-- Name: retire_client_secret(text, integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.retire_client_secret(public text, secret_id integer, seen timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  secret client_secret;
begin
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  perform hold_partner(public);
  select s.* into secret from client_secret s where s.partner_id = subject.id and s.id = secret_id for no key update;
  if secret.id is null then
    raise exception '% has no client secret %', public, secret_id using errcode = 'GR404';
  end if;
  perform check_retirement('client secret', secret.retire_at, secret.last_used_at, seen,
    (select count(*) from client_secret s where s.partner_id = subject.id and s.id <> secret.id and s.retire_at is null));
  update client_secret s set retire_at = present_millisecond() where s.id = secret.id returning s.retire_at into secret.retire_at;
  perform post_credential(subject.id, 'credential.ended', 'client_secret', secret.id::text);
  perform note('client_secret.retire', public, jsonb_build_object('secret_id', secret.id, 'last_used_at', secret.last_used_at));
  perform registry_changed();
  return secret.retire_at;
end $$;

ALTER FUNCTION gold.retire_client_secret(public text, secret_id integer, seen timestamp with time zone) OWNER TO gold_book;

--
-- Name: retire_signing_key(text, text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.retire_signing_key(public text, thumbprint text, seen timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  key signing_key;
begin
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  perform hold_partner(public);
  select k.* into key from signing_key k where k.partner_id = subject.id and k.thumbprint = retire_signing_key.thumbprint for no key update;
  if key.thumbprint is null then
    raise exception '% has no signing key %', public, retire_signing_key.thumbprint using errcode = 'GR404';
  end if;
  perform check_retirement('signing key', key.retire_at, key.last_used_at, seen,
    (select count(*) from signing_key k where k.partner_id = subject.id and k.thumbprint <> key.thumbprint and k.retire_at is null));
  update signing_key k set retire_at = present_millisecond()
  where k.partner_id = subject.id and k.thumbprint = key.thumbprint returning k.retire_at into key.retire_at;
  perform post_credential(subject.id, 'credential.ended', 'signing_key', key.thumbprint);
  perform note('signing_key.retire', public, jsonb_build_object('thumbprint', key.thumbprint, 'last_used_at', key.last_used_at));
  perform registry_changed();
  return key.retire_at;
end $$;

ALTER FUNCTION gold.retire_signing_key(public text, thumbprint text, seen timestamp with time zone) OWNER TO gold_book;

--
-- Name: retire_webhook_secret(text, integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.retire_webhook_secret(public text, secret_id integer, seen timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
  secret webhook_secret;
begin
  perform begin_change(subject.id);
  perform hold_partner(public);
  select s.* into secret from webhook_secret s where s.partner_id = subject.id and s.id = secret_id for no key update;
  if secret.id is null then
    raise exception '% has no webhook secret %', public, secret_id using errcode = 'GR404';
  end if;
  perform check_retirement('webhook secret', secret.retire_at, secret.last_used_at, seen,
    (select count(*) from webhook_secret s where s.partner_id = subject.id and s.id <> secret.id and s.retire_at is null));
  update webhook_secret s set retire_at = present_millisecond() where s.id = secret.id returning s.retire_at into secret.retire_at;
  perform post_credential(subject.id, 'credential.ended', 'webhook_secret', secret.id::text);
  perform note('webhook_secret.retire', public, jsonb_build_object('secret_id', secret.id, 'last_used_at', secret.last_used_at));
  perform registry_changed();
  perform endpoint_changed(subject.id);
  return secret.retire_at;
end $$;

ALTER FUNCTION gold.retire_webhook_secret(public text, secret_id integer, seen timestamp with time zone) OWNER TO gold_book;

--
-- Name: return_withdrawal(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.return_withdrawal(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  -- The bank may have paid. Then the partner would have the money twice.
  perform require_approval(jsonb_build_object('withdrawal', return_withdrawal.id), 'withdrawal.return');
  perform advance_withdrawal(return_withdrawal.id, 'returned', null);
end $$;

ALTER FUNCTION gold.return_withdrawal(id uuid) OWNER TO gold_book;

--
-- Name: reverse_deposit(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.reverse_deposit(id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if ((lock_deposit(reverse_deposit.id)).found_deposit).approved_at is not null then
    perform require_approval(jsonb_build_object('deposit', reverse_deposit.id), 'deposit.reverse');
  end if;
  perform reverse_deposit_as(session_user, reverse_deposit.id);
end $$;

ALTER FUNCTION gold.reverse_deposit(id uuid) OWNER TO gold_book;

--
-- Name: reverse_deposit_as(text, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.reverse_deposit_as(actor text, id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  locked record;
  given deposit;
  holder account;
  at timestamptz;
begin
  select * into locked from lock_deposit(reverse_deposit_as.id);
  given := locked.found_deposit;
  holder := locked.holder;
  if given.reversed_at is not null then
    raise exception 'the deposit was reversed already, by %', given.reversed_by using errcode = 'GR409';
  elsif given.approved_at is not null and holder.sar_available < given.amount then
    raise exception 'the partner has % SAR available, less than the deposit of % SAR: the rest was spent or is held for withdrawals',
      decimal_text(holder.sar_available, 0.01), decimal_text(given.amount, 0.01) using errcode = 'GR409';
  end if;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  update deposit d set reversed_at = at, reversed_by = actor,
    reversed_sequence = case when given.approved_at is not null then holder.event_sequence + 1 end where d.id = given.id;
  if given.approved_at is not null then
    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
    values (holder.bucket, holder.client_id, 1, holder.event_sequence + 1, 'available', 'bank', 'SAR', given.amount,
      holder.sar_available - given.amount, holder.sar_held, holder.gold, at);
    perform post_event(holder.client_id, holder.event_sequence + 1, new_uuid(at), given.id, at, 'funding.reversed');
  end if;
  perform note_as(actor, 'deposit.reverse', public_of(given.client_id), jsonb_build_object('deposit', 'dep_' || given.id, 'amount', given.amount));
end $$;

ALTER FUNCTION gold.reverse_deposit_as(actor text, id uuid) OWNER TO gold_book;

--
-- Name: revoke_certificate(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.revoke_certificate(fingerprint text, reason text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject certificate;
  public text;
begin
  select c.* into subject from certificate c where c.fingerprint = revoke_certificate.fingerprint;
  if subject.fingerprint is null then
    raise exception 'there is no certificate %', revoke_certificate.fingerprint using errcode = 'GR404';
  end if;
  perform begin_change(subject.partner_id);
  perform end_admission(subject.partner_id);
  update certificate c set revoked_at = clock_timestamp(), revocation_reason = reason
  where c.fingerprint = subject.fingerprint and c.revoked_at is null;
  if not found then
    raise exception 'the certificate is revoked already; `gold cert crl` renews the revocation list' using errcode = 'GR409';
  end if;
  public := public_of(subject.partner_id);
  perform post_credential(subject.partner_id, 'credential.ended', 'certificate', subject.fingerprint);
  perform note('certificate.revoke', public, jsonb_strip_nulls(jsonb_build_object('fingerprint', subject.fingerprint, 'reason', reason)));
  perform registry_changed();
  return public;
end $$;

ALTER FUNCTION gold.revoke_certificate(fingerprint text, reason text) OWNER TO gold_book;

--
-- Name: role_of_kind(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.role_of_kind(kind text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (kind = ANY (ARRAY['deposit.record'::text, 'deposit.reverse'::text, 'payment.submit'::text, 'vault.add'::text, 'vault.remove'::text, 'withdrawal.return'::text, 'partner.iban'::text, 'deployment.payout'::text])) THEN 'treasury'::text WHEN (kind = ANY (ARRAY['partner.create'::text, 'partner.set'::text, 'partner.resume'::text, 'certificate.issue'::text, 'signing_key.add'::text, 'client_secret.rotate'::text, 'webhook_secret.rotate'::text, 'deployment.defaults'::text])) THEN 'credentials'::text WHEN (kind = ANY (ARRAY['price.set'::text, 'market.set'::text, 'market.open'::text])) THEN 'pricing'::text WHEN (kind = ANY (ARRAY['authority.add'::text, 'token_key.rotate'::text, 'sealing_key.rotate'::text, 'pepper.rotate'::text, 'deployment.settle'::text, 'operator.add'::text, 'operator.set'::text, 'operator.remove'::text, 'operator_key.add'::text, 'recovery.accept'::text, 'registry.adopt'::text, 'approval.adopt'::text])) THEN 'keys'::text ELSE NULL::text END;

ALTER FUNCTION gold.role_of_kind(kind text) OWNER TO gold_book;

--
-- Name: roles_of_login(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.roles_of_login(name text) RETURNS text[]
    LANGUAGE sql STABLE
    RETURN ARRAY(SELECT every.r FROM unnest(gold.all_roles()) WITH ORDINALITY every(r, n) WHERE pg_has_role((roles_of_login.name)::name, (('gold_'::text || every.r))::name, 'usage'::text) ORDER BY every.n);

ALTER FUNCTION gold.roles_of_login(name text) OWNER TO gold_book;

--
-- Name: rotate_client_secret(text, bytea, integer, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.rotate_client_secret(public text, hash bytea, overlap_seconds integer, seen jsonb DEFAULT NULL::jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  rotation record := begin_rotation(public, overlap_seconds);
  older client_secret;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'hash', encode(rotate_client_secret.hash, 'hex'),
    'overlap_seconds', overlap_seconds), 'client_secret.rotate');
  perform check_secret_hash(rotate_client_secret.hash);
  rotate_client_secret.retires_at := rotation.retires_at;
  for older in
    update client_secret s set retire_at = rotation.retires_at
    where s.partner_id = rotation.partner_id and (s.retire_at is null or s.retire_at > rotation.retires_at) returning s.*
  loop
    perform check_end('client secret', older.id, older.last_used_at, seen);
    perform post_credential(rotation.partner_id, 'credential.ended', 'client_secret', older.id::text);
  end loop;
  perform refuse_crowd('client secret', (select count(*) from client_secret s
    where s.partner_id = rotation.partner_id and s.retire_at > clock_timestamp()));
  insert into client_secret (partner_id, hash, not_before) values (rotation.partner_id, rotate_client_secret.hash, present_millisecond())
  returning id into secret_id;
  perform post_credential(rotation.partner_id, 'credential.added', 'client_secret', secret_id::text);
  perform note('client_secret.rotate', public, jsonb_build_object('secret_id', secret_id, 'older_retire_at', rotation.retires_at,
    'secret_sha256', hash_text(rotate_client_secret.hash)));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.rotate_client_secret(public text, hash bytea, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: rotate_pepper(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.rotate_pepper(name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform require_approval(jsonb_build_object('pepper', rotate_pepper.name), 'pepper.rotate');
  update deployment d set pepper_name = rotate_pepper.name where d.pepper_name is distinct from rotate_pepper.name;
  if not found then
    return false;
  end if;
  perform note('pepper.rotate', rotate_pepper.name, '{}');
  return true;
end $$;

ALTER FUNCTION gold.rotate_pepper(name text) OWNER TO gold_book;

--
-- Name: rotate_token_key(text, jsonb, bytea, text, integer, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.rotate_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, lead_seconds integer, overlap_seconds integer, OUT begins_at timestamp with time zone, OUT retires_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform require_approval(jsonb_build_object('kid', rotate_token_key.kid, 'public_jwk', rotate_token_key.public_jwk,
    'sealed', encode(rotate_token_key.sealed, 'hex'), 'sealing_key', rotate_token_key.sealing_key, 'lead_seconds', lead_seconds,
    'overlap_seconds', overlap_seconds), 'token_key.rotate');
  -- Let concurrent rotations wait here, so that the second also retires the key of the first.
  perform from deployment for no key update;
  begins_at := date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => lead_seconds);
  retires_at := begins_at + make_interval(secs => overlap_seconds);
  update token_key t set retire_at = rotate_token_key.retires_at where t.retire_at is null or t.retire_at > rotate_token_key.retires_at;
  insert into token_key (kid, public_jwk, sealed, sealing_key, not_before)
  values (rotate_token_key.kid, rotate_token_key.public_jwk, rotate_token_key.sealed, rotate_token_key.sealing_key, begins_at);
  perform note('token_key.rotate', rotate_token_key.kid, jsonb_build_object('begins_at', begins_at, 'older_retire_at', retires_at,
    'sealed_sha256', hash_text(rotate_token_key.sealed), 'sealing_key', rotate_token_key.sealing_key));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.rotate_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, lead_seconds integer, overlap_seconds integer, OUT begins_at timestamp with time zone, OUT retires_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: rotate_webhook_secret(text, bytea, text, integer, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.rotate_webhook_secret(public text, sealed bytea, sealing_key text, overlap_seconds integer, seen jsonb DEFAULT NULL::jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  rotation record := begin_rotation(public, overlap_seconds);
  older webhook_secret;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'sealed', encode(rotate_webhook_secret.sealed, 'hex'),
    'sealing_key', rotate_webhook_secret.sealing_key, 'overlap_seconds', overlap_seconds), 'webhook_secret.rotate');
  rotate_webhook_secret.retires_at := rotation.retires_at;
  for older in
    update webhook_secret s set retire_at = rotation.retires_at
    where s.partner_id = rotation.partner_id and (s.retire_at is null or s.retire_at > rotation.retires_at) returning s.*
  loop
    perform check_end('webhook secret', older.id, older.last_used_at, seen);
    perform post_credential(rotation.partner_id, 'credential.ended', 'webhook_secret', older.id::text);
  end loop;
  perform refuse_crowd('webhook secret', (select count(*) from webhook_secret s
    where s.partner_id = rotation.partner_id and s.retire_at > clock_timestamp()));
  insert into webhook_secret (partner_id, sealed, sealing_key, not_before)
  values (rotation.partner_id, rotate_webhook_secret.sealed, rotate_webhook_secret.sealing_key, present_millisecond())
  returning id into secret_id;
  perform post_credential(rotation.partner_id, 'credential.added', 'webhook_secret', secret_id::text);
  perform note('webhook_secret.rotate', public, jsonb_build_object('secret_id', secret_id, 'older_retire_at', rotation.retires_at,
    'sealed_sha256', hash_text(rotate_webhook_secret.sealed), 'sealing_key', rotate_webhook_secret.sealing_key));
  perform registry_changed();
  perform endpoint_changed(rotation.partner_id);
end $$;

ALTER FUNCTION gold.rotate_webhook_secret(public text, sealed bytea, sealing_key text, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: schema_version(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.schema_version() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT max(m.created_at) AS max
    FROM gold_migrations.__drizzle_migrations m;
END;

ALTER FUNCTION gold.schema_version() OWNER TO gold_book;

--
-- Name: seal_audit(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.seal_audit() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  entry audit;
begin
  insert into audit_tail (one) values (true);
  for entry in select a.* from audit a order by a.id loop
    perform link_audit(entry);
  end loop;
end $$;

ALTER FUNCTION gold.seal_audit() OWNER TO gold_book;

--
-- Name: seal_chain(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.seal_chain(client integer) RETURNS bytea
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform seal_next(array[client]);
  return (select t.head from chain_tail t where t.bucket = client % 64 and t.client_id = client);
end $$;

ALTER FUNCTION gold.seal_chain(client integer) OWNER TO gold_book;

--
-- Name: seal_newest(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.seal_newest(client integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if exists (
    select from account a left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
    where a.bucket = client % 64 and a.client_id = client and a.event_sequence > coalesce(t.sequence, 0)
  ) then
    perform seal_chain(client);
  end if;
end $$;

ALTER FUNCTION gold.seal_newest(client integer) OWNER TO gold_book;

--
-- Name: seal_next(integer[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.seal_next(clients integer[]) RETURNS SETOF integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  -- Seal a backlog in several calls, so that each call stays well below the statement timeout.
  most int := greatest(50, 5000 / nullif(cardinality(clients), 0));
  record record;
  client int;
  head bytea;
  sealed bigint;
  owners int[];
  sequences bigint[];
  hashes bytea[];
begin
  insert into chain_tail (bucket, client_id)
  select c.client % 64, c.client from unnest(clients) c (client)
  where not exists (select from chain_tail t where t.bucket = c.client % 64 and t.client_id = c.client) order by c.client
  on conflict do nothing;
  for record in
    select t.client_id, t.sequence as tail, t.head, l.sequence, l.line
    from (
      select t.* from unnest(clients) c (client) join chain_tail t on t.bucket = c.client % 64 and t.client_id = c.client
      order by t.client_id for no key update of t
    ) t
    cross join lateral chain_lines(t.client_id, t.sequence, most) l
    order by t.client_id, l.sequence
  loop
    if client is distinct from record.client_id then
      client := record.client_id;
      head := record.head;
      sealed := record.tail;
    end if;
    if record.sequence <> sealed + 1 then
      -- Skip a client whose event is missing, because it must not stop the sealing and delivery of other
      -- clients. Only a call for this client alone raises an error.
      continue when cardinality(clients) > 1;
      raise exception 'event % of client % is missing', sealed + 1, client using errcode = 'GB003';
    end if;
    head := sha256(head || convert_to(record.line, 'UTF8'));
    sealed := record.sequence;
    owners := owners || client;
    sequences := sequences || sealed;
    hashes := hashes || head;
    if sealed = record.tail + most then
      return next client;
    end if;
  end loop;
  insert into chain_link (bucket, client_id, sequence, hash)
  select l.client % 64, l.client, l.sequence, l.hash from unnest(owners, sequences, hashes) l (client, sequence, hash);
  update chain_tail t set sequence = l.sequence, head = l.hash
  from unnest(owners, sequences, hashes) with ordinality l (client, sequence, hash, n)
  where t.bucket = l.client % 64 and t.client_id = l.client and l.client is distinct from owners[l.n + 1];
end $$;

ALTER FUNCTION gold.seal_next(clients integer[]) OWNER TO gold_book;

--
-- Name: search_bound(integer, bigint, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.search_bound(client integer, above bigint, below bigint) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT GREATEST(search_bound.above, (LEAST(search_bound.below, (a.event_sequence + 1)) - 10001)) AS "greatest"
    FROM gold.account a
   WHERE ((a.bucket = (search_bound.client % 64)) AND (a.client_id = search_bound.client));
END;

ALTER FUNCTION gold.search_bound(client integer, above bigint, below bigint) OWNER TO gold_book;

--
-- Name: seconds_behind(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.seconds_behind(newest timestamp with time zone, clock timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ((ceil(EXTRACT(epoch FROM (newest - clock))))::bigint)::text;

ALTER FUNCTION gold.seconds_behind(newest timestamp with time zone, clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: sell_of(bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.sell_of(mid bigint, spread_basis_points integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    RETURN ((mid * (20000 - spread_basis_points)) / 20000);

ALTER FUNCTION gold.sell_of(mid bigint, spread_basis_points integer) OWNER TO gold_book;

--
-- Name: sequence_at(integer, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.sequence_at(client integer, at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  low bigint := 0;
  high bigint;
  middle bigint;
begin
  select a.event_sequence into strict high from account a where a.bucket = client % 64 and a.client_id = client;
  while low < high loop
    middle := (low + high + 1) / 2;
    if (
      select e.created_at from event e where e.bucket = client % 64 and e.client_id = client and e.sequence >= middle
      order by e.sequence limit 1
    ) <= at then
      low := middle;
    else
      high := middle - 1;
    end if;
  end loop;
  return low;
end $$;

ALTER FUNCTION gold.sequence_at(client integer, at timestamp with time zone) OWNER TO gold_book;

--
-- Name: set_band(integer, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_band(basis_points integer, hour_basis_points integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform lock_price();
  if exists (
    select from price p
    where p.band_basis_points < coalesce(set_band.basis_points, 10001) or p.band_hour_basis_points < coalesce(set_band.hour_basis_points, 10001))
  then
    perform require_approval(jsonb_build_object('band', jsonb_build_object('step_basis_points', set_band.basis_points,
      'hour_basis_points', set_band.hour_basis_points)), 'market.set');
  end if;
  perform store_band(set_band.basis_points, set_band.hour_basis_points);
end $$;

ALTER FUNCTION gold.set_band(basis_points integer, hour_basis_points integer) OWNER TO gold_book;

--
-- Name: set_breaker(integer, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_breaker(basis_points integer, seconds integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform require_approval(jsonb_build_object('breaker', jsonb_build_object('basis_points', set_breaker.basis_points,
    'seconds', set_breaker.seconds)), 'market.set');
  perform store_breaker(set_breaker.basis_points, set_breaker.seconds);
end $$;

ALTER FUNCTION gold.set_breaker(basis_points integer, seconds integer) OWNER TO gold_book;

--
-- Name: set_exposure(bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_exposure(maximum bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  clock timestamptz;
begin
  perform require_read_committed();
  -- Before the locks, for which every order would wait. The limit can change meanwhile only by another
  -- operator.
  if maximum is null or maximum > (select v.maximum_exposure from vault v where v.stripe = 0) then
    perform require_approval(jsonb_build_object('exposure', maximum::text), 'market.set');
  end if;
  perform from account a where a.client_id <> 0 order by a.client_id for no key update;
  perform gather_vault(0);
  clock := clock_timestamp();
  delete from open_exposure;
  if maximum is null then
    update vault v set maximum_exposure = null, day_net = 0, day_ends_at = '-infinity';
  else
    insert into open_exposure (ends_at, buys, sells) select * from open_quotes_at(clock);
    update vault v set maximum_exposure = maximum, day_ends_at = day_end(clock),
      day_net = net_of_day(clock)
    where v.stripe = 0;
    -- Every stripe has the limit, because an order reads only its own. Stripe 0 has the day.
    update vault v set maximum_exposure = maximum where v.stripe <> 0;
  end if;
  perform note('market.exposure', coalesce(decimal_text(maximum, 0.0001) || ' g', 'unlimited'), jsonb_build_object('grams', maximum));
end $$;

ALTER FUNCTION gold.set_exposure(maximum bigint) OWNER TO gold_book;

--
-- Name: set_limit_defaults(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_limit_defaults(limits jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  known deployment;
  changed deployment;
begin
  select * into known from deployment for update;
  update deployment d set
    partner_open_quotes = case when limits ? 'open_quotes' then (limits->>'open_quotes')::int else d.partner_open_quotes end,
    partner_open_grams = case when limits ? 'open_grams' then (limits->>'open_grams')::bigint else d.partner_open_grams end,
    partner_daily_records = case when limits ? 'daily_records' then (limits->>'daily_records')::int else d.partner_daily_records end,
    partner_net_grams = case when limits ? 'net_grams' then (limits->>'net_grams')::bigint else d.partner_net_grams end,
    partner_daily_withdrawals = case when limits ? 'daily_withdrawals' then (limits->>'daily_withdrawals')::int else d.partner_daily_withdrawals end,
    partner_daily_withdrawn = case when limits ? 'daily_withdrawn' then (limits->>'daily_withdrawn')::bigint else d.partner_daily_withdrawn end
  returning d.* into changed;
  if changed is distinct from known then
    perform require_approval_of_setting(jsonb_build_object('limits', limits), 'deployment.defaults');
    perform note('deployment.limit_defaults', 'deployment', limits);
  end if;
end $$;

ALTER FUNCTION gold.set_limit_defaults(limits jsonb) OWNER TO gold_book;

--
-- Name: set_limit_defaults(integer, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_limit_defaults(open_quotes integer, open_grams bigint, daily_records integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform set_limit_defaults(jsonb_build_object('open_quotes', open_quotes, 'open_grams', open_grams, 'daily_records', daily_records));
end $$;

ALTER FUNCTION gold.set_limit_defaults(open_quotes integer, open_grams bigint, daily_records integer) OWNER TO gold_book;

--
-- Name: set_market_hours(boolean, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_market_hours(always_open boolean, sessions jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  -- One person may close the market.
  if set_market_hours.always_open or sessions <> '[]' then
    perform require_approval(jsonb_build_object('hours', jsonb_build_object('always_open', set_market_hours.always_open, 'sessions', sessions)),
      'price.set');
  end if;
  update price p set always_open = set_market_hours.always_open;
  if not found then
    raise exception 'no price has been set yet: set a price before the market hours' using errcode = 'GR409';
  end if;
  delete from market_session;
  insert into market_session (day, opens, closes)
  select (s->>'day')::smallint, (s->>'opens')::time, (s->>'closes')::time from jsonb_array_elements(sessions) s;
  perform note('market.set', case when set_market_hours.always_open then 'always open' else 'by sessions' end,
    jsonb_build_object('sessions', sessions));
end $$;

ALTER FUNCTION gold.set_market_hours(always_open boolean, sessions jsonb) OWNER TO gold_book;

--
-- Name: set_operator(text, text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_operator(name text, roles text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  known text[];
  approval jsonb := '{}';
begin
  perform check_operator(name);
  perform check_roles(roles);
  known := roles_of_login(name);
  if roles = known then
    return;
  elsif not roles <@ known then
    approval := require_approved_operator('operator.set', jsonb_build_object('name', name, 'roles', roles));
  end if;
  perform give_roles(name, roles);
  perform note('operator.set', name, approval || jsonb_build_object('before', known, 'roles', roles));
end $$;

ALTER FUNCTION gold.set_operator(name text, roles text[]) OWNER TO gold_book;

--
-- Name: set_partner(text, text, cidr[], text, integer, integer, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_partner(public text, name text, ips cidr[], webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
begin
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  subject := partner_of(public);
  -- One person may lower limits, and enable the endpoint again.
  if set_partner.name <> subject.name or ips is not null or set_partner.webhook_url <> coalesce(subject.webhook_url, '')
    or set_partner.rate_per_second > subject.rate_per_second or set_partner.burst > subject.burst or set_partner.maximum_grams > subject.maximum_grams
  then
    perform require_approval(jsonb_build_object('client_id', public, 'name', set_partner.name, 'ips', ips, 'webhook_url', set_partner.webhook_url,
      'rate_per_second', set_partner.rate_per_second, 'burst', set_partner.burst, 'maximum_grams', set_partner.maximum_grams::text), 'partner.set');
  end if;
  perform check_rate(set_partner.rate_per_second);
  if cardinality(ips) = 0 then
    raise exception 'a partner needs at least one registered address: give one, or suspend the partner' using errcode = 'GR409';
  end if;
  update partner p set
    name = coalesce(set_partner.name, p.name),
    webhook_url = coalesce(set_partner.webhook_url, p.webhook_url),
    rate_per_second = coalesce(set_partner.rate_per_second, p.rate_per_second),
    burst = coalesce(set_partner.burst, p.burst),
    maximum_grams = coalesce(set_partner.maximum_grams, p.maximum_grams)
  where p.id = subject.id;
  if ips is not null then
    delete from allowed_ip i where i.partner_id = subject.id;
    insert into allowed_ip (partner_id, range) select distinct subject.id, unnest(ips);
  end if;
  -- Setting the webhook URL, even to the same value, enables the endpoint again, because the operator states
  -- that the endpoint works.
  if set_partner.webhook_url is not null then
    perform enable_endpoint(subject.id);
  end if;
  if set_partner.webhook_url <> coalesce(subject.webhook_url, '') then
    perform post_change(subject.id, 'webhook_endpoint.changed', c.changed_by, c.approved_by, webhook_url => set_partner.webhook_url) from changer() c;
  end if;
  perform note('partner.set', public, jsonb_strip_nulls(jsonb_build_object('name', set_partner.name, 'ips', ips,
    'webhook_url', set_partner.webhook_url, 'rate_per_second', set_partner.rate_per_second, 'burst', set_partner.burst, 'maximum_grams', set_partner.maximum_grams)));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.set_partner(public text, name text, ips cidr[], webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint) OWNER TO gold_book;

--
-- Name: set_partner_defaults(integer, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_partner_defaults(rate_per_second integer, burst integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform require_approval_of_setting(jsonb_build_object('rate_per_second', set_partner_defaults.rate_per_second,
    'burst', set_partner_defaults.burst), 'deployment.defaults')
  from deployment d
  where (d.partner_rate_per_second, d.partner_burst) is distinct from (set_partner_defaults.rate_per_second, set_partner_defaults.burst);
  perform check_rate(set_partner_defaults.rate_per_second);
  update deployment d set partner_rate_per_second = set_partner_defaults.rate_per_second, partner_burst = set_partner_defaults.burst
  where (d.partner_rate_per_second, d.partner_burst) is distinct from (set_partner_defaults.rate_per_second, set_partner_defaults.burst);
  if found then
    perform note('deployment.partner_defaults', 'deployment', jsonb_build_object('rate_per_second', set_partner_defaults.rate_per_second,
      'burst', set_partner_defaults.burst));
  end if;
end $$;

ALTER FUNCTION gold.set_partner_defaults(rate_per_second integer, burst integer) OWNER TO gold_book;

--
-- Name: set_payout_account(text, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_payout_account(name text, iban text, bic text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  known deployment;
begin
  select * into known from deployment for update;
  if known.environment is null then
    raise exception 'the database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key' using errcode = 'GR409';
  elsif (known.payout_name, known.payout_iban, known.payout_bic) is not distinct from
    (set_payout_account.name, set_payout_account.iban, set_payout_account.bic) then
    return;
  end if;
  perform require_approval_of_setting(jsonb_build_object('name', set_payout_account.name, 'iban', set_payout_account.iban,
    'bic', set_payout_account.bic), 'deployment.payout');
  update deployment d set payout_name = set_payout_account.name, payout_iban = set_payout_account.iban, payout_bic = set_payout_account.bic;
  perform note('deployment.payout', set_payout_account.iban, jsonb_build_object('name', set_payout_account.name, 'bic', set_payout_account.bic,
    'before', jsonb_build_object('name', known.payout_name, 'iban', known.payout_iban, 'bic', known.payout_bic)));
end $$;

ALTER FUNCTION gold.set_payout_account(name text, iban text, bic text) OWNER TO gold_book;

--
-- Name: set_price(text, bigint, bigint, bigint, integer, integer, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer, url text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  is_first boolean := not exists (select from price);
begin
  perform require_approval(jsonb_build_object('source', set_price.source, 'spread_basis_points', set_price.spread_basis_points,
    'stale_after_seconds', set_price.stale_after_seconds, 'url', set_price.url)
    || case when set_price.source = 'fixed' then jsonb_build_object('mid', set_price.mid::text) else '{}' end, 'price.set');
  insert into price (source, mid, buy, sell, spread_basis_points, stale_after_seconds, url, as_of)
  values (set_price.source, set_price.mid, set_price.buy, set_price.sell, set_price.spread_basis_points, set_price.stale_after_seconds,
    set_price.url, case when set_price.source = 'http' then 'epoch' else clock_timestamp() end)
  on conflict (one) do update set source = excluded.source, mid = excluded.mid, buy = excluded.buy, sell = excluded.sell,
    spread_basis_points = excluded.spread_basis_points, stale_after_seconds = excluded.stale_after_seconds, url = excluded.url,
    -- tick_price drops a tick if the URL, the spread or `as_of` changed after the tick began. If the URL
    -- stays the same, keep `as_of`: a new spread drops the tick anyway, and a new stale_after_seconds does
    -- not have to. If the URL changes, the tick is dropped because of the URL. In all other cases, change
    -- `as_of`, so that the tick is dropped.
    as_of = case when price.url = excluded.url then price.as_of when excluded.source = 'http' then excluded.as_of
      else greatest(excluded.as_of, price.as_of + interval '1 millisecond') end;
  perform note('price.set', set_price.source, jsonb_strip_nulls(jsonb_build_object('mid', set_price.mid, 'buy', set_price.buy,
    'sell', set_price.sell, 'spread_basis_points', set_price.spread_basis_points, 'stale_after_seconds', set_price.stale_after_seconds,
    'url', set_price.url, 'price_id', (select p.id from price p))));
  -- An operator changed the price, so the circuit breaker does not compare later prices with the ones before
  -- it.
  update price p set watched_from = p.id;
  if is_first then
    perform store_first_breaker();
    perform store_first_band();
  end if;
end $$;

ALTER FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer, url text) OWNER TO gold_book;

--
-- Name: set_stripes(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_stripes(count integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  known int := (select max(v.stripe) + 1 from vault v);
begin
  if count not between 1 and 64 then
    raise exception 'the vault can have 1 to 64 stripes; got %', count using errcode = 'GR409';
  elsif known = count then
    return;
  end if;
  lock table vault in exclusive mode;
  insert into vault (stripe, list_id, maximum_exposure)
  select n, v.list_id, v.maximum_exposure from vault v, generate_series(1, count - 1) n where v.stripe = 0
  on conflict do nothing;
  update vault v set free = case when v.stripe < count then t.free / count else 0 end
    + case v.stripe when 0 then t.free % count else 0 end
  from (select sum(w.free)::bigint as free from vault w) t;
  delete from vault v where v.stripe >= count;
  perform note('deployment.stripes', count::text, jsonb_build_object('before', known));
end $$;

ALTER FUNCTION gold.set_stripes(count integer) OWNER TO gold_book;

--
-- Name: settle_attempts(uuid, integer[], bigint[], timestamp with time zone[], timestamp with time zone[], integer[], integer[], text[], text[], integer[], integer[], integer[], integer[], bigint[], bigint[], integer[], integer[], boolean[], boolean[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.settle_attempts(worker uuid, clients integer[], sequences bigint[], tickets timestamp with time zone[], attempted_ats timestamp with time zone[], durations_ms integer[], statuses integer[], errors text[], answers text[], tries integer[], waits_ms integer[], held integer[], tenures integer[], froms bigint[], passeds bigint[], failures integer[], rests_ms integer[], disableds boolean[], releases boolean[]) RETURNS SETOF integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '200ms'
    AS $$
#variable_conflict use_column
declare
  clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  tried record;
  enables boolean;
  kept int[];
  released int[];
  enabled int[] := '{}';
begin
  perform require_read_committed();
  insert into attempt (bucket, client_id, sequence, attempted_at, duration_ms, http_status, error, answer)
  select a.client % 64, a.client, a.sequence, a.attempted_at, a.duration_ms, a.status, a.error, a.answer
  from unnest(clients, sequences, attempted_ats, durations_ms, statuses, errors, answers)
    a (client, sequence, attempted_at, duration_ms, status, error, answer)
  on conflict do nothing;

  with moved as (
    update endpoint n set passed = h.passed, failures = h.failures, rests_until = clock + h.rest_ms * interval '1 millisecond',
      disabled_at = case when h.disabled then coalesce(n.disabled_at, clock) else n.disabled_at end
    from unnest(held, tenures, froms, passeds, settle_attempts.failures, rests_ms, disableds)
      h (client, tenure, "from", passed, failures, rest_ms, disabled)
    where n.bucket = h.client % 64 and n.client_id = h.client and n.worker = settle_attempts.worker and n.tenure = h.tenure
      and n.passed in (h."from", h.passed) and h.passed >= h."from"
    returning n.client_id
  )
  select array_agg(m.client_id) into kept from moved m;

  -- Handle the few attempts that failed or belong to events from the retry table.
  for tried in
    select a.*, (a.status between 200 and 299) is true as delivered, clock + a.wait_ms * interval '1 millisecond' as due_at
    from unnest(clients, sequences, tickets, statuses, settle_attempts.tries, waits_ms) a (client, sequence, ticket, status, tries, wait_ms)
    where a.ticket is not null or (a.status between 200 and 299) is not true
  loop
    if tried.ticket is null and tried.client = any (kept) then
      insert into retry (bucket, client_id, sequence, tries, due_at, parked_at)
      values (tried.client % 64, tried.client, tried.sequence, tried.tries, tried.due_at, case when tried.due_at is null then clock end)
      on conflict do nothing;
    elsif tried.delivered then
      -- Record the event as delivered: its row has neither due_at nor parked_at. The row is deleted when the
      -- mark passes it.
      update retry r set due_at = null
      where r.bucket = tried.client % 64 and r.client_id = tried.client and r.sequence = tried.sequence and r.due_at = tried.ticket
      returning r.is_test and exists (
        select from endpoint n where n.bucket = r.bucket and n.client_id = r.client_id and n.disabled_at is not null) into enables;
      if enables then
        enabled := enabled || tried.client;
      end if;
    else
      update retry r set tries = tried.tries, due_at = tried.due_at, parked_at = case when tried.due_at is null then clock end
      where r.bucket = tried.client % 64 and r.client_id = tried.client and r.sequence = tried.sequence and r.due_at = tried.ticket;
    end if;
  end loop;

  delete from retry r
  where r.ctid = any (array(
    select r.ctid from (
      -- Select the events from the retry table that this call settles, and the events that the mark passes in
      -- this call.
      select a.client, a.sequence - 1 as above, a.sequence as last from unnest(clients, sequences, tickets) a (client, sequence, ticket)
      where a.ticket is not null
      union all
      select h.client, h."from", h.passed from unnest(held, froms, passeds) h (client, "from", passed) where h.client = any (kept)
    ) p
    join endpoint n on n.bucket = p.client % 64 and n.client_id = p.client
    cross join lateral (
      select r.ctid from retry r
      where r.bucket = p.client % 64 and r.client_id = p.client and r.sequence > p.above and r.sequence <= least(p.last, n.passed)
        and r.due_at is null and r.parked_at is null offset 0
    ) r))
    -- Check again, because somebody may have requested a redelivery meanwhile.
    and r.due_at is null;

  -- Enable the endpoint of a delivered test, no matter which worker holds it now.
  perform enable_endpoint(e.client) from (select distinct client from unnest(enabled) e (client) order by client) e;

  -- Release last, so that this statement sees which retries these attempts made due.
  with let_go as (
    update endpoint n set worker = null
    from unnest(held, releases) h (client, release), account a
    where h.release and h.client = any (kept) and n.bucket = h.client % 64 and n.client_id = h.client
      and a.bucket = n.bucket and a.client_id = n.client_id
      and (n.rests_until > clock or not exists (
          select from retry r where r.client_id + 0 = n.client_id and r.is_test and r.due_at <= clock)
        and (n.disabled_at is not null or a.event_sequence = n.passed
          and not exists (select from retry r where r.client_id + 0 = n.client_id and r.due_at <= clock)))
    returning n.client_id
  )
  select array_agg(l.client_id) into released from let_go l;
  return query select h.client from unnest(held) h (client)
    where h.client = any (kept) is not true or h.client = any (released) or h.client = any (enabled);
end $$;

ALTER FUNCTION gold.settle_attempts(worker uuid, clients integer[], sequences bigint[], tickets timestamp with time zone[], attempted_ats timestamp with time zone[], durations_ms integer[], statuses integer[], errors text[], answers text[], tries integer[], waits_ms integer[], held integer[], tenures integer[], froms bigint[], passeds bigint[], failures integer[], rests_ms integer[], disableds boolean[], releases boolean[]) OWNER TO gold_book;

--
-- Name: settle_deployment(text, text, boolean, text, text, integer, integer[], integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text, flood_per_second integer, webhook_ports integer[], attempts_kept_days integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  known deployment;
begin
  insert into account (bucket, client_id) values (0, 0) on conflict do nothing;
  insert into vault (stripe) values (0) on conflict do nothing;
  insert into registry_version (version) values (1) on conflict do nothing;
  select * into known from deployment for update;
  if known.environment <> settle_deployment.environment then
    raise exception 'this is a % database; got --env %: check the database URL and --env', known.environment, settle_deployment.environment using errcode = 'GR409';
  elsif settle_deployment.environment = 'production' and settle_deployment.loopback_receivers then
    raise exception 'receivers on loopback addresses are allowed only in the sandbox: leave out --loopback-receivers' using errcode = 'GR409';
  elsif settle_deployment.flood_per_second / 4 < (select max(p.rate_per_second) from partner p) then
    raise exception 'a partner has a rate of %/s, which is more than a quarter of the proxy''s limit of %/s for one certificate: give a --flood of at least four times this rate, or lower the partner''s --rate first', (select max(p.rate_per_second) from partner p),
      settle_deployment.flood_per_second using errcode = 'GR409';
  elsif (known.public_base_url, known.loopback_receivers, known.flood_per_second, known.webhook_ports, known.attempts_kept_days) is not distinct from
    (settle_deployment.public_base_url, settle_deployment.loopback_receivers, settle_deployment.flood_per_second,
      settle_deployment.webhook_ports, settle_deployment.attempts_kept_days)
    -- Earlier releases did not record the new values. The first call of this release records them.
    and exists (select from audit a where a.action = 'deployment.settle' and a.detail ? 'after') then
    return;
  end if;
  perform require_approval_of_setting(jsonb_build_object('environment', settle_deployment.environment,
    'public_base_url', settle_deployment.public_base_url, 'loopback_receivers', settle_deployment.loopback_receivers,
    'flood_per_second', settle_deployment.flood_per_second, 'webhook_ports', settle_deployment.webhook_ports,
    'attempts_kept_days', settle_deployment.attempts_kept_days), 'deployment.settle');
  insert into deployment (environment, public_base_url, loopback_receivers, flood_per_second, webhook_ports, attempts_kept_days)
  values (settle_deployment.environment, settle_deployment.public_base_url, settle_deployment.loopback_receivers,
    settle_deployment.flood_per_second, settle_deployment.webhook_ports, settle_deployment.attempts_kept_days)
  on conflict (one) do update set public_base_url = excluded.public_base_url, loopback_receivers = excluded.loopback_receivers,
    flood_per_second = excluded.flood_per_second, webhook_ports = excluded.webhook_ports, attempts_kept_days = excluded.attempts_kept_days;
  if known.environment is null and settle_deployment.environment = 'production' then
    perform set_limit_defaults('{"net_grams": 100000000, "daily_withdrawals": 20, "daily_withdrawn": 1000000000}');
  end if;
  perform note('deployment.settle', settle_deployment.public_base_url,
    jsonb_build_object('before', to_jsonb(known) - 'one', 'after', jsonb_build_object('environment', settle_deployment.environment,
      'loopback_receivers', settle_deployment.loopback_receivers, 'flood_per_second', settle_deployment.flood_per_second,
      'webhook_ports', settle_deployment.webhook_ports, 'attempts_kept_days', settle_deployment.attempts_kept_days)));
  if known.id is null then
    perform identify_deployment();
  end if;
  perform registry_changed();
end $$;

ALTER FUNCTION gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text, flood_per_second integer, webhook_ports integer[], attempts_kept_days integer) OWNER TO gold_book;

--
-- Name: settle_exposure(gold.orders[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.settle_exposure(executed gold.orders[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  house vault;
  clock timestamptz;
begin
  select v.* into strict house from vault v where v.stripe = 0 for no key update;
  clock := clock_timestamp();
  update open_exposure e set buys = greatest(e.buys - x.buys, 0), sells = greatest(e.sells - x.sells, 0)
  from (
    select exposure_slot(q.created_at, q.expires_at) as ends_at,
      sum(case q.side when 'buy' then q.grams else 0 end) as buys,
      sum(case q.side when 'sell' then q.grams else 0 end) as sells
    from unnest(executed) o
    cross join lateral (
      select * from quote q where q.bucket = o.bucket and q.client_id = o.client_id and q.id = o.id offset 0
    ) q
    group by 1
  ) x
  where e.ends_at = x.ends_at;
  if is_other_day(house.day_ends_at, clock) then
    update vault v set day_ends_at = day_end(clock), day_net = net_of_day(clock) where v.stripe = 0;
  else
    -- An order of the last day that is booked after the new day began no longer counts.
    update vault v set day_net = v.day_net + (
      select coalesce(sum(case o.side when 'buy' then o.grams else -o.grams end), 0) from unnest(executed) o
      where o.executed_at >= v.day_ends_at - interval '24 hours'
    ) where v.stripe = 0;
  end if;
end $$;

ALTER FUNCTION gold.settle_exposure(executed gold.orders[]) OWNER TO gold_book;

--
-- Name: settled_account(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.settled_account(client integer) RETURNS gold.account
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  holder account;
begin
  if current_setting('transaction_read_only')::boolean then
    select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client;
  else
    select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client for share;
  end if;
  return holder;
end $$;

ALTER FUNCTION gold.settled_account(client integer) OWNER TO gold_book;

--
-- Name: sign_proposal(uuid, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.sign_proposal(id uuid, signature text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
begin
  perform refuse_decided(given);
  perform refuse_foreign(given);
  if given.proposer <> session_user then
    raise exception 'only % may sign this proposal', given.proposer using errcode = 'GR409';
  elsif given.proposer_signature is not null then
    raise exception 'the proposal is signed already' using errcode = 'GR409';
  end if;
  update proposal p set proposer_signature = signature where p.id = id;
  perform note('proposal.sign', id::text, signed_with(given.proposer, signature));
end $$;

ALTER FUNCTION gold.sign_proposal(id uuid, signature text) OWNER TO gold_book;

--
-- Name: signatures_demanded(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.signatures_demanded() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM gold.operator_key)) AS "exists";
END;

ALTER FUNCTION gold.signatures_demanded() OWNER TO gold_book;

--
-- Name: signed_with(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.signed_with(login text, signature text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  return jsonb_build_object('key', require_operator_key(login, signature), 'signature_sha256', hash_text(convert_to(signature, 'UTF8')));
end $$;

ALTER FUNCTION gold.signed_with(login text, signature text) OWNER TO gold_book;

--
-- Name: signing_fingerprint(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.signing_fingerprint(signature text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $_$
declare
  blob bytea;
begin
  if length(signature) < 4096 and signature ~ '^-----BEGIN SSH SIGNATURE-----\n[A-Za-z0-9+/=\n]+\n-----END SSH SIGNATURE-----\n?$' then
    blob := decode_base64(split_part(signature, '-----', 3));
  end if;
  if blob is null or substring(blob from 1 for 12) <> '\x535348534947000000010000' then
    raise exception 'the signature must be the text that `ssh-keygen -Y sign` writes' using errcode = 'GR409';
  end if;
  return key_fingerprint(substring(blob from 15 for get_byte(blob, 12) * 256 + get_byte(blob, 13)));
end $_$;

ALTER FUNCTION gold.signing_fingerprint(signature text) OWNER TO gold_book;

--
-- Name: simulate_deposit(gold.account, jsonb, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.simulate_deposit(holder gold.account, parameters jsonb, request uuid, OUT refusal text, OUT detail text, OUT body text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  amount bigint := parameters->>'amount';
  maximum bigint := parameters->>'maximum';
  deposit uuid;
begin
  if amount > maximum or not has_room_for(holder, amount) then
    refusal := 'limit_exceeded';
    detail := 'A deposit is at most ' || decimal_text(maximum, 0.01) || ' SAR, and an account holds at most 999999999999.99 SAR.';
    return;
  end if;
  deposit := record_deposit_as('gold_simulation_maker', public_of(holder.client_id), amount, 'SIMULATED-' || request);
  perform approve_deposit_as('gold_simulation_checker', deposit);
  select funding_text(f, null) into strict body from funding f
  where f.bucket = holder.bucket and f.client_id = holder.client_id and f.id = deposit;
end $$;

ALTER FUNCTION gold.simulate_deposit(holder gold.account, parameters jsonb, request uuid, OUT refusal text, OUT detail text, OUT body text) OWNER TO gold_book;

--
-- Name: simulate_deposit_reversal(gold.account, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.simulate_deposit_reversal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  given deposit;
begin
  select d.* into given from deposit d
  where d.id = (parameters->>'id')::uuid and d.client_id = holder.client_id and d.approved_at is not null;
  if given.id is null then
    refusal := 'not_found';
    detail := 'No bank deposit of yours has this funding_id. Money from POST /sandbox/fund cannot be reversed.';
    return;
  elsif given.reversed_at is null and holder.sar_available < given.amount then
    refusal := 'insufficient_funds';
    detail := 'The reversal takes back ' || decimal_text(given.amount, 0.01) || ' SAR and ' || decimal_text(holder.sar_available, 0.01)
      || ' SAR are available.';
    return;
  elsif given.reversed_at is null then
    perform reverse_deposit_as('gold_simulation_checker', given.id);
  end if;
  select funding_text(f, null) into strict body from funding f
  where f.bucket = holder.bucket and f.client_id = holder.client_id and f.id = given.id;
end $$;

ALTER FUNCTION gold.simulate_deposit_reversal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text) OWNER TO gold_book;

--
-- Name: simulate_quote_expiry(gold.account, jsonb, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.simulate_quote_expiry(holder gold.account, parameters jsonb, clock timestamp with time zone, OUT refusal text, OUT detail text, OUT body text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  given quote;
  ended jsonb;
begin
  select q.* into given from quote q
  where q.bucket = holder.bucket and q.client_id = holder.client_id and q.id = (parameters->>'id')::uuid;
  if given.id is null then
    refusal := 'not_found';
    detail := 'No quote of yours has this quote_id.';
    return;
  elsif exists (select from orders o where o.bucket = given.bucket and o.client_id = given.client_id and o.id = given.id) then
    refusal := 'quote_already_executed';
    detail := 'The quote was executed as ord_' || given.id || '.';
    return;
  end if;
  ended := holder.simulations->'expired_quotes';
  if given.expires_at > clock then
    -- A quote that has already ended keeps the instant at which it ended.
    select jsonb_build_object(given.id, instant_text(clock)) || coalesce(jsonb_object_agg(e.key, e.value), '{}') into ended
    from jsonb_each(ended) e where (e.value#>>'{}')::timestamptz > clock - (given.expires_at - given.created_at);
    update account a set simulations = coalesce(a.simulations, '{}') || jsonb_build_object('expired_quotes', ended)
    where a.bucket = holder.bucket and a.client_id = holder.client_id;
  end if;
  given.expires_at := least(given.expires_at, (ended->>given.id::text)::timestamptz);
  body := quote_text(given, 'expired');
end $$;

ALTER FUNCTION gold.simulate_quote_expiry(holder gold.account, parameters jsonb, clock timestamp with time zone, OUT refusal text, OUT detail text, OUT body text) OWNER TO gold_book;

--
-- Name: simulate_withdrawal(gold.account, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.simulate_withdrawal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  given withdrawal;
  status withdrawal_status;
  outcome withdrawal_status := parameters->>'outcome';
  path withdrawal_status[];
  target withdrawal_status;
begin
  select w.* into given from withdrawal w
  where w.bucket = holder.bucket and w.client_id = holder.client_id and w.id = (parameters->>'id')::uuid;
  if given.id is null then
    refusal := 'not_found';
    detail := 'No withdrawal of yours has this withdrawal_id.';
    return;
  end if;
  select s.status into strict status from withdrawal_step s
  where s.bucket = given.bucket and s.client_id = given.client_id and s.withdrawal_id = given.id order by s.sequence desc limit 1;
  path := case
    when outcome = 'rejected' then '{rejected}'
    when outcome = 'returned' then case status when 'paid' then '{returned}' else '{approved,submitted,returned}' end
    else '{approved,submitted,paid}' end;
  path := path[: array_position(path, outcome)];
  begin
    -- If the withdrawal's status is not on the path, step_withdrawal refuses the first step.
    foreach target in array path[coalesce(array_position(path, status), 0) + 1 :] loop
      if target = 'submitted' then
        perform submit_withdrawals_as('gold_simulation_checker', gen_random_uuid(), array[given.id],
          'A simulated payment: no document was sent to a bank.');
      else
        perform step_withdrawal(case when target in ('approved', 'rejected') then 'gold_simulation_maker' else 'gold_simulation_checker' end,
          given.id, target, null);
      end if;
    end loop;
  exception when sqlstate 'GR409' then
    refusal := 'withdrawal_outcome_unreachable';
    detail := 'The withdrawal wd_' || given.id || ' is ' || status || ', so it cannot become ' || outcome || ' any more.';
    return;
  end;
  body := withdrawal_text(given, null);
end $$;

ALTER FUNCTION gold.simulate_withdrawal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text) OWNER TO gold_book;

--
-- Name: simulated_market(gold.account, gold.side, timestamp with time zone, bigint, boolean, boolean); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.simulated_market(holder gold.account, side gold.side, clock timestamp with time zone, INOUT unit_price bigint, INOUT shut boolean, INOUT unpriced boolean) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  state text := armed(holder.simulations, 'market', clock)->>'state';
  percent int := armed(holder.simulations, 'prices', clock)->>'percent';
begin
  shut := shut or state is not distinct from 'closed';
  unpriced := unpriced or state is not distinct from 'price_stale';
  if percent is not null then
    unit_price := case side when 'buy' then (unit_price * (100 + percent) + 99) / 100 else greatest(unit_price * (100 + percent) / 100, 1) end;
  end if;
end $$;

ALTER FUNCTION gold.simulated_market(holder gold.account, side gold.side, clock timestamp with time zone, INOUT unit_price bigint, INOUT shut boolean, INOUT unpriced boolean) OWNER TO gold_book;

--
-- Name: simulated_order(gold.account, uuid, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.simulated_order(holder gold.account, quote uuid, clock timestamp with time zone, INOUT expires_at timestamp with time zone, OUT is_short boolean) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  expires_at := least(expires_at, (holder.simulations->'expired_quotes'->>quote::text)::timestamptz);
  is_short := armed(holder.simulations, 'market', clock)->>'state' is not distinct from 'vault_short';
end $$;

ALTER FUNCTION gold.simulated_order(holder gold.account, quote uuid, clock timestamp with time zone, INOUT expires_at timestamp with time zone, OUT is_short boolean) OWNER TO gold_book;

--
-- Name: simulations_text(gold.account, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.simulations_text(holder gold.account, clock timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    RETURN (SELECT (((((((('{"market":'::text || COALESCE((((('{"state":"'::text || (m.m ->> 'state'::text)) || '","until":"'::text) || (m.m ->> 'until'::text)) || '"}'::text), 'null'::text)) || ',"prices":'::text) || COALESCE((((('{"percent":'::text || (p.p ->> 'percent'::text)) || ',"until":"'::text) || (p.p ->> 'until'::text)) || '"}'::text), 'null'::text)) || ',"failure":'::text) || COALESCE((((((((((('{"kind":"'::text || (f.f ->> 'kind'::text)) || '","code":'::text) || COALESCE((('"'::text || (f.f ->> 'code'::text)) || '"'::text), 'null'::text)) || ',"seconds":'::text) || COALESCE((f.f ->> 'seconds'::text), 'null'::text)) || ',"remaining":'::text) || (f.f ->> 'remaining'::text)) || ',"until":"'::text) || (f.f ->> 'until'::text)) || '"}'::text), 'null'::text)) || ',"webhooks":'::text) || COALESCE(CASE WHEN (w.remaining > 0) THEN (((((((('{"kind":"'::text || (w.state ->> 'kind'::text)) || '","seconds":'::text) || COALESCE((w.state ->> 'seconds'::text), 'null'::text)) || ',"remaining":'::text) || w.remaining) || ',"until":"'::text) || (w.state ->> 'until'::text)) || '"}'::text) ELSE NULL::text END, 'null'::text)) || '}'::text) FROM gold.armed((simulations_text.holder).simulations, 'market'::text, simulations_text.clock) m(m), gold.armed((simulations_text.holder).simulations, 'prices'::text, simulations_text.clock) p(p), gold.armed((simulations_text.holder).simulations, 'failure'::text, simulations_text.clock) f(f), (SELECT s.s AS state, ((((s.s ->> 'from'::text))::bigint + ((s.s ->> 'count'::text))::integer) - GREATEST(((s.s ->> 'from'::text))::bigint, ((simulations_text.holder).event_sequence + 1))) AS remaining FROM gold.armed((simulations_text.holder).simulations, 'webhooks'::text, simulations_text.clock) s(s)) w);

ALTER FUNCTION gold.simulations_text(holder gold.account, clock timestamp with time zone) OWNER TO gold_book;

--
-- Name: nonce; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.nonce (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    nonce uuid NOT NULL,
    request_id uuid
);

ALTER TABLE gold.nonce OWNER TO gold_owner;

--
-- Name: spend_nonce(gold.account, uuid, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.spend_nonce(holder gold.account, nonce uuid, request uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO gold.nonce (bucket, client_id, nonce, request_id)
   VALUES ((spend_nonce.holder).bucket, (spend_nonce.holder).client_id, spend_nonce.nonce, spend_nonce.request);
END;

ALTER FUNCTION gold.spend_nonce(holder gold.account, nonce uuid, request uuid) OWNER TO gold_book;

--
-- Name: spend_nonces(boolean, integer[], bigint[], uuid[], uuid[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.spend_nonces(wait boolean, clients integer[], admissions bigint[], nonces uuid[], requests uuid[]) RETURNS text[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  locked int[];
  versions bigint[];
  spent bigint;
  asked record;
  limited outcome;
  refusals text[] := '{}';
  taken text[] := '{}';
begin
  select l.locked, array(select a.admission_version from unnest(l.accounts) a) into locked, versions
  from lock_accounts(clients, wait) l;

  -- Count each nonce that is not spent yet as one record of its partner's daily limit.
  for asked in
    select i.n::int as n, i.client, i.request, i.client || ' ' || i.nonce as name
    from unnest(clients, admissions, nonces, requests) with ordinality i (client, admission, nonce, request, n)
    where exists (
        select from allowance l where l.bucket = i.client % 64 and l.client_id = i.client and l.maximum_daily_records is not null offset 0
      )
      and versions[array_position(locked, i.client)] = i.admission
      and not exists (select from nonce s where s.bucket = i.client % 64 and s.client_id = i.client and s.nonce = i.nonce offset 0)
    order by i.n
  loop
    continue when asked.name = any (taken);
    limited := take_record(asked.n, asked.client, clock_timestamp(), asked.request, false);
    if limited.outcome is null then
      taken := taken || asked.name;
    else
      refusals[asked.n] := limited.body;
    end if;
  end loop;

  with fresh as (
    insert into nonce (bucket, client_id, nonce, request_id)
    select i.client % 64, i.client, i.nonce, i.request
    from unnest(clients, admissions, nonces, requests) with ordinality i (client, admission, nonce, request, n)
    where versions[array_position(locked, i.client)] = i.admission and refusals[i.n] is null
    on conflict do nothing
    returning 1
  )
  select count(*) into spent from fresh;
  -- Skip the look-up if all nonces are fresh, which is usual under load. Looking each one up would cost a
  -- fifth of the whole call.
  if spent = cardinality(nonces) then
    return array_fill('answered'::text, array[cardinality(nonces)]);
  end if;

  return (
    select array_agg(case
      when array_position(locked, i.client) is null then 'busy'
      when refusals[i.n] is not null then refusals[i.n]
      when s.request_id = i.request then 'answered'
      when versions[array_position(locked, i.client)] <> i.admission then 'admission_changed'
      else 'nonce_reused'
    end order by i.n)
    from unnest(clients, admissions, nonces, requests) with ordinality i (client, admission, nonce, request, n)
    left join lateral (
      select n.request_id from nonce n where n.bucket = i.client % 64 and n.client_id = i.client and n.nonce = i.nonce offset 0
    ) s on true
  );
end $$;

ALTER FUNCTION gold.spend_nonces(wait boolean, clients integer[], admissions bigint[], nonces uuid[], requests uuid[]) OWNER TO gold_book;

--
-- Name: statement_range(integer, date, date); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.statement_range(client integer, first_day date, last_day date) RETURNS TABLE(above bigint, last bigint, opening bigint[], closing bigint[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  perform settled_account(client);
  above := sequence_at(client, first_day::timestamp at time zone 'Asia/Riyadh' - interval '1 millisecond');
  last := sequence_at(client, (last_day + 1)::timestamp at time zone 'Asia/Riyadh' - interval '1 millisecond');
  return query select above, last, array[o.available, o.held, o.gold], array[c.available, c.held, c.gold]
    from balance_after(client, above) o, balance_after(client, last) c;
end $$;

ALTER FUNCTION gold.statement_range(client integer, first_day date, last_day date) OWNER TO gold_book;

--
-- Name: store_band(integer, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.store_band(basis_points integer, hour_basis_points integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  update price p set band_basis_points = store_band.basis_points, band_hour_basis_points = store_band.hour_basis_points,
    -- A new band does not compare with the prices before it. A changed band does; otherwise, changing it
    -- again and again would move the price any distance.
    band_from = case when p.band_basis_points is null then p.id else p.band_from end;
  if not found then
    raise exception 'no price has been set yet: set a price before the price band' using errcode = 'GR409';
  end if;
  -- The band is in force for the prices after `price_id`. `swings` tells the audit that the band also bounds
  -- the rises and falls of an hour. The band of 0.5.0 did not.
  perform note('market.band', 'price band', jsonb_build_object('step_basis_points', store_band.basis_points,
    'hour_basis_points', store_band.hour_basis_points, 'price_id', (select p.id from price p), 'swings', true));
end $$;

ALTER FUNCTION gold.store_band(basis_points integer, hour_basis_points integer) OWNER TO gold_book;

--
-- Name: store_breaker(integer, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.store_breaker(basis_points integer, seconds integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  update price p set halt_basis_points = store_breaker.basis_points, halt_seconds = store_breaker.seconds;
  if not found then
    raise exception 'no price has been set yet: set a price before the circuit breaker' using errcode = 'GR409';
  end if;
  perform note('market.breaker', 'circuit breaker',
    jsonb_build_object('basis_points', store_breaker.basis_points, 'seconds', store_breaker.seconds));
end $$;

ALTER FUNCTION gold.store_breaker(basis_points integer, seconds integer) OWNER TO gold_book;

--
-- Name: store_first_band(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.store_first_band() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if two_people() and exists (select from price) and not exists (select from audit a where a.action = 'market.band') then
    perform store_band(200, 500);
  end if;
end $$;

ALTER FUNCTION gold.store_first_band() OWNER TO gold_book;

--
-- Name: store_first_breaker(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.store_first_breaker() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  if two_people() and exists (select from price) and not exists (select from audit a where a.action = 'market.breaker') then
    perform store_breaker(500, 60);
  end if;
end $$;

ALTER FUNCTION gold.store_first_breaker() OWNER TO gold_book;

--
-- Name: store_revocation_list(text, bigint, text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.store_revocation_list(authority text, number bigint, list text, next_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  update authority a set revocation_list = list, revocation_number = number, revocation_next_at = next_at
  where a.fingerprint = store_revocation_list.authority and a.revocation_number = number - 1 and a.retired_at is null;
  if not found then
    return false;
  end if;
  perform note('ca.revocation_list', store_revocation_list.authority, jsonb_build_object('number', number, 'next_at', next_at,
    'list_sha256', hash_text(convert_to(list, 'UTF8'))));
  perform registry_changed();
  return true;
end $$;

ALTER FUNCTION gold.store_revocation_list(authority text, number bigint, list text, next_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: submit_payment(uuid, uuid[], timestamp with time zone, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.submit_payment(batch uuid, ids uuid[], prepared_at timestamp with time zone, sha256 text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  applied proposal := applied_proposal();
  document text;
  built text;
begin
  perform require_approval(jsonb_build_object('batch', batch, 'prepared_at', instant_text(prepared_at), 'document_sha256', sha256,
    'payments', payments_of(ids)), 'payment.submit');
  perform require_admitted_login();
  perform require_read_committed();
  perform lock_payees(ids);
  -- Lock the audit trail. A change of a name or of the payout account writes an audit row, so it now waits
  -- until this batch has written its own.
  perform from audit_tail for no key update;
  -- The person who was shown the document answers soon. Another person may approve it until the end of its
  -- day.
  if prepared_at > clock_timestamp() + clock_tolerance()
    or applied.id is null and prepared_at < clock_timestamp() - interval '1 hour'
    or day_in_riyadh(prepared_at) <> day_in_riyadh(clock_timestamp())
  then
    raise exception 'the document was prepared at %, which is too long ago or another day in Riyadh: run `gold withdrawal submit` again', instant_text(prepared_at) using errcode = 'GR409';
  end if;
  document := payment_document(batch, prepared_at, day_in_riyadh(prepared_at), ids);
  built := encode(sha256(convert_to(document, 'UTF8')), 'hex');
  if built is distinct from sha256 then
    raise exception 'the document changed after it was shown: its hash is %, not %. Run the command again', built, sha256 using errcode = 'GR409';
  end if;
  perform submit_withdrawals_as(coalesce(applied.proposer, session_user), batch, ids, document, prepared_at);
  return document;
end $$;

ALTER FUNCTION gold.submit_payment(batch uuid, ids uuid[], prepared_at timestamp with time zone, sha256 text) OWNER TO gold_book;

--
-- Name: submit_withdrawals(uuid, uuid[], text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.submit_withdrawals(batch uuid, ids uuid[], document text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  raise exception 'the payment document is built in the database now: use gold of version 0.5.0 or later' using errcode = 'GR409';
end $$;

ALTER FUNCTION gold.submit_withdrawals(batch uuid, ids uuid[], document text) OWNER TO gold_book;

--
-- Name: submit_withdrawals_as(text, uuid, uuid[], text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.submit_withdrawals_as(actor text, batch uuid, ids uuid[], document text, prepared_at timestamp with time zone DEFAULT clock_timestamp()) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  held record;
  one uuid;
begin
  perform lock_payees(ids);
  select p.public_id, held_until(p.iban_changed_at) as until into held
  from withdrawal w join partner p on p.id = w.client_id
  where w.id = any (ids) and held_until(p.iban_changed_at) > clock_timestamp() limit 1;
  if found then
    raise exception 'the IBAN of % was changed, so its payouts are held until %', held.public_id, instant_text(held.until) using errcode = 'GR409';
  end if;
  prepared_at := date_trunc('milliseconds', prepared_at);
  insert into payment_batch (id, created_at, login, document) values (batch, prepared_at, actor, document);
  for one in select w.id from withdrawal w where w.id = any (ids) order by w.client_id, w.sequence loop
    perform step_withdrawal(actor, one, 'submitted', batch);
  end loop;
  -- The audit's hash chain protects the document's hash. A later change of the stored document is then
  -- detected.
  perform note_as(actor, 'withdrawal.batch', batch::text, jsonb_build_object('withdrawals', cardinality(ids),
    'prepared_at', instant_text(prepared_at), 'document_sha256', encode(sha256(convert_to(document, 'UTF8')), 'hex')));
end $$;

ALTER FUNCTION gold.submit_withdrawals_as(actor text, batch uuid, ids uuid[], document text, prepared_at timestamp with time zone) OWNER TO gold_book;

--
-- Name: suspend_partner(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.suspend_partner(public text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
begin
  perform end_admission(subject.id);
  update partner set suspended_at = clock_timestamp() where id = subject.id and suspended_at is null;
  if not found then
    raise exception 'partner % is suspended already', public using errcode = 'GR409';
  end if;
  perform note('partner.suspend', public, '{}');
  perform registry_changed();
end $$;

ALTER FUNCTION gold.suspend_partner(public text) OWNER TO gold_book;

--
-- Name: take_events(uuid, integer[], integer[], bigint[], integer[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.take_events(worker uuid, clients integer[], tenures integer[], afters bigint[], rooms integer[]) RETURNS TABLE(client integer, sequence bigint, id uuid, body text, tries integer, ticket timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  -- When a taken retry becomes due again, so that another worker can send it if this worker dies. Every
  -- attempt ends before this time.
  lost_at timestamptz := clock + interval '20 seconds';
  unsealed int[];
begin
  perform require_read_committed();
  unsealed := array(
    select c.client from unnest(clients, afters, rooms) c (client, after, room)
    join account a on a.bucket = c.client % 64 and a.client_id = c.client
    left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
    where coalesce(t.sequence, 0) < least(a.event_sequence, c.after + c.room));
  if cardinality(unsealed) > 0 then
    perform seal_next(unsealed);
  end if;

  return query
  with asked as materialized (
    select n.bucket, n.client_id, c.after, c.room, t.sequence as sealed, n.disabled_at is not null as disabled
    from unnest(clients, tenures, afters, rooms) c (client, tenure, after, room)
    join endpoint n on n.bucket = c.client % 64 and n.client_id = c.client and n.worker = take_events.worker and n.tenure = c.tenure
    join chain_tail t on t.bucket = n.bucket and t.client_id = n.client_id
  ), taken as (
    -- Give retries half of the room at most, so that events that a receiver never accepts do not block new
    -- events. Tests are selected separately, up to the whole room. The test with the latest due time comes
    -- first, so that a new test does not wait for the retries of earlier tests.
    update retry r set due_at = lost_at
    where r.ctid = any (array(
      select r.ctid from asked a cross join lateral (
        select r.ctid from retry r where r.client_id + 0 = a.client_id and r.is_test and r.due_at <= clock and r.sequence <= a.sealed
        order by r.client_id + 0 desc, r.due_at desc limit a.room for no key update skip locked
      ) r
    ) || array(
      select r.ctid from asked a cross join lateral (
        select r.ctid from retry r where r.client_id + 0 = a.client_id and r.due_at <= clock and r.sequence <= a.sealed
        order by r.client_id + 0, r.due_at limit (a.room + 1) / 2 for no key update skip locked
      ) r where not a.disabled))
    returning r.client_id, r.sequence, r.tries
  ), chosen as (
    select e.*, t.tries, lost_at as ticket from taken t cross join lateral event_of_number(t.client_id, t.sequence) e
    union all
    select e.*, 0, null from asked a cross join lateral (
      select e.* from event e
      where e.bucket = a.bucket and e.client_id = a.client_id and e.sequence > a.after
      order by e.sequence limit greatest(0, a.room - (select count(*) from taken t where t.client_id = a.client_id))
    ) e
    where not a.disabled
  )
  -- An event without a chain link was written after the sealing and has no body yet. A later call returns it.
  select t.client_id, t.sequence, t.id,
    -- A new event that has a row in the retry table gets no body, because it is or was sent through that row.
    -- The worker then skips the event. This is a subquery, because with `exists` the planner might read the
    -- whole table.
    case when t.ticket is not null or (
      select r.tries from retry r where r.bucket = t.bucket and r.client_id = t.client_id and r.sequence = t.sequence) is null then b.body end,
    t.tries::int, t.ticket
  from chosen t cross join lateral event_body(row(t.bucket, t.client_id, t.sequence, t.id, t.subject, t.created_at, t.type, t.line)::event) b;
end $$;

ALTER FUNCTION gold.take_events(worker uuid, clients integer[], tenures integer[], afters bigint[], rooms integer[]) OWNER TO gold_book;

--
-- Name: take_failure(integer, text[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.take_failure(client integer, codes text[]) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  holder account;
  failure jsonb;
  remaining int;
begin
  select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client for no key update;
  failure := armed(holder.simulations, 'failure', clock_timestamp());
  if failure is null or not coalesce(failure->>'code' = any (codes), true) then
    return null;
  end if;
  remaining := (failure->>'remaining')::int - 1;
  update account a set simulations = case when remaining > 0 then jsonb_set(a.simulations, '{failure,remaining}', to_jsonb(remaining))
    else nullif(a.simulations - 'failure', '{}') end
  where a.bucket = holder.bucket and a.client_id = holder.client_id;
  if remaining = 0 then
    perform registry_changed();
  end if;
  return failure;
end $$;

ALTER FUNCTION gold.take_failure(client integer, codes text[]) OWNER TO gold_book;

--
-- Name: take_record(integer, integer, timestamp with time zone, uuid, boolean, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.take_record(item integer, client integer, clock timestamp with time zone, request uuid, is_replay boolean, executed bigint DEFAULT 0) RETURNS gold.outcome
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  held allowance;
begin
  select * into held from allowance l where l.bucket = client % 64 and l.client_id = client and l.maximum_daily_records is not null;
  if held.client_id is null then
    return null;
  end if;
  if is_replay then
    -- Correct `replays_paid_at` if it is more than a whole burst ahead of the clock, because then the clock
    -- stepped back.
    if held.replays_paid_at > clock + make_interval(secs => replay_burst() / replays_per_second()::float8) then
      held.replays_paid_at := clock;
    end if;
    if held.replays_paid_at > clock + make_interval(secs => (replay_burst() - 1) / replays_per_second()::float8) then
      return limit_reached(item, held, 'replays', clock, request);
    end if;
    held.replays_paid_at := greatest(held.replays_paid_at, clock) + make_interval(secs => 1 / replays_per_second()::float8);
  elsif held.records >= held.maximum_daily_records or is_other_day(held.day_ends_at, clock) then
    held := renewed(held, clock, null);
    if held.records - executed >= held.maximum_daily_records then
      return limit_reached(item, held, 'daily_records', clock, request);
    end if;
  end if;
  held.records := held.records + 1;
  perform keep_allowances(array[held]);
  return null;
end $$;

ALTER FUNCTION gold.take_record(item integer, client integer, clock timestamp with time zone, request uuid, is_replay boolean, executed bigint) OWNER TO gold_book;

--
-- Name: take_secrets(uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
begin
  if given.proposer <> session_user then
    raise exception 'only % may read the secrets of this proposal', given.proposer using errcode = 'GR409';
  elsif given.state <> 'approved' then
    raise exception 'the proposal is %: its secrets are shown after its approval', given.state using errcode = 'GR409';
  elsif given.sealing_key is null then
    raise exception 'the proposal has no secrets' using errcode = 'GR409';
  elsif given.secrets is null then
    raise exception 'the secrets were shown already: if they are lost, rotate them' using errcode = 'GR409';
  elsif clock_timestamp() >= given.decided_at + interval '7 days' then
    raise exception 'the secrets were available until %: rotate them', instant_text(given.decided_at + interval '7 days') using errcode = 'GR409';
  end if;
  secrets := given.secrets;
  sealing_key := given.sealing_key;
  update proposal p set secrets = null where p.id = id;
  perform note('proposal.take_secrets', id::text, '{}');
end $$;

ALTER FUNCTION gold.take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text) OWNER TO gold_book;

--
-- Name: take_sequence(integer, bigint, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.take_sequence(client integer, sequence bigint, at timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 UPDATE gold.account a SET event_sequence = take_sequence.sequence, last_posted_at = take_sequence.at
   WHERE ((a.bucket = (take_sequence.client % 64)) AND (a.client_id = take_sequence.client));
END;

ALTER FUNCTION gold.take_sequence(client integer, sequence bigint, at timestamp with time zone) OWNER TO gold_book;

--
-- Name: take_turn(boolean, integer, bigint, uuid, text, bytea, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.take_turn(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, request uuid, OUT holder gold.account, OUT clock timestamp with time zone, OUT answer gold.outcome) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  taken account[];
  known idempotency_key;
  spent_by uuid;
  is_spent boolean;
begin
  select l.accounts into taken from lock_accounts(array[take_turn.client], true) l;
  if taken is null then
    raise exception 'client % does not exist', take_turn.client using errcode = 'no_data_found';
  end if;
  holder := taken[1];
  clock := clock_timestamp();

  select k.* into known from idempotency_key k
  where k.bucket = holder.bucket and k.client_id = holder.client_id and k.key = take_turn.key;
  select n.request_id into spent_by from nonce n
  where n.bucket = holder.bucket and n.client_id = holder.client_id and n.nonce = take_turn.nonce;
  is_spent := found;
  answer := prior_outcome(1, settle, take_turn.request, spent_by, known.request_id,
    known.fingerprint = take_turn.fingerprint, known.status, known.body,
    holder.admission_version = take_turn.admission);
  if answer.outcome is not null then
    return;
  end if;
  if is_spent then
    answer := row(1, 'nonce_reused', null, null);
    return;
  end if;
  if known.key is not null then
    if take_turn.nonce is not null then
      answer := take_record(1, holder.client_id, clock, take_turn.request, true);
      if answer.outcome is not null then
        return;
      end if;
      perform spend_nonce(holder, take_turn.nonce, take_turn.request);
    end if;
    answer := settled(1, false, known.fingerprint = take_turn.fingerprint, known.status, known.body);
  end if;
end $$;

ALTER FUNCTION gold.take_turn(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, request uuid, OUT holder gold.account, OUT clock timestamp with time zone, OUT answer gold.outcome) OWNER TO gold_book;

--
-- Name: tell_events(integer[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.tell_events(clients integer[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
begin
  perform pg_notify('gold_event', p.id::text)
  from unnest(clients) c (client)
  join partner p on p.id = c.client and p.webhook_url is not null
  left join endpoint n on n.bucket = c.client % 64 and n.client_id = c.client
  where n.disabled_at is null and (n.rests_until is null or n.rests_until <= clock_timestamp());
end $$;

ALTER FUNCTION gold.tell_events(clients integer[]) OWNER TO gold_book;

--
-- Name: texts_of(jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.texts_of(list jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (jsonb_typeof(list) = 'array'::text) THEN ARRAY(SELECT e.value FROM jsonb_array_elements_text(texts_of.list) WITH ORDINALITY e(value, ordinality) ORDER BY e.ordinality) ELSE NULL::text[] END;

ALTER FUNCTION gold.texts_of(list jsonb) OWNER TO gold_book;

--
-- Name: tick_price(timestamp with time zone, text, integer, bigint, bigint, bigint, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.tick_price(known_as_of timestamp with time zone, known_url text, known_spread integer, mid bigint, buy bigint, sell bigint, source_as_of timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  ticked price;
  refusal text;
begin
  update price p set mid = tick_price.mid, buy = tick_price.buy, sell = tick_price.sell,
    as_of = greatest(least(coalesce(source_as_of, clock_timestamp()), clock_timestamp()), 'epoch'::timestamptz + interval '1 millisecond')
  where p.source <> 'fixed' and (p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)
  returning p.* into ticked;
  if not found then
    return false;
  end if;
  perform halt_on_jump(ticked);
  return true;
exception when sqlstate 'GR409' then
  get stacked diagnostics refusal = pg_exception_detail;
  select p.* into ticked from price p for update;
  ticked.id := null;
  ticked.mid := tick_price.mid;
  ticked.stored_at := clock_timestamp();
  if refusal <> 'outside_band' or not halt_on_jump(ticked) then
    raise;
  end if;
  return false;
end $$;

ALTER FUNCTION gold.tick_price(known_as_of timestamp with time zone, known_url text, known_spread integer, mid bigint, buy bigint, sell bigint, source_as_of timestamp with time zone) OWNER TO gold_book;

--
-- Name: told_event(gold.event); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.told_event(given gold.event) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  told text := event_text(given, delivery_text(given));
begin
  if told is null then
    raise exception 'event % of client % is not sealed yet', given.sequence, given.client_id using errcode = 'insufficient_resources';
  end if;
  return told;
end $$;

ALTER FUNCTION gold.told_event(given gold.event) OWNER TO gold_book;

--
-- Name: try_proposal(gold.proposal); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.try_proposal(given gold.proposal) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  update proposal p set state = 'applying' where p.id = (given).id;
  perform apply_change((given).kind, (given).content);
  -- Rolls the block back.
  raise exception 'tried' using errcode = 'GR200';
exception when sqlstate 'GR200' then
  null;
end $$;

ALTER FUNCTION gold.try_proposal(given gold.proposal) OWNER TO gold_book;

--
-- Name: two_people(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.two_people() RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT COALESCE(( SELECT (d.two_people OR (d.environment = 'production'::text))
            FROM gold.deployment d), false) AS "coalesce";
END;

ALTER FUNCTION gold.two_people() OWNER TO gold_book;

--
-- Name: unclosed_day(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.unclosed_day(client integer) RETURNS date
    LANGUAGE plpgsql STABLE
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
declare
  since timestamptz;
  clock timestamptz := clock_timestamp();
  active date;
begin
  select greatest(day_end(e.began_at), day_begin((
    select c.day + 1 from closed_day c
    where c.bucket = unclosed_day.client % 64 and c.client_id = unclosed_day.client order by c.bucket, c.client_id, c.day desc limit 1)))
  into since from epoch e where e.id = 1;
  if day_end(since) + close_delay() > clock then
    return null;
  end if;
  select day_of(least(
    (
      select e.created_at from event e
      where e.bucket = unclosed_day.client % 64 and e.client_id = unclosed_day.client
        and e.sequence > sequence_at(unclosed_day.client, since - interval '1 millisecond') and e.type <> 'day.closed'
      order by e.sequence limit 1
    ), (
      -- The first quote by id may not be the first by instant, so read the ids of its next hour, too.
      select min(q.created_at) from (
        select f.id, f.created_at from quote f
        where f.bucket = unclosed_day.client % 64 and f.client_id = unclosed_day.client
          and f.id >= first_id_at(since - id_tolerance()) and f.created_at >= since
        order by f.id limit 1
      ) f
      join quote q on q.bucket = unclosed_day.client % 64 and q.client_id = unclosed_day.client and q.id >= f.id
        and q.id < first_id_at(f.created_at + id_tolerance()) and q.created_at >= since
    ), (
      select r.created_at from refusal r
      where r.bucket = unclosed_day.client % 64 and r.client_id = unclosed_day.client and r.created_at >= since
      order by r.created_at limit 1
    )))
  into active;
  return case when day_begin(active + 1) + close_delay() <= clock then active end;
end $$;

ALTER FUNCTION gold.unclosed_day(client integer) OWNER TO gold_book;

--
-- Name: unclosed_clients(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.unclosed_clients() RETURNS SETOF integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT a.client_id
    FROM gold.account a
   WHERE ((a.client_id <> 0) AND (gold.unclosed_day(a.client_id) IS NOT NULL));
END;

ALTER FUNCTION gold.unclosed_clients() OWNER TO gold_book;

--
-- Name: unsealed_tail(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.unsealed_tail() RETURNS TABLE(client_id integer, events bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select a.client_id, a.event_sequence - coalesce(t.sequence, 0)
  from account a left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
  where a.client_id <> 0 and a.event_sequence > coalesce(t.sequence, 0)
$$;

ALTER FUNCTION gold.unsealed_tail() OWNER TO gold_book;

--
-- Name: verify_audit(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.verify_audit() RETURNS TABLE(rule text, subject text, detail text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  tail audit_tail;
  sealed bigint := 0;
  head bytea := decode(repeat('00', 32), 'hex');
  link record;
begin
  select * into tail from audit_tail;
  for link in
    select coalesce(l.id, a.id) as id, l.hash, a.id is not null as noted, audit_line(a) as line
    from audit_link l full join audit a on a.id = l.id order by 1
  loop
    if link.noted then
      sealed := link.id;
      head := sha256(head || convert_to(link.line, 'UTF8'));
    end if;
    if not link.noted or link.hash is distinct from head then
      return query select 'audit_is_whole', 'row ' || link.id,
        case when not link.noted then 'the row was deleted' when link.hash is null then 'the row has no link: gold did not write it' else 'the row does not match its link' end;
      return;
    end if;
  end loop;
  if (tail.id, tail.head) is distinct from (sealed, head) then
    return query select 'audit_head', 'row ' || sealed, 'the chain does not end at its recorded head';
  end if;
  -- Compare each batch's document with its audit row, which contains the hash of the document that went to
  -- the bank.
  return query
  select 'batch_is_noted', 'batch ' || coalesce(b.id::text, n.subject), 'its document is not the one that was submitted'
  from payment_batch b full join (select * from audit a where a.action = 'withdrawal.batch') n on n.subject = b.id::text
  where encode(sha256(convert_to(b.document, 'UTF8')), 'hex') is distinct from n.detail->>'document_sha256';
end $$;

ALTER FUNCTION gold.verify_audit() OWNER TO gold_book;

--
-- Name: verify_chain(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.verify_chain() RETURNS TABLE(rule text, subject text, detail text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  tail chain_tail;
  head bytea;
  sealed bigint;
  record record;
begin
  <<chains>>
  for tail in select * from chain_tail order by client_id loop
    head := decode(repeat('00', 32), 'hex');
    sealed := 0;
    for record in
      select l.sequence, l.line, k.hash
      from chain_lines(tail.client_id, 0, null) l
      left join chain_link k on k.bucket = tail.bucket and k.client_id = tail.client_id and k.sequence = l.sequence
      where l.sequence <= tail.sequence
      order by l.sequence
    loop
      head := sha256(head || convert_to(record.line, 'UTF8'));
      sealed := sealed + 1;
      if record.sequence <> sealed or record.hash is distinct from head then
        rule := 'chain_is_whole';
        subject := 'client ' || tail.client_id || ' sequence ' || sealed;
        detail := 'the record differs from the sealed one';
        return next;
        continue chains;
      end if;
    end loop;
    if sealed <> tail.sequence or head <> tail.head then
      rule := 'chain_head';
      subject := 'client ' || tail.client_id;
      detail := format('sealed up to %s, records give %s', tail.sequence, sealed);
      return next;
    end if;
  end loop;

  return query
  select 'link_has_chain', 'client ' || l.client_id || ' sequence ' || min(l.sequence), 'it is sealed, but the chain ends before it'
  from chain_link l left join chain_tail t on t.bucket = l.bucket and t.client_id = l.client_id
  where l.sequence > coalesce(t.sequence, 0)
  group by l.client_id;
end $$;

ALTER FUNCTION gold.verify_chain() OWNER TO gold_book;

--
-- Name: verify_delivery(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.verify_delivery() RETURNS TABLE(rule text, subject text, detail text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  -- A delivered event must have an attempt that was answered with 2xx. An event counts as delivered in two
  -- cases: it is up to the mark and neither due nor parked, or its row in the retry table says that it was
  -- delivered. Events that are older than the oldest stored week are not checked, because their attempts were
  -- dropped.
  select 'event_is_delivered', 'client ' || e.client_id || ' sequence ' || e.sequence,
    'the event counts as delivered, but no attempt was answered with 2xx'
  from event e
  join endpoint p on p.bucket = e.bucket and p.client_id = e.client_id
  left join retry r on r.bucket = e.bucket and r.client_id = e.client_id and r.sequence = e.sequence
  where (e.sequence <= p.passed or r.sequence is not null) and r.due_at is null and r.parked_at is null
    and e.created_at >= (
      select min(to_date(right(c.relname, 8), 'YYYYMMDD'))::timestamp at time zone 'UTC' from pg_class c
      where c.relnamespace = 'gold_attempts'::regnamespace and c.relkind = 'r')
    and not exists (
      select from attempt a
      where a.bucket = e.bucket and a.client_id = e.client_id and a.sequence = e.sequence and a.http_status between 200 and 299)

  union all
  select 'retry_has_event', 'client ' || r.client_id || ' sequence ' || r.sequence, 'the retry row refers to an event that does not exist'
  from retry r
  left join event e on e.bucket = r.bucket and e.client_id = r.client_id and e.sequence = r.sequence
  where e.sequence is null

  union all
  select 'delivery_is_behind', 'client ' || p.client_id,
    format('delivery has passed event %s, but the account''s last event is %s', p.passed, coalesce(a.event_sequence, 0))
  from endpoint p
  left join account a on a.bucket = p.bucket and a.client_id = p.client_id
  where p.passed > coalesce(a.event_sequence, 0)

  union all
  select 'notice_has_event', 'notice ' || n.id, count(e.id) || ' events refer to this notice; there must be exactly 1'
  from expiry_notice n
  left join event e on e.bucket = n.bucket and e.client_id = n.client_id and e.subject = n.id and e.type = 'credential.expiring'
  group by n.id
  having count(e.id) <> 1
$$;

ALTER FUNCTION gold.verify_delivery() OWNER TO gold_book;

--
-- Name: verify_ledger(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.verify_ledger() RETURNS TABLE(rule text, subject text, detail text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  select 'balance_is_sum', * from check_balance_is_sum()
  union all
  select 'running_balance', * from check_running_balance()
  union all
  select 'gold_is_backed', * from check_gold_is_backed()
  union all
  select 'bar_is_booked', * from check_bar_is_booked()
  union all
  select 'bar_list_is_whole', * from check_bar_list_is_whole()
  union all
  select 'order_names_list', * from check_order_names_list()
  union all
  select 'price_is_kept', * from check_price_is_kept()
  union all
  select 'quote_is_priced', * from check_quote_is_priced()
  union all
  select 'order_is_booked', * from check_order_is_booked()
  union all
  select 'order_is_quoted', * from check_order_is_quoted()
  union all
  select 'funding_is_booked', * from check_funding_is_booked()
  union all
  select 'deposit_is_booked', * from check_deposit_is_booked()
  union all
  select 'deposit_is_noted', * from check_deposit_is_noted()
  union all
  select 'withdrawal_is_booked', * from check_withdrawal_is_booked()
  union all
  select 'held_is_withdrawals', * from check_held_is_withdrawals()
  union all
  select 'record_has_its_legs', * from check_record_has_its_legs()
  union all
  select 'transfer_has_record', * from check_transfer_has_record()
  union all
  select 'result_is_bound', * from check_result_is_bound()
  union all
  select 'execution_has_key', * from check_execution_has_key()
  union all
  select 'answer_is_bound', * from check_answer_is_bound()
  union all
  select 'request_is_kept', * from check_request_is_kept()
  union all
  select 'events_without_gap', * from check_events_without_gap()
  union all
  select 'execution_has_event', * from check_execution_has_event()
  union all
  select 'event_has_execution', * from check_event_has_execution()
  union all
  select 'change_has_event', * from check_change_has_event()
  union all
  select 'day_is_closed', * from check_day_is_closed()
  union all
  select 'epoch_is_whole', * from check_epoch_is_whole()
  union all
  select * from verify_delivery()
$$;

ALTER FUNCTION gold.verify_ledger() OWNER TO gold_book;

--
-- Name: webhook_secrets(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.webhook_secrets(client integer) RETURNS jsonb
    LANGUAGE sql
    RETURN COALESCE((SELECT jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed, 'base64'::text), 'sealing_key', s.sealing_key, 'retire_at', s.retire_at) ORDER BY s.not_before DESC, s.id DESC) AS jsonb_agg FROM gold.webhook_secret s WHERE ((s.partner_id = webhook_secrets.client) AND (s.not_before <= clock_timestamp()) AND ((s.retire_at IS NULL) OR (s.retire_at > clock_timestamp())))), '[]'::jsonb);

ALTER FUNCTION gold.webhook_secrets(client integer) OWNER TO gold_book;

--
-- Name: write_orders(gold.orders[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.write_orders(executed gold.orders[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;

ALTER FUNCTION gold.write_orders(executed gold.orders[]) OWNER TO gold_book;

--
-- Name: write_orders(gold.orders[], smallint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.write_orders(executed gold.orders[], stripe smallint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  with booked as (
    insert into orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at,
      sar_available_after, sar_held_after, gold_after, reference, account_label, answer, list_id)
    select bucket, client_id, side, id, sequence, grams, price, total, executed_at,
      sar_available_after, sar_held_after, gold_after, reference, account_label, answer, list_id
    from unnest(executed)
    returning bucket, client_id, side, id, sequence, grams, total, executed_at,
      sar_available_after, sar_held_after, gold_after, case when answer is null then 1 else 2 end as line
  ), moved as (
    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount,
      sar_available_after, sar_held_after, gold_after, posted_at, stripe)
    select bucket, client_id, 1, sequence, case side when 'buy' then 'available' else 'house' end::book,
      case side when 'buy' then 'house' else 'available' end::book, 'SAR'::asset, total,
      sar_available_after, sar_held_after, gold_after + case side when 'buy' then -grams else grams end, executed_at, 0
    from booked
    union all
    select bucket, client_id, 2, sequence, case side when 'buy' then 'vault' else 'gold' end::book,
      case side when 'buy' then 'gold' else 'vault' end::book, 'XAU'::asset, grams,
      sar_available_after, sar_held_after, gold_after, executed_at, write_orders.stripe
    from booked
  )
  insert into event (bucket, client_id, sequence, id, subject, created_at, type, line)
  select bucket, client_id, sequence, id, id, executed_at, 'order.executed', line from booked;
end $$;

ALTER FUNCTION gold.write_orders(executed gold.orders[], stripe smallint) OWNER TO gold_book;

--
-- Name: attempt_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.attempt_overview OWNER TO gold_owner;

--
-- Name: audit_id_seq; Type: SEQUENCE; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: audit_link; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.audit_link (
    id bigint NOT NULL,
    hash bytea NOT NULL
);

ALTER TABLE gold.audit_link OWNER TO gold_owner;

--
-- Name: audit_link_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.audit_link_overview AS
 SELECT audit_link.id,
    encode(audit_link.hash, 'hex'::text) AS head
   FROM gold.audit_link;

ALTER TABLE gold.audit_link_overview OWNER TO gold_owner;

--
-- Name: audit_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.audit_overview AS
 SELECT audit.id,
    audit.at,
    audit.login,
    audit.action,
    audit.subject,
    audit.detail
   FROM gold.audit;

ALTER TABLE gold.audit_overview OWNER TO gold_owner;

--
-- Name: authority_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.authority_overview OWNER TO gold_owner;

--
-- Name: bar_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.bar_overview OWNER TO gold_owner;

--
-- Name: certificate_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.certificate_overview OWNER TO gold_owner;

--
-- Name: chain_link_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.chain_link_overview AS
 SELECT p.public_id,
    l.sequence,
    encode(l.hash, 'hex'::text) AS head
   FROM (gold.partner p
     JOIN gold.chain_link l ON (((l.bucket = (p.id % 64)) AND (l.client_id = p.id))));

ALTER TABLE gold.chain_link_overview OWNER TO gold_owner;

--
-- Name: chain_tail_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.chain_tail_overview AS
 SELECT p.public_id,
    t.sequence,
    encode(t.head, 'hex'::text) AS head
   FROM (gold.partner p
     JOIN gold.chain_tail t ON (((t.bucket = (p.id % 64)) AND (t.client_id = p.id))));

ALTER TABLE gold.chain_tail_overview OWNER TO gold_owner;

--
-- Name: client_secret_id_seq; Type: SEQUENCE; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.client_secret ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.client_secret_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: credential_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.credential_overview OWNER TO gold_owner;

--
-- Name: current_price; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.current_price OWNER TO gold_owner;

--
-- Name: deployment_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.deployment_overview OWNER TO gold_owner;

--
-- Name: deposit_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.deposit_overview OWNER TO gold_owner;

--
-- Name: endpoint_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.endpoint_overview OWNER TO gold_owner;

--
-- Name: exposure_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.exposure_overview OWNER TO gold_owner;

--
-- Name: market_hours; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.market_hours AS
 SELECT market_session.day,
    market_session.opens,
    market_session.closes
   FROM gold.market_session;

ALTER TABLE gold.market_hours OWNER TO gold_owner;

--
-- Name: operator_key_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.operator_key_overview AS
 SELECT k.fingerprint,
    k.login,
    k.public_key,
    k.admitted_by,
    k.added_at,
    k.ended_at
   FROM gold.operator_key k;

ALTER TABLE gold.operator_key_overview OWNER TO gold_owner;

--
-- Name: operator_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.operator_overview OWNER TO gold_owner;

--
-- Name: partner_id_seq; Type: SEQUENCE; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.partner ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.partner_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: partner_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.partner_overview OWNER TO gold_owner;

--
-- Name: payment_batch_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.payment_batch_overview AS
 SELECT payment_batch.id,
    payment_batch.created_at,
    payment_batch.login,
    payment_batch.document
   FROM gold.payment_batch;

ALTER TABLE gold.payment_batch_overview OWNER TO gold_owner;

--
-- Name: proposal_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.proposal_overview OWNER TO gold_owner;

--
-- Name: published_reserves; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.published_reserves (
    one boolean DEFAULT true NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    body text NOT NULL,
    CONSTRAINT published_reserves_one CHECK (one)
);

ALTER TABLE gold.published_reserves OWNER TO gold_owner;

--
-- Name: simulated_price; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.simulated_price (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    quote_id uuid NOT NULL,
    percent integer NOT NULL
);

ALTER TABLE gold.simulated_price OWNER TO gold_owner;

--
-- Name: token_key_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.token_key_overview AS
 SELECT token_key.kid,
    token_key.not_before,
    token_key.retire_at,
    token_key.last_used_at
   FROM gold.token_key;

ALTER TABLE gold.token_key_overview OWNER TO gold_owner;

--
-- Name: webhook_secret_id_seq; Type: SEQUENCE; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.webhook_secret ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME gold.webhook_secret_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: withdrawal_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

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

ALTER TABLE gold.withdrawal_overview OWNER TO gold_owner;

--
-- Name: account account_bucket_client_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.account
    ADD CONSTRAINT account_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

--
-- Name: allowance allowance_bucket_client_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.allowance
    ADD CONSTRAINT allowance_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

--
-- Name: audit_link audit_link_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.audit_link
    ADD CONSTRAINT audit_link_pkey PRIMARY KEY (id);

--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

--
-- Name: audit_tail audit_tail_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.audit_tail
    ADD CONSTRAINT audit_tail_pkey PRIMARY KEY (one);

--
-- Name: authority authority_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.authority
    ADD CONSTRAINT authority_pkey PRIMARY KEY (fingerprint);

--
-- Name: bar_list bar_list_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.bar_list
    ADD CONSTRAINT bar_list_pkey PRIMARY KEY (id);

--
-- Name: bar bar_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.bar
    ADD CONSTRAINT bar_pkey PRIMARY KEY (serial);

--
-- Name: certificate certificate_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.certificate
    ADD CONSTRAINT certificate_pkey PRIMARY KEY (fingerprint);

--
-- Name: chain_link chain_link_bucket_client_id_sequence_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.chain_link
    ADD CONSTRAINT chain_link_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

--
-- Name: chain_tail chain_tail_bucket_client_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.chain_tail
    ADD CONSTRAINT chain_tail_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

--
-- Name: client_secret client_secret_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.client_secret
    ADD CONSTRAINT client_secret_pkey PRIMARY KEY (id);

--
-- Name: closed_day closed_day_bucket_client_id_day_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.closed_day
    ADD CONSTRAINT closed_day_bucket_client_id_day_pk PRIMARY KEY (bucket, client_id, day);

--
-- Name: delivery_worker delivery_worker_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.delivery_worker
    ADD CONSTRAINT delivery_worker_pkey PRIMARY KEY (id);

--
-- Name: deployment deployment_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (one);

--
-- Name: deposit deposit_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.deposit
    ADD CONSTRAINT deposit_pkey PRIMARY KEY (id);

--
-- Name: endpoint endpoint_bucket_client_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.endpoint
    ADD CONSTRAINT endpoint_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

--
-- Name: epoch epoch_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.epoch
    ADD CONSTRAINT epoch_pkey PRIMARY KEY (id);

--
-- Name: event event_bucket_client_id_sequence_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.event
    ADD CONSTRAINT event_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

--
-- Name: expiry_notice expiry_notice_bucket_client_id_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.expiry_notice
    ADD CONSTRAINT expiry_notice_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

--
-- Name: funding funding_bucket_client_id_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.funding
    ADD CONSTRAINT funding_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

--
-- Name: idempotency_key idempotency_key_bucket_client_id_key_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.idempotency_key
    ADD CONSTRAINT idempotency_key_bucket_client_id_key_pk PRIMARY KEY (bucket, client_id, key);

--
-- Name: idempotency_key idempotency_key_kind; Type: CHECK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.idempotency_key
    ADD CONSTRAINT idempotency_key_kind CHECK ((result_kind = ANY (ARRAY['quote'::text, 'order'::text, 'funding'::text, 'withdrawal'::text, 'event'::text, 'refusal'::text, 'simulation'::text]))) NOT VALID;

--
-- Name: market_session market_session_day_opens_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.market_session
    ADD CONSTRAINT market_session_day_opens_pk PRIMARY KEY (day, opens);

--
-- Name: nonce nonce_bucket_client_id_nonce_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.nonce
    ADD CONSTRAINT nonce_bucket_client_id_nonce_pk PRIMARY KEY (bucket, client_id, nonce);

--
-- Name: open_exposure open_exposure_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.open_exposure
    ADD CONSTRAINT open_exposure_pkey PRIMARY KEY (ends_at);

--
-- Name: operator_key operator_key_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.operator_key
    ADD CONSTRAINT operator_key_pkey PRIMARY KEY (fingerprint);

--
-- Name: orders orders_bucket_client_id_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.orders
    ADD CONSTRAINT orders_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

--
-- Name: orders orders_partner_texts; Type: CHECK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.orders
    ADD CONSTRAINT orders_partner_texts CHECK ((((char_length(reference) >= 1) AND (char_length(reference) <= 64)) AND (reference !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text) AND ((char_length(account_label) >= 1) AND (char_length(account_label) <= 64)) AND (account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text))) NOT VALID;

--
-- Name: partner_change partner_change_bucket_client_id_sequence_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.partner_change
    ADD CONSTRAINT partner_change_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

--
-- Name: partner partner_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.partner
    ADD CONSTRAINT partner_pkey PRIMARY KEY (id);

--
-- Name: partner partner_publicId_unique; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.partner
    ADD CONSTRAINT "partner_publicId_unique" UNIQUE (public_id);

--
-- Name: payment_batch payment_batch_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.payment_batch
    ADD CONSTRAINT payment_batch_pkey PRIMARY KEY (id);

--
-- Name: price_history price_history_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.price_history
    ADD CONSTRAINT price_history_pkey PRIMARY KEY (id);

--
-- Name: price price_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.price
    ADD CONSTRAINT price_pkey PRIMARY KEY (one);

--
-- Name: problem problem_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.problem
    ADD CONSTRAINT problem_pkey PRIMARY KEY (code);

--
-- Name: proposal proposal_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.proposal
    ADD CONSTRAINT proposal_pkey PRIMARY KEY (id);

--
-- Name: published_reserves published_reserves_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.published_reserves
    ADD CONSTRAINT published_reserves_pkey PRIMARY KEY (one);

--
-- Name: quote quote_bucket_client_id_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.quote
    ADD CONSTRAINT quote_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

--
-- Name: quote quote_partner_texts; Type: CHECK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.quote
    ADD CONSTRAINT quote_partner_texts CHECK ((((char_length(reference) >= 1) AND (char_length(reference) <= 64)) AND (reference !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text) AND ((char_length(account_label) >= 1) AND (char_length(account_label) <= 64)) AND (account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text))) NOT VALID;

--
-- Name: refusal refusal_bucket_client_id_created_at_key_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.refusal
    ADD CONSTRAINT refusal_bucket_client_id_created_at_key_pk PRIMARY KEY (bucket, client_id, created_at, key);

--
-- Name: registry_version registry_version_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.registry_version
    ADD CONSTRAINT registry_version_pkey PRIMARY KEY (one);

--
-- Name: retry retry_bucket_client_id_sequence_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.retry
    ADD CONSTRAINT retry_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

--
-- Name: simulated_price simulated_price_bucket_client_id_quote_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.simulated_price
    ADD CONSTRAINT simulated_price_bucket_client_id_quote_id_pk PRIMARY KEY (bucket, client_id, quote_id);

--
-- Name: token_key token_key_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.token_key
    ADD CONSTRAINT token_key_pkey PRIMARY KEY (kid);

--
-- Name: transfer transfer_bucket_client_id_sequence_leg_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.transfer
    ADD CONSTRAINT transfer_bucket_client_id_sequence_leg_pk PRIMARY KEY (bucket, client_id, sequence, leg);

--
-- Name: vault vault_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.vault
    ADD CONSTRAINT vault_pkey PRIMARY KEY (stripe);

--
-- Name: webhook_secret webhook_secret_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.webhook_secret
    ADD CONSTRAINT webhook_secret_pkey PRIMARY KEY (id);

--
-- Name: withdrawal withdrawal_bucket_client_id_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.withdrawal
    ADD CONSTRAINT withdrawal_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

--
-- Name: withdrawal withdrawal_partner_texts; Type: CHECK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE gold.withdrawal
    ADD CONSTRAINT withdrawal_partner_texts CHECK ((((char_length(account_label) >= 1) AND (char_length(account_label) <= 64)) AND (account_label !~ '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text))) NOT VALID;

--
-- Name: withdrawal_step withdrawal_step_bucket_client_id_withdrawal_id_status_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_bucket_client_id_withdrawal_id_status_pk PRIMARY KEY (bucket, client_id, withdrawal_id, status);

--
-- Name: allowed_ip_range; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX allowed_ip_range ON gold.allowed_ip USING btree (partner_id, range);

--
-- Name: attempt_event; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX attempt_event ON ONLY gold.attempt USING btree (bucket, client_id, sequence, attempted_at);

--
-- Name: certificate_key_hash; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX certificate_key_hash ON gold.certificate USING btree (key_hash);

--
-- Name: certificate_partner; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX certificate_partner ON gold.certificate USING btree (partner_id);

--
-- Name: client_secret_partner; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX client_secret_partner ON gold.client_secret USING btree (partner_id);

--
-- Name: closed_day_sequence; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX closed_day_sequence ON gold.closed_day USING btree (bucket, client_id, sequence);

--
-- Name: deposit_bank_reference; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX deposit_bank_reference ON gold.deposit USING btree (bank_reference) WHERE (reversed_at IS NULL);

--
-- Name: deposit_client; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX deposit_client ON gold.deposit USING btree (client_id);

--
-- Name: event_id; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX event_id ON gold.event USING btree (bucket, client_id, id);

--
-- Name: expiry_notice_once; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX expiry_notice_once ON gold.expiry_notice USING btree (bucket, client_id, kind, credential, expires_at, days_ahead);

--
-- Name: funding_newest; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX funding_newest ON gold.funding USING btree (((client_id + 0)), sequence);

--
-- Name: orders_newest; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX orders_newest ON gold.orders USING btree (((client_id + 0)), sequence);

--
-- Name: retry_due; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX retry_due ON gold.retry USING btree (((client_id + 0)), due_at) WHERE (due_at IS NOT NULL);

--
-- Name: retry_test; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX retry_test ON gold.retry USING btree (((client_id + 0)), due_at) WHERE (is_test AND (due_at IS NOT NULL));

--
-- Name: signing_key_thumbprint; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX signing_key_thumbprint ON gold.signing_key USING btree (partner_id, thumbprint);

--
-- Name: webhook_secret_partner; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX webhook_secret_partner ON gold.webhook_secret USING btree (partner_id);

--
-- Name: withdrawal_id; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX withdrawal_id ON gold.withdrawal USING btree (id);

--
-- Name: withdrawal_newest; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX withdrawal_newest ON gold.withdrawal USING btree (((client_id + 0)), sequence);

--
-- Name: withdrawal_reference; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX withdrawal_reference ON gold.withdrawal USING btree (reference, client_id);

--
-- Name: withdrawal_step_batch; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX withdrawal_step_batch ON gold.withdrawal_step USING btree (batch_id);

--
-- Name: withdrawal_step_login; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX withdrawal_step_login ON gold.withdrawal_step USING btree (bucket, client_id, withdrawal_id, status, login);

--
-- Name: withdrawal_step_previous; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX withdrawal_step_previous ON gold.withdrawal_step USING btree (bucket, client_id, withdrawal_id, previous);

--
-- Name: attempt append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.attempt FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: audit append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.audit FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: audit_link append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.audit_link FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: bar append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.bar FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: bar_list append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.bar_list FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: chain_link append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.chain_link FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: closed_day append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.closed_day FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: deposit append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.deposit FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: epoch append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.epoch FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: event append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.event FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: expiry_notice append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.expiry_notice FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: funding append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.funding FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: idempotency_key append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.idempotency_key FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: nonce append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.nonce FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: operator_key append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.operator_key FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: orders append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.orders FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: partner_change append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.partner_change FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: payment_batch append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.payment_batch FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: price_history append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.price_history FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: proposal append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.proposal FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: quote append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.quote FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: refusal append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.refusal FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: simulated_price append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.simulated_price FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: transfer append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.transfer FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: withdrawal append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.withdrawal FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: withdrawal_step append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.withdrawal_step FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: bar freeze_bar; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER freeze_bar BEFORE INSERT OR UPDATE ON gold.bar FOR EACH ROW EXECUTE FUNCTION gold.freeze_bar();

--
-- Name: operator_key freeze_operator_key; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER freeze_operator_key BEFORE UPDATE ON gold.operator_key FOR EACH ROW EXECUTE FUNCTION gold.freeze_operator_key();

--
-- Name: proposal freeze_proposal; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER freeze_proposal BEFORE UPDATE ON gold.proposal FOR EACH ROW EXECUTE FUNCTION gold.freeze_proposal();

--
-- Name: deposit freeze_steps; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER freeze_steps BEFORE UPDATE ON gold.deposit FOR EACH ROW EXECUTE FUNCTION gold.freeze_steps();

--
-- Name: price keep_price; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER keep_price AFTER INSERT OR UPDATE OF source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of, quote_ttl_seconds ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.keep_price();

--
-- Name: price number_price; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER number_price BEFORE INSERT OR UPDATE OF source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of, quote_ttl_seconds ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.number_price();

--
-- Name: transfer post_transfers; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER post_transfers AFTER INSERT ON gold.transfer REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION gold.post_transfers();

--
-- Name: signing_key refuse_malformed_key; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_malformed_key BEFORE INSERT OR UPDATE OF jwk ON gold.signing_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_malformed_key('jwk');

--
-- Name: token_key refuse_malformed_key; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_malformed_key BEFORE INSERT OR UPDATE OF public_jwk ON gold.token_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_malformed_key('public_jwk');

--
-- Name: authority refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF key_source ON gold.authority FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('key_source');

--
-- Name: bar refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF serial, refiner, vault_name ON gold.bar FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('serial', 'refiner', 'vault_name');

--
-- Name: certificate refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF serial, revocation_reason ON gold.certificate FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('serial', 'revocation_reason');

--
-- Name: deployment refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF public_base_url, sealing_key_source, pepper_source, payout_name, payout_iban, payout_bic ON gold.deployment FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('public_base_url', 'sealing_key_source', 'pepper_source', 'payout_name', 'payout_iban', 'payout_bic');

--
-- Name: deposit refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF bank_reference ON gold.deposit FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('bank_reference');

--
-- Name: partner refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF name, iban, pending_iban, webhook_url ON gold.partner FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('name', 'iban', 'pending_iban', 'webhook_url');

--
-- Name: price refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF url ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('url');

--
-- Name: signing_key refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF kid, thumbprint ON gold.signing_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('kid', 'thumbprint');

--
-- Name: withdrawal refuse_unprintable; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF reference ON gold.withdrawal FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable('reference');

--
-- Name: allowed_ip allowed_ip_partner_id_partner_id_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.allowed_ip
    ADD CONSTRAINT allowed_ip_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

--
-- Name: certificate certificate_authority_authority_fingerprint_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.certificate
    ADD CONSTRAINT certificate_authority_authority_fingerprint_fk FOREIGN KEY (authority) REFERENCES gold.authority(fingerprint);

--
-- Name: certificate certificate_partner_id_partner_id_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.certificate
    ADD CONSTRAINT certificate_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

--
-- Name: client_secret client_secret_partner_id_partner_id_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.client_secret
    ADD CONSTRAINT client_secret_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

--
-- Name: signing_key signing_key_partner_id_partner_id_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.signing_key
    ADD CONSTRAINT signing_key_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

--
-- Name: webhook_secret webhook_secret_partner_id_partner_id_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.webhook_secret
    ADD CONSTRAINT webhook_secret_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

--
-- Name: withdrawal_step withdrawal_step_after; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_after FOREIGN KEY (bucket, client_id, withdrawal_id, previous, previous_login) REFERENCES gold.withdrawal_step(bucket, client_id, withdrawal_id, status, login);

--
-- Name: withdrawal_step withdrawal_step_batch_id_payment_batch_id_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_batch_id_payment_batch_id_fk FOREIGN KEY (batch_id) REFERENCES gold.payment_batch(id);

--
-- Name: withdrawal_step withdrawal_step_of; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.withdrawal_step
    ADD CONSTRAINT withdrawal_step_of FOREIGN KEY (bucket, client_id, withdrawal_id) REFERENCES gold.withdrawal(bucket, client_id, id);

--
-- Name: SCHEMA gold; Type: ACL; Schema: -; Owner: gold_migration
--

GRANT USAGE ON SCHEMA gold TO gold_owner;
GRANT USAGE ON SCHEMA gold TO gold_book;
GRANT USAGE ON SCHEMA gold TO gold_operator;
GRANT USAGE ON SCHEMA gold TO gold_treasury;
GRANT USAGE ON SCHEMA gold TO gold_credentials;
GRANT USAGE ON SCHEMA gold TO gold_pricing;
GRANT USAGE ON SCHEMA gold TO gold_keys;
GRANT USAGE ON SCHEMA gold TO gold_audit;
GRANT USAGE ON SCHEMA gold TO gold_api;
GRANT USAGE ON SCHEMA gold TO gold_delivery;
GRANT USAGE ON SCHEMA gold TO gold_ticker;
GRANT USAGE ON SCHEMA gold TO gold_trust;

--
-- Name: FUNCTION accept_losses(epoch integer, losses jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.accept_losses(epoch integer, losses jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.accept_losses(epoch integer, losses jsonb) TO gold_keys;

--
-- Name: FUNCTION clock_tolerance(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.clock_tolerance() FROM PUBLIC;

--
-- Name: TABLE account; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.account TO gold_book;

--
-- Name: COLUMN account.admission_version; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(admission_version) ON TABLE gold.account TO gold_book;

--
-- Name: COLUMN account.event_sequence; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(event_sequence) ON TABLE gold.account TO gold_book;

--
-- Name: COLUMN account.last_posted_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(last_posted_at) ON TABLE gold.account TO gold_book;

--
-- Name: COLUMN account.closed_until; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(closed_until) ON TABLE gold.account TO gold_book;

--
-- Name: COLUMN account.simulations; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(simulations) ON TABLE gold.account TO gold_book;

--
-- Name: FUNCTION closed_end(holder gold.account, present timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.closed_end(holder gold.account, present timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION account_instant(holder gold.account, present timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.account_instant(holder gold.account, present timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION add_authority(first boolean, fingerprint text, certificate_pem text, key_source text, revocation_list text, revocation_next_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_authority(first boolean, fingerprint text, certificate_pem text, key_source text, revocation_list text, revocation_next_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_authority(first boolean, fingerprint text, certificate_pem text, key_source text, revocation_list text, revocation_next_at timestamp with time zone) TO gold_keys;

--
-- Name: FUNCTION add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) TO gold_treasury;

--
-- Name: FUNCTION add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone, authority text, key_hash text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone, authority text, key_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone, authority text, key_hash text) TO gold_credentials;

--
-- Name: FUNCTION add_operator(name text, verifier text, roles text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_operator(name text, verifier text, roles text[]) FROM PUBLIC;

--
-- Name: FUNCTION add_operator_key(login text, public_key text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_operator_key(login text, public_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_operator_key(login text, public_key text) TO gold_keys;

--
-- Name: FUNCTION add_root_keys(keys jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_root_keys(keys jsonb) FROM PUBLIC;

--
-- Name: FUNCTION add_signing_key(public text, thumbprint text, kid text, jwk jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_signing_key(public text, thumbprint text, kid text, jwk jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_signing_key(public text, thumbprint text, kid text, jwk jsonb) TO gold_credentials;

--
-- Name: FUNCTION add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) TO gold_keys;

--
-- Name: FUNCTION admit_operator_key(login text, public_key text, admitted_by text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.admit_operator_key(login text, public_key text, admitted_by text) FROM PUBLIC;

--
-- Name: FUNCTION adopt_approvals(approvals jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.adopt_approvals(approvals jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.adopt_approvals(approvals jsonb) TO gold_keys;

--
-- Name: FUNCTION adopt_registry(rows jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.adopt_registry(rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.adopt_registry(rows jsonb) TO gold_keys;

--
-- Name: FUNCTION require_admitted_login(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_admitted_login() FROM PUBLIC;

--
-- Name: FUNCTION step_withdrawal(actor text, id uuid, target gold.withdrawal_status, batch uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.step_withdrawal(actor text, id uuid, target gold.withdrawal_status, batch uuid) FROM PUBLIC;

--
-- Name: FUNCTION advance_withdrawal(id uuid, target gold.withdrawal_status, batch uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.advance_withdrawal(id uuid, target gold.withdrawal_status, batch uuid) FROM PUBLIC;

--
-- Name: FUNCTION all_roles(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.all_roles() FROM PUBLIC;

--
-- Name: FUNCTION answer_of(key text, fingerprint bytea, status integer, request uuid, body text, signed_request bytea, thumbprint bytea); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.answer_of(key text, fingerprint bytea, status integer, request uuid, body text, signed_request bytea, thumbprint bytea) FROM PUBLIC;

--
-- Name: TABLE price; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.price TO gold_book;

--
-- Name: FUNCTION append_price(given gold.price); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.append_price(given gold.price) FROM PUBLIC;

--
-- Name: TABLE proposal; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.proposal TO gold_book;

--
-- Name: COLUMN proposal.state; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(state) ON TABLE gold.proposal TO gold_book;

--
-- Name: COLUMN proposal.decided_by; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(decided_by) ON TABLE gold.proposal TO gold_book;

--
-- Name: COLUMN proposal.decided_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(decided_at) ON TABLE gold.proposal TO gold_book;

--
-- Name: COLUMN proposal.secrets; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(secrets) ON TABLE gold.proposal TO gold_book;

--
-- Name: COLUMN proposal.proposer_signature; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(proposer_signature) ON TABLE gold.proposal TO gold_book;

--
-- Name: COLUMN proposal.approver_signature; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(approver_signature) ON TABLE gold.proposal TO gold_book;

--
-- Name: FUNCTION applied_proposal(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.applied_proposal() FROM PUBLIC;

--
-- Name: FUNCTION apply_change(kind text, content jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.apply_change(kind text, content jsonb) FROM PUBLIC;

--
-- Name: FUNCTION instant_text(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.instant_text(at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE deployment; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.deployment TO gold_book;

--
-- Name: TABLE operator_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.operator_key TO gold_book;

--
-- Name: COLUMN operator_key.ended_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(ended_at) ON TABLE gold.operator_key TO gold_book;

--
-- Name: FUNCTION approvals_of(VARIADIC kinds text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.approvals_of(VARIADIC kinds text[]) FROM PUBLIC;

--
-- Name: FUNCTION approve_deposit(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.approve_deposit(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.approve_deposit(id uuid) TO gold_treasury;

--
-- Name: FUNCTION approve_deposit_as(actor text, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.approve_deposit_as(actor text, id uuid) FROM PUBLIC;

--
-- Name: FUNCTION approve_iban(public text, seen text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.approve_iban(public text, seen text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.approve_iban(public text, seen text) TO gold_treasury;

--
-- Name: FUNCTION approve_proposal(id uuid, sha256 text, signature text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.approve_proposal(id uuid, sha256 text, signature text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.approve_proposal(id uuid, sha256 text, signature text) TO gold_treasury;
GRANT ALL ON FUNCTION gold.approve_proposal(id uuid, sha256 text, signature text) TO gold_credentials;
GRANT ALL ON FUNCTION gold.approve_proposal(id uuid, sha256 text, signature text) TO gold_pricing;
GRANT ALL ON FUNCTION gold.approve_proposal(id uuid, sha256 text, signature text) TO gold_keys;

--
-- Name: FUNCTION approve_withdrawal(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.approve_withdrawal(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.approve_withdrawal(id uuid) TO gold_treasury;

--
-- Name: FUNCTION arm_simulation(holder gold.account, name text, parameters jsonb, clock timestamp with time zone, OUT body text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.arm_simulation(holder gold.account, name text, parameters jsonb, clock timestamp with time zone, OUT body text) FROM PUBLIC;

--
-- Name: FUNCTION armed(simulations jsonb, name text, clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.armed(simulations jsonb, name text, clock timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION due_now(due_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.due_now(due_at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE event; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.event TO gold_book;

--
-- Name: FUNCTION event_of_number(client integer, sequence bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.event_of_number(client integer, sequence bigint) FROM PUBLIC;

--
-- Name: TABLE endpoint; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE gold.endpoint TO gold_book;

--
-- Name: TABLE retry; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE gold.retry TO gold_book;

--
-- Name: FUNCTION ask_delivery(client integer, sequence bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.ask_delivery(client integer, sequence bigint) FROM PUBLIC;

--
-- Name: FUNCTION ask_iban(public text, iban text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.ask_iban(public text, iban text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.ask_iban(public text, iban text) TO gold_treasury;

--
-- Name: TABLE audit_tail; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.audit_tail TO gold_book;

--
-- Name: FUNCTION audit_head(OUT id bigint, OUT head text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.audit_head(OUT id bigint, OUT head text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.audit_head(OUT id bigint, OUT head text) TO gold_audit;

--
-- Name: TABLE audit; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.audit TO gold_book;

--
-- Name: FUNCTION audit_line(entry gold.audit); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.audit_line(entry gold.audit) FROM PUBLIC;

--
-- Name: TABLE transfer; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.transfer TO gold_book;

--
-- Name: FUNCTION balance_after(client integer, sequence bigint, OUT available bigint, OUT held bigint, OUT gold bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.balance_after(client integer, sequence bigint, OUT available bigint, OUT held bigint, OUT gold bigint) FROM PUBLIC;

--
-- Name: FUNCTION balance_at(client integer, at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.balance_at(client integer, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.balance_at(client integer, at timestamp with time zone) TO gold_api;

--
-- Name: FUNCTION balance_now(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.balance_now(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.balance_now(client integer) TO gold_api;

--
-- Name: FUNCTION decimal_text(quantity bigint, unit numeric); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.decimal_text(quantity bigint, unit numeric) FROM PUBLIC;

--
-- Name: FUNCTION balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE bar; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.bar TO gold_book;

--
-- Name: COLUMN bar.removed_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(removed_at) ON TABLE gold.bar TO gold_book;

--
-- Name: COLUMN bar.removed_sequence; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(removed_sequence) ON TABLE gold.bar TO gold_book;

--
-- Name: COLUMN bar.removed_list; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(removed_list) ON TABLE gold.bar TO gold_book;

--
-- Name: FUNCTION listed_bars(list integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.listed_bars(list integer) FROM PUBLIC;

--
-- Name: TABLE bar_list; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.bar_list TO gold_book;

--
-- Name: FUNCTION bar_list_text(given gold.bar_list); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.bar_list_text(given gold.bar_list) FROM PUBLIC;

--
-- Name: FUNCTION bar_text(given gold.bar); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.bar_text(given gold.bar) FROM PUBLIC;

--
-- Name: FUNCTION begin_change(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.begin_change(client integer) FROM PUBLIC;

--
-- Name: FUNCTION begin_rotation(public text, overlap_seconds integer, OUT partner_id integer, OUT retires_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.begin_rotation(public text, overlap_seconds integer, OUT partner_id integer, OUT retires_at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE idempotency_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.idempotency_key TO gold_book;

--
-- Name: TABLE refusal; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.refusal TO gold_book;

--
-- Name: FUNCTION bind_answer(holder gold.account, key text, fingerprint bytea, request uuid, kind text, result uuid, at timestamp with time zone, status integer, body text, signed_request bytea, thumbprint bytea); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.bind_answer(holder gold.account, key text, fingerprint bytea, request uuid, kind text, result uuid, at timestamp with time zone, status integer, body text, signed_request bytea, thumbprint bytea) FROM PUBLIC;

--
-- Name: FUNCTION book_bar(bar_in boolean, fine bigint, OUT sequence bigint, OUT list integer, OUT at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_bar(bar_in boolean, fine bigint, OUT sequence bigint, OUT list integer, OUT at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION book_funding(settle boolean, client integer, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_funding(settle boolean, client integer, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_funding(settle boolean, client integer, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid) TO gold_api;

--
-- Name: FUNCTION book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]) TO gold_api;

--
-- Name: FUNCTION book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[], partner_references text[], account_labels text[], signed_requests bytea[], thumbprints bytea[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[], partner_references text[], account_labels text[], signed_requests bytea[], thumbprints bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[], partner_references text[], account_labels text[], signed_requests bytea[], thumbprints bytea[]) TO gold_api;

--
-- Name: FUNCTION book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], partner_references text[], account_labels text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], partner_references text[], account_labels text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], partner_references text[], account_labels text[]) TO gold_api;

--
-- Name: FUNCTION book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) TO gold_api;

--
-- Name: FUNCTION book_redelivery(settle boolean, client integer, admission bigint, key text, fingerprint bytea, event uuid, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_redelivery(settle boolean, client integer, admission bigint, key text, fingerprint bytea, event uuid, request uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_redelivery(settle boolean, client integer, admission bigint, key text, fingerprint bytea, event uuid, request uuid) TO gold_api;

--
-- Name: FUNCTION book_simulation(settle boolean, client integer, admission bigint, key text, fingerprint bytea, name text, parameters jsonb, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_simulation(settle boolean, client integer, admission bigint, key text, fingerprint bytea, name text, parameters jsonb, request uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_simulation(settle boolean, client integer, admission bigint, key text, fingerprint bytea, name text, parameters jsonb, request uuid) TO gold_api;

--
-- Name: FUNCTION book_webhook_test(settle boolean, client integer, admission bigint, key text, fingerprint bytea, id uuid, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_webhook_test(settle boolean, client integer, admission bigint, key text, fingerprint bytea, id uuid, request uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_webhook_test(settle boolean, client integer, admission bigint, key text, fingerprint bytea, id uuid, request uuid) TO gold_api;

--
-- Name: FUNCTION book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid) TO gold_api;

--
-- Name: FUNCTION book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid, account_label text, signed_request bytea, thumbprint bytea); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid, account_label text, signed_request bytea, thumbprint bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_withdrawal(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text, id uuid, request uuid, account_label text, signed_request bytea, thumbprint bytea) TO gold_api;

--
-- Name: FUNCTION buy_of(mid bigint, spread_basis_points integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.buy_of(mid bigint, spread_basis_points integer) FROM PUBLIC;

--
-- Name: FUNCTION canonical_json(value jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.canonical_json(value jsonb) FROM PUBLIC;

--
-- Name: FUNCTION ceil_millisecond(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.ceil_millisecond(at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION event_number(type text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.event_number(type text) FROM PUBLIC;

--
-- Name: FUNCTION is_partner_change(type text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_partner_change(type text) FROM PUBLIC;

--
-- Name: FUNCTION line_salt(chain_key bytea, sequence bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.line_salt(chain_key bytea, sequence bigint) FROM PUBLIC;

--
-- Name: TABLE closed_day; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.closed_day TO gold_book;

--
-- Name: TABLE epoch; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.epoch TO gold_book;

--
-- Name: TABLE expiry_notice; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.expiry_notice TO gold_book;

--
-- Name: TABLE funding; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.funding TO gold_book;

--
-- Name: TABLE orders; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.orders TO gold_book;

--
-- Name: TABLE partner; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.partner TO gold_book;

--
-- Name: TABLE partner_change; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.partner_change TO gold_book;

--
-- Name: TABLE withdrawal; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.withdrawal TO gold_book;

--
-- Name: TABLE withdrawal_step; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.withdrawal_step TO gold_book;

--
-- Name: FUNCTION chain_lines(client integer, after_sequence bigint, most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.chain_lines(client integer, after_sequence bigint, most integer) FROM PUBLIC;

--
-- Name: FUNCTION mask_iban(iban text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.mask_iban(iban text) FROM PUBLIC;

--
-- Name: FUNCTION change_text(given gold.partner_change); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.change_text(given gold.partner_change) FROM PUBLIC;

--
-- Name: FUNCTION changer(OUT changed_by text, OUT approved_by text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.changer(OUT changed_by text, OUT approved_by text) FROM PUBLIC;

--
-- Name: FUNCTION check_answer_is_bound(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_answer_is_bound() FROM PUBLIC;

--
-- Name: FUNCTION check_balance_is_sum(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_balance_is_sum() FROM PUBLIC;

--
-- Name: FUNCTION check_bar_is_booked(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_bar_is_booked() FROM PUBLIC;

--
-- Name: FUNCTION check_bar_list_is_whole(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_bar_list_is_whole() FROM PUBLIC;

--
-- Name: FUNCTION check_change_has_event(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_change_has_event() FROM PUBLIC;

--
-- Name: FUNCTION check_day_is_closed(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_day_is_closed() FROM PUBLIC;

--
-- Name: FUNCTION check_deposit_is_booked(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_deposit_is_booked() FROM PUBLIC;

--
-- Name: FUNCTION check_deposit_is_noted(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_deposit_is_noted() FROM PUBLIC;

--
-- Name: FUNCTION check_end(noun text, id integer, last_used_at timestamp with time zone, seen jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_end(noun text, id integer, last_used_at timestamp with time zone, seen jsonb) FROM PUBLIC;

--
-- Name: FUNCTION check_epoch_is_whole(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_epoch_is_whole() FROM PUBLIC;

--
-- Name: FUNCTION check_event_has_execution(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_event_has_execution() FROM PUBLIC;

--
-- Name: FUNCTION check_events_without_gap(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_events_without_gap() FROM PUBLIC;

--
-- Name: FUNCTION check_execution_has_event(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_execution_has_event() FROM PUBLIC;

--
-- Name: FUNCTION check_execution_has_key(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_execution_has_key() FROM PUBLIC;

--
-- Name: FUNCTION check_funding_is_booked(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_funding_is_booked() FROM PUBLIC;

--
-- Name: FUNCTION check_gold_is_backed(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_gold_is_backed() FROM PUBLIC;

--
-- Name: FUNCTION check_held_is_withdrawals(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_held_is_withdrawals() FROM PUBLIC;

--
-- Name: FUNCTION check_new_operator(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_new_operator(name text) FROM PUBLIC;

--
-- Name: FUNCTION check_operator(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_operator(name text) FROM PUBLIC;

--
-- Name: FUNCTION check_order_is_booked(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_order_is_booked() FROM PUBLIC;

--
-- Name: FUNCTION check_order_is_quoted(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_order_is_quoted() FROM PUBLIC;

--
-- Name: FUNCTION check_order_names_list(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_order_names_list() FROM PUBLIC;

--
-- Name: FUNCTION check_price_is_kept(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_price_is_kept() FROM PUBLIC;

--
-- Name: FUNCTION check_quote_is_priced(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_quote_is_priced() FROM PUBLIC;

--
-- Name: FUNCTION check_rate(rate_per_second integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_rate(rate_per_second integer) FROM PUBLIC;

--
-- Name: FUNCTION check_record_has_its_legs(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_record_has_its_legs() FROM PUBLIC;

--
-- Name: FUNCTION check_request_is_kept(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_request_is_kept() FROM PUBLIC;

--
-- Name: FUNCTION check_result_is_bound(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_result_is_bound() FROM PUBLIC;

--
-- Name: FUNCTION check_retirement(noun text, ended_at timestamp with time zone, last_used_at timestamp with time zone, seen timestamp with time zone, heirs bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_retirement(noun text, ended_at timestamp with time zone, last_used_at timestamp with time zone, seen timestamp with time zone, heirs bigint) FROM PUBLIC;

--
-- Name: FUNCTION check_roles(roles text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_roles(roles text[]) FROM PUBLIC;

--
-- Name: FUNCTION check_running_balance(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_running_balance() FROM PUBLIC;

--
-- Name: FUNCTION check_secret_hash(hash bytea); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_secret_hash(hash bytea) FROM PUBLIC;

--
-- Name: FUNCTION check_transfer_has_record(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_transfer_has_record() FROM PUBLIC;

--
-- Name: FUNCTION check_withdrawal_is_booked(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.check_withdrawal_is_booked() FROM PUBLIC;

--
-- Name: FUNCTION claim_endpoints(worker uuid, clients integer[], most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.claim_endpoints(worker uuid, clients integer[], most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.claim_endpoints(worker uuid, clients integer[], most integer) TO gold_delivery;
GRANT ALL ON FUNCTION gold.claim_endpoints(worker uuid, clients integer[], most integer) TO gold_api;

--
-- Name: FUNCTION close_day(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.close_day(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.close_day(client integer) TO gold_delivery;
GRANT ALL ON FUNCTION gold.close_day(client integer) TO gold_api;

--
-- Name: FUNCTION close_delay(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.close_delay() FROM PUBLIC;

--
-- Name: FUNCTION close_past(client integer, until timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.close_past(client integer, until timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION closed_day_text(given gold.closed_day); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.closed_day_text(given gold.closed_day) FROM PUBLIC;

--
-- Name: FUNCTION exposure_step(maximum bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.exposure_step(maximum bigint) FROM PUBLIC;

--
-- Name: FUNCTION coarse_exposure(used bigint, maximum bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.coarse_exposure(used bigint, maximum bigint) FROM PUBLIC;

--
-- Name: FUNCTION compute_reserves(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.compute_reserves(at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION coordinate_value(text text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.coordinate_value(text text) FROM PUBLIC;

--
-- Name: FUNCTION count_events(public text, since timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.count_events(public text, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.count_events(public text, since timestamp with time zone) TO gold_credentials;
GRANT ALL ON FUNCTION gold.count_events(public text, since timestamp with time zone) TO gold_audit;

--
-- Name: FUNCTION count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) TO gold_treasury;
GRANT ALL ON FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) TO gold_credentials;
GRANT ALL ON FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) TO gold_pricing;
GRANT ALL ON FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) TO gold_keys;
GRANT ALL ON FUNCTION gold.count_position(maximum bigint, OUT day_net bigint, OUT open_buys bigint, OUT open_sells bigint) TO gold_audit;

--
-- Name: FUNCTION create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb) TO gold_credentials;

--
-- Name: TABLE certificate; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.certificate TO gold_book;

--
-- Name: COLUMN certificate.revoked_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(revoked_at) ON TABLE gold.certificate TO gold_book;

--
-- Name: COLUMN certificate.last_used_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(last_used_at) ON TABLE gold.certificate TO gold_book;

--
-- Name: COLUMN certificate.revocation_reason; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(revocation_reason) ON TABLE gold.certificate TO gold_book;

--
-- Name: TABLE client_secret; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.client_secret TO gold_book;

--
-- Name: COLUMN client_secret.retire_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(retire_at) ON TABLE gold.client_secret TO gold_book;

--
-- Name: COLUMN client_secret.last_used_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(last_used_at) ON TABLE gold.client_secret TO gold_book;

--
-- Name: TABLE signing_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.signing_key TO gold_book;

--
-- Name: COLUMN signing_key.retire_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(retire_at) ON TABLE gold.signing_key TO gold_book;

--
-- Name: COLUMN signing_key.last_used_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(last_used_at) ON TABLE gold.signing_key TO gold_book;

--
-- Name: TABLE webhook_secret; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.webhook_secret TO gold_book;

--
-- Name: COLUMN webhook_secret.sealed; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(sealed) ON TABLE gold.webhook_secret TO gold_book;

--
-- Name: COLUMN webhook_secret.sealing_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(sealing_key) ON TABLE gold.webhook_secret TO gold_book;

--
-- Name: COLUMN webhook_secret.retire_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(retire_at) ON TABLE gold.webhook_secret TO gold_book;

--
-- Name: COLUMN webhook_secret.last_used_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(last_used_at) ON TABLE gold.webhook_secret TO gold_book;

--
-- Name: FUNCTION credentials_of(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.credentials_of(client integer) FROM PUBLIC;

--
-- Name: TABLE chain_tail; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.chain_tail TO gold_book;

--
-- Name: FUNCTION current_heads(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.current_heads() FROM PUBLIC;

--
-- Name: FUNCTION day_begin(day date); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.day_begin(day date) FROM PUBLIC;

--
-- Name: FUNCTION day_end(clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.day_end(clock timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION day_facts(client integer, day date); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.day_facts(client integer, day date) FROM PUBLIC;

--
-- Name: FUNCTION day_in_riyadh(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.day_in_riyadh(at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION day_of(instant timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.day_of(instant timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION decode_base64(given text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.decode_base64(given text) FROM PUBLIC;

--
-- Name: FUNCTION delivery_status(mark bigint, sequence bigint, own gold.retry); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.delivery_status(mark bigint, sequence bigint, own gold.retry) FROM PUBLIC;

--
-- Name: FUNCTION next_attempt_at(type text, own gold.retry, standing gold.endpoint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.next_attempt_at(type text, own gold.retry, standing gold.endpoint) FROM PUBLIC;

--
-- Name: TABLE attempt; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.attempt TO gold_book;

--
-- Name: FUNCTION delivery_text(given gold.event); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.delivery_text(given gold.event) FROM PUBLIC;

--
-- Name: FUNCTION delivery_and_line(given gold.event); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.delivery_and_line(given gold.event) FROM PUBLIC;

--
-- Name: TABLE delivery_worker; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE gold.delivery_worker TO gold_book;

--
-- Name: FUNCTION dismiss_worker(worker uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.dismiss_worker(worker uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.dismiss_worker(worker uuid) TO gold_delivery;
GRANT ALL ON FUNCTION gold.dismiss_worker(worker uuid) TO gold_api;

--
-- Name: FUNCTION due_notices(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.due_notices(at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION early_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.early_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean) FROM PUBLIC;

--
-- Name: FUNCTION endpoint_changed(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.endpoint_changed(client integer) FROM PUBLIC;

--
-- Name: FUNCTION enable_endpoint(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.enable_endpoint(client integer) FROM PUBLIC;

--
-- Name: FUNCTION end_admission(partner_id integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.end_admission(partner_id integer) FROM PUBLIC;

--
-- Name: FUNCTION end_operator_key(fingerprint text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.end_operator_key(fingerprint text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.end_operator_key(fingerprint text) TO gold_keys;

--
-- Name: TABLE deposit; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.deposit TO gold_book;

--
-- Name: COLUMN deposit.approved_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(approved_at) ON TABLE gold.deposit TO gold_book;

--
-- Name: COLUMN deposit.approved_by; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(approved_by) ON TABLE gold.deposit TO gold_book;

--
-- Name: COLUMN deposit.reversed_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(reversed_at) ON TABLE gold.deposit TO gold_book;

--
-- Name: COLUMN deposit.reversed_by; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(reversed_by) ON TABLE gold.deposit TO gold_book;

--
-- Name: COLUMN deposit.reversed_sequence; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(reversed_sequence) ON TABLE gold.deposit TO gold_book;

--
-- Name: FUNCTION funding_text(given gold.funding, as_of bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.funding_text(given gold.funding, as_of bigint) FROM PUBLIC;

--
-- Name: FUNCTION partner_texts(reference text, account_label text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.partner_texts(reference text, account_label text) FROM PUBLIC;

--
-- Name: FUNCTION order_members(given gold.orders); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.order_members(given gold.orders) FROM PUBLIC;

--
-- Name: FUNCTION order_text(given gold.orders); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.order_text(given gold.orders) FROM PUBLIC;

--
-- Name: FUNCTION withdrawal_text(given gold.withdrawal, as_of bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.withdrawal_text(given gold.withdrawal, as_of bigint) FROM PUBLIC;

--
-- Name: TABLE chain_link; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.chain_link TO gold_book;

--
-- Name: FUNCTION event_body(given gold.event); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.event_body(given gold.event) FROM PUBLIC;

--
-- Name: FUNCTION event_of(client integer, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.event_of(client integer, id uuid) FROM PUBLIC;

--
-- Name: FUNCTION with_delivery(body text, delivery text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.with_delivery(body text, delivery text) FROM PUBLIC;

--
-- Name: FUNCTION event_text(given gold.event, delivery text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.event_text(given gold.event, delivery text) FROM PUBLIC;

--
-- Name: FUNCTION side_used(side gold.side, net bigint, open_buys bigint, open_sells bigint, ends_at timestamp with time zone, day_ends_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.side_used(side gold.side, net bigint, open_buys bigint, open_sells bigint, ends_at timestamp with time zone, day_ends_at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE allowance; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE gold.allowance TO gold_book;

--
-- Name: FUNCTION net_used(held gold.allowance, side gold.side, gold bigint, ends_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.net_used(held gold.allowance, side gold.side, gold bigint, ends_at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION exceeded_limit(held gold.allowance, grams bigint, side gold.side, gold bigint, ends_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.exceeded_limit(held gold.allowance, grams bigint, side gold.side, gold bigint, ends_at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE problem; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.problem TO gold_book;

--
-- Name: FUNCTION exposure_reached(item integer, side gold.side, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.exposure_reached(item integer, side gold.side, request uuid) FROM PUBLIC;

--
-- Name: FUNCTION exposure_slot(created_at timestamp with time zone, expires_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.exposure_slot(created_at timestamp with time zone, expires_at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION find_event(client integer, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.find_event(client integer, id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.find_event(client integer, id uuid) TO gold_api;

--
-- Name: FUNCTION find_funding(client integer, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.find_funding(client integer, id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.find_funding(client integer, id uuid) TO gold_api;

--
-- Name: FUNCTION find_losses(known jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.find_losses(known jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.find_losses(known jsonb) TO gold_keys;

--
-- Name: FUNCTION find_order(client integer, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.find_order(client integer, id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.find_order(client integer, id uuid) TO gold_api;

--
-- Name: FUNCTION find_quote(client integer, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.find_quote(client integer, id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.find_quote(client integer, id uuid) TO gold_api;

--
-- Name: FUNCTION find_reserves_list(list integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.find_reserves_list(list integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.find_reserves_list(list integer) TO gold_api;

--
-- Name: FUNCTION find_withdrawal(client integer, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.find_withdrawal(client integer, id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.find_withdrawal(client integer, id uuid) TO gold_api;

--
-- Name: FUNCTION first_id_at(instant timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.first_id_at(instant timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION freeze_bar(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.freeze_bar() FROM PUBLIC;

--
-- Name: FUNCTION freeze_operator_key(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.freeze_operator_key() FROM PUBLIC;

--
-- Name: FUNCTION freeze_proposal(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.freeze_proposal() FROM PUBLIC;

--
-- Name: FUNCTION freeze_steps(); Type: ACL; Schema: gold; Owner: gold_owner
--

REVOKE ALL ON FUNCTION gold.freeze_steps() FROM PUBLIC;

--
-- Name: TABLE vault; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.vault TO gold_book;

--
-- Name: COLUMN vault.stripe; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(stripe) ON TABLE gold.vault TO gold_book;

--
-- Name: COLUMN vault.list_id; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(list_id) ON TABLE gold.vault TO gold_book;

--
-- Name: COLUMN vault.maximum_exposure; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(maximum_exposure) ON TABLE gold.vault TO gold_book;

--
-- Name: COLUMN vault.day_net; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(day_net) ON TABLE gold.vault TO gold_book;

--
-- Name: COLUMN vault.day_ends_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(day_ends_at) ON TABLE gold.vault TO gold_book;

--
-- Name: FUNCTION gather_vault(need bigint); Type: ACL; Schema: gold; Owner: gold_owner
--

REVOKE ALL ON FUNCTION gold.gather_vault(need bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.gather_vault(need bigint) TO gold_book;

--
-- Name: FUNCTION give_roles(name text, roles text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.give_roles(name text, roles text[]) FROM PUBLIC;

--
-- Name: FUNCTION gold_before(client integer, at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.gold_before(client integer, at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION halt_on_jump(ticked gold.price); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.halt_on_jump(ticked gold.price) FROM PUBLIC;

--
-- Name: FUNCTION has_room_for(holder gold.account, amount bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.has_room_for(holder gold.account, amount bigint) FROM PUBLIC;

--
-- Name: FUNCTION hash_text(stored bytea); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.hash_text(stored bytea) FROM PUBLIC;

--
-- Name: FUNCTION held_until(changed timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.held_until(changed timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.held_until(changed timestamp with time zone) TO gold_treasury;
GRANT ALL ON FUNCTION gold.held_until(changed timestamp with time zone) TO gold_credentials;
GRANT ALL ON FUNCTION gold.held_until(changed timestamp with time zone) TO gold_audit;

--
-- Name: FUNCTION hex_of(content jsonb, name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.hex_of(content jsonb, name text) FROM PUBLIC;

--
-- Name: FUNCTION hold_authorities(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.hold_authorities() FROM PUBLIC;

--
-- Name: FUNCTION hold_partner(public text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.hold_partner(public text) FROM PUBLIC;

--
-- Name: FUNCTION hold_proposal(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.hold_proposal(id uuid) FROM PUBLIC;

--
-- Name: FUNCTION id_tolerance(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.id_tolerance() FROM PUBLIC;

--
-- Name: FUNCTION identify_deployment(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.identify_deployment() FROM PUBLIC;

--
-- Name: FUNCTION inner_members(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.inner_members(name text) FROM PUBLIC;

--
-- Name: FUNCTION is_broken(refused gold.idempotency_key); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_broken(refused gold.idempotency_key) FROM PUBLIC;

--
-- Name: TABLE payment_batch; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.payment_batch TO gold_book;

--
-- Name: FUNCTION is_known_login(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_known_login(name text) FROM PUBLIC;

--
-- Name: FUNCTION is_made_by_hand(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_made_by_hand(name text) FROM PUBLIC;

--
-- Name: FUNCTION is_other_day(ends_at timestamp with time zone, clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_other_day(ends_at timestamp with time zone, clock timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION is_outside_band(mid bigint, spread_basis_points integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) TO gold_treasury;
GRANT ALL ON FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) TO gold_credentials;
GRANT ALL ON FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) TO gold_pricing;
GRANT ALL ON FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) TO gold_keys;
GRANT ALL ON FUNCTION gold.is_outside_band(mid bigint, spread_basis_points integer) TO gold_audit;

--
-- Name: FUNCTION is_price_approved(mid bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_price_approved(mid bigint) FROM PUBLIC;

--
-- Name: FUNCTION is_stale(given gold.price, clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) TO gold_treasury;
GRANT ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) TO gold_credentials;
GRANT ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) TO gold_pricing;
GRANT ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) TO gold_keys;
GRANT ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) TO gold_audit;
GRANT ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) TO gold_api;
GRANT ALL ON FUNCTION gold.is_stale(given gold.price, clock timestamp with time zone) TO gold_ticker;

--
-- Name: FUNCTION keep_allowances(changed gold.allowance[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.keep_allowances(changed gold.allowance[]) FROM PUBLIC;

--
-- Name: FUNCTION keep_attempts(); Type: ACL; Schema: gold; Owner: gold_owner
--

REVOKE ALL ON FUNCTION gold.keep_attempts() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.keep_attempts() TO gold_delivery;
GRANT ALL ON FUNCTION gold.keep_attempts() TO gold_api;

--
-- Name: FUNCTION keep_heads(known jsonb, known_epoch integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.keep_heads(known jsonb, known_epoch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.keep_heads(known jsonb, known_epoch integer) TO gold_api;
GRANT ALL ON FUNCTION gold.keep_heads(known jsonb, known_epoch integer) TO gold_delivery;
GRANT ALL ON FUNCTION gold.keep_heads(known jsonb, known_epoch integer) TO gold_treasury;

--
-- Name: FUNCTION keep_pepper(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.keep_pepper(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.keep_pepper(name text) TO gold_api;

--
-- Name: FUNCTION keep_price(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.keep_price() FROM PUBLIC;

--
-- Name: FUNCTION keep_refusals(bound gold.idempotency_key[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.keep_refusals(bound gold.idempotency_key[]) FROM PUBLIC;

--
-- Name: FUNCTION key_fingerprint(blob bytea); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.key_fingerprint(blob bytea) FROM PUBLIC;

--
-- Name: FUNCTION key_thumbprint(jwk jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.key_thumbprint(jwk jsonb) FROM PUBLIC;

--
-- Name: FUNCTION life_text(not_before timestamp with time zone, retire_at timestamp with time zone, last_used_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.life_text(not_before timestamp with time zone, retire_at timestamp with time zone, last_used_at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION limit_all_sessions(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.limit_all_sessions() FROM PUBLIC;

--
-- Name: FUNCTION limit_sessions(login name, limits jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.limit_sessions(login name, limits jsonb) FROM PUBLIC;

--
-- Name: FUNCTION limit_operator_sessions(login name); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.limit_operator_sessions(login name) FROM PUBLIC;

--
-- Name: FUNCTION limit_partner(public text, limits jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.limit_partner(public text, limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.limit_partner(public text, limits jsonb) TO gold_credentials;

--
-- Name: FUNCTION limit_reached(item integer, held gold.allowance, reached text, clock timestamp with time zone, request uuid, used bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.limit_reached(item integer, held gold.allowance, reached text, clock timestamp with time zone, request uuid, used bigint) FROM PUBLIC;

--
-- Name: FUNCTION link_audit(entry gold.audit); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.link_audit(entry gold.audit) FROM PUBLIC;

--
-- Name: FUNCTION list_bounds(client integer, created_after timestamp with time zone, created_before timestamp with time zone, next_below bigint, OUT above bigint, OUT below bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_bounds(client integer, created_after timestamp with time zone, created_before timestamp with time zone, next_below bigint, OUT above bigint, OUT below bigint) FROM PUBLIC;

--
-- Name: FUNCTION list_deliveries(public text, wanted text, most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_deliveries(public text, wanted text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_deliveries(public text, wanted text, most integer) TO gold_credentials;
GRANT ALL ON FUNCTION gold.list_deliveries(public text, wanted text, most integer) TO gold_audit;

--
-- Name: FUNCTION list_events(client integer, after_sequence bigint, most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_events(client integer, after_sequence bigint, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_events(client integer, after_sequence bigint, most integer) TO gold_api;

--
-- Name: FUNCTION list_fundings(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_fundings(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_fundings(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) TO gold_api;

--
-- Name: FUNCTION list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) TO gold_api;

--
-- Name: FUNCTION list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_orders(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) TO gold_api;

--
-- Name: FUNCTION list_postings(client integer, above bigint, last bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_postings(client integer, above bigint, last bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_postings(client integer, above bigint, last bigint) TO gold_api;

--
-- Name: FUNCTION list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer, reference text, account_label text) TO gold_api;

--
-- Name: FUNCTION list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.list_withdrawals(client integer, created_after timestamp with time zone, created_before timestamp with time zone, key text, next_below bigint, most integer) TO gold_api;

--
-- Name: FUNCTION lock_accounts(clients integer[], wait boolean, OUT locked integer[], OUT accounts gold.account[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.lock_accounts(clients integer[], wait boolean, OUT locked integer[], OUT accounts gold.account[]) FROM PUBLIC;

--
-- Name: FUNCTION lock_deposit(id uuid, OUT found_deposit gold.deposit, OUT holder gold.account); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.lock_deposit(id uuid, OUT found_deposit gold.deposit, OUT holder gold.account) FROM PUBLIC;

--
-- Name: FUNCTION lock_exposure(clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.lock_exposure(clock timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION lock_payees(ids uuid[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.lock_payees(ids uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION lock_price(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.lock_price() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.lock_price() TO gold_pricing;

--
-- Name: TABLE market_session; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE gold.market_session TO gold_book;

--
-- Name: FUNCTION market_open(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.market_open(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.market_open(at timestamp with time zone) TO gold_treasury;
GRANT ALL ON FUNCTION gold.market_open(at timestamp with time zone) TO gold_credentials;
GRANT ALL ON FUNCTION gold.market_open(at timestamp with time zone) TO gold_pricing;
GRANT ALL ON FUNCTION gold.market_open(at timestamp with time zone) TO gold_keys;
GRANT ALL ON FUNCTION gold.market_open(at timestamp with time zone) TO gold_audit;
GRANT ALL ON FUNCTION gold.market_open(at timestamp with time zone) TO gold_api;
GRANT ALL ON FUNCTION gold.market_open(at timestamp with time zone) TO gold_ticker;

--
-- Name: FUNCTION mode_of_change(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.mode_of_change() FROM PUBLIC;

--
-- Name: FUNCTION move_authority_key(fingerprint text, key_source text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.move_authority_key(fingerprint text, key_source text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.move_authority_key(fingerprint text, key_source text) TO gold_keys;

--
-- Name: FUNCTION move_bar(bar_in boolean, fine bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.move_bar(bar_in boolean, fine bigint) FROM PUBLIC;

--
-- Name: FUNCTION net_of_day(clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.net_of_day(clock timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION new_uuid(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.new_uuid(at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION note(action text, subject text, detail jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.note(action text, subject text, detail jsonb) FROM PUBLIC;

--
-- Name: FUNCTION note_as(actor text, action text, subject text, detail jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.note_as(actor text, action text, subject text, detail jsonb) FROM PUBLIC;

--
-- Name: FUNCTION note_epoch(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.note_epoch() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.note_epoch() TO gold_keys;
GRANT ALL ON FUNCTION gold.note_epoch() TO gold_delivery;
GRANT ALL ON FUNCTION gold.note_epoch() TO gold_api;

--
-- Name: FUNCTION number_price(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.number_price() FROM PUBLIC;

--
-- Name: FUNCTION open_bar_list(list integer, at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.open_bar_list(list integer, at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE quote; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.quote TO gold_book;

--
-- Name: FUNCTION open_exposure(quoted gold.quote[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.open_exposure(quoted gold.quote[]) FROM PUBLIC;

--
-- Name: FUNCTION open_market(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.open_market() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.open_market() TO gold_pricing;

--
-- Name: FUNCTION open_quotes_at(clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.open_quotes_at(clock timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION partner_of(public text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.partner_of(public text) FROM PUBLIC;

--
-- Name: FUNCTION pay_withdrawal(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.pay_withdrawal(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.pay_withdrawal(id uuid) TO gold_treasury;

--
-- Name: FUNCTION payment_document(batch uuid, at timestamp with time zone, day date, ids uuid[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.payment_document(batch uuid, at timestamp with time zone, day date, ids uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION payment_iban(what text, value text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.payment_iban(what text, value text) FROM PUBLIC;

--
-- Name: FUNCTION payment_id(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.payment_id(id uuid) FROM PUBLIC;

--
-- Name: FUNCTION payment_text(what text, value text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.payment_text(what text, value text) FROM PUBLIC;

--
-- Name: FUNCTION sar_text(halalas numeric); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.sar_text(halalas numeric) FROM PUBLIC;

--
-- Name: FUNCTION payment_element(given gold.withdrawal, name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.payment_element(given gold.withdrawal, name text) FROM PUBLIC;

--
-- Name: FUNCTION payment_text_fault(value text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.payment_text_fault(value text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.payment_text_fault(value text) TO gold_treasury;
GRANT ALL ON FUNCTION gold.payment_text_fault(value text) TO gold_audit;

--
-- Name: FUNCTION payments_of(ids uuid[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.payments_of(ids uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION post_change(client integer, type text, login text, approved_by text, kind text, credential text, kid text, valid_from timestamp with time zone, valid_until timestamp with time zone, iban text, webhook_url text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_change(client integer, type text, login text, approved_by text, kind text, credential text, kid text, valid_from timestamp with time zone, valid_until timestamp with time zone, iban text, webhook_url text) FROM PUBLIC;

--
-- Name: FUNCTION post_credential(client integer, type text, kind text, credential text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_credential(client integer, type text, kind text, credential text) FROM PUBLIC;

--
-- Name: FUNCTION post_event(client integer, sequence bigint, id uuid, subject uuid, at timestamp with time zone, type text, line integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_event(client integer, sequence bigint, id uuid, subject uuid, at timestamp with time zone, type text, line integer) FROM PUBLIC;

--
-- Name: FUNCTION post_expiry_notices(most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_expiry_notices(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.post_expiry_notices(most integer) TO gold_delivery;
GRANT ALL ON FUNCTION gold.post_expiry_notices(most integer) TO gold_api;

--
-- Name: FUNCTION post_first_changes(client integer, login text, approved_by text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_first_changes(client integer, login text, approved_by text) FROM PUBLIC;

--
-- Name: FUNCTION post_funding(holder gold.account, amount bigint, id uuid, at timestamp with time zone, answer bytea); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_funding(holder gold.account, amount bigint, id uuid, at timestamp with time zone, answer bytea) FROM PUBLIC;

--
-- Name: FUNCTION post_missing_changes(most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_missing_changes(most integer) FROM PUBLIC;

--
-- Name: FUNCTION post_transfers(); Type: ACL; Schema: gold; Owner: gold_owner
--

REVOKE ALL ON FUNCTION gold.post_transfers() FROM PUBLIC;

--
-- Name: FUNCTION prepare_payment(ids uuid[], INOUT batch uuid, OUT prepared_at timestamp with time zone, OUT document text, OUT sha256 text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.prepare_payment(ids uuid[], INOUT batch uuid, OUT prepared_at timestamp with time zone, OUT document text, OUT sha256 text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.prepare_payment(ids uuid[], INOUT batch uuid, OUT prepared_at timestamp with time zone, OUT document text, OUT sha256 text) TO gold_treasury;

--
-- Name: FUNCTION present_millisecond(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.present_millisecond() FROM PUBLIC;

--
-- Name: TABLE price_history; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.price_history TO gold_book;

--
-- Name: FUNCTION price_line(given gold.price_history); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.price_line(given gold.price_history) FROM PUBLIC;

--
-- Name: FUNCTION settled(item integer, own boolean, same boolean, status smallint, body text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.settled(item integer, own boolean, same boolean, status smallint, body text) FROM PUBLIC;

--
-- Name: FUNCTION prior_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.prior_outcome(item integer, settle boolean, request uuid, spent_by uuid, known_request uuid, same boolean, status smallint, body text, is_admitted boolean) FROM PUBLIC;

--
-- Name: FUNCTION probe_write(standby boolean); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.probe_write(standby boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.probe_write(standby boolean) TO gold_api;
GRANT ALL ON FUNCTION gold.probe_write(standby boolean) TO gold_delivery;

--
-- Name: FUNCTION problem_text(refusal text, detail text, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.problem_text(refusal text, detail text, request uuid) FROM PUBLIC;

--
-- Name: FUNCTION proposal_members(kind text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.proposal_members(kind text) FROM PUBLIC;

--
-- Name: FUNCTION proposal_text(given gold.proposal); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.proposal_text(given gold.proposal) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.proposal_text(given gold.proposal) TO gold_treasury;
GRANT ALL ON FUNCTION gold.proposal_text(given gold.proposal) TO gold_credentials;
GRANT ALL ON FUNCTION gold.proposal_text(given gold.proposal) TO gold_pricing;
GRANT ALL ON FUNCTION gold.proposal_text(given gold.proposal) TO gold_keys;
GRANT ALL ON FUNCTION gold.proposal_text(given gold.proposal) TO gold_audit;

--
-- Name: FUNCTION proposal_sha256(given gold.proposal); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.proposal_sha256(given gold.proposal) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.proposal_sha256(given gold.proposal) TO gold_treasury;
GRANT ALL ON FUNCTION gold.proposal_sha256(given gold.proposal) TO gold_credentials;
GRANT ALL ON FUNCTION gold.proposal_sha256(given gold.proposal) TO gold_pricing;
GRANT ALL ON FUNCTION gold.proposal_sha256(given gold.proposal) TO gold_keys;
GRANT ALL ON FUNCTION gold.proposal_sha256(given gold.proposal) TO gold_audit;

--
-- Name: FUNCTION propose(kind text, content jsonb, secrets bytea, sealing_key text, lifetime interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.propose(kind text, content jsonb, secrets bytea, sealing_key text, lifetime interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.propose(kind text, content jsonb, secrets bytea, sealing_key text, lifetime interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone) TO gold_treasury;
GRANT ALL ON FUNCTION gold.propose(kind text, content jsonb, secrets bytea, sealing_key text, lifetime interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone) TO gold_credentials;
GRANT ALL ON FUNCTION gold.propose(kind text, content jsonb, secrets bytea, sealing_key text, lifetime interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone) TO gold_pricing;
GRANT ALL ON FUNCTION gold.propose(kind text, content jsonb, secrets bytea, sealing_key text, lifetime interval, OUT id uuid, OUT sha256 text, OUT expires_at timestamp with time zone) TO gold_keys;

--
-- Name: FUNCTION public_key_fault(jwk jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.public_key_fault(jwk jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.public_key_fault(jwk jsonb) TO gold_credentials;
GRANT ALL ON FUNCTION gold.public_key_fault(jwk jsonb) TO gold_keys;
GRANT ALL ON FUNCTION gold.public_key_fault(jwk jsonb) TO gold_audit;

--
-- Name: FUNCTION public_key_fingerprint(public_key text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.public_key_fingerprint(public_key text) FROM PUBLIC;

--
-- Name: FUNCTION public_of(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.public_of(client integer) FROM PUBLIC;

--
-- Name: FUNCTION quote_text(given gold.quote, status text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.quote_text(given gold.quote, status text) FROM PUBLIC;

--
-- Name: FUNCTION raises_limit(before jsonb, given jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.raises_limit(before jsonb, given jsonb) FROM PUBLIC;

--
-- Name: TABLE allowed_ip; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE gold.allowed_ip TO gold_book;

--
-- Name: TABLE registry_version; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.registry_version TO gold_book;

--
-- Name: FUNCTION read_addresses(known_version bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_addresses(known_version bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_addresses(known_version bigint) TO gold_trust;
GRANT ALL ON FUNCTION gold.read_addresses(known_version bigint) TO gold_api;

--
-- Name: FUNCTION read_approvals(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_approvals() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_approvals() TO gold_keys;

--
-- Name: FUNCTION read_archive(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_archive() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_archive() TO gold_treasury;
GRANT ALL ON FUNCTION gold.read_archive() TO gold_credentials;
GRANT ALL ON FUNCTION gold.read_archive() TO gold_pricing;
GRANT ALL ON FUNCTION gold.read_archive() TO gold_keys;
GRANT ALL ON FUNCTION gold.read_archive() TO gold_audit;
GRANT ALL ON FUNCTION gold.read_archive() TO gold_delivery;
GRANT ALL ON FUNCTION gold.read_archive() TO gold_api;

--
-- Name: FUNCTION read_backlog(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_backlog() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_backlog() TO gold_delivery;
GRANT ALL ON FUNCTION gold.read_backlog() TO gold_api;

--
-- Name: FUNCTION read_chain_key(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_chain_key(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_chain_key(client integer) TO gold_api;

--
-- Name: FUNCTION read_credentials(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_credentials(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_credentials(client integer) TO gold_api;

--
-- Name: FUNCTION withdrawals_since(client integer, since timestamp with time zone, OUT requested integer, OUT withdrawn bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.withdrawals_since(client integer, since timestamp with time zone, OUT requested integer, OUT withdrawn bigint) FROM PUBLIC;

--
-- Name: TABLE open_exposure; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE gold.open_exposure TO gold_book;

--
-- Name: COLUMN open_exposure.buys; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(buys) ON TABLE gold.open_exposure TO gold_book;

--
-- Name: COLUMN open_exposure.sells; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(sells) ON TABLE gold.open_exposure TO gold_book;

--
-- Name: FUNCTION read_day_limits(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_day_limits(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_day_limits(client integer) TO gold_api;

--
-- Name: FUNCTION read_first_approvals(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_first_approvals() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_first_approvals() TO gold_keys;

--
-- Name: FUNCTION read_key_approvals(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_key_approvals() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_key_approvals() TO gold_treasury;
GRANT ALL ON FUNCTION gold.read_key_approvals() TO gold_credentials;
GRANT ALL ON FUNCTION gold.read_key_approvals() TO gold_pricing;
GRANT ALL ON FUNCTION gold.read_key_approvals() TO gold_keys;
GRANT ALL ON FUNCTION gold.read_key_approvals() TO gold_audit;

--
-- Name: FUNCTION read_limits(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_limits(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_limits(client integer) TO gold_api;

--
-- Name: FUNCTION read_payee_approvals(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_payee_approvals() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_payee_approvals() TO gold_treasury;

--
-- Name: TABLE token_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.token_key TO gold_book;

--
-- Name: COLUMN token_key.sealed; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(sealed) ON TABLE gold.token_key TO gold_book;

--
-- Name: COLUMN token_key.sealing_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(sealing_key) ON TABLE gold.token_key TO gold_book;

--
-- Name: COLUMN token_key.retire_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(retire_at) ON TABLE gold.token_key TO gold_book;

--
-- Name: COLUMN token_key.last_used_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(last_used_at) ON TABLE gold.token_key TO gold_book;

--
-- Name: FUNCTION read_registry(known_version bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_registry(known_version bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_registry(known_version bigint) TO gold_api;
GRANT ALL ON FUNCTION gold.read_registry(known_version bigint) TO gold_delivery;

--
-- Name: FUNCTION read_registry_approvals(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_registry_approvals() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_registry_approvals() TO gold_api;

--
-- Name: FUNCTION read_reserves(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_reserves() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_reserves() TO gold_api;

--
-- Name: TABLE authority; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.authority TO gold_book;

--
-- Name: COLUMN authority.retired_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(retired_at) ON TABLE gold.authority TO gold_book;

--
-- Name: COLUMN authority.revocation_list; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(revocation_list) ON TABLE gold.authority TO gold_book;

--
-- Name: COLUMN authority.revocation_number; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(revocation_number) ON TABLE gold.authority TO gold_book;

--
-- Name: COLUMN authority.revocation_next_at; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(revocation_next_at) ON TABLE gold.authority TO gold_book;

--
-- Name: FUNCTION read_rows(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_rows() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_rows() TO gold_keys;

--
-- Name: FUNCTION read_sealed(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_sealed() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_sealed() TO gold_keys;

--
-- Name: FUNCTION read_sending(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_sending() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_sending() TO gold_delivery;
GRANT ALL ON FUNCTION gold.read_sending() TO gold_api;

--
-- Name: FUNCTION read_simulated_price(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_simulated_price(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_simulated_price(client integer) TO gold_api;

--
-- Name: FUNCTION read_simulations(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_simulations(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_simulations(client integer) TO gold_api;

--
-- Name: FUNCTION read_trust(known_version bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_trust(known_version bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_trust(known_version bigint) TO gold_trust;
GRANT ALL ON FUNCTION gold.read_trust(known_version bigint) TO gold_api;

--
-- Name: FUNCTION read_trust_approvals(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_trust_approvals() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_trust_approvals() TO gold_trust;
GRANT ALL ON FUNCTION gold.read_trust_approvals() TO gold_api;

--
-- Name: FUNCTION record_deposit(public text, amount bigint, bank_reference text, OUT id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.record_deposit(public text, amount bigint, bank_reference text, OUT id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.record_deposit(public text, amount bigint, bank_reference text, OUT id uuid) TO gold_treasury;

--
-- Name: FUNCTION record_deposit_as(actor text, public text, amount bigint, bank_reference text, OUT id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.record_deposit_as(actor text, public text, amount bigint, bank_reference text, OUT id uuid) FROM PUBLIC;

--
-- Name: FUNCTION record_use(uses jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.record_use(uses jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.record_use(uses jsonb) TO gold_api;
GRANT ALL ON FUNCTION gold.record_use(uses jsonb) TO gold_delivery;

--
-- Name: FUNCTION redeliver_event(id uuid, OUT public text, OUT sequence bigint, OUT disabled_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.redeliver_event(id uuid, OUT public text, OUT sequence bigint, OUT disabled_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.redeliver_event(id uuid, OUT public text, OUT sequence bigint, OUT disabled_at timestamp with time zone) TO gold_credentials;

--
-- Name: FUNCTION refuse_change(); Type: ACL; Schema: gold; Owner: gold_owner
--

REVOKE ALL ON FUNCTION gold.refuse_change() FROM PUBLIC;

--
-- Name: FUNCTION refuse_crowd(noun text, active bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_crowd(noun text, active bigint) FROM PUBLIC;

--
-- Name: FUNCTION refuse_decided(given gold.proposal); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_decided(given gold.proposal) FROM PUBLIC;

--
-- Name: FUNCTION refuse_foreign(given gold.proposal); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_foreign(given gold.proposal) FROM PUBLIC;

--
-- Name: FUNCTION refuse_malformed_key(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_malformed_key() FROM PUBLIC;

--
-- Name: FUNCTION refuse_no_change(kind text, content jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_no_change(kind text, content jsonb) FROM PUBLIC;

--
-- Name: FUNCTION refuse_other_fingerprint(fingerprint text, certificate text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_other_fingerprint(fingerprint text, certificate text) FROM PUBLIC;

--
-- Name: FUNCTION refuse_other_thumbprint(thumbprint text, jwk jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_other_thumbprint(thumbprint text, jwk jsonb) FROM PUBLIC;

--
-- Name: FUNCTION refuse_outdated(given gold.proposal); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_outdated(given gold.proposal) FROM PUBLIC;

--
-- Name: FUNCTION refuse_outside_band(given gold.price); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_outside_band(given gold.price) FROM PUBLIC;

--
-- Name: FUNCTION refuse_shared_key(client integer, thumbprint text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_shared_key(client integer, thumbprint text) FROM PUBLIC;

--
-- Name: FUNCTION refuse_unknown_members(kind text, content jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_unknown_members(kind text, content jsonb) FROM PUBLIC;

--
-- Name: FUNCTION refuse_unprintable(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_unprintable() FROM PUBLIC;

--
-- Name: FUNCTION refuse_use_meanwhile(noun text, last_used_at timestamp with time zone, seen timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.refuse_use_meanwhile(noun text, last_used_at timestamp with time zone, seen timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION register_iban(client integer, iban text, asked_by text, approver text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.register_iban(client integer, iban text, asked_by text, approver text) FROM PUBLIC;

--
-- Name: FUNCTION registry_changed(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.registry_changed() FROM PUBLIC;

--
-- Name: FUNCTION reject_proposal(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.reject_proposal(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.reject_proposal(id uuid) TO gold_treasury;
GRANT ALL ON FUNCTION gold.reject_proposal(id uuid) TO gold_credentials;
GRANT ALL ON FUNCTION gold.reject_proposal(id uuid) TO gold_pricing;
GRANT ALL ON FUNCTION gold.reject_proposal(id uuid) TO gold_keys;

--
-- Name: FUNCTION reject_withdrawal(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.reject_withdrawal(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.reject_withdrawal(id uuid) TO gold_treasury;

--
-- Name: FUNCTION remove_bar(serial text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.remove_bar(serial text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.remove_bar(serial text) TO gold_treasury;

--
-- Name: FUNCTION remove_operator(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.remove_operator(name text) FROM PUBLIC;

--
-- Name: FUNCTION renew_deployment_id(OUT id text, OUT earlier text, OUT ended_at timestamp with time zone, OUT audit_id bigint, OUT head text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.renew_deployment_id(OUT id text, OUT earlier text, OUT ended_at timestamp with time zone, OUT audit_id bigint, OUT head text) FROM PUBLIC;

--
-- Name: FUNCTION renew_endpoints(worker uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.renew_endpoints(worker uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.renew_endpoints(worker uuid) TO gold_delivery;
GRANT ALL ON FUNCTION gold.renew_endpoints(worker uuid) TO gold_api;

--
-- Name: FUNCTION renewed(held gold.allowance, clock timestamp with time zone, grams bigint, side gold.side, gold bigint, ends_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.renewed(held gold.allowance, clock timestamp with time zone, grams bigint, side gold.side, gold bigint, ends_at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION replaced_by(kind text, content jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.replaced_by(kind text, content jsonb) FROM PUBLIC;

--
-- Name: FUNCTION replay_burst(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.replay_burst() FROM PUBLIC;

--
-- Name: FUNCTION replay_events(public text, since timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.replay_events(public text, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.replay_events(public text, since timestamp with time zone) TO gold_credentials;

--
-- Name: FUNCTION replays_per_second(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.replays_per_second() FROM PUBLIC;

--
-- Name: FUNCTION require_approval(part jsonb, VARIADIC kinds text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_approval(part jsonb, VARIADIC kinds text[]) FROM PUBLIC;

--
-- Name: FUNCTION require_approval_of_setting(part jsonb, VARIADIC kinds text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_approval_of_setting(part jsonb, VARIADIC kinds text[]) FROM PUBLIC;

--
-- Name: FUNCTION require_approved_operator(kind text, content jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_approved_operator(kind text, content jsonb) FROM PUBLIC;

--
-- Name: FUNCTION require_operator_key(login text, signature text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_operator_key(login text, signature text) FROM PUBLIC;

--
-- Name: FUNCTION require_read_committed(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_read_committed() FROM PUBLIC;

--
-- Name: FUNCTION require_role_of(login text, kind text, approving boolean); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_role_of(login text, kind text, approving boolean) FROM PUBLIC;

--
-- Name: FUNCTION require_signatures(given gold.proposal, signature text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_signatures(given gold.proposal, signature text) FROM PUBLIC;

--
-- Name: FUNCTION require_two_people(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.require_two_people() FROM PUBLIC;

--
-- Name: FUNCTION reseal(sealing_key text, secrets jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.reseal(sealing_key text, secrets jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.reseal(sealing_key text, secrets jsonb) TO gold_keys;

--
-- Name: FUNCTION reserves_at(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.reserves_at(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.reserves_at(at timestamp with time zone) TO gold_api;

--
-- Name: FUNCTION result_of(client integer, key text, kind text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.result_of(client integer, key text, kind text) FROM PUBLIC;

--
-- Name: FUNCTION resume_partner(public text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.resume_partner(public text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.resume_partner(public text) TO gold_credentials;

--
-- Name: FUNCTION retire_authority(fingerprint text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.retire_authority(fingerprint text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.retire_authority(fingerprint text) TO gold_keys;

--
-- Name: FUNCTION retire_client_secret(public text, secret_id integer, seen timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.retire_client_secret(public text, secret_id integer, seen timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.retire_client_secret(public text, secret_id integer, seen timestamp with time zone) TO gold_credentials;

--
-- Name: FUNCTION retire_signing_key(public text, thumbprint text, seen timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.retire_signing_key(public text, thumbprint text, seen timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.retire_signing_key(public text, thumbprint text, seen timestamp with time zone) TO gold_credentials;

--
-- Name: FUNCTION retire_webhook_secret(public text, secret_id integer, seen timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.retire_webhook_secret(public text, secret_id integer, seen timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.retire_webhook_secret(public text, secret_id integer, seen timestamp with time zone) TO gold_credentials;

--
-- Name: FUNCTION return_withdrawal(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.return_withdrawal(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.return_withdrawal(id uuid) TO gold_treasury;

--
-- Name: FUNCTION reverse_deposit(id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.reverse_deposit(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.reverse_deposit(id uuid) TO gold_treasury;

--
-- Name: FUNCTION reverse_deposit_as(actor text, id uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.reverse_deposit_as(actor text, id uuid) FROM PUBLIC;

--
-- Name: FUNCTION revoke_certificate(fingerprint text, reason text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.revoke_certificate(fingerprint text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.revoke_certificate(fingerprint text, reason text) TO gold_credentials;

--
-- Name: FUNCTION role_of_kind(kind text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.role_of_kind(kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.role_of_kind(kind text) TO gold_treasury;
GRANT ALL ON FUNCTION gold.role_of_kind(kind text) TO gold_credentials;
GRANT ALL ON FUNCTION gold.role_of_kind(kind text) TO gold_pricing;
GRANT ALL ON FUNCTION gold.role_of_kind(kind text) TO gold_keys;
GRANT ALL ON FUNCTION gold.role_of_kind(kind text) TO gold_audit;

--
-- Name: FUNCTION roles_of_login(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.roles_of_login(name text) FROM PUBLIC;

--
-- Name: FUNCTION rotate_client_secret(public text, hash bytea, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.rotate_client_secret(public text, hash bytea, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.rotate_client_secret(public text, hash bytea, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) TO gold_credentials;

--
-- Name: FUNCTION rotate_pepper(name text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.rotate_pepper(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.rotate_pepper(name text) TO gold_keys;

--
-- Name: FUNCTION rotate_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, lead_seconds integer, overlap_seconds integer, OUT begins_at timestamp with time zone, OUT retires_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.rotate_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, lead_seconds integer, overlap_seconds integer, OUT begins_at timestamp with time zone, OUT retires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.rotate_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, lead_seconds integer, overlap_seconds integer, OUT begins_at timestamp with time zone, OUT retires_at timestamp with time zone) TO gold_keys;

--
-- Name: FUNCTION rotate_webhook_secret(public text, sealed bytea, sealing_key text, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.rotate_webhook_secret(public text, sealed bytea, sealing_key text, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.rotate_webhook_secret(public text, sealed bytea, sealing_key text, overlap_seconds integer, seen jsonb, OUT secret_id integer, OUT retires_at timestamp with time zone) TO gold_credentials;

--
-- Name: FUNCTION schema_version(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.schema_version() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.schema_version() TO gold_api;
GRANT ALL ON FUNCTION gold.schema_version() TO gold_delivery;

--
-- Name: FUNCTION seal_audit(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.seal_audit() FROM PUBLIC;

--
-- Name: FUNCTION seal_chain(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.seal_chain(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.seal_chain(client integer) TO gold_credentials;
GRANT ALL ON FUNCTION gold.seal_chain(client integer) TO gold_delivery;
GRANT ALL ON FUNCTION gold.seal_chain(client integer) TO gold_api;

--
-- Name: FUNCTION seal_newest(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.seal_newest(client integer) FROM PUBLIC;

--
-- Name: FUNCTION seal_next(clients integer[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.seal_next(clients integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.seal_next(clients integer[]) TO gold_delivery;
GRANT ALL ON FUNCTION gold.seal_next(clients integer[]) TO gold_api;

--
-- Name: FUNCTION search_bound(client integer, above bigint, below bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.search_bound(client integer, above bigint, below bigint) FROM PUBLIC;

--
-- Name: FUNCTION seconds_behind(newest timestamp with time zone, clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.seconds_behind(newest timestamp with time zone, clock timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION sell_of(mid bigint, spread_basis_points integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.sell_of(mid bigint, spread_basis_points integer) FROM PUBLIC;

--
-- Name: FUNCTION sequence_at(client integer, at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.sequence_at(client integer, at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION set_band(basis_points integer, hour_basis_points integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_band(basis_points integer, hour_basis_points integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_band(basis_points integer, hour_basis_points integer) TO gold_pricing;

--
-- Name: FUNCTION set_breaker(basis_points integer, seconds integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_breaker(basis_points integer, seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_breaker(basis_points integer, seconds integer) TO gold_pricing;

--
-- Name: FUNCTION set_exposure(maximum bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_exposure(maximum bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_exposure(maximum bigint) TO gold_pricing;

--
-- Name: FUNCTION set_limit_defaults(limits jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_limit_defaults(limits jsonb) FROM PUBLIC;

--
-- Name: FUNCTION set_limit_defaults(open_quotes integer, open_grams bigint, daily_records integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_limit_defaults(open_quotes integer, open_grams bigint, daily_records integer) FROM PUBLIC;

--
-- Name: FUNCTION set_market_hours(always_open boolean, sessions jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_market_hours(always_open boolean, sessions jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_market_hours(always_open boolean, sessions jsonb) TO gold_pricing;

--
-- Name: FUNCTION set_operator(name text, roles text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_operator(name text, roles text[]) FROM PUBLIC;

--
-- Name: FUNCTION set_partner(public text, name text, ips cidr[], webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_partner(public text, name text, ips cidr[], webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_partner(public text, name text, ips cidr[], webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint) TO gold_credentials;

--
-- Name: FUNCTION set_partner_defaults(rate_per_second integer, burst integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_partner_defaults(rate_per_second integer, burst integer) FROM PUBLIC;

--
-- Name: FUNCTION set_payout_account(name text, iban text, bic text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_payout_account(name text, iban text, bic text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_payout_account(name text, iban text, bic text) TO gold_treasury;

--
-- Name: FUNCTION set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer, url text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer, url text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer, url text) TO gold_pricing;

--
-- Name: FUNCTION set_stripes(count integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_stripes(count integer) FROM PUBLIC;

--
-- Name: FUNCTION settle_attempts(worker uuid, clients integer[], sequences bigint[], tickets timestamp with time zone[], attempted_ats timestamp with time zone[], durations_ms integer[], statuses integer[], errors text[], answers text[], tries integer[], waits_ms integer[], held integer[], tenures integer[], froms bigint[], passeds bigint[], failures integer[], rests_ms integer[], disableds boolean[], releases boolean[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.settle_attempts(worker uuid, clients integer[], sequences bigint[], tickets timestamp with time zone[], attempted_ats timestamp with time zone[], durations_ms integer[], statuses integer[], errors text[], answers text[], tries integer[], waits_ms integer[], held integer[], tenures integer[], froms bigint[], passeds bigint[], failures integer[], rests_ms integer[], disableds boolean[], releases boolean[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.settle_attempts(worker uuid, clients integer[], sequences bigint[], tickets timestamp with time zone[], attempted_ats timestamp with time zone[], durations_ms integer[], statuses integer[], errors text[], answers text[], tries integer[], waits_ms integer[], held integer[], tenures integer[], froms bigint[], passeds bigint[], failures integer[], rests_ms integer[], disableds boolean[], releases boolean[]) TO gold_delivery;
GRANT ALL ON FUNCTION gold.settle_attempts(worker uuid, clients integer[], sequences bigint[], tickets timestamp with time zone[], attempted_ats timestamp with time zone[], durations_ms integer[], statuses integer[], errors text[], answers text[], tries integer[], waits_ms integer[], held integer[], tenures integer[], froms bigint[], passeds bigint[], failures integer[], rests_ms integer[], disableds boolean[], releases boolean[]) TO gold_api;

--
-- Name: FUNCTION settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text, flood_per_second integer, webhook_ports integer[], attempts_kept_days integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text, flood_per_second integer, webhook_ports integer[], attempts_kept_days integer) FROM PUBLIC;

--
-- Name: FUNCTION settle_exposure(executed gold.orders[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.settle_exposure(executed gold.orders[]) FROM PUBLIC;

--
-- Name: FUNCTION settled_account(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.settled_account(client integer) FROM PUBLIC;

--
-- Name: FUNCTION sign_proposal(id uuid, signature text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.sign_proposal(id uuid, signature text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.sign_proposal(id uuid, signature text) TO gold_treasury;
GRANT ALL ON FUNCTION gold.sign_proposal(id uuid, signature text) TO gold_credentials;
GRANT ALL ON FUNCTION gold.sign_proposal(id uuid, signature text) TO gold_pricing;
GRANT ALL ON FUNCTION gold.sign_proposal(id uuid, signature text) TO gold_keys;

--
-- Name: FUNCTION signatures_demanded(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.signatures_demanded() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.signatures_demanded() TO gold_treasury;
GRANT ALL ON FUNCTION gold.signatures_demanded() TO gold_credentials;
GRANT ALL ON FUNCTION gold.signatures_demanded() TO gold_pricing;
GRANT ALL ON FUNCTION gold.signatures_demanded() TO gold_keys;
GRANT ALL ON FUNCTION gold.signatures_demanded() TO gold_audit;
GRANT ALL ON FUNCTION gold.signatures_demanded() TO gold_api;
GRANT ALL ON FUNCTION gold.signatures_demanded() TO gold_trust;

--
-- Name: FUNCTION signed_with(login text, signature text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.signed_with(login text, signature text) FROM PUBLIC;

--
-- Name: FUNCTION signing_fingerprint(signature text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.signing_fingerprint(signature text) FROM PUBLIC;

--
-- Name: FUNCTION simulate_deposit(holder gold.account, parameters jsonb, request uuid, OUT refusal text, OUT detail text, OUT body text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.simulate_deposit(holder gold.account, parameters jsonb, request uuid, OUT refusal text, OUT detail text, OUT body text) FROM PUBLIC;

--
-- Name: FUNCTION simulate_deposit_reversal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.simulate_deposit_reversal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text) FROM PUBLIC;

--
-- Name: FUNCTION simulate_quote_expiry(holder gold.account, parameters jsonb, clock timestamp with time zone, OUT refusal text, OUT detail text, OUT body text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.simulate_quote_expiry(holder gold.account, parameters jsonb, clock timestamp with time zone, OUT refusal text, OUT detail text, OUT body text) FROM PUBLIC;

--
-- Name: FUNCTION simulate_withdrawal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.simulate_withdrawal(holder gold.account, parameters jsonb, OUT refusal text, OUT detail text, OUT body text) FROM PUBLIC;

--
-- Name: FUNCTION simulated_market(holder gold.account, side gold.side, clock timestamp with time zone, INOUT unit_price bigint, INOUT shut boolean, INOUT unpriced boolean); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.simulated_market(holder gold.account, side gold.side, clock timestamp with time zone, INOUT unit_price bigint, INOUT shut boolean, INOUT unpriced boolean) FROM PUBLIC;

--
-- Name: FUNCTION simulated_order(holder gold.account, quote uuid, clock timestamp with time zone, INOUT expires_at timestamp with time zone, OUT is_short boolean); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.simulated_order(holder gold.account, quote uuid, clock timestamp with time zone, INOUT expires_at timestamp with time zone, OUT is_short boolean) FROM PUBLIC;

--
-- Name: FUNCTION simulations_text(holder gold.account, clock timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.simulations_text(holder gold.account, clock timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE nonce; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.nonce TO gold_book;

--
-- Name: FUNCTION spend_nonce(holder gold.account, nonce uuid, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.spend_nonce(holder gold.account, nonce uuid, request uuid) FROM PUBLIC;

--
-- Name: FUNCTION spend_nonces(wait boolean, clients integer[], admissions bigint[], nonces uuid[], requests uuid[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.spend_nonces(wait boolean, clients integer[], admissions bigint[], nonces uuid[], requests uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.spend_nonces(wait boolean, clients integer[], admissions bigint[], nonces uuid[], requests uuid[]) TO gold_api;

--
-- Name: FUNCTION statement_range(client integer, first_day date, last_day date); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.statement_range(client integer, first_day date, last_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.statement_range(client integer, first_day date, last_day date) TO gold_api;

--
-- Name: FUNCTION store_band(basis_points integer, hour_basis_points integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.store_band(basis_points integer, hour_basis_points integer) FROM PUBLIC;

--
-- Name: FUNCTION store_breaker(basis_points integer, seconds integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.store_breaker(basis_points integer, seconds integer) FROM PUBLIC;

--
-- Name: FUNCTION store_first_band(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.store_first_band() FROM PUBLIC;

--
-- Name: FUNCTION store_first_breaker(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.store_first_breaker() FROM PUBLIC;

--
-- Name: FUNCTION store_revocation_list(authority text, number bigint, list text, next_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.store_revocation_list(authority text, number bigint, list text, next_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.store_revocation_list(authority text, number bigint, list text, next_at timestamp with time zone) TO gold_credentials;
GRANT ALL ON FUNCTION gold.store_revocation_list(authority text, number bigint, list text, next_at timestamp with time zone) TO gold_keys;

--
-- Name: FUNCTION submit_payment(batch uuid, ids uuid[], prepared_at timestamp with time zone, sha256 text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.submit_payment(batch uuid, ids uuid[], prepared_at timestamp with time zone, sha256 text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.submit_payment(batch uuid, ids uuid[], prepared_at timestamp with time zone, sha256 text) TO gold_treasury;

--
-- Name: FUNCTION submit_withdrawals(batch uuid, ids uuid[], document text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.submit_withdrawals(batch uuid, ids uuid[], document text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.submit_withdrawals(batch uuid, ids uuid[], document text) TO gold_treasury;

--
-- Name: FUNCTION submit_withdrawals_as(actor text, batch uuid, ids uuid[], document text, prepared_at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.submit_withdrawals_as(actor text, batch uuid, ids uuid[], document text, prepared_at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION suspend_partner(public text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.suspend_partner(public text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.suspend_partner(public text) TO gold_treasury;
GRANT ALL ON FUNCTION gold.suspend_partner(public text) TO gold_credentials;

--
-- Name: FUNCTION take_events(worker uuid, clients integer[], tenures integer[], afters bigint[], rooms integer[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.take_events(worker uuid, clients integer[], tenures integer[], afters bigint[], rooms integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.take_events(worker uuid, clients integer[], tenures integer[], afters bigint[], rooms integer[]) TO gold_delivery;
GRANT ALL ON FUNCTION gold.take_events(worker uuid, clients integer[], tenures integer[], afters bigint[], rooms integer[]) TO gold_api;

--
-- Name: FUNCTION take_failure(client integer, codes text[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.take_failure(client integer, codes text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.take_failure(client integer, codes text[]) TO gold_api;

--
-- Name: FUNCTION take_record(item integer, client integer, clock timestamp with time zone, request uuid, is_replay boolean, executed bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.take_record(item integer, client integer, clock timestamp with time zone, request uuid, is_replay boolean, executed bigint) FROM PUBLIC;

--
-- Name: FUNCTION take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text) TO gold_treasury;
GRANT ALL ON FUNCTION gold.take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text) TO gold_credentials;
GRANT ALL ON FUNCTION gold.take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text) TO gold_pricing;
GRANT ALL ON FUNCTION gold.take_secrets(id uuid, OUT secrets bytea, OUT sealing_key text) TO gold_keys;

--
-- Name: FUNCTION take_sequence(client integer, sequence bigint, at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.take_sequence(client integer, sequence bigint, at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION take_turn(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, request uuid, OUT holder gold.account, OUT clock timestamp with time zone, OUT answer gold.outcome); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.take_turn(settle boolean, client integer, admission bigint, nonce uuid, key text, fingerprint bytea, request uuid, OUT holder gold.account, OUT clock timestamp with time zone, OUT answer gold.outcome) FROM PUBLIC;

--
-- Name: FUNCTION tell_events(clients integer[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.tell_events(clients integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.tell_events(clients integer[]) TO gold_api;

--
-- Name: FUNCTION texts_of(list jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.texts_of(list jsonb) FROM PUBLIC;

--
-- Name: FUNCTION tick_price(known_as_of timestamp with time zone, known_url text, known_spread integer, mid bigint, buy bigint, sell bigint, source_as_of timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.tick_price(known_as_of timestamp with time zone, known_url text, known_spread integer, mid bigint, buy bigint, sell bigint, source_as_of timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.tick_price(known_as_of timestamp with time zone, known_url text, known_spread integer, mid bigint, buy bigint, sell bigint, source_as_of timestamp with time zone) TO gold_ticker;
GRANT ALL ON FUNCTION gold.tick_price(known_as_of timestamp with time zone, known_url text, known_spread integer, mid bigint, buy bigint, sell bigint, source_as_of timestamp with time zone) TO gold_api;

--
-- Name: FUNCTION told_event(given gold.event); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.told_event(given gold.event) FROM PUBLIC;

--
-- Name: FUNCTION try_proposal(given gold.proposal); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.try_proposal(given gold.proposal) FROM PUBLIC;

--
-- Name: FUNCTION two_people(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.two_people() FROM PUBLIC;

--
-- Name: FUNCTION unclosed_day(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.unclosed_day(client integer) FROM PUBLIC;

--
-- Name: FUNCTION unclosed_clients(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.unclosed_clients() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.unclosed_clients() TO gold_delivery;
GRANT ALL ON FUNCTION gold.unclosed_clients() TO gold_api;

--
-- Name: FUNCTION unsealed_tail(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.unsealed_tail() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.unsealed_tail() TO gold_audit;
GRANT ALL ON FUNCTION gold.unsealed_tail() TO gold_delivery;
GRANT ALL ON FUNCTION gold.unsealed_tail() TO gold_api;

--
-- Name: FUNCTION verify_audit(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.verify_audit() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.verify_audit() TO gold_audit;

--
-- Name: FUNCTION verify_chain(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.verify_chain() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.verify_chain() TO gold_audit;

--
-- Name: FUNCTION verify_delivery(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.verify_delivery() FROM PUBLIC;

--
-- Name: FUNCTION verify_ledger(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.verify_ledger() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.verify_ledger() TO gold_audit;

--
-- Name: FUNCTION webhook_secrets(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.webhook_secrets(client integer) FROM PUBLIC;

--
-- Name: FUNCTION write_orders(executed gold.orders[]); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.write_orders(executed gold.orders[]) FROM PUBLIC;

--
-- Name: FUNCTION write_orders(executed gold.orders[], stripe smallint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.write_orders(executed gold.orders[], stripe smallint) FROM PUBLIC;

--
-- Name: TABLE attempt_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.attempt_overview TO gold_book;
GRANT SELECT ON TABLE gold.attempt_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.attempt_overview TO gold_audit;

--
-- Name: TABLE audit_link; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.audit_link TO gold_book;

--
-- Name: TABLE audit_link_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.audit_link_overview TO gold_book;
GRANT SELECT ON TABLE gold.audit_link_overview TO gold_audit;

--
-- Name: TABLE audit_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.audit_overview TO gold_book;
GRANT SELECT ON TABLE gold.audit_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.audit_overview TO gold_audit;

--
-- Name: TABLE authority_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.authority_overview TO gold_book;
GRANT SELECT ON TABLE gold.authority_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.authority_overview TO gold_keys;
GRANT SELECT ON TABLE gold.authority_overview TO gold_audit;

--
-- Name: TABLE bar_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.bar_overview TO gold_book;
GRANT SELECT ON TABLE gold.bar_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.bar_overview TO gold_audit;

--
-- Name: TABLE certificate_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.certificate_overview TO gold_book;
GRANT SELECT ON TABLE gold.certificate_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.certificate_overview TO gold_keys;
GRANT SELECT ON TABLE gold.certificate_overview TO gold_audit;

--
-- Name: TABLE chain_link_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.chain_link_overview TO gold_book;
GRANT SELECT ON TABLE gold.chain_link_overview TO gold_audit;

--
-- Name: TABLE chain_tail_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.chain_tail_overview TO gold_book;
GRANT SELECT ON TABLE gold.chain_tail_overview TO gold_audit;

--
-- Name: TABLE credential_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.credential_overview TO gold_book;
GRANT SELECT ON TABLE gold.credential_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.credential_overview TO gold_keys;
GRANT SELECT ON TABLE gold.credential_overview TO gold_audit;

--
-- Name: TABLE current_price; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.current_price TO gold_book;
GRANT SELECT ON TABLE gold.current_price TO gold_treasury;
GRANT SELECT ON TABLE gold.current_price TO gold_credentials;
GRANT SELECT ON TABLE gold.current_price TO gold_pricing;
GRANT SELECT ON TABLE gold.current_price TO gold_keys;
GRANT SELECT ON TABLE gold.current_price TO gold_audit;
GRANT SELECT ON TABLE gold.current_price TO gold_api;
GRANT SELECT ON TABLE gold.current_price TO gold_ticker;

--
-- Name: TABLE deployment_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.deployment_overview TO gold_book;
GRANT SELECT ON TABLE gold.deployment_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.deployment_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.deployment_overview TO gold_pricing;
GRANT SELECT ON TABLE gold.deployment_overview TO gold_keys;
GRANT SELECT ON TABLE gold.deployment_overview TO gold_audit;

--
-- Name: TABLE deposit_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.deposit_overview TO gold_book;
GRANT SELECT ON TABLE gold.deposit_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.deposit_overview TO gold_audit;

--
-- Name: TABLE endpoint_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.endpoint_overview TO gold_book;
GRANT SELECT ON TABLE gold.endpoint_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.endpoint_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.endpoint_overview TO gold_audit;

--
-- Name: TABLE exposure_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.exposure_overview TO gold_book;
GRANT SELECT ON TABLE gold.exposure_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.exposure_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.exposure_overview TO gold_pricing;
GRANT SELECT ON TABLE gold.exposure_overview TO gold_keys;
GRANT SELECT ON TABLE gold.exposure_overview TO gold_audit;

--
-- Name: TABLE market_hours; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.market_hours TO gold_book;
GRANT SELECT ON TABLE gold.market_hours TO gold_treasury;
GRANT SELECT ON TABLE gold.market_hours TO gold_credentials;
GRANT SELECT ON TABLE gold.market_hours TO gold_pricing;
GRANT SELECT ON TABLE gold.market_hours TO gold_keys;
GRANT SELECT ON TABLE gold.market_hours TO gold_audit;
GRANT SELECT ON TABLE gold.market_hours TO gold_api;

--
-- Name: TABLE operator_key_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.operator_key_overview TO gold_book;
GRANT SELECT ON TABLE gold.operator_key_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.operator_key_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.operator_key_overview TO gold_pricing;
GRANT SELECT ON TABLE gold.operator_key_overview TO gold_keys;
GRANT SELECT ON TABLE gold.operator_key_overview TO gold_audit;

--
-- Name: TABLE operator_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.operator_overview TO gold_book;
GRANT SELECT ON TABLE gold.operator_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.operator_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.operator_overview TO gold_pricing;
GRANT SELECT ON TABLE gold.operator_overview TO gold_keys;
GRANT SELECT ON TABLE gold.operator_overview TO gold_audit;

--
-- Name: TABLE partner_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.partner_overview TO gold_book;
GRANT SELECT ON TABLE gold.partner_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.partner_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.partner_overview TO gold_audit;

--
-- Name: TABLE payment_batch_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.payment_batch_overview TO gold_book;
GRANT SELECT ON TABLE gold.payment_batch_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.payment_batch_overview TO gold_audit;

--
-- Name: TABLE proposal_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.proposal_overview TO gold_book;
GRANT SELECT ON TABLE gold.proposal_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.proposal_overview TO gold_credentials;
GRANT SELECT ON TABLE gold.proposal_overview TO gold_pricing;
GRANT SELECT ON TABLE gold.proposal_overview TO gold_keys;
GRANT SELECT ON TABLE gold.proposal_overview TO gold_audit;

--
-- Name: TABLE published_reserves; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.published_reserves TO gold_book;

--
-- Name: COLUMN published_reserves.as_of; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(as_of) ON TABLE gold.published_reserves TO gold_book;

--
-- Name: COLUMN published_reserves.body; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(body) ON TABLE gold.published_reserves TO gold_book;

--
-- Name: TABLE simulated_price; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.simulated_price TO gold_book;

--
-- Name: TABLE token_key_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.token_key_overview TO gold_book;
GRANT SELECT ON TABLE gold.token_key_overview TO gold_keys;
GRANT SELECT ON TABLE gold.token_key_overview TO gold_audit;

--
-- Name: TABLE withdrawal_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.withdrawal_overview TO gold_book;
GRANT SELECT ON TABLE gold.withdrawal_overview TO gold_treasury;
GRANT SELECT ON TABLE gold.withdrawal_overview TO gold_audit;

--
-- PostgreSQL database dump complete
--
