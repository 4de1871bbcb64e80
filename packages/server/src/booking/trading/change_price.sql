-- The operator's price and market hours, and the ticks of a price source. If two services tick at once, the
-- later tick finds a newer price than the one it started from and is dropped. A price that an operator sets
-- gets the current time. With a new http URL, the price is stale until the source gives its first price. With
-- the same URL, the price keeps its time, because a new spread does not make it fresher.

-- Locks the price row. A command that changes only a part of the row takes this lock before it reads the
-- other parts. Otherwise, one of two concurrent commands could undo the change of the other.
create or replace function gold.lock_price() returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform from price for update;
end $$;

create or replace function gold.set_price(
  source text, mid bigint, buy bigint, sell bigint, spread_basis_points int, stale_after_seconds int, url text
) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  insert into price (source, mid, buy, sell, spread_basis_points, stale_after_seconds, url, as_of)
  values (set_price.source, set_price.mid, set_price.buy, set_price.sell, set_price.spread_basis_points, set_price.stale_after_seconds,
    set_price.url, case when set_price.source = 'http' then 'epoch' else clock_timestamp() end)
  on conflict (one) do update set source = excluded.source, mid = excluded.mid, buy = excluded.buy, sell = excluded.sell,
    spread_basis_points = excluded.spread_basis_points, stale_after_seconds = excluded.stale_after_seconds, url = excluded.url,
    -- tick_price drops a tick if `as_of`, the URL or the spread changed after the tick began. With the same URL,
    -- `as_of` stays: a changed spread drops the tick, and a changed stale_after_seconds need not. A new URL drops
    -- it, too. In all other cases `as_of` must change.
    as_of = case when price.url = excluded.url then price.as_of when excluded.source = 'http' then excluded.as_of
      else greatest(excluded.as_of, price.as_of + interval '1 millisecond') end;
  perform note('price.set', set_price.source, jsonb_strip_nulls(jsonb_build_object('mid', set_price.mid, 'buy', set_price.buy,
    'sell', set_price.sell, 'spread_basis_points', set_price.spread_basis_points, 'stale_after_seconds', set_price.stale_after_seconds,
    'url', set_price.url)));
end $$;

-- `sessions` is [{day, opens, closes}] in Riyadh time; day 0 is Sunday. If `always_open` is false and there
-- are no sessions, the market stays closed.
create or replace function gold.set_market_hours(always_open boolean, sessions jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
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

create or replace function gold.market_open(at timestamptz) returns boolean
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select coalesce((select p.always_open from gold.price p), true) or exists (
    select from gold.market_session s
    where s.day = extract(dow from at at time zone 'Asia/Riyadh')
      and s.opens <= (at at time zone 'Asia/Riyadh')::time and (at at time zone 'Asia/Riyadh')::time < s.closes);
end;

-- A fixed price never becomes stale, because an operator set it. If the price's time is ahead of the clock
-- by more than clock_tolerance(), the clock stepped back after the price was taken. The price's age is then
-- unknown, so the price counts as stale until the source gives a new one.
create or replace function gold.is_stale(given gold.price, clock timestamptz) returns boolean
language sql stable security definer set search_path = gold, pg_temp
return (given).source <> 'fixed' and (clock >= (given).as_of + make_interval(secs => (given).stale_after_seconds)
  or (given).as_of > clock + gold.clock_tolerance());

-- Stores a price of the source; returns false if the price or its settings changed since the tick read them.
-- `source_as_of` is the time that the source states, or null. The clock replaces a missing time and a time in
-- the future.
create or replace function gold.tick_price(
  known_as_of timestamptz, known_url text, known_spread int, mid bigint, buy bigint, sell bigint, source_as_of timestamptz
) returns boolean
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  with ticked as (
    update gold.price p set mid = tick_price.mid, buy = tick_price.buy, sell = tick_price.sell,
      as_of = least(coalesce(source_as_of, clock_timestamp()), clock_timestamp())
    where p.source <> 'fixed' and (p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)
    returning 1
  )
  select exists (select from ticked);
end;
