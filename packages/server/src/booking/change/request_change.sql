-- Changes of a partner's registration that the partner requests. A request changes nothing: it waits until an operator
-- takes it up (decide_change.sql). It has no event and no line in the hash chain.

-- The status follows from the proposal with which an operator took up the request. With a single operator, there is no
-- proposal. If the proposal was rejected or has expired, the request waits again. So does a request without `wanted`,
-- because refuse_unlinked() refuses every proposal that an earlier version made for it.
create or replace function gold.change_request_state(
  given gold.change_request, out status text, out decided_at timestamptz
)
language sql stable security definer set search_path = gold, pg_temp as $$
  select case when given.declined_at is not null then 'declined' when given.taken_at is null then 'requested'
      when given.proposal is null or p.state = 'approved' then 'approved'
      when p.state = 'pending' and p.expires_at > clock_timestamp() and given.wanted is not null then 'proposed'
      else 'requested' end,
    coalesce(given.declined_at, case
      when given.proposal is null then given.taken_at when p.state = 'approved' then p.decided_at end)
  from (values (given.proposal)) g (id) left join proposal p on p.id = g.id
$$;

-- The SHA-256 of a certificate in PEM; null if the text is something else.
create or replace function gold.pem_sha256(certificate text) returns text
language sql immutable
return encode(sha256(decode(replace(substring(
    certificate from '^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n?$'),
  E'\n', ''), 'base64')), 'hex');

-- The request as the partner may see it. The certificate is shown only while the service accepts it.
create or replace function gold.change_request_text(given gold.change_request) returns text
language sql stable set search_path = gold, pg_temp as $$
  select '{"change_id":"chg_' || given.id || '","kind":"' || given.kind || '","status":"' || s.status
    || '","requested_at":"' || instant_text(given.requested_at)
    || '","decided_at":' || coalesce('"' || instant_text(s.decided_at) || '"', 'null')
    || ',"reason":' || coalesce(to_json(given.reason)::text, 'null')
    || ',"certificate":' || coalesce((
      select to_json(given.certificate)::text from certificate c
      where c.fingerprint = pem_sha256(given.certificate) and c.partner_id = given.client_id
        and c.revoked_at is null and c.not_after > clock_timestamp()), 'null')
    || ',' || substr(given.content, 2)
  from change_request_state(given) s
$$;

-- Stores a request. The account's lock makes the count of open requests exact. A request beyond the maximum stores
-- nothing, neither its nonce nor its key. Processes of an earlier version do not pass `wanted`.
create or replace function gold.request_change(
  settle boolean, client int, admission bigint, nonce uuid, key text, fingerprint bytea, id uuid, kind text,
  content text, maximum int, request uuid, signed_request bytea, thumbprint bytea, wanted text default null
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_variable
declare
  turn record;
  holder account;
  made change_request;
  opened text[];
begin
  if nonce is null then
    raise exception 'the nonce of a request for a change must not be null' using errcode = 'null_value_not_allowed';
  end if;
  select * into turn from take_turn(settle, client, admission, nonce, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  holder := turn.holder;
  opened := array(
    select 'chg_' || c.id from change_request c cross join lateral change_request_state(c) s
    where c.bucket = holder.bucket and c.client_id = client and s.status in ('requested', 'proposed') order by c.id);
  if cardinality(opened) >= maximum then
    return row(1, 'answered', 409, problem_text('open_changes_exceeded',
      'You have ' || cardinality(opened) || ' of at most ' || maximum || ' open changes: '
      || array_to_string(opened, ', ') || '.', request))::outcome;
  end if;
  perform spend_nonce(holder, nonce, request);
  insert into change_request (bucket, client_id, id, kind, content, requested_at, wanted)
  values (holder.bucket, client, id, kind, content, account_instant(holder, ceil_millisecond(turn.clock)), wanted)
  returning * into made;
  return bind_answer(holder, key, fingerprint, request, 'change', id, made.requested_at, 201, change_request_text(made),
    signed_request, thumbprint);
end $$;

create or replace function gold.find_change(client int, id uuid) returns text
language sql stable security definer set search_path = gold, pg_temp as $$
  select change_request_text(c) from change_request c
  where c.bucket = find_change.client % 64 and c.client_id = find_change.client and c.id = find_change.id
$$;

-- The newest 50 requests, newest first.
create or replace function gold.list_changes(client int) returns text
language sql stable security definer set search_path = gold, pg_temp as $$
  select '{"items":['
    || coalesce(string_agg(change_request_text(c), ',' order by c.requested_at desc, c.id desc), '') || ']}'
  from (
    select c.* from change_request c
    where c.bucket = list_changes.client % 64 and c.client_id = list_changes.client
    order by c.requested_at desc, c.id desc limit 50
  ) c
$$;
