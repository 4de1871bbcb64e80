-- Each find function returns one record by its uuid, or null if this client has no such record.

-- A quote has expired if the clock has reached `expires_at`, or if the instant of the account's next record
-- (account_instant) is later than `expires_at`. book_orders uses the same rule. find_quote reports a quote as
-- expired only after it has locked the account and checked again, because an in-flight order may still
-- execute the quote.
create or replace function gold.find_quote(client int, id uuid) returns text
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  given quote;
  holder account;
  clock timestamptz;
begin
  select q.* into given from quote q
  where q.bucket = find_quote.client % 64 and q.client_id = find_quote.client and q.id = find_quote.id;
  if given.id is null then
    return null;
  end if;
  select a.* into holder from account a where a.bucket = find_quote.client % 64 and a.client_id = find_quote.client;
  for round in 1..2 loop
    if exists (select from orders o where o.bucket = given.bucket and o.client_id = given.client_id and o.id = given.id) then
      return quote_text(given, 'executed');
    end if;
    clock := clock_timestamp();
    if given.expires_at > clock and given.expires_at >= account_instant(holder, ceil_millisecond(clock))
      and holder.simulations->'expired_quotes'->given.id::text is null then
      return quote_text(given, 'open');
    end if;
    holder := settled_account(given.client_id);
  end loop;
  -- A simulation may have ended the quote before `expires_at`.
  given.expires_at := least(given.expires_at, (holder.simulations->'expired_quotes'->>given.id::text)::timestamptz);
  return quote_text(given, 'expired');
end $$;

create or replace function gold.find_order(client int, id uuid) returns text
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
begin
  return (select order_text(o) from orders o where o.bucket = client % 64 and o.client_id = client and o.id = find_order.id);
end $$;

create or replace function gold.find_withdrawal(client int, id uuid) returns text
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
begin
  return (select withdrawal_text(w, null) from withdrawal w
    where w.bucket = client % 64 and w.client_id = client and w.id = find_withdrawal.id);
end $$;

create or replace function gold.find_funding(client int, id uuid) returns text
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
begin
  return (select funding_text(f, null) from funding f
    where f.bucket = client % 64 and f.client_id = client and f.id = find_funding.id);
end $$;
