-- Spends 1 to 128 nonces of signed requests that book nothing; book_orders and take_turn spend those of orders and
-- withdrawals. Returns one answer for each nonce, in order. A batch gives the same answers as its items one by
-- one. A nonce belongs to the request that is stored with it. A retry of that request after a lost connection is
-- answered again, even if its admission has changed since. Any other request gets `nonce_reused`. If the partner's
-- daily budget is spent, the answer is the refusal's body, and the nonce is not spent.
--
-- The accounts are locked first, so that a nonce is spent only if its request was admitted
-- under the current admission version. Then the primary key decides whether the nonce is unspent. The
-- settings are explained in book_orders.

create or replace function gold.spend_nonces(
  wait boolean, clients int[], admissions bigint[], nonces uuid[], requests uuid[]
) returns text[]
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  locked int[];
  versions bigint[];
  spent bigint;
  item record;
  limited outcome;
  refusals text[] := '{}';
  taken text[] := '{}';
begin
  select l.locked, array(select a.admission_version from unnest(l.accounts) a) into locked, versions
  from lock_accounts(clients, wait) l;

  -- Count each nonce that is not spent yet as one record of its partner's daily limit.
  for item in
    select i.n::int as n, i.client, i.request, i.client || ' ' || i.nonce as name
    from unnest(clients, admissions, nonces, requests) with ordinality i (client, admission, nonce, request, n)
    where exists (
        select from allowance l where l.bucket = i.client % 64 and l.client_id = i.client and l.maximum_daily_records is not null offset 0
      )
      and versions[array_position(locked, i.client)] = i.admission
      and not exists (select from nonce s where s.bucket = i.client % 64 and s.client_id = i.client and s.nonce = i.nonce offset 0)
    order by i.n
  loop
    continue when item.name = any (taken);
    limited := take_record(item.n, item.client, clock_timestamp(), item.request, false);
    if limited.outcome is null then
      taken := taken || item.name;
    else
      refusals[item.n] := limited.body;
    end if;
  end loop;

  with fresh as (
    insert into nonce (bucket, client_id, nonce, request_id)
    select i.client % 64, i.client, i.nonce, i.request
    from unnest(clients, admissions, nonces, requests) with ordinality i (client, admission, nonce, request, n)
    where versions[array_position(locked, i.client)] = i.admission and refusals[i.n] is null
    on conflict do nothing
    returning 1
  )
  select count(*) into spent from fresh;
  -- Skip the look-up if all nonces are fresh, which is usual under load. Looking each one up would cost a
  -- fifth of the whole call.
  if spent = cardinality(nonces) then
    return array_fill('answered'::text, array[cardinality(nonces)]);
  end if;

  return (
    select array_agg(case
      when array_position(locked, i.client) is null then 'busy'
      when refusals[i.n] is not null then refusals[i.n]
      when s.request_id = i.request then 'answered'
      when versions[array_position(locked, i.client)] <> i.admission then 'admission_changed'
      else 'nonce_reused'
    end order by i.n)
    from unnest(clients, admissions, nonces, requests) with ordinality i (client, admission, nonce, request, n)
    left join lateral (
      select n.request_id from nonce n where n.bucket = i.client % 64 and n.client_id = i.client and n.nonce = i.nonce offset 0
    ) s on true
  );
end $$;
