-- The limit of the operator's exposure: what all partners together bought minus what they sold in a day, in
-- either direction. It is checked when the quote is made, as if every open quote had been executed.
--
-- `vault.day_net` counts the day's orders. `open_exposure` counts the open quotes, by the instant at which
-- they end, so that nothing has to look for expired quotes. Every function here that changes one of them
-- holds the lock of the vault's stripe 0. Without a limit, nothing is counted, and quotes do not lock the
-- vault.

-- The instant at which a quote stops counting: its end, rounded up to a sixtieth of its lifetime, at least to
-- a second. So there are at most 62 such instants ahead of the clock.
create or replace function gold.exposure_slot(created_at timestamptz, expires_at timestamptz) returns timestamptz
language plpgsql immutable parallel safe as $$
declare
  width interval := make_interval(secs => greatest(1, ceil(extract(epoch from expires_at - created_at) / 60)));
begin
  return date_bin(width, expires_at, timestamptz '1970-01-01 00:00:00Z') + width;
end $$;

-- A refusal stores nothing, so a partner could bisect the sum of all partners' trades to 0.0001 g. Therefore
-- what is used is rounded up to a multiple of this step before it is compared with the limit: 100 g, or a
-- tenth of a limit below 1 kg. Rounding up never lets the exposure exceed the limit.
create or replace function gold.exposure_step(maximum bigint) returns bigint
language sql immutable parallel safe
return greatest(1, least(1000000, maximum / 10));

create or replace function gold.coarse_exposure(used bigint, maximum bigint) returns bigint
language sql immutable parallel safe
return (used + case when used > 0 then gold.exposure_step(maximum) - 1 else 0 end)
  / gold.exposure_step(maximum) * gold.exposure_step(maximum);

-- What all partners together bought minus what they sold since the clock's day began. This includes orders
-- with a later instant than the clock, which stepped back after them. They count again in the day of their
-- own instant.
create or replace function gold.net_of_day(clock timestamptz) returns bigint
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  start timestamptz := day_end(clock) - interval '24 hours';
begin
  return (
    select coalesce(sum(a.gold - (balance_after(a.client_id, s.sequence)).gold), 0)
    from account a join sequences_at(start - interval '1 millisecond') s on s.client = a.client_id
    where a.last_posted_at >= start
  );
end $$;

-- Locks the vault, counts the orders of the clock's day if the vault has another day, and forgets quotes that
-- have ended.
create or replace function gold.lock_exposure(clock timestamptz) returns gold.vault
language plpgsql volatile set search_path = gold, pg_temp as $$
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

-- Builds the whole refusal, which binds no key.
create or replace function gold.exposure_reached(item int, side gold.side, request uuid) returns gold.outcome
language sql stable
return (
  select row(item, 'answered', p.status, json_build_object('type', gold.problem_type(p.code), 'title', p.title, 'status', p.status,
    'detail', 'The operator''s limit does not allow a ' || side || ' of this size now. A smaller quote, or one on the other side, may be possible.',
    'code', p.code, 'request_id', 'req_' || request, 'retryable', p.retryable)::text)::gold.outcome
  from gold.problem p where p.code = 'exposure_exceeded'
);

-- Counts quotes that were just made.
create or replace function gold.open_exposure(quoted gold.quote[]) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  insert into open_exposure as e (ends_at, buys, sells)
  select exposure_slot(q.created_at, q.expires_at), sum(case q.side when 'buy' then q.grams else 0 end),
    sum(case q.side when 'sell' then q.grams else 0 end)
  from unnest(quoted) q group by 1
  on conflict (ends_at) do update set buys = e.buys + excluded.buys, sells = e.sells + excluded.sells;
end $$;

-- Moves executed quotes from the open quotes to the net position of the day. Their orders are written
-- already.
create or replace function gold.settle_exposure(executed gold.orders[]) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
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

-- Counts the open quotes of all partners from their rows, by the instant at which they stop counting. No quote is firm
-- for longer than `longest`.
create or replace function gold.open_quotes_within(clock timestamptz, longest interval)
returns table (ends_at timestamptz, buys bigint, sells bigint)
language sql stable set search_path = gold, pg_temp
begin atomic
  select gold.exposure_slot(q.created_at, q.expires_at), sum(case q.side when 'buy' then q.grams else 0 end)::bigint,
    sum(case q.side when 'sell' then q.grams else 0 end)::bigint
  from gold.account a
  -- No quote is firm for more than an hour. A service's clock, which ids are made from, may be a little off.
  join gold.quote q on q.bucket = a.bucket and q.client_id = a.client_id and q.id >= gold.first_id_at(clock - longest)
  where gold.exposure_slot(q.created_at, q.expires_at) > clock
    and not exists (select from gold.orders o where o.bucket = q.bucket and o.client_id = q.client_id and o.id = q.id)
  group by 1;
end;

create or replace function gold.open_quotes_at(clock timestamptz)
returns table (ends_at timestamptz, buys bigint, sells bigint)
language sql stable set search_path = gold, pg_temp
begin atomic select * from gold.open_quotes_within(clock, interval '2 hours'); end;

-- The operator's position in the clock's day, counted from the rows. With a limit, the vault has it already,
-- so nothing is counted.
create or replace function gold.count_position(maximum bigint, out day_net bigint, out open_buys bigint, out open_sells bigint)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
begin
  if maximum is null then
    day_net := net_of_day(clock_timestamp());
    select coalesce(sum(o.buys), 0), coalesce(sum(o.sells), 0) into open_buys, open_sells from open_quotes_at(clock_timestamp()) o;
  end if;
end $$;

-- Sets the limit; null removes it. A quote that is being made might not be counted. So this locks all
-- accounts, which waits for such quotes, before it counts the orders of the day and the open quotes.
create or replace function gold.set_exposure(maximum bigint) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
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
