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
-- Name: add_authority(text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_authority(certificate_pem text, key_source text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  update deployment set authority_certificates = authority_certificates || certificate_pem, authority_key_source = key_source;
  if not found then
    raise exception 'the database belongs to no deployment yet' using errcode = 'GR409';
  end if;
  perform note('ca.init', key_source, '{}');
end $$;

ALTER FUNCTION gold.add_authority(certificate_pem text, key_source text) OWNER TO gold_book;

--
-- Name: add_bar(text, text, text, bigint, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  fine bigint := add_bar.gross * add_bar.fineness / 10000;
  booked bigint;
begin
  if exists (select from bar b where b.serial = add_bar.serial) then
    raise exception 'a bar with serial % is on record already', add_bar.serial using errcode = 'GR409';
  end if;
  booked := move_bar(true, fine);
  insert into bar (serial, refiner, vault_name, gross, fineness, fine, added_at, added_sequence)
  values (add_bar.serial, add_bar.refiner, add_bar.vault_name, add_bar.gross, add_bar.fineness, fine, clock_timestamp(), booked);
  perform note('vault.add', add_bar.serial, jsonb_build_object('gross', add_bar.gross, 'fineness', add_bar.fineness, 'fine', fine));
  return fine;
end $$;

ALTER FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) OWNER TO gold_book;

--
-- Name: add_certificate(text, text, text, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  subject partner := partner_of(public);
begin
  insert into certificate (fingerprint, partner_id, serial, not_before, not_after)
  values (add_certificate.fingerprint, subject.id, add_certificate.serial, add_certificate.not_before, add_certificate.not_after);
  perform note('certificate.issue', public, jsonb_build_object('fingerprint', add_certificate.fingerprint, 'not_after', add_certificate.not_after));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone) OWNER TO gold_book;

--
-- Name: add_token_key(text, jsonb, bytea, text, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  insert into token_key (kid, public_jwk, sealed, sealing_key, not_before)
  values (add_token_key.kid, add_token_key.public_jwk, add_token_key.sealed, add_token_key.sealing_key, add_token_key.not_before);
  perform note('token_key.add', add_token_key.kid, '{}');
  perform registry_changed();
end $$;

ALTER FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) OWNER TO gold_book;

--
-- Name: decimal_text(bigint, numeric); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.decimal_text(quantity bigint, unit numeric) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (trim_scale(((quantity)::numeric * unit)))::text;

ALTER FUNCTION gold.decimal_text(quantity bigint, unit numeric) OWNER TO gold_book;

--
-- Name: instant_text(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.instant_text(at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

ALTER FUNCTION gold.instant_text(at timestamp with time zone) OWNER TO gold_book;

--
-- Name: balances_text(bigint, bigint, bigint, timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (((((((('{"sar":{"available":'::text || gold.decimal_text(available, 0.01)) || ',"held":'::text) || gold.decimal_text(held, 0.01)) || '},"gold":{"grams":'::text) || gold.decimal_text(gold, 0.0001)) || '},"as_of":"'::text) || gold.instant_text(at)) || '"}'::text);

ALTER FUNCTION gold.balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone) OWNER TO gold_book;

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
#variable_conflict use_column
declare
  holder account;
  known idempotency_key;
  clock timestamptz;
  at timestamptz;
  body text;
  refused boolean;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'booking runs at READ COMMITTED: each statement after a lock must see what its holder committed';
  end if;
  -- Whoever holds the service's login can still make no money in production.
  if not exists (select from deployment d where d.environment = 'sandbox') then
    raise exception 'money comes in by a deposit here, never by a call' using errcode = 'GB004';
  end if;
  select a.* into strict holder from account a
  where a.bucket = book_funding.client % 64 and a.client_id = book_funding.client for no key update;
  clock := clock_timestamp();

  select k.* into known from idempotency_key k
  where k.bucket = holder.bucket and k.client_id = holder.client_id and k.key = book_funding.key;
  if settle and known.key is not null then
    return settled(1, known.request_id = book_funding.request, known.fingerprint = book_funding.fingerprint, known.status, known.body);
  elsif holder.admission_version <> book_funding.admission then
    return row(1, 'admission_changed', null, null)::outcome;
  elsif known.key is not null then
    return settled(1, false, known.fingerprint = book_funding.fingerprint, known.status, known.body);
  end if;

  at := greatest(next_millisecond(clock), holder.last_posted_at);
  -- The bound is on the balance, too: it keeps every later sum inside fifteen digits.
  refused := book_funding.amount > book_funding.maximum or holder.sar_available + holder.sar_held + book_funding.amount > 99999999999999;
  if refused then
    body := problem_text('limit_exceeded', 'A funding is at most ' || decimal_text(book_funding.maximum, 0.01)
      || ' SAR, and an account holds at most 999999999999.99 SAR.', book_funding.request);
  else
    perform post_funding(holder.client_id, book_funding.amount, book_funding.id, holder.event_sequence + 1, at,
      holder.sar_available + book_funding.amount, holder.sar_held, holder.gold);
    body := '{"funding_id":"fnd_' || book_funding.id || '","amount_sar":' || decimal_text(book_funding.amount, 0.01)
      || ',"created_at":"' || instant_text(at)
      || '","balances":' || balances_text(holder.sar_available + book_funding.amount, holder.sar_held, holder.gold, at) || '}';
  end if;
  insert into idempotency_key (bucket, client_id, status, key, fingerprint, request_id, result_id, created_at, result_kind, body)
  values (holder.bucket, holder.client_id, case when refused then 422 else 201 end, book_funding.key, book_funding.fingerprint,
    book_funding.request, case when refused then null else book_funding.id end, at, case when refused then 'refusal' else 'funding' end, body);
  return row(1, 'answered', case when refused then 422 else 201 end, body)::outcome;
end $$;

ALTER FUNCTION gold.book_funding(settle boolean, client integer, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid) OWNER TO gold_book;

--
-- Name: book_orders(boolean, boolean, integer[], bigint[], uuid[], text[], bytea[], uuid[], uuid[]); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]) RETURNS SETOF gold.outcome
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
  sequences bigint[];
  availables bigint[];
  helds bigint[];
  golds bigint[];
  posted timestamptz[];
  fresh text[];
  clock timestamptz;
  present timestamptz;
  free bigint;
  asked record;
  at int;
  refusal text;
  detail text;
  body text;
  answer idempotency_key;
  executed orders[] := '{}';
  bound idempotency_key[] := '{}';
  bound_names text[] := '{}';
  executed_names text[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'booking runs at READ COMMITTED: each statement after a lock must see what its holder committed';
  end if;

  if wait then
    select array_agg(a.client_id), array_agg(a.admission_version), array_agg(a.event_sequence), array_agg(a.sar_available),
      array_agg(a.sar_held), array_agg(a.gold), array_agg(a.last_posted_at)
    into locked, versions, sequences, availables, helds, golds, posted
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a
    ) a;
  else
    select array_agg(a.client_id), array_agg(a.admission_version), array_agg(a.event_sequence), array_agg(a.sar_available),
      array_agg(a.sar_held), array_agg(a.gold), array_agg(a.last_posted_at)
    into locked, versions, sequences, availables, helds, golds, posted
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a skip locked
    ) a;
  end if;
  clock := clock_timestamp();
  present := next_millisecond(clock);

  with spent as (
    insert into nonce (bucket, client_id, nonce)
    select i.client % 64, i.client, i.nonce
    from unnest(clients, admissions, nonces) i (client, admission, nonce)
    where versions[array_position(locked, i.client)] = i.admission
    on conflict do nothing
    returning client_id, nonce
  )
  select array_agg(client_id || ' ' || nonce) into fresh from spent;

  for asked in
    select i.n::int as n, i.client, i.admission, i.client || ' ' || i.nonce as nonce, i.client || ' ' || i.key as name,
      i.key, i.fingerprint, i.request, array_position(locked, i.client) as slot,
      k.status as known_status, k.fingerprint as known_fingerprint, k.request_id as known_request, k.body as known_body,
      i.quote, q.side, q.grams, q.price, q.total, q.expires_at, o.id is not null as executed
    from unnest(clients, admissions, nonces, keys, fingerprints, quotes, requests)
      with ordinality i (client, admission, nonce, key, fingerprint, quote, request, n)
    left join idempotency_key k on k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key
    left join quote q on q.bucket = i.client % 64 and q.client_id = i.client and q.id = i.quote
    left join orders o on o.bucket = i.client % 64 and o.client_id = i.client and o.id = i.quote
    order by i.n
  loop
    at := asked.slot;
    if at is null then
      return next row(asked.n, 'busy', null, null)::outcome;
      continue;
    elsif settle and asked.known_body is not null then
      -- The connection was lost over an earlier attempt, which may have spent the nonce: the key alone tells what became of it.
      return next settled(asked.n, asked.known_request = asked.request, asked.known_fingerprint = asked.fingerprint,
        asked.known_status, asked.known_body);
      continue;
    elsif versions[at] <> asked.admission then
      return next row(asked.n, 'admission_changed', null, null)::outcome;
      continue;
    elsif array_position(fresh, asked.nonce) is null then
      return next row(asked.n, 'nonce_reused', null, null)::outcome;
      continue;
    end if;
    fresh[array_position(fresh, asked.nonce)] := null;

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

    refusal := null;
    if asked.side is null then
      refusal := 'not_found';
      detail := 'There is no quote of yours with this quote_id.';
    elsif asked.executed or array_position(executed_names, asked.client || ' ' || asked.quote) is not null then
      refusal := 'quote_already_executed';
      detail := 'The quote was executed as ord_' || asked.quote || '.';
    elsif asked.expires_at <= clock then
      refusal := 'quote_expired';
      detail := 'The quote was firm until ' || instant_text(asked.expires_at) || '.';
    elsif asked.side = 'buy' and availables[at] < asked.total then
      refusal := 'insufficient_funds';
      detail := 'The order needs ' || decimal_text(asked.total, 0.01) || ' SAR and ' || decimal_text(availables[at], 0.01) || ' SAR are available.';
    elsif asked.side = 'sell' and golds[at] < asked.grams then
      refusal := 'insufficient_gold';
      detail := 'The order needs ' || decimal_text(asked.grams, 0.0001) || ' g and you hold ' || decimal_text(golds[at], 0.0001) || ' g.';
    else
      if free is null then
        select v.free into strict free from vault v where v.stripe = 0 for no key update;
      end if;
      if asked.side = 'buy' and free < asked.grams then
        refusal := 'insufficient_inventory';
        detail := 'The vault does not hold ' || decimal_text(asked.grams, 0.0001) || ' g that are free to sell.';
      end if;
    end if;

    if refusal is null then
      sequences[at] := sequences[at] + 1;
      posted[at] := greatest(present, posted[at]);
      if asked.side = 'buy' then
        availables[at] := availables[at] - asked.total;
        golds[at] := golds[at] + asked.grams;
        free := free - asked.grams;
      else
        availables[at] := availables[at] + asked.total;
        golds[at] := golds[at] - asked.grams;
        free := free + asked.grams;
      end if;
      executed_names := executed_names || (asked.client || ' ' || asked.quote);
      executed := executed || row(asked.client % 64, asked.client, asked.side, asked.quote, sequences[at], asked.grams, asked.price,
        asked.total, posted[at], availables[at], helds[at], golds[at], 0)::orders;
      body := '{"order_id":"ord_' || asked.quote || '","quote_id":"qt_' || asked.quote || '","side":"' || asked.side
        || '","gold_grams":' || decimal_text(asked.grams, 0.0001) || ',"price_per_gram_sar":' || decimal_text(asked.price, 0.0001)
        || ',"total_sar":' || decimal_text(asked.total, 0.01) || ',"status":"executed","executed_at":"' || instant_text(posted[at])
        || '","balances":' || balances_text(availables[at], helds[at], golds[at], posted[at]) || '}';
      answer := row(asked.client % 64, asked.client, 201, asked.key, asked.fingerprint, asked.request, asked.quote, posted[at], 'order', body);
    else
      body := problem_text(refusal, detail, asked.request);
      select p.status into strict asked.known_status from problem p where p.code = refusal;
      answer := row(asked.client % 64, asked.client, asked.known_status, asked.key, asked.fingerprint, asked.request, null,
        present, 'refusal', body);
    end if;
    bound := bound || answer;
    bound_names := bound_names || asked.name;
    return next row(asked.n, 'answered', answer.status, body)::outcome;
  end loop;

  if cardinality(executed) > 0 then
    insert into orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
    select bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after
    from unnest(executed);

    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount,
      sar_available_after, sar_held_after, gold_after, posted_at)
    select o.bucket, o.client_id, l.leg, o.sequence, l.debit, l.credit, l.asset, l.amount,
      o.sar_available_after, o.sar_held_after, l.gold_after, o.executed_at
    from unnest(executed) o cross join lateral (values
      (1, case o.side when 'buy' then 'available' else 'house' end::book, case o.side when 'buy' then 'house' else 'available' end::book,
        'SAR'::asset, o.total, o.gold_after + case o.side when 'buy' then -o.grams else o.grams end),
      (2, case o.side when 'buy' then 'vault' else 'gold' end::book, case o.side when 'buy' then 'gold' else 'vault' end::book,
        'XAU'::asset, o.grams, o.gold_after)
    ) l (leg, debit, credit, asset, amount, gold_after);

    insert into event (bucket, client_id, sequence, id, subject, created_at, type)
    select bucket, client_id, sequence, id, id, executed_at, 'order.executed' from unnest(executed);
  end if;

  insert into idempotency_key select * from unnest(bound);
end $$;

ALTER FUNCTION gold.book_orders(wait boolean, settle boolean, clients integer[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]) OWNER TO gold_book;

--
-- Name: book_quotes(boolean, boolean, integer[], bigint[], text[], bytea[], gold.side[], bigint[], bigint[], bigint[], bigint[], uuid[], uuid[], integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) RETURNS SETOF gold.outcome
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
  clock timestamptz;
  made_at timestamptz;
  current price;
  unit_price bigint;
  grams bigint;
  total bigint;
  asked record;
  body text;
  detail text;
  answer idempotency_key;
  quoted quote[] := '{}';
  bound idempotency_key[] := '{}';
  bound_names text[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'booking runs at READ COMMITTED: each statement after a lock must see what its holder committed';
  end if;

  if wait then
    select array_agg(a.client_id), array_agg(a.admission_version) into locked, versions
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a
    ) a;
  else
    select array_agg(a.client_id), array_agg(a.admission_version) into locked, versions
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a skip locked
    ) a;
  end if;
  clock := clock_timestamp();
  made_at := next_millisecond(clock);
  select * into current from price;

  for asked in
    select i.n::int as n, i.client, i.admission, i.client || ' ' || i.key as name, i.key, i.fingerprint, i.request,
      array_position(locked, i.client) as slot,
      k.status as known_status, k.fingerprint as known_fingerprint, k.request_id as known_request, k.body as known_body,
      i.id, i.side, i.grams, i.amount, i.minimum, i.maximum
    from unnest(clients, admissions, keys, fingerprints, sides, asked_grams, asked_amounts, minimum_grams, maximum_grams, ids, requests)
      with ordinality i (client, admission, key, fingerprint, side, grams, amount, minimum, maximum, id, request, n)
    left join idempotency_key k on k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key
    order by i.n
  loop
    if asked.slot is null then
      return next row(asked.n, 'busy', null, null)::outcome;
      continue;
    elsif settle and asked.known_body is not null then
      return next settled(asked.n, asked.known_request = asked.request, asked.known_fingerprint = asked.fingerprint,
        asked.known_status, asked.known_body);
      continue;
    elsif versions[asked.slot] <> asked.admission then
      return next row(asked.n, 'admission_changed', null, null)::outcome;
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

    -- A fixed price is the operator's own word and does not age.
    if current.one is null or current.source <> 'fixed' and clock >= current.as_of + make_interval(secs => current.stale_after_seconds) then
      return next row(asked.n, 'price_unavailable', null, null)::outcome;
      continue;
    end if;

    unit_price := case asked.side when 'buy' then current.buy else current.sell end;
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

    if total = 0 then
      detail := 'An order is between ' || decimal_text(asked.minimum, 0.0001) || ' g and ' || decimal_text(asked.maximum, 0.0001)
        || ' g and moves at least 0.01 SAR; this one comes to '
        || case when grams > 999999999999999 then 'more than 99999999999' else decimal_text(grams, 0.0001) end || ' g.';
      body := problem_text('limit_exceeded', detail, asked.request);
      answer := row(asked.client % 64, asked.client, 422, asked.key, asked.fingerprint, asked.request, null, made_at, 'refusal', body);
    else
      quoted := quoted || row(asked.client % 64, asked.client, asked.side, asked.id, grams, unit_price, total, made_at,
        made_at + make_interval(secs => ttl_seconds))::quote;
      body := '{"quote_id":"qt_' || asked.id || '","side":"' || asked.side || '","gold_grams":' || decimal_text(grams, 0.0001)
        || ',"price_per_gram_sar":' || decimal_text(unit_price, 0.0001) || ',"total_sar":' || decimal_text(total, 0.01)
        || ',"status":"open","created_at":"' || instant_text(made_at)
        || '","expires_at":"' || instant_text(made_at + make_interval(secs => ttl_seconds)) || '"}';
      answer := row(asked.client % 64, asked.client, 201, asked.key, asked.fingerprint, asked.request, asked.id, made_at, 'quote', body);
    end if;
    bound := bound || answer;
    bound_names := bound_names || asked.name;
    return next row(asked.n, 'answered', answer.status, body)::outcome;
  end loop;

  insert into quote select * from unnest(quoted);
  insert into idempotency_key select * from unnest(bound);
end $$;

ALTER FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) OWNER TO gold_book;

--
-- Name: event_number(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.event_number(type text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (type = 'order.executed'::text) THEN 1 WHEN (type = 'funding.completed'::text) THEN 2 ELSE NULL::integer END;

ALTER FUNCTION gold.event_number(type text) OWNER TO gold_book;

SET default_tablespace = '';

SET default_table_access_method = heap;

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
    type text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE gold.event OWNER TO gold_owner;

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
    CONSTRAINT orders_rounding CHECK (((rounding_gain >= 0) AND (rounding_gain <= 999999)))
);

ALTER TABLE gold.orders OWNER TO gold_owner;

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
-- Name: chain_lines(integer, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.chain_lines(client integer, after_sequence bigint) RETURNS TABLE(sequence bigint, line text)
    LANGUAGE sql STABLE
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 SELECT e.sequence,
     ((((((((((('1|'::text || e.client_id) || '|'::text) || e.sequence) || '|'::text) || gold.event_number(e.type)) || '|'::text) || e.subject) || '|'::text) || ((EXTRACT(epoch FROM e.created_at) * (1000)::numeric))::bigint) || COALESCE(( SELECT string_agg(((((((((((((((('|'::text || t.leg) || '|'::text) || array_position(enum_range(NULL::gold.book), t.debit)) || '|'::text) || array_position(enum_range(NULL::gold.book), t.credit)) || '|'::text) || array_position(enum_range(NULL::gold.asset), t.asset)) || '|'::text) || t.amount) || '|'::text) || t.sar_available_after) || '|'::text) || t.sar_held_after) || '|'::text) || t.gold_after), ''::text ORDER BY t.leg) AS string_agg
            FROM gold.transfer t
           WHERE ((t.bucket = e.bucket) AND (t.client_id = e.client_id) AND (t.sequence = e.sequence))), ''::text)) || COALESCE(( SELECT ((((((('|'::text || array_position(enum_range(NULL::gold.side), o.side)) || '|'::text) || o.grams) || '|'::text) || o.price) || '|'::text) || o.total)
            FROM gold.orders o
           WHERE ((o.bucket = e.bucket) AND (o.client_id = e.client_id) AND (o.id = e.subject))), ''::text))
    FROM gold.event e
   WHERE ((e.bucket = (chain_lines.client % 64)) AND (e.client_id = chain_lines.client) AND (e.sequence > chain_lines.after_sequence))
   ORDER BY e.sequence;
END;

ALTER FUNCTION gold.chain_lines(client integer, after_sequence bigint) OWNER TO gold_book;

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
  perform note('partner.create', public, jsonb_build_object('name', create_partner.name, 'ips', ips, 'webhook_url', create_partner.webhook_url));
  perform registry_changed();
  return created;
end $$;

ALTER FUNCTION gold.create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb) OWNER TO gold_book;

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
    CONSTRAINT account_bucket CHECK ((bucket = (client_id % 64))),
    CONSTRAINT account_not_negative CHECK (((sar_available >= 0) AND (sar_held >= 0) AND (gold >= 0)))
);

ALTER TABLE gold.account OWNER TO gold_owner;

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
-- Name: move_bar(boolean, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.move_bar(bar_in boolean, fine bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  house account;
  free bigint;
  at timestamptz;
begin
  select a.* into strict house from account a where a.bucket = 0 and a.client_id = 0 for no key update;
  select v.free into strict free from vault v where v.stripe = 0 for no key update;
  if not bar_in and free < fine then
    raise exception 'the bar holds % g and only % g are free; the rest is owed to partners', decimal_text(fine, 0.0001), decimal_text(free, 0.0001)
      using errcode = 'GR409';
  end if;
  at := greatest(next_millisecond(clock_timestamp()), house.last_posted_at);
  insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
  values (0, 0, 1, house.event_sequence + 1, case when bar_in then 'bars' else 'vault' end::book,
    case when bar_in then 'vault' else 'bars' end::book, 'XAU', fine, 0, 0, 0, at);
  return house.event_sequence + 1;
end $$;

ALTER FUNCTION gold.move_bar(bar_in boolean, fine bigint) OWNER TO gold_book;

--
-- Name: next_millisecond(timestamp with time zone); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.next_millisecond(at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (date_trunc('milliseconds'::text, at) = at) THEN at ELSE (date_trunc('milliseconds'::text, at) + '00:00:00.001'::interval) END;

ALTER FUNCTION gold.next_millisecond(at timestamp with time zone) OWNER TO gold_book;

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
-- Name: note(text, text, jsonb); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.note(action text, subject text, detail jsonb) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO gold.audit (login, action, subject, detail)
   VALUES (SESSION_USER, note.action, note.subject, note.detail);
END;

ALTER FUNCTION gold.note(action text, subject text, detail jsonb) OWNER TO gold_book;

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
    CONSTRAINT partner_public_id CHECK ((public_id ~ '^(sbx|live)_[a-z0-9]{20}$'::text))
);

ALTER TABLE gold.partner OWNER TO gold_owner;

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
-- Name: funding; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.funding (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    id uuid NOT NULL,
    sequence bigint NOT NULL,
    amount bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT funding_amount CHECK ((amount > 0))
);

ALTER TABLE gold.funding OWNER TO gold_owner;

--
-- Name: post_funding(integer, bigint, uuid, bigint, timestamp with time zone, bigint, bigint, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.post_funding(client integer, amount bigint, id uuid, sequence bigint, at timestamp with time zone, available bigint, held bigint, gold_held bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO gold.funding (bucket, client_id, id, sequence, amount, created_at)
   VALUES ((post_funding.client % 64), post_funding.client, post_funding.id, post_funding.sequence, post_funding.amount, post_funding.at);
 INSERT INTO gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
   VALUES ((post_funding.client % 64), post_funding.client, 1, post_funding.sequence, 'bank'::gold.book, 'available'::gold.book, 'SAR'::gold.asset, post_funding.amount, post_funding.available, post_funding.held, post_funding.gold_held, post_funding.at);
 INSERT INTO gold.event (bucket, client_id, sequence, id, subject, created_at, type)
   VALUES ((post_funding.client % 64), post_funding.client, post_funding.sequence, post_funding.id, post_funding.id, post_funding.at, 'funding.completed'::text);
END;

ALTER FUNCTION gold.post_funding(client integer, amount bigint, id uuid, sequence bigint, at timestamp with time zone, available bigint, held bigint, gold_held bigint) OWNER TO gold_book;

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
begin
  with moved as (
    select bucket, client_id,
      max(sequence) as sequence,
      max(posted_at) as posted_at,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end)::bigint as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end)::bigint as held,
      sum(case when credit = 'gold' then amount when debit = 'gold' then -amount else 0 end)::bigint as gold,
      (array_agg(array[sar_available_after, sar_held_after, gold_after] order by sequence desc, leg desc))[1:1] as stated
    from posted
    group by bucket, client_id
  ), followed as (
    update account a
    set event_sequence = moved.sequence,
        last_posted_at = moved.posted_at,
        sar_available = a.sar_available + moved.available,
        sar_held = a.sar_held + moved.held,
        gold = a.gold + moved.gold
    from moved
    where a.bucket = moved.bucket and a.client_id = moved.client_id
      and a.event_sequence < moved.sequence
      and a.last_posted_at <= moved.posted_at
      and array[array[a.sar_available + moved.available, a.sar_held + moved.held, a.gold + moved.gold]] = moved.stated
    returning 1
  )
  select (select count(*) from moved), (select count(*) from followed) into owners, followed;
  if owners <> followed then
    raise exception 'the stated balances do not follow from the transfers' using errcode = 'GB001';
  end if;

  update vault v
  set free = v.free + moved.free
  from (
    select stripe, sum(case when credit = 'vault' then amount when debit = 'vault' then -amount else 0 end)::bigint as free
    from posted
    where asset = 'XAU'
    group by stripe
  ) moved
  where v.stripe = moved.stripe and moved.free <> 0;
  return null;
end $$;

ALTER FUNCTION gold.post_transfers() OWNER TO gold_owner;

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
-- Name: problem_text(text, text, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.problem_text(refusal text, detail text, request uuid) RETURNS text
    LANGUAGE sql STABLE
    RETURN (SELECT (((((((((((((('{"type":"/docs/errors#'::text || p.code) || '","title":'::text) || to_json(p.title)) || ',"status":'::text) || p.status) || ',"detail":'::text) || to_json((problem_text.detail || ' This answer is bound to the Idempotency-Key: send a new key to try again.'::text))) || ',"code":"'::text) || p.code) || '","request_id":"req_'::text) || problem_text.request) || '","retryable":'::text) || p.retryable) || '}'::text) FROM gold.problem p WHERE (p.code = problem_text.refusal));

ALTER FUNCTION gold.problem_text(refusal text, detail text, request uuid) OWNER TO gold_book;

--
-- Name: allowed_ip; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.allowed_ip (
    partner_id integer NOT NULL,
    range cidr NOT NULL
);

ALTER TABLE gold.allowed_ip OWNER TO gold_owner;

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
-- Name: deployment; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.deployment (
    one boolean DEFAULT true NOT NULL,
    environment text NOT NULL COLLATE pg_catalog."C",
    public_base_url text NOT NULL,
    authority_certificates text DEFAULT ''::text NOT NULL,
    authority_key_source text,
    sealing_key_source text,
    pepper_source text,
    loopback_receivers boolean DEFAULT false NOT NULL,
    CONSTRAINT deployment_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT deployment_one CHECK (one)
);

ALTER TABLE gold.deployment OWNER TO gold_owner;

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
             WHEN (v.version IS DISTINCT FROM read_registry.known_version) THEN ( SELECT jsonb_build_object('environment', d.environment, 'public_base_url', d.public_base_url, 'token_keys', COALESCE(( SELECT jsonb_agg(jsonb_build_object('kid', t.kid, 'public_jwk', t.public_jwk, 'sealed', encode(t.sealed, 'base64'::text), 'sealing_key', t.sealing_key, 'not_before', t.not_before, 'retire_at', t.retire_at) ORDER BY t.not_before, t.kid) AS jsonb_agg
                        FROM gold.token_key t), '[]'::jsonb), 'partners', COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'public_id', p.public_id, 'suspended', (p.suspended_at IS NOT NULL), 'rate_per_second', p.rate_per_second, 'burst', p.burst, 'maximum_grams', (p.maximum_grams)::text, 'admission_version', (a.admission_version)::text, 'ips', COALESCE(( SELECT jsonb_agg((i.range)::text) AS jsonb_agg
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
-- Name: registry_changed(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.registry_changed() RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 UPDATE gold.registry_version SET version = (registry_version.version + 1);
END;

ALTER FUNCTION gold.registry_changed() OWNER TO gold_book;

--
-- Name: remove_bar(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.remove_bar(serial text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  leaving bar;
  booked bigint;
begin
  -- The bar's weight never changes, so it may be read before the locks; that it is still here is checked under them.
  select b.* into leaving from bar b where b.serial = remove_bar.serial;
  if leaving.serial is null then
    raise exception 'there is no bar with serial %', remove_bar.serial using errcode = 'GR404';
  elsif leaving.removed_at is not null then
    raise exception 'the bar % has left already', remove_bar.serial using errcode = 'GR409';
  end if;
  booked := move_bar(false, leaving.fine);
  update bar b set removed_at = clock_timestamp(), removed_sequence = booked where b.serial = remove_bar.serial and b.removed_at is null;
  if not found then
    raise exception 'the bar % has left already', remove_bar.serial using errcode = 'GR409';
  end if;
  perform note('vault.remove', remove_bar.serial, jsonb_build_object('fine', leaving.fine));
  return leaving.fine;
end $$;

ALTER FUNCTION gold.remove_bar(serial text) OWNER TO gold_book;

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
  update partner set suspended_at = null where id = subject.id and suspended_at is not null;
  if not found then
    raise exception 'partner % is not suspended', public using errcode = 'GR409';
  end if;
  perform note('partner.resume', public, '{}');
  perform registry_changed();
end $$;

ALTER FUNCTION gold.resume_partner(public text) OWNER TO gold_book;

--
-- Name: revoke_certificate(text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.revoke_certificate(fingerprint text) RETURNS text
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
  perform end_admission(subject.partner_id);
  update certificate c set revoked_at = clock_timestamp() where c.fingerprint = subject.fingerprint and c.revoked_at is null;
  if not found then
    raise exception 'the certificate is revoked already' using errcode = 'GR409';
  end if;
  select p.public_id into public from partner p where p.id = subject.partner_id;
  perform note('certificate.revoke', public, jsonb_build_object('fingerprint', subject.fingerprint));
  perform registry_changed();
  return public;
end $$;

ALTER FUNCTION gold.revoke_certificate(fingerprint text) OWNER TO gold_book;

--
-- Name: seal_chain(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.seal_chain(client integer) RETURNS bytea
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
  tail chain_tail;
  head bytea;
  sealed bigint;
  record record;
begin
  insert into chain_tail (bucket, client_id) values (seal_chain.client % 64, seal_chain.client) on conflict do nothing;
  select t.* into strict tail from chain_tail t
  where t.bucket = seal_chain.client % 64 and t.client_id = seal_chain.client for no key update;
  head := tail.head;
  sealed := tail.sequence;
  for record in select * from chain_lines(seal_chain.client, tail.sequence) loop
    if record.sequence <> sealed + 1 then
      raise exception 'event % of client % is missing', sealed + 1, seal_chain.client using errcode = 'GB003';
    end if;
    head := sha256(head || convert_to(record.line, 'UTF8'));
    sealed := record.sequence;
    insert into chain_link (bucket, client_id, sequence, hash) values (tail.bucket, tail.client_id, sealed, head);
  end loop;
  if sealed > tail.sequence then
    update chain_tail t set sequence = sealed, head = newest.head from (values (head)) newest (head)
    where t.bucket = tail.bucket and t.client_id = tail.client_id;
  end if;
  return head;
end $$;

ALTER FUNCTION gold.seal_chain(client integer) OWNER TO gold_book;

--
-- Name: seal_chains(integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.seal_chains(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
declare
  client int;
  sealed int := 0;
begin
  for client in
    select a.client_id from account a left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
    where a.client_id <> 0 and a.event_sequence > coalesce(t.sequence, 0) order by a.client_id limit most
  loop
    perform seal_chain(client);
    sealed := sealed + 1;
  end loop;
  return sealed;
end $$;

ALTER FUNCTION gold.seal_chains(most integer) OWNER TO gold_book;

--
-- Name: set_price(text, bigint, bigint, bigint, integer, integer); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
begin
  insert into price (source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of)
  values (set_price.source, set_price.mid, set_price.buy, set_price.sell, set_price.spread_basis_points, set_price.stale_after_seconds, clock_timestamp())
  on conflict (one) do update set source = excluded.source, mid = excluded.mid, buy = excluded.buy, sell = excluded.sell,
    spread_basis_points = excluded.spread_basis_points, stale_after_seconds = excluded.stale_after_seconds, as_of = excluded.as_of;
  perform note('price.set', set_price.source, jsonb_build_object('mid', set_price.mid, 'buy', set_price.buy, 'sell', set_price.sell));
end $$;

ALTER FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer) OWNER TO gold_book;

--
-- Name: settle_deployment(text, text, boolean, text, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text) RETURNS void
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
    raise exception 'this database belongs to %, not to %', known.environment, settle_deployment.environment using errcode = 'GR409';
  elsif (known.public_base_url, known.loopback_receivers, known.sealing_key_source, known.pepper_source) is not distinct from
    (settle_deployment.public_base_url, settle_deployment.loopback_receivers, settle_deployment.sealing_key_source, settle_deployment.pepper_source) then
    return;
  end if;
  insert into deployment (environment, public_base_url, loopback_receivers, sealing_key_source, pepper_source)
  values (settle_deployment.environment, settle_deployment.public_base_url, settle_deployment.loopback_receivers,
    settle_deployment.sealing_key_source, settle_deployment.pepper_source)
  on conflict (one) do update set public_base_url = excluded.public_base_url, loopback_receivers = excluded.loopback_receivers,
    sealing_key_source = excluded.sealing_key_source, pepper_source = excluded.pepper_source;
  perform note('deployment.settle', settle_deployment.public_base_url, jsonb_build_object('before', to_jsonb(known)));
  perform registry_changed();
end $$;

ALTER FUNCTION gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text) OWNER TO gold_book;

--
-- Name: settled(integer, boolean, boolean, smallint, text); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.settled(item integer, own boolean, same boolean, status smallint, body text) RETURNS gold.outcome
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN own THEN ROW(item, 'answered'::text, status, body)::gold.outcome WHEN same THEN ROW(item, 'replayed'::text, status, body)::gold.outcome ELSE ROW(item, 'idempotency_key_conflict'::text, NULL::smallint, NULL::text)::gold.outcome END;

ALTER FUNCTION gold.settled(item integer, own boolean, same boolean, status smallint, body text) OWNER TO gold_book;

--
-- Name: spend_nonce(integer, bigint, uuid); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.spend_nonce(client integer, admission bigint, nonce uuid) RETURNS gold.outcome
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
  version bigint;
begin
  select a.admission_version into strict version from account a
  where a.bucket = spend_nonce.client % 64 and a.client_id = spend_nonce.client for no key update;
  if version <> spend_nonce.admission then
    return row(1, 'admission_changed', null, null)::outcome;
  end if;
  insert into nonce (bucket, client_id, nonce) values (spend_nonce.client % 64, spend_nonce.client, spend_nonce.nonce)
  on conflict do nothing;
  return row(1, case when found then 'answered' else 'nonce_reused' end, null, null)::outcome;
end $$;

ALTER FUNCTION gold.spend_nonce(client integer, admission bigint, nonce uuid) OWNER TO gold_book;

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
    CONSTRAINT price_one CHECK (one),
    CONSTRAINT price_sides CHECK (((buy > sell) AND (sell > 0) AND (buy <= 999999999)))
);

ALTER TABLE gold.price OWNER TO gold_owner;

--
-- Name: tick_price(timestamp with time zone, bigint, bigint, bigint); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.tick_price(known_as_of timestamp with time zone, mid bigint, buy bigint, sell bigint) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    BEGIN ATOMIC
 WITH ticked AS (
          UPDATE gold.price p SET mid = tick_price.mid, buy = tick_price.buy, sell = tick_price.sell, as_of = clock_timestamp()
           WHERE ((p.as_of = tick_price.known_as_of) AND (p.source <> 'fixed'::text))
           RETURNING 1 AS "?column?"
         )
  SELECT (EXISTS ( SELECT
            FROM ticked)) AS "exists";
END;

ALTER FUNCTION gold.tick_price(known_as_of timestamp with time zone, mid bigint, buy bigint, sell bigint) OWNER TO gold_book;

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
      from chain_lines(tail.client_id, 0) l
      left join chain_link k on k.bucket = tail.bucket and k.client_id = tail.client_id and k.sequence = l.sequence
      where l.sequence <= tail.sequence
      order by l.sequence
    loop
      head := sha256(head || convert_to(record.line, 'UTF8'));
      sealed := sealed + 1;
      if record.sequence <> sealed or record.hash is distinct from head then
        rule := 'chain_is_whole';
        subject := 'client ' || tail.client_id || ' sequence ' || sealed;
        detail := 'the record is not the one that was sealed';
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
-- Name: verify_ledger(); Type: FUNCTION; Schema: gold; Owner: gold_book
--

CREATE FUNCTION gold.verify_ledger() RETURNS TABLE(rule text, subject text, detail text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'gold', 'pg_temp'
    AS $$
  -- Balances are the sum of the transfers, and the last transfer states them.
  select 'balance_is_sum', 'client ' || a.client_id,
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

  union all
  -- Each transfer's stated balances follow from the one before it.
  select 'running_balance', 'client ' || t.client_id || ' sequence ' || t.sequence || ' leg ' || t.leg,
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

  union all
  -- Gold is closed: what clients hold and what is free is what lies in the vault as bars.
  select 'gold_is_backed', 'vault', format('clients hold %s, free are %s, bars hold %s', c.held, v.free, b.fine)
  from (select coalesce(sum(gold), 0) as held from account) c, (select coalesce(sum(free), 0) as free from vault) v,
    (select coalesce(sum(fine), 0) as fine from bar where removed_at is null) b
  where c.held + v.free <> b.fine

  union all
  select 'bar_is_booked', 'bar ' || b.serial, 'its transfer is missing or says another weight'
  from bar b
  left join transfer i on i.bucket = 0 and i.client_id = 0 and i.sequence = b.added_sequence and i.debit = 'bars' and i.amount = b.fine
  left join transfer o on o.bucket = 0 and o.client_id = 0 and o.sequence = b.removed_sequence and o.credit = 'bars' and o.amount = b.fine
  where i.amount is null or (b.removed_at is not null and o.amount is null)

  union all
  -- Each order moved exactly its total and its grams, and each record has its transfers.
  select 'order_is_booked', 'order ' || o.id, 'its two transfers are missing or say other amounts'
  from orders o
  left join transfer s on s.bucket = o.bucket and s.client_id = o.client_id and s.sequence = o.sequence and s.leg = 1
  left join transfer g on g.bucket = o.bucket and g.client_id = o.client_id and g.sequence = o.sequence and g.leg = 2
  where (s.asset, s.debit, s.credit, s.amount, g.asset, g.debit, g.credit, g.amount, g.posted_at,
      g.sar_available_after, g.sar_held_after, g.gold_after)
    is distinct from ('SAR'::asset, case o.side when 'buy' then 'available' else 'house' end::book,
      case o.side when 'buy' then 'house' else 'available' end::book, o.total, 'XAU'::asset,
      case o.side when 'buy' then 'vault' else 'gold' end::book, case o.side when 'buy' then 'gold' else 'vault' end::book, o.grams,
      o.executed_at, o.sar_available_after, o.sar_held_after, o.gold_after)

  union all
  select 'order_is_quoted', 'order ' || o.id, 'it differs from its quote, or was executed after the quote''s end'
  from orders o
  left join quote q on q.bucket = o.bucket and q.client_id = o.client_id and q.id = o.id
  where (q.side, q.grams, q.price, q.total) is distinct from (o.side, o.grams, o.price, o.total) or o.executed_at > q.expires_at

  union all
  select 'funding_is_booked', 'funding ' || f.id, 'its transfer is missing or says another amount'
  from funding f
  left join transfer t on t.bucket = f.bucket and t.client_id = f.client_id and t.sequence = f.sequence
    and (t.leg, t.debit, t.credit, t.amount, t.posted_at) = (1, 'bank'::book, 'available'::book, f.amount, f.created_at)
  where t.amount is null

  union all
  -- An order is two transfers, a funding one: a surplus leg would balance and still be wrong.
  select 'record_has_its_legs', 'client ' || r.client_id || ' sequence ' || r.sequence, r.type || ' has ' || r.legs || ' transfer(s)'
  from (
    select e.client_id, e.sequence, e.type, count(t.leg) as legs
    from event e left join transfer t on t.bucket = e.bucket and t.client_id = e.client_id and t.sequence = e.sequence
    group by e.client_id, e.sequence, e.type
  ) r
  where r.legs <> case r.type when 'order.executed' then 2 when 'funding.completed' then 1 else 0 end

  union all
  select 'transfer_has_record', 'client ' || t.client_id || ' sequence ' || t.sequence, 'no event tells of this transfer'
  from transfer t
  left join event e on e.bucket = t.bucket and e.client_id = t.client_id and e.sequence = t.sequence
  where t.client_id <> 0 and (e.sequence is null or e.created_at <> t.posted_at)

  union all
  -- Accepted is executed is announced: every execution is bound to one key and told by one event.
  select 'result_is_bound', k.result_kind || ' ' || k.result_id, 'the key''s result does not exist'
  from idempotency_key k
  left join orders o on k.result_kind = 'order' and o.bucket = k.bucket and o.client_id = k.client_id and o.id = k.result_id
  left join funding f on k.result_kind = 'funding' and f.bucket = k.bucket and f.client_id = k.client_id and f.id = k.result_id
  left join quote q on k.result_kind = 'quote' and q.bucket = k.bucket and q.client_id = k.client_id and q.id = k.result_id
  where k.result_kind <> 'refusal' and coalesce(o.id, f.id, q.id) is null

  union all
  select 'execution_has_key', r.kind || ' ' || r.id, 'it is bound to ' || r.keys || ' keys'
  from (
    select 'order' as kind, o.id, count(k.key) as keys
    from orders o left join idempotency_key k on k.bucket = o.bucket and k.client_id = o.client_id and k.result_id = o.id and k.result_kind = 'order'
    group by o.id
  ) r
  where r.keys <> 1

  union all
  select 'events_without_gap', 'client ' || a.client_id, format('the account is at %s, events: %s, last %s', a.event_sequence, e.n, e.last)
  from account a
  left join (select client_id, count(*) as n, max(sequence) as last from event group by client_id) e on e.client_id = a.client_id
  where a.client_id <> 0 and (coalesce(e.n, 0), coalesce(e.last, 0)) <> (a.event_sequence, a.event_sequence)

  union all
  select 'execution_has_event', r.kind || ' ' || r.id, 'its event is missing or tells of something else'
  from (
    select 'order' as kind, o.bucket, o.client_id, o.id, o.sequence from orders o
    union all
    select 'funding', f.bucket, f.client_id, f.id, f.sequence from funding f
  ) r
  left join event e on e.bucket = r.bucket and e.client_id = r.client_id and e.sequence = r.sequence
  where e.subject is distinct from r.id

  union all
  select 'event_has_execution', 'client ' || e.client_id || ' sequence ' || e.sequence, 'the ' || e.type || ' that it tells of does not exist'
  from event e
  left join orders o on e.type = 'order.executed' and o.bucket = e.bucket and o.client_id = e.client_id and o.id = e.subject
    and o.sequence = e.sequence
  left join funding f on e.type = 'funding.completed' and f.bucket = e.bucket and f.client_id = e.client_id and f.id = e.subject
    and f.sequence = e.sequence
  where e.type in ('order.executed', 'funding.completed') and coalesce(o.id, f.id) is null
$$;

ALTER FUNCTION gold.verify_ledger() OWNER TO gold_book;

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
    CONSTRAINT bar_fine CHECK (((fine > 0) AND (fine = ((gross * fineness) / 10000)))),
    CONSTRAINT bar_fineness CHECK (((fineness >= 9950) AND (fineness <= 9999)))
);

ALTER TABLE gold.bar OWNER TO gold_owner;

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
    bar.removed_at
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
    c.last_used_at
   FROM (gold.certificate c
     JOIN gold.partner p ON ((p.id = c.partner_id)));

ALTER TABLE gold.certificate_overview OWNER TO gold_owner;

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
-- Name: client_balance; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.client_balance AS
 SELECT account.bucket,
    account.client_id,
    account.sar_available,
    account.sar_held,
    account.gold,
    clock_timestamp() AS as_of
   FROM gold.account
  WHERE (account.client_id <> 0);

ALTER TABLE gold.client_balance OWNER TO gold_owner;

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
-- Name: current_price; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.current_price AS
 SELECT price.source,
    price.buy,
    price.sell,
    price.mid,
    price.spread_basis_points,
    price.stale_after_seconds,
    price.as_of AS ticked_at,
        CASE
            WHEN (price.source = 'fixed'::text) THEN clock_timestamp()
            ELSE price.as_of
        END AS as_of,
    ((price.source <> 'fixed'::text) AND (clock_timestamp() >= (price.as_of + make_interval(secs => (price.stale_after_seconds)::double precision)))) AS stale
   FROM gold.price;

ALTER TABLE gold.current_price OWNER TO gold_owner;

--
-- Name: deployment_overview; Type: VIEW; Schema: gold; Owner: gold_owner
--

CREATE VIEW gold.deployment_overview AS
 SELECT deployment.one,
    deployment.environment,
    deployment.public_base_url,
    deployment.authority_certificates,
    deployment.authority_key_source,
    deployment.sealing_key_source,
    deployment.pepper_source,
    deployment.loopback_receivers
   FROM gold.deployment;

ALTER TABLE gold.deployment_overview OWNER TO gold_owner;

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
    CONSTRAINT idempotency_key_kind CHECK ((result_kind = ANY (ARRAY['quote'::text, 'order'::text, 'funding'::text, 'refusal'::text])))
);

ALTER TABLE gold.idempotency_key OWNER TO gold_owner;

--
-- Name: nonce; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.nonce (
    bucket smallint NOT NULL,
    client_id integer NOT NULL,
    nonce uuid NOT NULL
);

ALTER TABLE gold.nonce OWNER TO gold_owner;

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
    a.gold
   FROM (gold.partner p
     JOIN gold.account a ON (((a.bucket = (p.id % 64)) AND (a.client_id = p.id))));

ALTER TABLE gold.partner_overview OWNER TO gold_owner;

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
    CONSTRAINT quote_quantities CHECK (((grams > 0) AND (price > 0) AND (total > 0)))
);

ALTER TABLE gold.quote OWNER TO gold_owner;

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
-- Name: vault; Type: TABLE; Schema: gold; Owner: gold_owner
--

CREATE TABLE gold.vault (
    stripe smallint NOT NULL,
    free bigint DEFAULT 0 NOT NULL,
    CONSTRAINT vault_not_negative CHECK ((free >= 0))
);

ALTER TABLE gold.vault OWNER TO gold_owner;

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
-- Name: account account_bucket_client_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.account
    ADD CONSTRAINT account_bucket_client_id_pk PRIMARY KEY (bucket, client_id);

--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

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
-- Name: deployment deployment_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (one);

--
-- Name: event event_bucket_client_id_sequence_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.event
    ADD CONSTRAINT event_bucket_client_id_sequence_pk PRIMARY KEY (bucket, client_id, sequence);

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
-- Name: nonce nonce_bucket_client_id_nonce_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.nonce
    ADD CONSTRAINT nonce_bucket_client_id_nonce_pk PRIMARY KEY (bucket, client_id, nonce);

--
-- Name: orders orders_bucket_client_id_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.orders
    ADD CONSTRAINT orders_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

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
-- Name: quote quote_bucket_client_id_id_pk; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.quote
    ADD CONSTRAINT quote_bucket_client_id_id_pk PRIMARY KEY (bucket, client_id, id);

--
-- Name: registry_version registry_version_pkey; Type: CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.registry_version
    ADD CONSTRAINT registry_version_pkey PRIMARY KEY (one);

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
-- Name: allowed_ip_range; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX allowed_ip_range ON gold.allowed_ip USING btree (partner_id, range);

--
-- Name: certificate_partner; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX certificate_partner ON gold.certificate USING btree (partner_id);

--
-- Name: client_secret_partner; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX client_secret_partner ON gold.client_secret USING btree (partner_id);

--
-- Name: event_id; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX event_id ON gold.event USING btree (bucket, client_id, id);

--
-- Name: signing_key_thumbprint; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE UNIQUE INDEX signing_key_thumbprint ON gold.signing_key USING btree (partner_id, thumbprint);

--
-- Name: webhook_secret_partner; Type: INDEX; Schema: gold; Owner: gold_owner
--

CREATE INDEX webhook_secret_partner ON gold.webhook_secret USING btree (partner_id);

--
-- Name: audit append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.audit FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: chain_link append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.chain_link FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: event append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.event FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

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
-- Name: orders append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.orders FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: quote append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.quote FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: transfer append_only; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.transfer FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change();

--
-- Name: transfer post_transfers; Type: TRIGGER; Schema: gold; Owner: gold_owner
--

CREATE TRIGGER post_transfers AFTER INSERT ON gold.transfer REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION gold.post_transfers();

--
-- Name: allowed_ip allowed_ip_partner_id_partner_id_fk; Type: FK CONSTRAINT; Schema: gold; Owner: gold_owner
--

ALTER TABLE ONLY gold.allowed_ip
    ADD CONSTRAINT allowed_ip_partner_id_partner_id_fk FOREIGN KEY (partner_id) REFERENCES gold.partner(id);

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
-- Name: SCHEMA gold; Type: ACL; Schema: -; Owner: gold_migration
--

GRANT USAGE ON SCHEMA gold TO gold_owner;
GRANT USAGE ON SCHEMA gold TO gold_book;
GRANT USAGE ON SCHEMA gold TO gold_api;
GRANT USAGE ON SCHEMA gold TO gold_operator;

--
-- Name: FUNCTION add_authority(certificate_pem text, key_source text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_authority(certificate_pem text, key_source text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_authority(certificate_pem text, key_source text) TO gold_operator;

--
-- Name: FUNCTION add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness integer) TO gold_operator;

--
-- Name: FUNCTION add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_certificate(public text, fingerprint text, serial text, not_before timestamp with time zone, not_after timestamp with time zone) TO gold_operator;

--
-- Name: FUNCTION add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamp with time zone) TO gold_operator;

--
-- Name: FUNCTION decimal_text(quantity bigint, unit numeric); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.decimal_text(quantity bigint, unit numeric) FROM PUBLIC;

--
-- Name: FUNCTION instant_text(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.instant_text(at timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.balances_text(available bigint, held bigint, gold bigint, at timestamp with time zone) FROM PUBLIC;

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
-- Name: FUNCTION book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.book_quotes(wait boolean, settle boolean, clients integer[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[], asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[], ids uuid[], requests uuid[], ttl_seconds integer) TO gold_api;

--
-- Name: FUNCTION event_number(type text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.event_number(type text) FROM PUBLIC;

--
-- Name: TABLE event; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.event TO gold_book;

--
-- Name: TABLE orders; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.orders TO gold_book;

--
-- Name: TABLE transfer; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.transfer TO gold_book;

--
-- Name: FUNCTION chain_lines(client integer, after_sequence bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.chain_lines(client integer, after_sequence bigint) FROM PUBLIC;

--
-- Name: FUNCTION create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.create_partner(public text, name text, iban text, webhook_url text, rate_per_second integer, burst integer, maximum_grams bigint, ips cidr[], secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb) TO gold_operator;

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
-- Name: FUNCTION end_admission(partner_id integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.end_admission(partner_id integer) FROM PUBLIC;

--
-- Name: FUNCTION move_bar(bar_in boolean, fine bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.move_bar(bar_in boolean, fine bigint) FROM PUBLIC;

--
-- Name: FUNCTION next_millisecond(at timestamp with time zone); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.next_millisecond(at timestamp with time zone) FROM PUBLIC;

--
-- Name: TABLE audit; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.audit TO gold_book;

--
-- Name: FUNCTION note(action text, subject text, detail jsonb); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.note(action text, subject text, detail jsonb) FROM PUBLIC;

--
-- Name: TABLE partner; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.partner TO gold_book;

--
-- Name: FUNCTION partner_of(public text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.partner_of(public text) FROM PUBLIC;

--
-- Name: TABLE funding; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.funding TO gold_book;

--
-- Name: FUNCTION post_funding(client integer, amount bigint, id uuid, sequence bigint, at timestamp with time zone, available bigint, held bigint, gold_held bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.post_funding(client integer, amount bigint, id uuid, sequence bigint, at timestamp with time zone, available bigint, held bigint, gold_held bigint) FROM PUBLIC;

--
-- Name: FUNCTION post_transfers(); Type: ACL; Schema: gold; Owner: gold_owner
--

REVOKE ALL ON FUNCTION gold.post_transfers() FROM PUBLIC;

--
-- Name: TABLE problem; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.problem TO gold_book;

--
-- Name: FUNCTION problem_text(refusal text, detail text, request uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.problem_text(refusal text, detail text, request uuid) FROM PUBLIC;

--
-- Name: TABLE allowed_ip; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.allowed_ip TO gold_book;

--
-- Name: TABLE certificate; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.certificate TO gold_book;

--
-- Name: TABLE client_secret; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.client_secret TO gold_book;

--
-- Name: TABLE deployment; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.deployment TO gold_book;

--
-- Name: TABLE registry_version; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.registry_version TO gold_book;

--
-- Name: TABLE signing_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.signing_key TO gold_book;

--
-- Name: TABLE token_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.token_key TO gold_book;

--
-- Name: FUNCTION read_registry(known_version bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.read_registry(known_version bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.read_registry(known_version bigint) TO gold_api;

--
-- Name: FUNCTION refuse_change(); Type: ACL; Schema: gold; Owner: gold_owner
--

REVOKE ALL ON FUNCTION gold.refuse_change() FROM PUBLIC;

--
-- Name: FUNCTION registry_changed(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.registry_changed() FROM PUBLIC;

--
-- Name: FUNCTION remove_bar(serial text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.remove_bar(serial text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.remove_bar(serial text) TO gold_operator;

--
-- Name: FUNCTION resume_partner(public text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.resume_partner(public text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.resume_partner(public text) TO gold_operator;

--
-- Name: FUNCTION revoke_certificate(fingerprint text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.revoke_certificate(fingerprint text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.revoke_certificate(fingerprint text) TO gold_operator;

--
-- Name: FUNCTION seal_chain(client integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.seal_chain(client integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.seal_chain(client integer) TO gold_api;
GRANT ALL ON FUNCTION gold.seal_chain(client integer) TO gold_operator;

--
-- Name: FUNCTION seal_chains(most integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.seal_chains(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.seal_chains(most integer) TO gold_api;

--
-- Name: FUNCTION set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points integer, stale_after_seconds integer) TO gold_operator;

--
-- Name: FUNCTION settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean, sealing_key_source text, pepper_source text) FROM PUBLIC;

--
-- Name: FUNCTION settled(item integer, own boolean, same boolean, status smallint, body text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.settled(item integer, own boolean, same boolean, status smallint, body text) FROM PUBLIC;

--
-- Name: FUNCTION spend_nonce(client integer, admission bigint, nonce uuid); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.spend_nonce(client integer, admission bigint, nonce uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.spend_nonce(client integer, admission bigint, nonce uuid) TO gold_api;

--
-- Name: FUNCTION suspend_partner(public text); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.suspend_partner(public text) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.suspend_partner(public text) TO gold_operator;

--
-- Name: TABLE price; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.price TO gold_book;

--
-- Name: FUNCTION tick_price(known_as_of timestamp with time zone, mid bigint, buy bigint, sell bigint); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.tick_price(known_as_of timestamp with time zone, mid bigint, buy bigint, sell bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION gold.tick_price(known_as_of timestamp with time zone, mid bigint, buy bigint, sell bigint) TO gold_api;

--
-- Name: FUNCTION unsealed_tail(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.unsealed_tail() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.unsealed_tail() TO gold_operator;

--
-- Name: FUNCTION verify_chain(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.verify_chain() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.verify_chain() TO gold_operator;

--
-- Name: FUNCTION verify_ledger(); Type: ACL; Schema: gold; Owner: gold_book
--

REVOKE ALL ON FUNCTION gold.verify_ledger() FROM PUBLIC;
GRANT ALL ON FUNCTION gold.verify_ledger() TO gold_operator;

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
-- Name: TABLE bar_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.bar_overview TO gold_book;
GRANT SELECT ON TABLE gold.bar_overview TO gold_operator;

--
-- Name: TABLE certificate_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.certificate_overview TO gold_book;
GRANT SELECT ON TABLE gold.certificate_overview TO gold_operator;

--
-- Name: TABLE chain_link; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.chain_link TO gold_book;

--
-- Name: TABLE chain_tail; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT,UPDATE ON TABLE gold.chain_tail TO gold_book;

--
-- Name: TABLE client_balance; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.client_balance TO gold_book;
GRANT SELECT ON TABLE gold.client_balance TO gold_api;

--
-- Name: TABLE current_price; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.current_price TO gold_book;
GRANT SELECT ON TABLE gold.current_price TO gold_api;
GRANT SELECT ON TABLE gold.current_price TO gold_operator;

--
-- Name: TABLE deployment_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.deployment_overview TO gold_book;
GRANT SELECT ON TABLE gold.deployment_overview TO gold_operator;

--
-- Name: TABLE idempotency_key; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.idempotency_key TO gold_book;

--
-- Name: TABLE nonce; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.nonce TO gold_book;

--
-- Name: TABLE partner_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.partner_overview TO gold_book;
GRANT SELECT ON TABLE gold.partner_overview TO gold_operator;

--
-- Name: TABLE quote; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.quote TO gold_book;

--
-- Name: TABLE token_key_overview; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT ON TABLE gold.token_key_overview TO gold_book;
GRANT SELECT ON TABLE gold.token_key_overview TO gold_operator;

--
-- Name: TABLE vault; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.vault TO gold_book;

--
-- Name: COLUMN vault.stripe; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT UPDATE(stripe) ON TABLE gold.vault TO gold_book;

--
-- Name: TABLE webhook_secret; Type: ACL; Schema: gold; Owner: gold_owner
--

GRANT SELECT,INSERT ON TABLE gold.webhook_secret TO gold_book;

--
-- PostgreSQL database dump complete
--
