-- What an operator may change of partners and their credentials. Each change leaves an audit row with the login that made it,
-- and raises the registry's version; what ends an admission also raises the account's, under the account's lock, so that
-- no write that was admitted before commits after.

create or replace function gold.note(action text, subject text, detail jsonb) returns void
language sql volatile
begin atomic
  insert into gold.audit (login, action, subject, detail) values (session_user, action, subject, detail);
end;

create or replace function gold.registry_changed() returns void
language sql volatile
begin atomic
  update gold.registry_version set version = version + 1;
end;

create or replace function gold.partner_of(public text) returns gold.partner
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  found_partner partner;
begin
  select * into found_partner from partner p where p.public_id = public;
  if found_partner.id is null then
    raise exception 'there is no partner %', public using errcode = 'GR404';
  end if;
  return found_partner;
end $$;

create or replace function gold.end_admission(partner_id int) returns void
language sql volatile
begin atomic
  update gold.account a set admission_version = a.admission_version + 1
  where a.bucket = end_admission.partner_id % 64 and a.client_id = end_admission.partner_id;
end;

create or replace function gold.create_partner(
  public text, name text, iban text, webhook_url text, rate_per_second int, burst int, maximum_grams bigint, ips cidr[],
  secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb
) returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  created int;
begin
  insert into partner (public_id, name, iban, webhook_url, rate_per_second, burst, maximum_grams)
  values (public, create_partner.name, create_partner.iban, create_partner.webhook_url, create_partner.rate_per_second,
    create_partner.burst, create_partner.maximum_grams)
  returning id into created;
  insert into account (bucket, client_id) values (created % 64, created);
  insert into allowed_ip (partner_id, range) select distinct created, unnest(ips);
  insert into client_secret (partner_id, hash) values (created, secret_hash);
  insert into webhook_secret (partner_id, sealed, sealing_key) values (created, webhook_sealed, create_partner.sealing_key);
  insert into signing_key (partner_id, thumbprint, kid, jwk)
  select created, k->>'thumbprint', k->>'kid', k->'jwk' from jsonb_array_elements(signing_keys) k;
  perform note('partner.create', public, jsonb_build_object('name', create_partner.name, 'ips', ips, 'webhook_url', create_partner.webhook_url));
  perform registry_changed();
  return created;
end $$;

create or replace function gold.suspend_partner(public text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
begin
  perform end_admission(subject.id);
  update partner set suspended_at = clock_timestamp() where id = subject.id and suspended_at is null;
  if not found then
    raise exception 'partner % is suspended already', public using errcode = 'GR409';
  end if;
  perform note('partner.suspend', public, '{}');
  perform registry_changed();
end $$;

create or replace function gold.resume_partner(public text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
begin
  update partner set suspended_at = null where id = subject.id and suspended_at is not null;
  if not found then
    raise exception 'partner % is not suspended', public using errcode = 'GR409';
  end if;
  perform note('partner.resume', public, '{}');
  perform registry_changed();
end $$;

create or replace function gold.add_certificate(public text, fingerprint text, serial text, not_before timestamptz, not_after timestamptz)
returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
begin
  insert into certificate (fingerprint, partner_id, serial, not_before, not_after)
  values (add_certificate.fingerprint, subject.id, add_certificate.serial, add_certificate.not_before, add_certificate.not_after);
  perform note('certificate.issue', public, jsonb_build_object('fingerprint', add_certificate.fingerprint, 'not_after', add_certificate.not_after));
  perform registry_changed();
end $$;

create or replace function gold.revoke_certificate(fingerprint text) returns text
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject certificate;
  public text;
begin
  select c.* into subject from certificate c where c.fingerprint = revoke_certificate.fingerprint;
  if subject.fingerprint is null then
    raise exception 'there is no certificate %', revoke_certificate.fingerprint using errcode = 'GR404';
  end if;
  perform end_admission(subject.partner_id);
  update certificate c set revoked_at = clock_timestamp() where c.fingerprint = subject.fingerprint and c.revoked_at is null;
  if not found then
    raise exception 'the certificate is revoked already' using errcode = 'GR409';
  end if;
  select p.public_id into public from partner p where p.id = subject.partner_id;
  perform note('certificate.revoke', public, jsonb_build_object('fingerprint', subject.fingerprint));
  perform registry_changed();
  return public;
end $$;

create or replace function gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamptz) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  insert into token_key (kid, public_jwk, sealed, sealing_key, not_before)
  values (add_token_key.kid, add_token_key.public_jwk, add_token_key.sealed, add_token_key.sealing_key, add_token_key.not_before);
  perform note('token_key.add', add_token_key.kid, '{}');
  perform registry_changed();
end $$;

-- A new authority stands beside the old ones: their certificates stay trusted until they are taken out.
create or replace function gold.add_authority(certificate_pem text, key_source text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  update deployment set authority_certificates = authority_certificates || certificate_pem, authority_key_source = key_source;
  if not found then
    raise exception 'the database belongs to no deployment yet' using errcode = 'GR409';
  end if;
  perform note('ca.init', key_source, '{}');
end $$;
