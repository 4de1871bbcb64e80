-- The operator's price, and the tick of a price source. Two services that tick at once: the later one finds the
-- price newer than the one it started from, and its tick is dropped.

create or replace function gold.set_price(source text, mid bigint, buy bigint, sell bigint, spread_basis_points int, stale_after_seconds int) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  insert into price (source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of)
  values (set_price.source, set_price.mid, set_price.buy, set_price.sell, set_price.spread_basis_points, set_price.stale_after_seconds, clock_timestamp())
  on conflict (one) do update set source = excluded.source, mid = excluded.mid, buy = excluded.buy, sell = excluded.sell,
    spread_basis_points = excluded.spread_basis_points, stale_after_seconds = excluded.stale_after_seconds, as_of = excluded.as_of;
  perform note('price.set', set_price.source, jsonb_build_object('mid', set_price.mid, 'buy', set_price.buy, 'sell', set_price.sell));
end $$;

create or replace function gold.tick_price(known_as_of timestamptz, mid bigint, buy bigint, sell bigint) returns boolean
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  with ticked as (
    update gold.price p set mid = tick_price.mid, buy = tick_price.buy, sell = tick_price.sell, as_of = clock_timestamp()
    where p.as_of = tick_price.known_as_of and p.source <> 'fixed'
    returning 1
  )
  select exists (select from ticked);
end;
