-- Spends a nonce by itself, for a signed request that books nothing.

create or replace function gold.spend_nonce(client int, admission bigint, nonce uuid) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
  version bigint;
begin
  perform require_read_committed();
  select a.admission_version into strict version from account a
  where a.bucket = spend_nonce.client % 64 and a.client_id = spend_nonce.client for no key update;
  if version <> spend_nonce.admission then
    return row(1, 'admission_changed', null, null)::outcome;
  end if;
  insert into nonce (bucket, client_id, nonce) values (spend_nonce.client % 64, spend_nonce.client, spend_nonce.nonce)
  on conflict do nothing;
  return row(1, case when found then 'answered' else 'nonce_reused' end, null, null)::outcome;
end $$;
