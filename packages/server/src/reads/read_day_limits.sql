-- The limits of a day and their use, for GET /v1/limits. A null maximum does not apply. Of the operator's
-- exposure, a partner sees only whether a side is used up: from the figure, it could infer the trades of
-- other partners.
create or replace function gold.read_day_limits(client int) returns table (
  maximum_withdrawals int, maximum_withdrawn bigint, withdrawals int, withdrawn bigint,
  maximum_net_grams bigint, net_buys bigint, net_sells bigint,
  limits_exposure boolean, buys_open boolean, sells_open boolean, halted_at timestamptz, resets_at timestamptz
)
language sql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
begin atomic
  select p.maximum_daily_withdrawals, p.maximum_daily_withdrawn, w.requested, w.withdrawn,
    l.maximum_net_grams, a.gold - b.gold + q.buys, b.gold - a.gold + q.sells,
    v.maximum_exposure is not null, gold.coarse_exposure(e.net + e.buys, v.maximum_exposure) < v.maximum_exposure,
    gold.coarse_exposure(e.sells - e.net, v.maximum_exposure) < v.maximum_exposure,
    (select c.halted_at from gold.price c), d.ends_at
  from (select c.clock, gold.day_end(c.clock) as ends_at from (select clock_timestamp() as clock) c) d
  join gold.partner p on p.id = read_day_limits.client
  join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id
  left join gold.allowance l on l.bucket = a.bucket and l.client_id = a.client_id
  cross join lateral gold.withdrawals_since(p.id, d.ends_at - interval '1 day') w
  cross join lateral (select gold.gold_before(p.id, d.ends_at - interval '1 day') as gold) b
  cross join lateral (
    select coalesce(sum(o.grams) filter (where o.side = 'buy'), 0)::bigint as buys, coalesce(sum(o.grams) filter (where o.side = 'sell'), 0)::bigint as sells
    from gold.quote o
    where o.bucket = a.bucket and o.client_id = a.client_id and o.id >= l.open_from and o.expires_at > d.clock
      and not exists (select from gold.orders x where x.bucket = o.bucket and x.client_id = o.client_id and x.id = o.id)
  ) q
  join gold.vault v on v.stripe = 0
  cross join lateral (
    select case when d.clock < v.day_ends_at then v.day_net else 0 end as net,
      coalesce(sum(s.buys), 0)::bigint as buys, coalesce(sum(s.sells), 0)::bigint as sells
    from gold.open_exposure s where s.ends_at > d.clock
  ) e;
end;
