-- Figures of the operator's business. They read no index of their own: a partner without a posting in the time
-- in question costs one look-up.

-- The newest record of each partner up to an instant. It searches all partners at once, by halving; sequence_at()
-- does this for one.
create or replace function gold.sequences_at(at timestamptz) returns table (client int, sequence bigint)
language sql stable security definer set search_path = gold, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
begin atomic
  with recursive half (client, low, high) as (
    select a.client_id, case when a.last_posted_at > sequences_at.at then 0 else a.event_sequence end, a.event_sequence
    from gold.account a where a.client_id <> 0
    union all
    select h.client, case when e.created_at <= sequences_at.at then m.middle else h.low end,
      case when e.created_at <= sequences_at.at then h.high else m.middle - 1 end
    from half h
    cross join lateral (select (h.low + h.high + 1) / 2 as middle) m
    left join lateral (
      select e.created_at from gold.event e
      where e.bucket = h.client % 64 and e.client_id = h.client and e.sequence >= m.middle order by e.sequence limit 1
    ) e on true
    where h.low < h.high
  )
  select h.client, h.low from half h where h.low >= h.high;
end;

-- The trades after a record of each partner, by minute, and the records up to which they were read. At most about
-- `most` orders are read; `more` says that there are more. A partner without a record begins with its first one.
-- SAR is what the partners paid and received.
create or replace function gold.trades_after(clients int[], sequences bigint[], most int) returns json
language sql stable security definer set search_path = gold, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set enable_mergejoin = off set jit = off
begin atomic
  with due as materialized (
    select a.client_id, a.event_sequence as newest, coalesce(c.sequence, 0) as above
    from gold.account a
    left join unnest(trades_after.clients, trades_after.sequences) c (client, sequence) on c.client = a.client_id
    where a.client_id <> 0 and a.event_sequence > coalesce(c.sequence, 0)
  ), share as materialized (
    select greatest(1, trades_after.most / greatest(count(*), 1))::int as each from due
  ), trade as materialized (
    select d.client_id, o.sequence, o.executed_at, o.side, o.grams, o.total
    from due d cross join share s cross join lateral (
      select o.* from gold.orders o where o.client_id + 0 = d.client_id and o.sequence > d.above
      order by o.client_id + 0, o.sequence limit s.each
    ) o
  ), reached as (
    select d.client_id, case when count(t.sequence) < s.each then d.newest else max(t.sequence) end as sequence,
      count(t.sequence) = s.each as more
    from due d cross join share s left join trade t on t.client_id = d.client_id
    group by d.client_id, d.newest, s.each
  ), minute as (
    select date_trunc('minute', t.executed_at) as minute, count(*) as orders,
      coalesce(sum(t.grams) filter (where t.side = 'buy'), 0) as bought,
      coalesce(sum(t.grams) filter (where t.side = 'sell'), 0) as sold,
      coalesce(sum(t.total) filter (where t.side = 'buy'), 0) as sar_in,
      coalesce(sum(t.total) filter (where t.side = 'sell'), 0) as sar_out
    from trade t group by 1
  )
  select json_build_object(
    'reached', (select coalesce(json_agg(json_build_array(r.client_id, r.sequence::text)), '[]') from reached r),
    'more', (select coalesce(bool_or(r.more), false) from reached r),
    'minutes', (
      select coalesce(json_agg(json_build_object(
        'at', extract(epoch from m.minute)::bigint, 'orders', m.orders, 'bought', m.bought::text, 'sold', m.sold::text,
        'sar_in', m.sar_in::text, 'sar_out', m.sar_out::text)), '[]') from minute m));
end;

-- The refusals that bind their key, by error code.
create or replace function gold.count_refusals(since timestamptz) returns table (code text, refusals bigint)
language sql stable security definer set search_path = gold, pg_temp
  set enable_hashjoin = off set enable_mergejoin = off set jit = off
begin atomic
  select k.body::json->>'code', count(*)
  from gold.account a
  join gold.refusal r on r.bucket = a.bucket and r.client_id = a.client_id and r.created_at >= since
  join gold.idempotency_key k on k.bucket = r.bucket and k.client_id = r.client_id and k.key = r.key
  group by 1 order by 2 desc, 1;
end;

-- Withdrawals that the bank has not paid yet, oldest first. Their money is held, so a partner without held money
-- has none.
create or replace function gold.open_withdrawals()
returns table (
  id uuid, client_id text, name text, amount bigint, status text, created_at timestamptz, status_at timestamptz,
  status_by text
)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select w.id, p.public_id, p.name, w.amount, s.status::text, w.created_at, s.at, s.login
  from gold.account a
  join gold.partner p on p.id = a.client_id
  join gold.withdrawal w on w.client_id + 0 = a.client_id
  cross join lateral (
    select s.status, s.at, s.login from gold.withdrawal_step s
    where s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id order by s.sequence desc limit 1
  ) s
  where a.sar_held > 0 and s.status in ('pending_approval', 'approved', 'submitted')
  order by w.created_at, w.id;
end;

-- Each partner's gold and money, and what it bought minus what it sold since `since`.
create or replace function gold.positions(since timestamptz)
returns table (
  client_id text, name text, net bigint, gold bigint, sar_available bigint, sar_held bigint, last_posted_at timestamptz
)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select p.public_id, p.name,
    a.gold - case when s.sequence < a.event_sequence then (gold.balance_after(p.id, s.sequence)).gold else a.gold end,
    a.gold, a.sar_available, a.sar_held, nullif(a.last_posted_at, 'epoch')
  from gold.partner p
  join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id
  left join gold.sequences_at(since - interval '1 millisecond') s on s.client = p.id
  order by 3 desc, 1;
end;

-- The gold in the vault, in 0.0001 g. `sold_in_week` is what the partners bought minus what they sold in seven
-- days; at this pace, the free gold lasts for free / sold_in_week weeks.
create or replace function gold.stock(
  out bars bigint, out fine bigint, out owed bigint, out free bigint, out sold_in_week bigint
)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  since timestamptz := clock_timestamp() - interval '7 days';
begin
  select count(*), coalesce(sum(b.fine), 0) into bars, fine from bar b where b.removed_at is null;
  select coalesce(sum(v.free), 0) into free from vault v;
  select coalesce(sum(p.gold), 0), coalesce(sum(p.net), 0) into owed, sold_in_week from positions(since) p;
end $$;
