-- Figures of the operator's business. They read no index of their own: a partner without a posting in the time
-- in question costs one look-up.

-- The trades of each minute from `since` on. SAR is what the partners paid and received.
create or replace function gold.trades_by_minute(since timestamptz)
returns table (minute timestamptz, orders bigint, bought bigint, sold bigint, sar_in bigint, sar_out bigint)
language sql stable security definer set search_path = gold, pg_temp
  set enable_hashjoin = off set enable_mergejoin = off set jit = off
begin atomic
  select date_trunc('minute', o.executed_at), count(*),
    coalesce(sum(o.grams) filter (where o.side = 'buy'), 0)::bigint,
    coalesce(sum(o.grams) filter (where o.side = 'sell'), 0)::bigint,
    coalesce(sum(o.total) filter (where o.side = 'buy'), 0)::bigint,
    coalesce(sum(o.total) filter (where o.side = 'sell'), 0)::bigint
  from gold.account a
  cross join lateral (select gold.sequence_at(a.client_id, since - interval '1 millisecond') as above offset 0) s
  join gold.orders o on o.client_id + 0 = a.client_id and o.sequence > s.above
  where a.client_id <> 0 and a.last_posted_at >= since
  group by 1 order by 1;
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
    case when a.last_posted_at >= since then a.gold - gold.gold_before(p.id, since) else 0 end,
    a.gold, a.sar_available, a.sar_held, nullif(a.last_posted_at, 'epoch')
  from gold.partner p join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id
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
