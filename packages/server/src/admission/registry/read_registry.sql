-- The rows that admission and delivery need, as one document from one snapshot. `document` is null if the
-- version is still `known_version`. `at` is the database's time at this read. The service adds the time that
-- has passed since this read, to estimate the database's current time.

create or replace function gold.read_registry(known_version bigint)
returns table (version bigint, at timestamptz, document jsonb)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select v.version, clock_timestamp(), case when v.version is distinct from known_version then (
    select jsonb_build_object(
      'environment', d.environment,
      'public_base_url', d.public_base_url,
      'loopback_receivers', d.loopback_receivers,
      'webhook_ports', to_jsonb(d.webhook_ports),
      'receivers', coalesce((
        select jsonb_agg(distinct r.partner_id) from gold.receiver r where r.removed_at is null), '[]'),
      'token_keys', coalesce((
        select jsonb_agg(jsonb_build_object('kid', t.kid, 'public_jwk', t.public_jwk, 'sealed', encode(t.sealed, 'base64'),
          'sealing_key', t.sealing_key, 'not_before', t.not_before, 'retire_at', t.retire_at) order by t.not_before, t.kid)
        from gold.token_key t), '[]'),
      'partners', coalesce((
        select jsonb_agg(jsonb_build_object(
          'id', p.id, 'public_id', p.public_id, 'suspended', p.suspended_at is not null,
          'rate_per_second', p.rate_per_second, 'burst', p.burst, 'maximum_grams', p.maximum_grams::text,
          'admission_version', a.admission_version::text,
          'simulations', a.simulations,
          'ips', coalesce((select jsonb_agg(i.range::text) from gold.allowed_ip i where i.partner_id = p.id), '[]'),
          'certificates', coalesce((
            select jsonb_agg(jsonb_build_object('fingerprint', c.fingerprint, 'not_before', c.not_before, 'not_after', c.not_after,
              'revoked', c.revoked_at is not null)) from gold.certificate c where c.partner_id = p.id), '[]'),
          'secrets', coalesce((
            select jsonb_agg(jsonb_build_object('id', s.id, 'hash', encode(s.hash, 'hex'), 'not_before', s.not_before, 'retire_at', s.retire_at))
            from gold.client_secret s where s.partner_id = p.id), '[]'),
          'signing_keys', coalesce((
            select jsonb_agg(jsonb_build_object('thumbprint', k.thumbprint, 'kid', k.kid, 'jwk', k.jwk, 'not_before', k.not_before,
              'retire_at', k.retire_at)) from gold.signing_key k where k.partner_id = p.id), '[]')
        ) order by p.id)
        from gold.partner p join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id), '[]')
    ) from gold.deployment d
  ) end
  from gold.registry_version v;
end;
