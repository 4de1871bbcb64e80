-- The operator's price and market hours, and the ticks of a price source. A tick stores one price of the
-- source. If two processes tick at once, the later tick finds a newer price than the one it started from and
-- is dropped. A price that an operator sets gets the current time. With a new http URL, the price is stale
-- until the source gives its first price. With the same URL, the price keeps its time, because a new spread
-- does not make it fresher.

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
declare
  is_first boolean := not exists (select from price);
begin
  perform require_approval(jsonb_build_object('source', set_price.source, 'spread_basis_points', set_price.spread_basis_points,
    'stale_after_seconds', set_price.stale_after_seconds, 'url', set_price.url)
    || case when set_price.source = 'fixed' then jsonb_build_object('mid', set_price.mid::text) else '{}' end, 'price.set');
  insert into price (source, mid, buy, sell, spread_basis_points, stale_after_seconds, url, as_of)
  values (set_price.source, set_price.mid, set_price.buy, set_price.sell, set_price.spread_basis_points, set_price.stale_after_seconds,
    set_price.url, case when set_price.source = 'http' then 'epoch' else clock_timestamp() end)
  on conflict (one) do update set source = excluded.source, mid = excluded.mid, buy = excluded.buy, sell = excluded.sell,
    spread_basis_points = excluded.spread_basis_points, stale_after_seconds = excluded.stale_after_seconds, url = excluded.url,
    -- tick_price drops a tick if the URL, the spread or `as_of` changed after the tick began. If the URL
    -- stays the same, keep `as_of`: a new spread drops the tick anyway, and a new stale_after_seconds does
    -- not have to. If the URL changes, the tick is dropped because of the URL. In all other cases, change
    -- `as_of`, so that the tick is dropped.
    as_of = case when price.url = excluded.url then price.as_of when excluded.source = 'http' then excluded.as_of
      else greatest(excluded.as_of, price.as_of + interval '1 millisecond') end;
  perform note('price.set', set_price.source, jsonb_strip_nulls(jsonb_build_object('mid', set_price.mid, 'buy', set_price.buy,
    'sell', set_price.sell, 'spread_basis_points', set_price.spread_basis_points, 'stale_after_seconds', set_price.stale_after_seconds,
    'url', set_price.url, 'price_id', (select p.id from price p))));
  -- An operator changed the price, so the circuit breaker does not compare later prices with the ones before
  -- it.
  update price p set watched_from = p.id;
  if is_first then
    perform store_first_breaker();
    perform store_first_band();
  end if;
end $$;

-- `sessions` is [{day, opens, closes}] in Riyadh time; day 0 is Sunday. If `always_open` is false and there
-- are no sessions, the market stays closed.
create or replace function gold.set_market_hours(always_open boolean, sessions jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  if always_open is null or jsonb_typeof(sessions) is distinct from 'array' then
    raise exception 'market hours need always_open and a list of sessions' using errcode = 'GR409';
  end if;
  -- One person may close the market.
  if set_market_hours.always_open or sessions <> '[]' then
    perform require_approval(jsonb_build_object('hours', jsonb_build_object('always_open', set_market_hours.always_open, 'sessions', sessions)),
      'price.set');
  end if;
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
  select coalesce((
    select p.halted_at is null and (p.always_open or exists (
      select from gold.market_session s
      where s.day = extract(dow from at at time zone 'Asia/Riyadh')
        and s.opens <= (at at time zone 'Asia/Riyadh')::time and (at at time zone 'Asia/Riyadh')::time < s.closes))
    from gold.price p), true);
end;

-- The circuit breaker. Null turns it off.
create or replace function gold.set_breaker(basis_points int, seconds int) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_approval(jsonb_build_object('breaker', jsonb_build_object('basis_points', set_breaker.basis_points,
    'seconds', set_breaker.seconds)), 'market.set');
  perform store_breaker(set_breaker.basis_points, set_breaker.seconds);
end $$;

create or replace function gold.store_breaker(basis_points int, seconds int) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  update price p set halt_basis_points = store_breaker.basis_points, halt_seconds = store_breaker.seconds;
  if not found then
    raise exception 'no price has been set yet: set a price before the circuit breaker' using errcode = 'GR409';
  end if;
  perform note('market.breaker', 'circuit breaker',
    jsonb_build_object('basis_points', store_breaker.basis_points, 'seconds', store_breaker.seconds));
end $$;

-- The breaker of a deployment whose people have not set one: 5 % within 60 s. Without two people, it is off.
create or replace function gold.store_first_breaker() returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  if two_people() and exists (select from price) and not exists (select from audit a where a.action = 'market.breaker') then
    perform store_breaker(500, 60);
  end if;
end $$;

-- A deployment of an earlier release gets the breaker at its migration.
select gold.store_first_breaker();

-- Opens the market that the circuit breaker closed. From then on, the breaker compares only with the current
-- price and later prices.
create or replace function gold.open_market() returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_approval('{}', 'market.open');
  update price p set halted_at = null, watched_from = p.id where p.halted_at is not null;
  if not found then
    raise exception 'the circuit breaker has not closed the market' using errcode = 'GR409';
  end if;
  perform note('market.open', 'circuit breaker', jsonb_build_object('price_id', (select p.id from price p)));
end $$;

-- Closes the market if a price of the source differs from a price of the last `halt_seconds` by
-- `halt_basis_points` or more. The price that was in force when this time began counts, too. So the first
-- price after an outage of the source is compared with the last one before it. A price that the band refused
-- has no id. Returns whether this price closed the market.
create or replace function gold.halt_on_jump(ticked gold.price) returns boolean
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  earlier price_history;
begin
  if ticked.halt_basis_points is null or ticked.halted_at is not null then
    return false;
  end if;
  for earlier in
    select h.* from price_history h where h.id >= ticked.watched_from and h.id is distinct from ticked.id order by h.id desc
  loop
    -- An http source that has given no price yet has a placeholder.
    if earlier.as_of > 'epoch' and abs(ticked.mid - earlier.mid) * 10000 >= earlier.mid * ticked.halt_basis_points then
      update price p set halted_at = clock_timestamp();
      perform note('market.halt', 'circuit breaker', jsonb_strip_nulls(jsonb_build_object('source', ticked.source, 'price_id', ticked.id,
        'mid', ticked.mid, 'earlier_price_id', earlier.id, 'earlier_mid', earlier.mid, 'basis_points', ticked.halt_basis_points,
        'seconds', ticked.halt_seconds)));
      return true;
    end if;
    exit when earlier.stored_at <= ticked.stored_at - make_interval(secs => ticked.halt_seconds);
  end loop;
  return false;
end $$;

-- A fixed price never becomes stale, because an operator set it. If the price's time is ahead of the clock
-- by more than clock_tolerance(), the clock stepped back after the price was taken. The price's age is then
-- unknown, so the price counts as stale until the source gives a new one.
create or replace function gold.is_stale(given gold.price, clock timestamptz) returns boolean
language sql stable security definer set search_path = gold, pg_temp
return (given).source <> 'fixed' and (clock >= (given).as_of + make_interval(secs => (given).stale_after_seconds)
  or (given).as_of > clock + gold.clock_tolerance());

-- Stores a price of the source, and closes the market if it jumped. Raises an error with the detail
-- outside_band if the price is outside the band (price_band.sql). If such a price closes the market, it is
-- not stored either, but an error would undo the closing, so the function returns false. Also returns false
-- if the price or its settings changed since the tick read them. `source_as_of` is the time that the source
-- states, or null. The clock replaces a missing time and a time in the future. A time before 1970 becomes the
-- first millisecond of 1970, because the price band ignores `epoch`, the time of a price that no source has
-- given.
create or replace function gold.tick_price(
  known_as_of timestamptz, known_url text, known_spread int, mid bigint, buy bigint, sell bigint, source_as_of timestamptz
) returns boolean
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  ticked price;
  refusal text;
begin
  update price p set mid = tick_price.mid, buy = tick_price.buy, sell = tick_price.sell,
    as_of = greatest(least(coalesce(source_as_of, clock_timestamp()), clock_timestamp()), 'epoch'::timestamptz + interval '1 millisecond')
  where p.source <> 'fixed' and (p.as_of, p.url, p.spread_basis_points) is not distinct from (known_as_of, known_url, known_spread)
  returning p.* into ticked;
  if not found then
    return false;
  end if;
  perform halt_on_jump(ticked);
  return true;
exception when sqlstate 'GR409' then
  get stacked diagnostics refusal = pg_exception_detail;
  select p.* into ticked from price p for update;
  ticked.id := null;
  ticked.mid := tick_price.mid;
  ticked.stored_at := clock_timestamp();
  if refusal <> 'outside_band' or not halt_on_jump(ticked) then
    raise;
  end if;
  return false;
end $$;

-- Every change of the price is appended to its history, in the transaction of the change. The two triggers on
-- `price` do it, so a price cannot change without its row. The rows are numbered without a gap, because every
-- writer holds the lock on the price row. `stored_at` is the clock's time, so it goes back only if the clock
-- does.
create or replace function gold.number_price() returns trigger
language plpgsql set search_path = gold, pg_temp as $$
begin
  new.id := coalesce((select max(h.id) from price_history h), 0) + 1;
  new.stored_at := date_trunc('milliseconds', clock_timestamp());
  if new.band_basis_points is not null and new.as_of > 'epoch' then
    if is_price_approved(new.mid) then
      new.band_from := new.id;
    else
      perform refuse_outside_band(new);
    end if;
  end if;
  return new;
end $$;

-- The line that a row's hash commits to. It has only integers and the name of the source, so that any
-- language builds the same bytes; instants are in ms:
--   1|id|source|mid|buy|sell|spread|seconds until stale|seconds of a quote|as of|stored at
create or replace function gold.price_line(given gold.price_history) returns text
language sql immutable parallel safe
return '1|' || (given).id || '|' || (given).source || '|' || (given).mid || '|' || (given).buy || '|' || (given).sell || '|'
  || (given).spread_basis_points || '|' || (given).stale_after_seconds || '|' || (given).quote_ttl_seconds || '|'
  || (extract(epoch from (given).as_of) * 1000)::bigint || '|' || (extract(epoch from (given).stored_at) * 1000)::bigint;

-- A hash is sha256(previous hash || line). The first row uses 32 zero bytes as its previous hash.
create or replace function gold.append_price(given gold.price) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  added price_history;
begin
  added := row((given).id, (given).mid, (given).buy, (given).sell, (given).as_of, (given).stored_at, (given).spread_basis_points,
    (given).stale_after_seconds, (given).quote_ttl_seconds, (given).source, null)::price_history;
  added.hash := sha256(coalesce((select h.hash from price_history h where h.id = added.id - 1), decode(repeat('00', 32), 'hex'))
    || convert_to(price_line(added), 'UTF8'));
  insert into price_history select added.*;
end $$;

create or replace function gold.keep_price() returns trigger
language plpgsql set search_path = gold, pg_temp as $$
begin
  perform append_price(new);
  return null;
end $$;
