-- A partner's credentials as the partner may see them: names and dates, never a secret's value or hash.

create or replace function gold.life_text(not_before timestamptz, retire_at timestamptz, last_used_at timestamptz) returns text
language sql stable
return '"not_before":"' || gold.instant_text(not_before) || '","retire_at":' || coalesce('"' || gold.instant_text(retire_at) || '"', 'null')
  || ',"last_used_at":' || coalesce('"' || gold.instant_text(last_used_at) || '"', 'null');

create or replace function gold.read_credentials(client int) returns text
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select '{"certificates":[' || coalesce((
      select string_agg('{"sha256":"' || c.fingerprint || '","expires_at":"' || gold.instant_text(c.not_after)
        || '","revoked_at":' || coalesce('"' || gold.instant_text(c.revoked_at) || '"', 'null') || ','
        || gold.life_text(c.not_before, null, c.last_used_at) || '}', ',' order by c.not_before, c.fingerprint)
      from gold.certificate c where c.partner_id = client), '')
    || '],"signing_keys":[' || coalesce((
      select string_agg('{"kid":' || to_json(coalesce(k.kid, k.thumbprint)) || ',"thumbprint":' || to_json(k.thumbprint) || ','
        || gold.life_text(k.not_before, k.retire_at, k.last_used_at) || '}', ',' order by k.not_before, k.thumbprint)
      from gold.signing_key k where k.partner_id = client), '')
    || '],"client_secrets":[' || coalesce((
      select string_agg('{"secret_id":"' || s.id || '",' || gold.life_text(s.not_before, s.retire_at, s.last_used_at) || '}', ',' order by s.id)
      from gold.client_secret s where s.partner_id = client), '')
    || '],"webhook_secrets":[' || coalesce((
      select string_agg('{"secret_id":"' || s.id || '","endpoint":' || coalesce(r.number, 1) || ','
        || gold.life_text(s.not_before, s.retire_at, s.last_used_at) || '}', ',' order by s.id)
      from gold.webhook_secret s left join gold.receiver r on r.id = s.receiver_id
      where s.partner_id = client), '') || ']}';
end;
