-- Requests for operators, as far as the books know them: those that are bound to a key. An index on the instant of
-- a key finds its blocks, so each of these functions knows the instant.

-- What a request wrote: its result, or the refusal that is bound to its key. The id of a request begins with its
-- time by the service's clock.
create or replace function gold.find_request(request uuid)
returns table (
  client_id text, name text, key text, status smallint, kind text, result uuid, created_at timestamptz, problem json
)
language sql stable security definer set search_path = gold, pg_temp set enable_seqscan = off
begin atomic
  select p.public_id, p.name, k.key, k.status, k.result_kind, k.result_id, k.created_at,
    case when k.result_kind = 'refusal' then k.body::json end
  from (
    select to_timestamp(('x' || left(replace(find_request.request::text, '-', ''), 12))::bit(48)::bigint / 1000.0) as sent
  ) t
  join gold.idempotency_key k on k.created_at between t.sent - interval '1 minute' and t.sent + interval '2 minutes'
  join gold.partner p on p.id = k.client_id
  where k.request_id = find_request.request;
end;

-- The request that wrote a record of a partner at this instant, with what verifies its signature. Null if its key
-- was not kept.
create or replace function gold.request_of(client int, kind text, record uuid, instant timestamptz) returns json
language sql stable security definer set search_path = gold, pg_temp
  set enable_seqscan = off set enable_bitmapscan = on
begin atomic
  select json_build_object(
    'request_id', 'req_' || k.request_id, 'idempotency_key', k.key, 'answered_at', gold.instant_text(k.created_at),
    'signed_request', encode(k.request, 'hex'),
    'signing_key', coalesce(s.kid, s.thumbprint), 'public_jwk', s.jwk,
    'base_urls', (
      select json_agg(distinct u.url) from (
        select d.public_base_url as url from gold.deployment d
        union all select a.subject from gold.audit a where a.action = 'deployment.settle') u))
  from gold.idempotency_key k
  left join gold.signing_key s on s.partner_id = k.client_id
    and s.thumbprint = rtrim(translate(encode(k.signing_thumbprint, 'base64'), '+/', '-_'), '=')
  where k.created_at = request_of.instant and k.client_id = request_of.client
    and k.result_kind = request_of.kind and k.result_id = request_of.record;
end;
