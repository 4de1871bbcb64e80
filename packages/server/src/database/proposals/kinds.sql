-- Written by npm run docs from packages/approvals/src/changes.ts. Do not edit.

-- The role that the person who proposes a change and the person who approves it both need.
create or replace function gold.role_of_kind(kind text) returns text
language sql immutable
return case kind
  when 'partner.create' then 'credentials'
  when 'partner.set' then 'credentials'
  when 'partner.iban' then 'treasury'
  when 'partner.resume' then 'credentials'
  when 'certificate.issue' then 'credentials'
  when 'signing_key.add' then 'credentials'
  when 'client_secret.rotate' then 'credentials'
  when 'webhook_secret.rotate' then 'credentials'
  when 'endpoint.add' then 'credentials'
  when 'endpoint.set' then 'credentials'
  when 'endpoint.remove' then 'credentials'
  when 'price.set' then 'pricing'
  when 'market.set' then 'pricing'
  when 'market.open' then 'pricing'
  when 'authority.add' then 'keys'
  when 'token_key.rotate' then 'keys'
  when 'sealing_key.rotate' then 'keys'
  when 'pepper.rotate' then 'keys'
  when 'vault.add' then 'treasury'
  when 'vault.remove' then 'treasury'
  when 'deposit.record' then 'treasury'
  when 'deposit.reverse' then 'treasury'
  when 'payment.submit' then 'treasury'
  when 'withdrawal.return' then 'treasury'
  when 'day.sign' then 'treasury'
  when 'deployment.settle' then 'keys'
  when 'deployment.payout' then 'treasury'
  when 'deployment.defaults' then 'credentials'
  when 'recovery.accept' then 'keys'
  when 'operator.add' then 'keys'
  when 'operator.set' then 'keys'
  when 'operator.remove' then 'keys'
  when 'operator_key.add' then 'keys'
  when 'registry.adopt' then 'keys'
  when 'approval.adopt' then 'keys'
end;

-- The members that the content of each kind of proposal may have. A member that no function reads would be in
-- the approved text but change nothing, so people would believe that they approved more than they did.
create or replace function gold.proposal_members(kind text) returns text[]
language sql immutable
return case kind
  when 'partner.create' then '{client_id,name,iban,webhook_url,rate_per_second,burst,maximum_grams,ips,
    secret_hash,webhook_sealed,sealing_key,keys,limits}'
  when 'partner.set' then '{client_id,name,ips,webhook_url,rate_per_second,burst,maximum_grams,limits,
    request}'
  when 'partner.iban' then '{client_id,iban}'
  when 'partner.resume' then '{client_id}'
  when 'certificate.issue' then '{client_id,fingerprint,serial,not_before,not_after,authority,key_hash,request}'
  when 'signing_key.add' then '{client_id,thumbprint,kid,jwk,request}'
  when 'client_secret.rotate' then '{client_id,hash,overlap_seconds,seen}'
  when 'webhook_secret.rotate' then '{client_id,sealed,sealing_key,overlap_seconds,seen,endpoint}'
  when 'endpoint.add' then '{client_id,url,types,sealed,sealing_key,request}'
  when 'endpoint.set' then '{client_id,endpoint,url,types}'
  when 'endpoint.remove' then '{client_id,endpoint}'
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
  when 'day.sign' then '{day,document}'
  when 'deployment.settle' then '{environment,public_base_url,loopback_receivers,flood_per_second,webhook_ports,
    attempts_kept_days}'
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

-- The functions that make the changes, by the role that may call them (privileges.sql).
create or replace function gold.functions_of_changes() returns table (role text, functions text)
language sql immutable
begin atomic
  values
    ('credentials', 'create_partner limit_partner set_partner resume_partner add_certificate
      add_signing_key rotate_client_secret rotate_webhook_secret add_endpoint
      set_endpoint remove_endpoint'),
    ('treasury', 'ask_iban add_bar remove_bar record_deposit reverse_deposit submit_payment
      return_withdrawal sign_day set_payout_account'),
    ('pricing', 'lock_price set_price set_market_hours set_breaker set_band set_exposure
      open_market'),
    ('keys', 'add_authority rotate_token_key reseal rotate_pepper accept_losses
      add_operator_key adopt_registry adopt_approvals');
end;

-- Whether every member may be absent or null, and the setting then stays the same.
create or replace function gold.is_partial(kind text) returns boolean
language sql immutable
return kind in ('partner.set', 'price.set', 'market.set', 'deployment.defaults');

-- Whether only the migration login may make the change without a proposal.
create or replace function gold.is_owners(kind text) returns boolean
language sql immutable
return kind in ('deployment.settle', 'deployment.defaults', 'operator.add', 'operator.set',
  'operator.remove');

-- The name of what a proposal replaces. Null if its change only adds something, or if the change states the
-- value before it.
create or replace function gold.replaced_by(kind text, content jsonb) returns text
language sql immutable
return case kind
  when 'partner.set' then kind || ' ' || (content ->> 'client_id')
  when 'partner.iban' then kind || ' ' || (content ->> 'client_id')
  when 'endpoint.set' then kind || ' ' || (content ->> 'client_id')
  when 'price.set' then kind
  when 'market.set' then kind
  when 'market.open' then kind
  when 'deployment.settle' then kind
  when 'deployment.payout' then kind
  when 'deployment.defaults' then kind
end;

-- The kinds whose approvals name rows, by what uses these rows only if two people signed for them.
create or replace function gold.kinds_signing(reader text) returns text[]
language sql immutable
return case reader
  when 'registry' then '{partner.create,partner.set,certificate.issue,signing_key.add,
    client_secret.rotate,registry.adopt}'
  when 'payees' then '{partner.create,partner.set,partner.iban,deployment.payout,registry.adopt}'
  when 'trust' then '{partner.create,partner.set,authority.add,registry.adopt}'
end::text[];

-- How long a proposal may wait for its approval at most. Null: the kind has no limit of its own.
create or replace function gold.longest_life(kind text, content jsonb) returns interval
language sql immutable
return case kind
  when 'price.set' then case when content ? 'source' then interval '15 minutes' end
end;
