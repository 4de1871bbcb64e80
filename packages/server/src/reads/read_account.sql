-- What is registered for a partner, as the partner may see it: no whole IBAN and no secret.

create or replace function gold.read_account(client int) returns text
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select '{"client_id":' || to_json(p.public_id) || ',"name":' || to_json(p.name)
    || ',"environment":"' || d.environment || '","status":"' || case when p.suspended_at is null then 'active' else 'suspended' end
    || '","created_at":"' || gold.instant_text(p.created_at) || '","ip_ranges":[' || coalesce((
      select string_agg(to_json(i.range::text)::text, ',' order by i.range) from gold.allowed_ip i where i.partner_id = p.id), '')
    || '],"settlement":{"iban_masked":"' || gold.mask_iban(p.iban) || '","payouts_held_until":'
    || coalesce('"' || gold.instant_text(case when gold.held_until(p.iban_changed_at) > clock_timestamp() then gold.held_until(p.iban_changed_at) end) || '"', 'null')
    || '},"webhook_endpoints":[' || coalesce((
      select string_agg('{"endpoint":' || r.number || ',"url":' || to_json(r.url)
        || ',"types":' || coalesce(to_json(r.types)::text, 'null') || ',"delivered_to":' || coalesce(n.passed, r.added_after)
        || ',"status":"' || case
          when n.disabled_at is not null then 'disabled' when coalesce(n.failures, 0) > 0 then 'failing' else 'working' end
        || '","failures":' || coalesce(n.failures, 0) || ',"rests_until":'
        || coalesce('"' || gold.instant_text(case when n.rests_until > clock_timestamp() then n.rests_until end) || '"', 'null')
        || ',"disabled_at":' || coalesce('"' || gold.instant_text(n.disabled_at) || '"', 'null') || '}',
        ',' order by r.number)
      from gold.receiver r left join gold.endpoint n on n.bucket = r.id % 64 and n.client_id = r.id
      where r.partner_id = p.id and r.removed_at is null), '')
    || ']}'
  from gold.partner p
  cross join gold.deployment d
  where p.id = client;
end;
