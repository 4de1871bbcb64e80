-- A client's records, newest first, sorted by the number of the event that created them. A page therefore
-- starts where the previous page ended, even if records were added between the two. The filters by time are
-- converted to event numbers, so every page is one range scan of one index.
--
-- No index has the partner's own texts, because it would cost every order. So a page that is filtered by
-- `reference` or `account_label` searches at most 10,000 event numbers. If earlier ones remain, its last row
-- has no body, and the next page continues below the number of that row.

-- The exclusive bounds of a list, as event numbers. Instants are whole milliseconds.
create or replace function gold.list_bounds(client int, created_after timestamptz, created_before timestamptz, next_below bigint,
  out above bigint, out below bigint)
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  above := case when created_after is null then 0 else sequence_at(client, created_after) end;
  below := coalesce(least(next_below, case when created_before is not null then sequence_at(client, created_before - interval '1 millisecond') + 1 end),
    9223372036854775807);
end $$;

-- The exclusive lower bound of a page that is filtered by the partner's own texts.
create or replace function gold.search_bound(client int, above bigint, below bigint) returns bigint
language sql stable set search_path = gold, pg_temp
begin atomic
  select greatest(search_bound.above, least(search_bound.below, a.event_sequence + 1) - 10001) from gold.account a
  where a.bucket = search_bound.client % 64 and a.client_id = search_bound.client;
end;

-- The id of the record of this kind that was created under an idempotency key; null if there is none.
create or replace function gold.result_of(client int, key text, kind text) returns uuid
language sql stable set search_path = gold, pg_temp
begin atomic
  select k.result_id from gold.idempotency_key k
  where k.bucket = client % 64 and k.client_id = client and k.key = result_of.key and k.result_kind = result_of.kind;
end;

-- The three lists write the client as `client_id + 0`, because the index contains this expression (`newest`
-- in columns.ts).
create or replace function gold.list_orders(
  client int, created_after timestamptz, created_before timestamptz, key text, next_below bigint, most int,
  reference text, account_label text
) returns table (sequence bigint, body text)
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
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

create or replace function gold.list_withdrawals(
  client int, created_after timestamptz, created_before timestamptz, key text, next_below bigint, most int,
  reference text, account_label text
) returns table (sequence bigint, body text)
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
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

create or replace function gold.list_fundings(
  client int, created_after timestamptz, created_before timestamptz, key text, next_below bigint, most int
) returns table (sequence bigint, body text)
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
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
