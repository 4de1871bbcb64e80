-- The authorities that the proxy trusts in the TLS handshake, and their revocation lists. The trust sync
-- beside the proxy reads them. `document` is null if the registry's version is still `known_version`.

create or replace function gold.read_trust(known_version bigint)
returns table (version bigint, document jsonb)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select v.version, case when v.version is distinct from known_version then (
    select jsonb_build_object('authorities', coalesce(jsonb_agg(jsonb_build_object(
      'certificate', a.certificate, 'revocation_list', a.revocation_list, 'revocation_next_at', a.revocation_next_at)
      order by a.created_at, a.fingerprint), '[]'))
    from gold.authority a where a.retired_at is null
  ) end
  from gold.registry_version v;
end;

-- The addresses from which partners that are not suspended may call, for the proxy in front of Envoy.
-- `partners` is null if the registry's version is still `known_version`.
create or replace function gold.read_addresses(known_version bigint)
returns table (version bigint, partners jsonb)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select v.version, case when v.version is distinct from known_version then coalesce((
    select jsonb_agg(jsonb_build_object('id', p.public_id, 'ranges', coalesce((
      select jsonb_agg(i.range::text) from gold.allowed_ip i where i.partner_id = p.id), '[]')) order by p.id)
    from gold.partner p where p.suspended_at is null), '[]') end
  from gold.registry_version v;
end;
