-- Spends 1 to 128 nonces of signed requests that book nothing, and says of each, in order, what came of it. A batch gives
-- what its items give one by one.
--
-- The accounts are locked first, as everywhere: what is spent was admitted under the version that stands now. Then the primary
-- key decides. Settings as in book_orders.

create or replace function gold.spend_nonces(wait boolean, clients int[], admissions bigint[], nonces uuid[]) returns text[]
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  locked int[];
  versions bigint[];
  spenders int[];
  spent uuid[];
begin
  perform require_read_committed();

  if wait then
    select array_agg(a.client_id), array_agg(a.admission_version) into locked, versions
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a
    ) a;
  else
    select array_agg(a.client_id), array_agg(a.admission_version) into locked, versions
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a skip locked
    ) a;
  end if;

  with fresh as (
    insert into nonce (bucket, client_id, nonce)
    select i.client % 64, i.client, i.nonce
    from unnest(clients, admissions, nonces) i (client, admission, nonce)
    where versions[array_position(locked, i.client)] = i.admission
    on conflict do nothing
    returning client_id, nonce
  )
  select array_agg(f.client_id), array_agg(f.nonce) into spenders, spent from fresh f;
  -- Under load all are fresh, and looking for each costs a fifth of the whole.
  if cardinality(spent) = cardinality(nonces) then
    return array_fill('answered'::text, array[cardinality(nonces)]);
  end if;

  return (
    select array_agg(case
      when asked.version is null then 'busy'
      when asked.version <> asked.admission then 'admission_changed'
      when asked.turn = 1 and (asked.client, asked.nonce) in (select * from unnest(spenders, spent)) then 'answered'
      else 'nonce_reused'
    end order by asked.n)
    from (
      -- Of those that name the same nonce under the right admission, the first has spent it.
      select i.*, v.version, row_number() over (partition by i.client, i.nonce, v.version = i.admission order by i.n) as turn
      from unnest(clients, admissions, nonces) with ordinality i (client, admission, nonce, n)
      cross join lateral (select versions[array_position(locked, i.client)] as version) v
    ) asked
  );
end $$;
