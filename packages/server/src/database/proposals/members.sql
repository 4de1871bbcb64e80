-- The members that the content of each kind of proposal may have. A member that no function reads would be in
-- the approved text but change nothing, so people would believe that they approved more than they did.

create or replace function gold.proposal_members(kind text) returns text[]
language sql immutable
return case kind
  when 'partner.create' then '{client_id,name,iban,webhook_url,rate_per_second,burst,maximum_grams,ips,secret_hash,webhook_sealed,sealing_key,keys,limits}'
  when 'partner.set' then '{client_id,name,ips,webhook_url,rate_per_second,burst,maximum_grams,limits}'
  when 'partner.iban' then '{client_id,iban}'
  when 'partner.resume' then '{client_id}'
  when 'certificate.issue' then '{client_id,fingerprint,serial,not_before,not_after,authority,key_hash}'
  when 'signing_key.add' then '{client_id,thumbprint,kid,jwk}'
  when 'client_secret.rotate' then '{client_id,hash,overlap_seconds}'
  when 'webhook_secret.rotate' then '{client_id,sealed,sealing_key,overlap_seconds}'
  when 'price.set' then '{source,mid,spread_basis_points,stale_after_seconds,url,hours}'
  when 'market.set' then '{breaker,band,exposure}'
  when 'market.open' then '{}'
  when 'authority.add' then '{first,fingerprint,certificate,revocation_list,revocation_next_at}'
  when 'token_key.rotate' then '{kid,public_jwk,sealed,sealing_key,lead_seconds,overlap_seconds}'
  when 'sealing_key.rotate' then '{sealing_key,secrets}'
  when 'pepper.rotate' then '{pepper}'
  when 'vault.add' then '{serial,refiner,vault,gross,fineness}'
  when 'vault.remove' then '{serial}'
  when 'deposit.record' then '{client_id,amount,bank_reference}'
  when 'deposit.reverse' then '{deposit}'
  when 'payment.submit' then '{batch,prepared_at,document_sha256,payments}'
  when 'withdrawal.return' then '{withdrawal}'
  when 'deployment.settle' then '{environment,public_base_url,loopback_receivers,flood_per_second,webhook_ports,attempts_kept_days}'
  when 'deployment.payout' then '{name,iban,bic}'
  when 'deployment.defaults' then '{rate_per_second,burst,limits}'
  when 'recovery.accept' then '{epoch,losses}'
  when 'operator.add' then '{name,roles}'
  when 'operator.set' then '{name,roles}'
  when 'operator.remove' then '{name}'
  when 'operator_key.add' then '{login,public_key}'
  when 'registry.adopt' then '{rows}'
  when 'approval.adopt' then '{approvals}'
end::text[];

-- The members of an object inside the content.
create or replace function gold.inner_members(name text) returns text[]
language sql immutable
return case name
  when 'limits' then '{open_quotes,open_grams,daily_records,net_grams,daily_withdrawals,daily_withdrawn}'
  when 'breaker' then '{basis_points,seconds}'
  when 'band' then '{step_basis_points,hour_basis_points}'
  when 'hours' then '{always_open,sessions}'
end::text[];

create or replace function gold.refuse_unknown_members(kind text, content jsonb) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  unknown text;
begin
  if proposal_members(kind) is null then
    raise exception 'there is no kind of proposal %', kind using errcode = 'GR409';
  elsif jsonb_typeof(content) is distinct from 'object' then
    raise exception 'the content of a proposal must be an object' using errcode = 'GR409';
  end if;
  select name into unknown from jsonb_object_keys(content) name where name <> all (proposal_members(kind))
  union all
  select m.key || '.' || name from jsonb_each(content) m, jsonb_object_keys(m.value) name
  where jsonb_typeof(m.value) = 'object' and name <> all (inner_members(m.key))
  limit 1;
  if unknown is not null then
    raise exception 'a proposal of the kind % has no member %', kind, unknown using errcode = 'GR409';
  end if;
end $$;

-- Refuses a proposal that changes nothing. In these kinds, every member may be absent or null, and the
-- setting then stays the same. Only a null exposure is a change: it removes the limit.
create or replace function gold.refuse_no_change(kind text, content jsonb) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
#variable_conflict use_variable
begin
  if kind in ('partner.set', 'price.set', 'market.set', 'deployment.defaults') and not exists (
    select from jsonb_each(content) m where m.key <> 'client_id' and m.value <> '{}' and (m.value <> 'null' or m.key = 'exposure'))
  then
    raise exception 'the proposal would change nothing: a proposal of the kind % needs at least one of %', kind,
      array_to_string(array_remove(proposal_members(kind), 'client_id'), ', ') using errcode = 'GR409';
  end if;
end $$;
