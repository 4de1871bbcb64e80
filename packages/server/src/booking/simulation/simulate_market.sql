-- Simulations that a booking reads from its account's row. book_quotes, book_orders and find_quote call these
-- functions only for an account that has simulations. Production has no such account and none of these
-- functions.

-- Returns the armed simulation of this name, or null if none is armed or it has ended.
create or replace function gold.armed(simulations jsonb, name text, clock timestamptz) returns jsonb
language sql stable parallel safe
return case when (simulations->name->>'until')::timestamptz > clock then simulations->name end;

-- Changes the price and the market for one partner's quote. A changed price is rounded as the price itself:
-- up for a buy, down for a sell.
create or replace function gold.simulated_market(
  holder gold.account, side gold.side, clock timestamptz, inout unit_price bigint, inout shut boolean, inout unpriced boolean
)
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  state text := armed(holder.simulations, 'market', clock)->>'state';
  percent int := armed(holder.simulations, 'prices', clock)->>'percent';
begin
  shut := shut or state is not distinct from 'closed';
  unpriced := unpriced or state is not distinct from 'price_stale';
  if percent is not null then
    unit_price := case side when 'buy' then (unit_price * (100 + percent) + 99) / 100 else greatest(unit_price * (100 + percent) / 100, 1) end;
  end if;
end $$;

-- Changes when an order's quote ends, and whether the vault is short of gold for this partner.
create or replace function gold.simulated_order(
  holder gold.account, quote uuid, clock timestamptz, inout expires_at timestamptz, out is_short boolean
)
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  expires_at := least(expires_at, (holder.simulations->'expired_quotes'->>quote::text)::timestamptz);
  is_short := armed(holder.simulations, 'market', clock)->>'state' is not distinct from 'vault_short';
end $$;

-- The current price as the partner's next quote would use it, for GET /v1/prices.
create or replace function gold.read_simulated_price(client int)
returns table (buy bigint, sell bigint, as_of timestamptz, stale boolean, market_open boolean)
language sql stable security definer set search_path = gold, pg_temp as $$
  select b.unit_price, s.unit_price, case when p.source = 'fixed' then c.clock else p.as_of end, b.unpriced, not b.shut
  from price p
  cross join (select clock_timestamp() as clock) c
  join account a on a.bucket = client % 64 and a.client_id = client
  cross join simulated_market(a, 'buy', c.clock, p.buy, not market_open(c.clock), is_stale(p, c.clock)) b
  cross join simulated_market(a, 'sell', c.clock, p.sell, not market_open(c.clock), is_stale(p, c.clock)) s
$$;

-- Ends a firm quote now. A quote's row never changes. So the account's row stores the instant at which the
-- quote ended, and keeps it until the quote would have expired without the simulation.
create or replace function gold.simulate_quote_expiry(
  holder gold.account, parameters jsonb, clock timestamptz, out refusal text, out detail text, out body text
)
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  given quote;
  ended jsonb;
begin
  select q.* into given from quote q
  where q.bucket = holder.bucket and q.client_id = holder.client_id and q.id = (parameters->>'id')::uuid;
  if given.id is null then
    refusal := 'not_found';
    detail := 'No quote of yours has this quote_id.';
    return;
  elsif exists (select from orders o where o.bucket = given.bucket and o.client_id = given.client_id and o.id = given.id) then
    refusal := 'quote_already_executed';
    detail := 'The quote was executed as ord_' || given.id || '.';
    return;
  end if;
  ended := holder.simulations->'expired_quotes';
  if given.expires_at > clock then
    -- A quote that has already ended keeps the instant at which it ended.
    select jsonb_build_object(given.id, instant_text(clock)) || coalesce(jsonb_object_agg(e.key, e.value), '{}') into ended
    from jsonb_each(ended) e where (e.value#>>'{}')::timestamptz > clock - (given.expires_at - given.created_at);
    update account a set simulations = coalesce(a.simulations, '{}') || jsonb_build_object('expired_quotes', ended)
    where a.bucket = holder.bucket and a.client_id = holder.client_id;
  end if;
  given.expires_at := least(given.expires_at, (ended->>given.id::text)::timestamptz);
  body := quote_text(given, 'expired');
end $$;
