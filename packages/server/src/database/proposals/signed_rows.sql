-- Reads for the programs that use a row only if two people signed for it. The programs verify the signatures
-- themselves, because Postgres cannot.

-- The approvals of these kinds, of operators' keys and of the list of version 1, in the order in which they
-- were made. The kind `version 1` stands for every approval whose text names no deployment.
create or replace function gold.approvals_of(variadic kinds text[]) returns jsonb
language sql stable set search_path = gold, pg_temp
return jsonb_build_object(
  'deployment', (select d.id from gold.deployment d),
  'ends', coalesce((
    select jsonb_object_agg(k.fingerprint, gold.instant_text(k.ended_at)) from gold.operator_key k where k.ended_at is not null), '{}'),
  'approvals', coalesce((
    select jsonb_agg(jsonb_build_object('deployment', p.deployment, 'id', p.id, 'kind', p.kind,
      'proposer', p.proposer, 'proposedAt', gold.instant_text(p.proposed_at), 'expiresAt', gold.instant_text(p.expires_at), 'content', p.content, 'approver', p.decided_by,
      'approvedAt', gold.instant_text(p.decided_at), 'proposerSignature', p.proposer_signature,
      'approverSignature', p.approver_signature) order by p.decided_at, p.id)
    from gold.proposal p
    where p.state = 'approved' and p.approver_signature is not null and (p.kind = any (kinds)
      or p.kind in ('operator_key.add', 'approval.adopt')
      or (p.deployment is null and 'version 1' = any (kinds)))), '[]'));

-- The approvals of all rows that read_rows() returns, for `gold registry adopt`.
create or replace function gold.read_approvals() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
return gold.approvals_of(variadic
  gold.kinds_signing('registry') || gold.kinds_signing('payees') || gold.kinds_signing('trust'));

-- The approvals that the service's registry needs, for certificates, signing keys, client secrets and
-- addresses.
create or replace function gold.read_registry_approvals() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
return gold.approvals_of(variadic gold.kinds_signing('registry'));

-- The approvals that `gold withdrawal approve` and `submit` need, for names, IBANs and the account that pays.
create or replace function gold.read_payee_approvals() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
return gold.approvals_of(variadic gold.kinds_signing('payees'));

-- The approvals that `gold proposal adopt` lists.
create or replace function gold.read_first_approvals() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
return gold.approvals_of('version 1');

-- The approvals of operators' keys only, with which `gold` verifies the proposer's signature.
create or replace function gold.read_key_approvals() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
return gold.approvals_of(variadic '{}');

-- The approvals that the trust sync needs, for authorities and partners' addresses.
create or replace function gold.read_trust_approvals() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
return gold.approvals_of(variadic gold.kinds_signing('trust'));

-- The rows for which two people must have signed, for `gold registry adopt`. `payees` are the names and IBANs
-- that `gold withdrawal submit` pays. `payer` is the account that pays.
create or replace function gold.read_rows() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
return (
  select jsonb_build_object('partners', r.document -> 'partners', 'authorities', coalesce((
    select jsonb_agg(a.certificate order by a.created_at) from gold.authority a where a.retired_at is null), '[]'),
    'payees', coalesce((
    select jsonb_agg(jsonb_build_object('client_id', p.public_id, 'name', p.name, 'iban', p.iban) order by p.id) from gold.partner p), '[]'),
    'payer', (
    select jsonb_build_object('name', d.payout_name, 'iban', d.payout_iban, 'bic', d.payout_bic) from gold.deployment d where d.payout_iban is not null))
  from gold.read_registry(null) r);

-- Two people sign for rows that exist already: those from before the first operator key. `rows` is a list of
-- pairs of texts, the row's name and its content. Programs read the pairs from the approved proposal; this
-- function stores only a hash of them in the audit trail.
create or replace function gold.adopt_registry(rows jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
begin
  perform require_approval(jsonb_build_object('rows', rows), 'registry.adopt');
  if jsonb_typeof(rows) is distinct from 'array' or rows = '[]' or exists (
    select from jsonb_array_elements(rows) pair
    where jsonb_typeof(pair) <> 'array' or jsonb_array_length(pair) <> 2
      or jsonb_typeof(pair -> 0) <> 'string' or jsonb_typeof(pair -> 1) <> 'string')
  then
    raise exception 'the adopted rows must be a list of pairs of texts' using errcode = 'GR409';
  end if;
  perform note('registry.adopt', 'registry', jsonb_build_object('adopted', jsonb_array_length(rows),
    'rows_sha256', hash_text(convert_to(canonical_json(rows), 'UTF8'))));
  perform registry_changed();
end $$;

-- Two people sign for the approvals of version 1, whose texts name no deployment. `approvals` is a list of
-- pairs, the proposal's id and the hash of its text. Programs read the pairs from the approved proposal.
create or replace function gold.adopt_approvals(approvals jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
begin
  perform require_approval(jsonb_build_object('approvals', approvals), 'approval.adopt');
  if jsonb_typeof(approvals) is distinct from 'array' or approvals = '[]' or exists (
    select from jsonb_array_elements(approvals) pair
    left join proposal p on p.id::text = pair ->> 0 and p.state = 'approved' and p.deployment is null
    where jsonb_array_length(pair) <> 2 or proposal_sha256(p) is distinct from pair ->> 1)
  then
    raise exception 'the adopted approvals must be a list of pairs: the id of an approved proposal of version 1, and the hash of its text'
      using errcode = 'GR409';
  end if;
  perform note('approval.adopt', 'approvals', jsonb_build_object('adopted', jsonb_array_length(approvals),
    'approvals_sha256', hash_text(convert_to(canonical_json(approvals), 'UTF8'))));
  perform registry_changed();
end $$;
