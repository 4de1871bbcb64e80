-- A database belongs to one deployment and remembers it: one environment for good, and the base URL that partners sign.
-- The migration login alone settles it.

create or replace function gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean,
  sealing_key_source text, pepper_source text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  known deployment;
begin
  insert into account (bucket, client_id) values (0, 0) on conflict do nothing;
  insert into vault (stripe) values (0) on conflict do nothing;
  insert into registry_version (version) values (1) on conflict do nothing;
  select * into known from deployment for update;
  if known.environment <> settle_deployment.environment then
    raise exception 'this database belongs to %, not to %', known.environment, settle_deployment.environment using errcode = 'GR409';
  elsif (known.public_base_url, known.loopback_receivers, known.sealing_key_source, known.pepper_source) is not distinct from
    (settle_deployment.public_base_url, settle_deployment.loopback_receivers, settle_deployment.sealing_key_source, settle_deployment.pepper_source) then
    return;
  end if;
  insert into deployment (environment, public_base_url, loopback_receivers, sealing_key_source, pepper_source)
  values (settle_deployment.environment, settle_deployment.public_base_url, settle_deployment.loopback_receivers,
    settle_deployment.sealing_key_source, settle_deployment.pepper_source)
  on conflict (one) do update set public_base_url = excluded.public_base_url, loopback_receivers = excluded.loopback_receivers,
    sealing_key_source = excluded.sealing_key_source, pepper_source = excluded.pepper_source;
  perform note('deployment.settle', settle_deployment.public_base_url, jsonb_build_object('before', to_jsonb(known)));
  perform registry_changed();
end $$;
