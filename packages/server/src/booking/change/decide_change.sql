-- An operator declines a partner's request for a change, or takes it up: makes or proposes a change of the usual kind
-- (packages/approvals/src/changes.ts) that names the request and equals the whole request. Lock order: the proposal,
-- the request, then the rows that the change locks.

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

-- Refuses a change that names a request but differs from it. The change must have every member of `wanted` and no
-- other, except those that the operator adds: the validity of the certificate, the secret of the endpoint. The ranges
-- of the change must be the partner's present ranges and the requested one. The account's lock keeps the present ones
-- until the change is made.
create or replace function gold.require_answer(kind text, content jsonb) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  asked change_request;
  wanted jsonb;
begin
  if not content ? 'request' then
    return;
  end if;
  select c.* into asked from change_request c where c.id = request_of(content);
  wanted := asked.wanted;
  if wanted ? 'range' then
    perform begin_change(asked.client_id);
  end if;
  if asked.id is null then
    raise exception 'there is no request %', content ->> 'request' using errcode = 'GR404';
  elsif wanted is null then
    raise exception 'the request % is from before an upgrade, and stores nothing that a change is compared with: decline it, and let the partner request it again',
      content ->> 'request' using errcode = 'GR409';
  elsif kind is distinct from answering_kind(asked.kind) or content ->> 'client_id' is distinct from public_of(asked.client_id)
    or content - array['client_id', 'request', 'ips', 'fingerprint', 'serial', 'not_before', 'not_after', 'authority',
      'sealed', 'sealing_key'] is distinct from wanted - 'range'
    or wanted ? 'range' and array(select distinct i::cidr as r from unnest(texts_of(content -> 'ips')) i order by r) is distinct from array(
      select i.range as r from allowed_ip i where i.partner_id = asked.client_id union select (wanted ->> 'range')::cidr order by r)
  then
    raise exception 'the change is not what the partner asked for with %: take the request up with `gold change take`',
      content ->> 'request' using errcode = 'GR409';
  end if;
end $$;

create or replace function gold.request_of(content jsonb) returns uuid
language sql immutable
return substring(content ->> 'request' from '^chg_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$')::uuid;

create or replace function gold.answering_kind(kind text) returns text
language sql immutable
return case kind
  when 'signing_key' then 'signing_key.add' when 'certificate_request' then 'certificate.issue'
  when 'ip_range' then 'partner.set' when 'webhook_endpoint' then 'endpoint.add' end;

-- Refuses to approve a proposal unless it and its request name each other. Otherwise the partner would read `approved`
-- for a change that was not compared with its request. Locks the request, so that nobody declines it meanwhile.
create or replace function gold.refuse_unlinked(given gold.proposal) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  asked change_request;
begin
  select c.* into asked from change_request c
  where c.proposal = (given).id or c.id = request_of((given).content) for no key update;
  if (given).content ? 'request' and asked.proposal is distinct from (given).id then
    raise exception 'the request % was not taken up with this proposal: reject it, and take the request up with `gold change take`',
      (given).content ->> 'request' using errcode = 'GR409';
  elsif asked.id is distinct from request_of((given).content) or asked.declined_at is not null then
    raise exception 'an earlier version made the proposal for the request chg_%, which the proposal does not name: reject it, and decline the request',
      asked.id using errcode = 'GR409';
  end if;
end $$;

-- With a single operator: makes the change that answers a request, and marks the request as taken up. `certificate` is
-- the certificate (PEM) that was issued for a certificate request. Returns what change_alone() returns.
create or replace function gold.take_change_alone(id uuid, content jsonb, certificate text) returns jsonb
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  held change_request := hold_change(take_change_alone.id);
  noted jsonb := change_alone(answering_kind(held.kind), take_change_alone.content);
begin
  perform mark_taken(held, take_change_alone.content, null, take_change_alone.certificate);
  return noted;
end $$;

-- Proposes the change that answers a request, as propose() does, and stores the proposal's id with the request.
create or replace function gold.propose_change(
  request uuid, content jsonb, certificate text, secrets bytea, sealing_key text, lifetime interval,
  out id uuid, out sha256 text, out expires_at timestamptz
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  held change_request := hold_change(request);
begin
  select p.id, p.sha256, p.expires_at into id, sha256, expires_at
  from propose(answering_kind(held.kind), content, secrets, sealing_key, lifetime) p;
  perform mark_taken(held, content, id, certificate);
end $$;

create or replace function gold.mark_taken(held gold.change_request, content jsonb, proposal uuid, certificate text) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  at timestamptz := ceil_millisecond(clock_timestamp());
begin
  if request_of(content) is distinct from (held).id then
    raise exception 'the change must name the request chg_%', (held).id using errcode = 'GR409';
  elsif ((held).kind = 'certificate_request') <> (certificate is not null)
    or pem_sha256(certificate) is distinct from content ->> 'fingerprint'
  then
    raise exception 'give the certificate that was issued for the request, and only for a certificate request'
      using errcode = 'GR409';
  end if;
  update change_request c set taken_by = session_user, taken_at = at, proposal = proposal, certificate = certificate
  where c.bucket = (held).bucket and c.client_id = (held).client_id and c.id = (held).id;
  perform note('change.take', public_of((held).client_id), jsonb_strip_nulls(jsonb_build_object(
    'change', (held).id, 'kind', (held).kind, 'taken_at', instant_text(at), 'taken_as', proposal,
    'certificate_sha256', hash_text(convert_to(certificate, 'UTF8')),
    'wanted_sha256', hash_text(convert_to((held).wanted, 'UTF8')))));
end $$;

-- Always fails. An earlier `gold` calls this after it has proposed or made a change, which may differ from the request.
create or replace function gold.take_change(id uuid, proposal uuid, certificate text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  raise exception 'this version of gold cannot take up a request: replace it' using errcode = 'GR409';
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
