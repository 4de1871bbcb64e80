-- Figures of the operator's business. They read no index of their own: a partner without a posting in the time
-- in question costs one look-up.

-- The trades after a record of each partner, by minute, and the records up to which they were read, with what each
-- partner bought minus what it sold since `day`. At most about `most` orders are read; `more` says that there are
-- more. A partner without a record begins with its first one. SAR is what the partners paid and received.
create or replace function gold.trades_after(clients int[], sequences bigint[], day timestamptz, most int) returns json
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
      count(t.sequence) = s.each as more,
      coalesce(sum(case t.side when 'buy' then t.grams else -t.grams end)
        filter (where t.executed_at >= trades_after.day), 0) as net
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
    'reached', (
      select coalesce(json_agg(json_build_array(r.client_id, r.sequence::text, r.net::text)), '[]') from reached r),
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

-- Each partner's gold and money.
create or replace function gold.holdings()
returns table (
  client int, client_id text, name text, gold bigint, sar_available bigint, sar_held bigint, last_posted_at timestamptz
)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select p.id, p.public_id, p.name, a.gold, a.sar_available, a.sar_held, nullif(a.last_posted_at, 'epoch')
  from gold.partner p join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id;
end;

-- The limit of the exposure, and the open quotes. Without a limit, nobody counts them, so they are looked up: no quote
-- is firm for longer than the prices of the last hour allowed.
create or replace function gold.open_exposures(out maximum bigint, out buys bigint, out sells bigint)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  clock constant timestamptz := clock_timestamp();
  longest int;
begin
  select v.maximum_exposure into maximum from vault v where v.stripe = 0;
  if maximum is null then
    select max(h.quote_ttl_seconds) into longest from price_history h
    where h.id > (select max(newest.id) from price_history newest) - 20000;
    select coalesce(sum(o.buys), 0), coalesce(sum(o.sells), 0) into buys, sells
    from open_quotes_within(clock, make_interval(secs => coalesce(longest, 3600), mins => 1)) o;
  else
    select coalesce(sum(o.buys), 0), coalesce(sum(o.sells), 0) into buys, sells
    from open_exposure o where o.ends_at > clock;
  end if;
end $$;

-- The gold in the vault, in 0.0001 g. `sold_in_week` is what the partners bought minus what they sold in the last
-- seven closed days and today; at this pace, the free gold lasts for free / sold_in_week weeks.
create or replace function gold.stock(
  out bars bigint, out fine bigint, out owed bigint, out free bigint, out sold_in_week bigint
)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  last_day constant date := (clock_timestamp() at time zone 'Asia/Riyadh')::date - 8;
begin
  select count(*), coalesce(sum(b.fine), 0) into bars, fine from bar b where b.removed_at is null;
  select coalesce(sum(v.free), 0) into free from vault v;
  select coalesce(sum(a.gold), 0), coalesce(sum(a.gold - coalesce(d.closing_gold, 0)), 0) into owed, sold_in_week
  from account a
  left join lateral (
    select d.closing_gold from closed_day d
    where d.bucket = a.bucket and d.client_id = a.client_id and d.day <= last_day order by d.day desc limit 1
  ) d on true
  where a.client_id <> 0;
end $$;
