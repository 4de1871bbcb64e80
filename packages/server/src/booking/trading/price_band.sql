-- The price band. A price may differ from the price before it, and from each price of the last hour, only by
-- a percentage. Within an hour, the rises of the price together are at most the percentage of an hour, and so
-- are its falls. Otherwise a partner who knows the source's next price would earn this percentage again with
-- each swing. A move up to the spread pays nothing, so it does not count. The trigger of `price` (number_price in
-- change_price.sql) asks this for every new price, so the band holds for `gold price set`, for the price source
-- and for every other writer. A price that an approved proposal names is accepted at any distance; later prices
-- are compared with it. Quotes and orders do not use the band.

-- Refuses a price outside the band. The price that was in force when the hour began counts, too. So the first
-- price after an outage of the source is compared with the last one before it.
--
-- The loop goes from the newest price to the oldest. `low` and `high` are the ends of the current rise or
-- fall. A price that differs from its older end by more than the spread, in the other direction, begins the
-- next one. In this hour, a partner earns at most `rises` for each gram that it holds or has a buy quote for, and
-- at most `falls` for each gram that it has a sell quote for.
create or replace function gold.refuse_outside_band(given gold.price) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  earlier price_history;
  is_step boolean := true;
  band int;
  low bigint := (given).mid;
  high bigint := (given).mid;
  is_rise boolean;
  rises bigint := 0;
  falls bigint := 0;
  oldest bigint;
begin
  if ((given).buy, (given).sell) is distinct from
    (buy_of((given).mid, (given).spread_basis_points), sell_of((given).mid, (given).spread_basis_points)) then
    raise exception 'the buy price % and the sell price % do not follow from the mid price % and a spread of % basis points, which the price band requires',
      decimal_text((given).buy, 0.0001), decimal_text((given).sell, 0.0001), decimal_text((given).mid, 0.0001), (given).spread_basis_points using errcode = 'GR409', detail = 'outside_band';
  end if;
  for earlier in
    -- An http source that has given no price yet has a placeholder.
    select h.* from price_history h where h.id >= (given).band_from and h.as_of > 'epoch' order by h.id desc
  loop
    -- A new spread or a new time does not move the price.
    exit when is_step and earlier.mid = (given).mid;
    band := case when is_step then (given).band_basis_points else (given).band_hour_basis_points end;
    if abs((given).mid - earlier.mid) * 10000 > earlier.mid * band then
      raise exception 'the price % differs by more than % %% from %, the price %: set it with `gold price set --mid` under two people, or widen the band with `gold market set --band`',
        decimal_text((given).mid, 0.0001), decimal_text(band, 0.01), decimal_text(earlier.mid, 0.0001),
        case when is_step then 'before it' else 'of ' || instant_text(earlier.stored_at) end
        using errcode = 'GR409', detail = 'outside_band';
    end if;
    if is_rise is null then
      low := least(low, earlier.mid);
      high := greatest(high, earlier.mid);
      if (high - low) * 10000 > low * (given).spread_basis_points then
        is_rise := earlier.mid = low;
      end if;
    elsif is_rise and (earlier.mid - low) * 10000 > low * (given).spread_basis_points then
      rises := rises + high - low;
      high := earlier.mid;
      is_rise := false;
    elsif not is_rise and (high - earlier.mid) * 10000 > earlier.mid * (given).spread_basis_points then
      falls := falls + high - low;
      low := earlier.mid;
      is_rise := true;
    elsif is_rise then
      low := least(low, earlier.mid);
    else
      high := greatest(high, earlier.mid);
    end if;
    oldest := earlier.mid;
    exit when earlier.stored_at <= (given).stored_at - interval '1 hour';
    is_step := false;
  end loop;
  if is_rise then
    rises := rises + high - low;
  elsif not is_rise then
    falls := falls + high - low;
  end if;
  if greatest(rises, falls) * 10000 > oldest * (given).band_hour_basis_points then
    raise exception 'the price % brings the % of the last hour to more than % %% of %: set it with `gold price set --mid` under two people, or widen the band with `gold market set --band`',
      decimal_text((given).mid, 0.0001), case when rises > falls then 'rises' else 'falls' end,
      decimal_text((given).band_hour_basis_points, 0.01), decimal_text(oldest, 0.0001)
      using errcode = 'GR409', detail = 'outside_band';
  end if;
end $$;

-- Whether the band would refuse this mid price now. `gold` warns the person who approves it.
create or replace function gold.is_outside_band(mid bigint, spread_basis_points int) returns boolean
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  given price;
begin
  select p.* into given from price p where p.band_basis_points is not null;
  if found then
    given.mid := is_outside_band.mid;
    given.spread_basis_points := is_outside_band.spread_basis_points;
    given.buy := buy_of(given.mid, given.spread_basis_points);
    given.sell := sell_of(given.mid, given.spread_basis_points);
    given.stored_at := clock_timestamp();
    perform refuse_outside_band(given);
  end if;
  return false;
exception when sqlstate 'GR409' then
  return true;
end $$;

-- As pricesFromMid() of the protocol rounds: the buy price up, the sell price down.
create or replace function gold.buy_of(mid bigint, spread_basis_points int) returns bigint
language sql immutable
return (mid * (20000 + spread_basis_points) + 19999) / 20000;

create or replace function gold.sell_of(mid bigint, spread_basis_points int) returns bigint
language sql immutable
return mid * (20000 - spread_basis_points) / 20000;

-- Whether the applied proposal names this price.
create or replace function gold.is_price_approved(mid bigint) returns boolean
language sql stable set search_path = gold, pg_temp
begin atomic
  select exists (
    select from gold.proposal p where p.state = 'applying' and p.kind = 'price.set' and p.content ->> 'mid' = is_price_approved.mid::text);
end;

-- Both null turns the band off. One person may narrow the band; widening it takes two.
create or replace function gold.set_band(basis_points int, hour_basis_points int) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform lock_price();
  if exists (
    select from price p
    where p.band_basis_points < coalesce(set_band.basis_points, 10001) or p.band_hour_basis_points < coalesce(set_band.hour_basis_points, 10001))
  then
    perform require_approval(jsonb_build_object('band', jsonb_build_object('step_basis_points', set_band.basis_points,
      'hour_basis_points', set_band.hour_basis_points)), 'market.set');
  end if;
  perform store_band(set_band.basis_points, set_band.hour_basis_points);
end $$;

create or replace function gold.store_band(basis_points int, hour_basis_points int) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  update price p set band_basis_points = store_band.basis_points, band_hour_basis_points = store_band.hour_basis_points,
    -- A new band does not compare with the prices before it. A changed band does; otherwise, changing it
    -- again and again would move the price any distance.
    band_from = case when p.band_basis_points is null then p.id else p.band_from end;
  if not found then
    raise exception 'no price has been set yet: set a price before the price band' using errcode = 'GR409';
  end if;
  -- The band is in force for the prices after `price_id`. `swings` tells the audit that the band also bounds
  -- the rises and falls of an hour. The band of 0.5.0 did not.
  perform note('market.band', 'price band', jsonb_build_object('step_basis_points', store_band.basis_points,
    'hour_basis_points', store_band.hour_basis_points, 'price_id', (select p.id from price p), 'swings', true));
end $$;

-- The band of a deployment whose people have not set one: 2 % a step and 5 % an hour. Without two people, it
-- is off.
create or replace function gold.store_first_band() returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  if two_people() and exists (select from price) and not exists (select from audit a where a.action = 'market.band') then
    perform store_band(200, 500);
  end if;
end $$;

-- A deployment of an earlier release gets the band at its migration.
select gold.store_first_band();

-- A band of 0.5.0 is noted again, because it bounds the rises and falls of an hour from now on.
select gold.store_band(p.band_basis_points, p.band_hour_basis_points) from gold.price p
where p.band_basis_points is not null
  and not exists (select from gold.audit a where a.action = 'market.band' and a.detail ? 'swings');
