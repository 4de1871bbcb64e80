-- What an operator does with a partner's request for a change. One person may take it up or decline it, because this
-- changes no credential: `gold change take` first makes or proposes the usual change
-- (packages/approvals/src/changes.ts).

create or replace function gold.hold_change(id uuid) returns gold.change_request
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  held change_request;
begin
  perform require_read_committed();
  select c.* into held from change_request c where c.id = hold_change.id for no key update;
  if held.id is null then
    raise exception 'there is no request chg_%', hold_change.id using errcode = 'GR404';
  elsif (change_request_state(held)).status <> 'requested' then
    raise exception 'the request is % already%', (change_request_state(held)).status,
      case when held.declined_at is null and held.proposal is not null then ', with the proposal ' || held.proposal
        else '' end
      using errcode = 'GR409';
  end if;
  return held;
end $$;

-- Whether a proposal's content has what the request asks for. The URL of an endpoint is not compared, because the
-- proposal has its normal form, nor the key of a certificate, because `gold` read it from the request.
create or replace function gold.answers_request(asked jsonb, content jsonb) returns boolean
language sql immutable
return case
  when asked ? 'signing_key' then content -> 'jwk' @> (asked -> 'signing_key') - 'kid'
  when asked ? 'ip_range' then exists (
    select from jsonb_array_elements_text(content -> 'ips') i where i::inet = (asked ->> 'ip_range')::inet)
  when asked ? 'webhook_endpoint' then
    (content ->> 'types')::jsonb is not distinct from (asked -> 'webhook_endpoint' ->> 'types')::jsonb
  else true
end;

-- Notes which proposal answers the request. With a single operator, the change was made without a proposal.
-- `certificate` is the certificate that was issued for a certificate request.
create or replace function gold.take_change(id uuid, proposal uuid, certificate text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  held change_request := hold_change(id);
  at timestamptz := ceil_millisecond(clock_timestamp());
  given proposal;
begin
  select p.* into given from proposal p where p.id = proposal;
  if proposal is null then
    if two_people() then
      raise exception 'name the proposal that answers the request' using errcode = 'GR409';
    end if;
  elsif given.state is distinct from 'pending' or given.proposer <> session_user
    or given.content ->> 'client_id' <> public_of(held.client_id)
    or given.kind <> (case held.kind
      when 'signing_key' then 'signing_key.add' when 'certificate_request' then 'certificate.issue'
      when 'ip_range' then 'partner.set' else 'endpoint.add' end)
    or answers_request(held.content::jsonb, given.content) is not true
  then
    raise exception 'the proposal % does not answer the request, or is not yours', proposal using errcode = 'GR409';
  end if;
  if (held.kind = 'certificate_request') <> (certificate is not null)
    or certificate is not null and pem_sha256(certificate) is distinct from coalesce(given.content ->> 'fingerprint', (
      select c.fingerprint from certificate c
      where c.fingerprint = pem_sha256(certificate) and c.partner_id = held.client_id))
  then
    raise exception 'give the certificate that was issued for the request, and only for a certificate request'
      using errcode = 'GR409';
  end if;
  update change_request c set taken_by = session_user, taken_at = at, proposal = proposal, certificate = certificate
  where c.bucket = held.bucket and c.client_id = held.client_id and c.id = id;
  perform note('change.take', public_of(held.client_id), jsonb_strip_nulls(jsonb_build_object(
    'change', id, 'kind', held.kind, 'taken_at', instant_text(at), 'taken_as', proposal,
    'certificate_sha256', hash_text(convert_to(certificate, 'UTF8')))));
end $$;

create or replace function gold.decline_change(id uuid, reason text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  held change_request := hold_change(id);
  at timestamptz := ceil_millisecond(clock_timestamp());
begin
  if reason is null or char_length(reason) not between 1 and 500 then
    raise exception 'the reason must have 1 to 500 characters' using errcode = 'GR409';
  end if;
  update change_request c set declined_by = session_user, declined_at = at, reason = reason
  where c.bucket = held.bucket and c.client_id = held.client_id and c.id = id;
  perform note('change.decline', public_of(held.client_id), jsonb_build_object('change', id, 'kind', held.kind,
    'declined_at', instant_text(at), 'reason', reason));
end $$;
