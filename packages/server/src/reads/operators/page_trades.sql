-- Orders and quotes for operators: of one partner, or of all partners merged, newest first. No index serves such
-- a list, because it would cost every order. A page reads each partner's own index: first the newest record of
-- each partner, then more records of the partners whose newest record is on the page. No other partner can have
-- a record on it.
--
-- The members have the names of the API, and all values are texts, so no quantity becomes a float.

create or replace function gold.member_texts(object text) returns json
language sql stable
return (select json_object_agg(m.key, m.value) from json_each_text(object::json) m);

-- A page continues after the order that `after_…` names: its instant, its partner and its event number.
create or replace function gold.page_orders(
  partner text, since timestamptz, after_at timestamptz, after_client int, after_sequence bigint, most int
) returns table (executed_at timestamptz, client int, sequence bigint, client_id text, name text, record json)
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set jit = off as $$
#variable_conflict use_column
begin
  return query
    with newest as materialized (
      select p.id, p.public_id, p.name, o.sequence
      from partner p
      join account a on a.bucket = p.id % 64 and a.client_id = p.id
        and (page_orders.since is null or a.last_posted_at >= page_orders.since)
      cross join lateral (
        select case when after_at is null then a.event_sequence else sequence_at(p.id, after_at) end as last offset 0
      ) e
      cross join lateral (
        select o.executed_at, o.sequence from orders o
        where o.client_id + 0 = p.id and o.sequence <= e.last
          and (after_at is null or (o.executed_at, o.client_id, o.sequence) < (after_at, after_client, after_sequence))
        order by o.client_id + 0 desc, o.sequence desc limit 1
      ) o
      where (page_orders.partner is null or p.public_id = page_orders.partner)
        and (page_orders.since is null or o.executed_at >= page_orders.since)
      order by o.executed_at desc, p.id desc limit most
    )
    select o.executed_at, o.client_id, o.sequence, n.public_id, n.name, member_texts(order_text(o))
    from newest n
    cross join lateral (
      select o.* from orders o where o.client_id + 0 = n.id and o.sequence <= n.sequence
      order by o.client_id + 0 desc, o.sequence desc limit most
    ) o
    where page_orders.since is null or o.executed_at >= page_orders.since
    order by o.executed_at desc, o.client_id desc, o.sequence desc limit most;
end $$;

-- The status that a quote has at this moment. An order that is being booked may still execute it.
create or replace function gold.quote_status(given gold.quote) returns text
language sql stable set search_path = gold, pg_temp
return case
  when exists (
    select from gold.orders o
    where o.bucket = (given).bucket and o.client_id = (given).client_id and o.id = (given).id) then 'executed'
  when (given).expires_at > clock_timestamp() then 'open' else 'expired' end;

-- The ids of quotes contain the time, so they are the order of the list. A page continues below `below`.
create or replace function gold.page_quotes(partner text, below uuid, most int)
returns table (id uuid, client_id text, name text, record json)
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set jit = off as $$
#variable_conflict use_column
begin
  return query
    with newest as materialized (
      select p.id as client, p.public_id, p.name, q.id
      from partner p
      cross join lateral (
        select q.id from quote q
        where q.bucket = p.id % 64 and q.client_id = p.id
          and q.id < coalesce(page_quotes.below, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by q.bucket desc, q.client_id desc, q.id desc limit 1
      ) q
      where page_quotes.partner is null or p.public_id = page_quotes.partner
      order by q.id desc limit most
    )
    select q.id, n.public_id, n.name, member_texts(quote_text(q, quote_status(q)))
    from newest n
    cross join lateral (
      select q.* from quote q where q.bucket = n.client % 64 and q.client_id = n.client and q.id <= n.id
      order by q.bucket desc, q.client_id desc, q.id desc limit most
    ) q
    order by q.id desc limit most;
end $$;
