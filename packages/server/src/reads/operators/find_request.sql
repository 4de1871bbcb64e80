-- Requests for operators, as far as the books know them: those that are bound to a key. An index on the instant of
-- a key finds its blocks, so each of these functions knows the instant.

-- A request with its result or its refusal, and with what verifies its signature.
create or replace function gold.describe_request(reply gold.idempotency_key) returns json
language sql stable
begin atomic
  select json_build_object(
    'request_id', 'req_' || reply.request_id, 'client_id', p.public_id, 'name', p.name,
    'idempotency_key', reply.key, 'status', reply.status, 'answered_at', gold.instant_text(reply.created_at),
    'kind', reply.result_kind, 'result', reply.result_id,
    'problem', case when reply.result_kind = 'refusal' then reply.body::json end,
    'signed_request', encode(reply.request, 'hex'),
    'signing_key', coalesce(s.kid, s.thumbprint), 'public_jwk', s.jwk,
    'base_urls', (
      select json_agg(distinct u.url) from (
        select d.public_base_url as url from gold.deployment d
        union all select a.subject from gold.audit a where a.action = 'deployment.settle') u))
  from gold.partner p
  left join gold.signing_key s on s.partner_id = p.id
    and s.thumbprint = rtrim(translate(encode(reply.signing_thumbprint, 'base64'), '+/', '-_'), '=')
  where p.id = reply.client_id;
end;

-- The request with this id. The id begins with its time by the service's clock.
create or replace function gold.find_request(request uuid) returns json
language sql stable security definer set search_path = gold, pg_temp set enable_seqscan = off
begin atomic
  select gold.describe_request(k)
  from (
    select to_timestamp(
      ('x' || left(replace(find_request.request::text, '-', ''), 12))::bit(48)::bigint / 1000.0) as sent
  ) t
  join gold.idempotency_key k on k.created_at between t.sent - interval '1 minute' and t.sent + interval '2 minutes'
  where k.request_id = find_request.request;
end;

-- The request that wrote a record of a partner at this instant. Null if its key was not kept.
create or replace function gold.request_of(client int, kind text, record uuid, instant timestamptz) returns json
language sql stable security definer set search_path = gold, pg_temp
  set enable_seqscan = off set enable_bitmapscan = on
begin atomic
  select gold.describe_request(k) from gold.idempotency_key k
  where k.created_at = request_of.instant and k.client_id = request_of.client
    and k.result_kind = request_of.kind and k.result_id = request_of.record;
end;
