-- Routines that processes of 0.3.0 call and this version does not call. Processes of 0.3.0 may keep running
-- while the database is migrated, so each of these routines keeps its name, arguments and result. A database
-- that books only orders with their signed request (see finish.sql) does not have them.

-- Raises a serialization failure, so that a write of 0.3.0 rolls back if it waited for the migration's locks.
-- Such a write would otherwise continue with 0.3.0's routine body on changed tables. Every such body calls
-- this function next. After the rollback, the service retries the write with this version's body.
create or replace function gold.early_outcome(
  item int, settle boolean, request uuid, spent_by uuid,
  known_request uuid, same boolean, status smallint, body text, is_admitted boolean
) returns gold.outcome
language plpgsql immutable as $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;

-- The bodies of add_bar and remove_bar of 0.3.0 call this function.
create or replace function gold.move_bar(bar_in boolean, fine bigint) returns bigint
language plpgsql immutable as $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;

-- Processes of 0.3.0 pass no signed request. What they book has line version 1 in the hash chain.
create or replace function gold.book_orders(
  wait boolean, settle boolean,
  clients int[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]
) returns setof gold.outcome
language sql volatile security definer set search_path = gold, pg_temp as $$
  select * from book_orders(wait, settle, clients, admissions, nonces, keys, fingerprints, quotes, requests, null::text[], null::text[], null::bytea[], null::bytea[])
$$;

create or replace function gold.book_withdrawal(
  settle boolean, client int, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text,
  id uuid, request uuid
) returns gold.outcome
language sql volatile security definer set search_path = gold, pg_temp as $$
  select book_withdrawal(settle, client, admission, nonce, key, fingerprint, amount, maximum, reference, id, request, null::text, null::bytea, null::bytea)
$$;

-- The lifetime of a quote belongs to its price, so `ttl_seconds` is ignored.
create or replace function gold.book_quotes(
  wait boolean, settle boolean,
  clients int[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[],
  asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[],
  ids uuid[], requests uuid[], ttl_seconds int
) returns setof gold.outcome
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  select * from gold.book_quotes(wait, settle, clients, admissions, keys, fingerprints, sides, asked_grams, asked_amounts,
    minimum_grams, maximum_grams, ids, requests, null, null);
end;

create or replace function gold.list_orders(
  client int, created_after timestamptz, created_before timestamptz, key text, next_below bigint, most int
) returns table (sequence bigint, body text)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select l.sequence, l.body from gold.list_orders(client, created_after, created_before, key, next_below, most, null, null) l;
end;

create or replace function gold.list_withdrawals(
  client int, created_after timestamptz, created_before timestamptz, key text, next_below bigint, most int
) returns table (sequence bigint, body text)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select l.sequence, l.body from gold.list_withdrawals(client, created_after, created_before, key, next_below, most, null, null) l;
end;
