-- The authorities that sign partners' certificates, these certificates, and the revocation lists. An
-- authority's key is outside the database and can be slow, so no lock is held while it signs. A signed
-- certificate is stored only if its authority is still the newest. A signed list is stored only if its number
-- is the stored list's number plus one.

-- Locks the deployment's row until the commit. Adding an authority, retiring an authority and registering a
-- certificate therefore run one after the other. Returns the newest authority, which signs new certificates.
-- Returns null if there is no authority.
create or replace function gold.hold_authorities() returns text
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  perform from deployment for no key update;
  if not found then
    raise exception 'the database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key' using errcode = 'GR409';
  end if;
  return (select a.fingerprint from authority a where a.retired_at is null order by a.created_at desc limit 1);
end $$;

-- The approving person compares only the fingerprint. So it must be the SHA-256 of the certificate in the
-- proposal, and the text must be one PEM block with nothing after the certificate: the proxy trusts every
-- certificate in it.
create or replace function gold.refuse_other_fingerprint(fingerprint text, certificate text) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
declare
  body text := replace(substring(certificate from '^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE-----\n?$'), E'\n', '');
  der bytea := case when body ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' then decode(body, 'base64') end;
begin
  -- A sequence of 256 to 65535 bytes, as DER encodes it.
  if der is null or length(der) < 260 or substr(der, 1, 2) <> '\x3082' or length(der) <> 4 + get_byte(der, 2) * 256 + get_byte(der, 3) then
    raise exception 'the certificate must be exactly one certificate as PEM' using errcode = 'GR409';
  elsif fingerprint is distinct from encode(sha256(der), 'hex') then
    raise exception 'the fingerprint of the certificate is %, not %', encode(sha256(der), 'hex'), fingerprint using errcode = 'GR409';
  end if;
end $$;

-- Adds a new authority beside the older ones. The certificates of an older authority stay trusted until that
-- authority is retired. `key_source` is ignored: a database that holds a command could make the next person's
-- `gold` run it.
create or replace function gold.add_authority(
  first boolean, fingerprint text, certificate_pem text, key_source text, revocation_list text, revocation_next_at timestamptz
) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  newest text := hold_authorities();
begin
  perform require_approval(jsonb_build_object('first', first, 'fingerprint', add_authority.fingerprint, 'certificate', certificate_pem,
    'revocation_list', add_authority.revocation_list, 'revocation_next_at', instant_text(add_authority.revocation_next_at)), 'authority.add');
  if first and newest is not null then
    raise exception 'there is already a certificate authority: `gold key rotate ca` adds a new one beside it' using errcode = 'GR409';
  elsif not first and newest is null then
    raise exception 'there is no certificate authority yet: `gold ca init` creates the first one' using errcode = 'GR409';
  end if;
  -- created_at must be later than the previous authority's, even if the clock went back, because the newest
  -- authority signs.
  insert into authority (fingerprint, certificate, revocation_list, revocation_number, revocation_next_at, created_at)
  values (add_authority.fingerprint, certificate_pem, add_authority.revocation_list, 1, add_authority.revocation_next_at,
    greatest(clock_timestamp(), (select max(a.created_at) + interval '1 millisecond' from authority a)));
  perform note(case when first then 'ca.init' else 'ca.rotate' end, add_authority.fingerprint, jsonb_build_object(
    'list_sha256', hash_text(convert_to(add_authority.revocation_list, 'UTF8')),
    'revocation_next_at', instant_text(add_authority.revocation_next_at)));
  perform registry_changed();
end $$;

-- Retires an authority, and revokes its valid certificates. From then on, neither the proxy nor the service
-- accepts these certificates.
create or replace function gold.retire_authority(fingerprint text) returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  newest text := hold_authorities();
  subject authority;
  client int;
  revoked text[];
begin
  select a.* into subject from authority a where a.fingerprint = retire_authority.fingerprint;
  if subject.fingerprint is null then
    raise exception 'there is no certificate authority %', retire_authority.fingerprint using errcode = 'GR404';
  elsif subject.retired_at is not null then
    raise exception 'the authority is retired already, since %', instant_text(subject.retired_at) using errcode = 'GR409';
  elsif subject.fingerprint = newest then
    raise exception 'this is the newest authority, which signs new certificates: replace it with `gold key rotate ca` first' using errcode = 'GR409';
  end if;
  for client in
    select distinct c.partner_id from certificate c
    where c.authority = subject.fingerprint and c.revoked_at is null and c.not_after > clock_timestamp() order by 1
  loop
    perform begin_change(client);
    perform end_admission(client);
  end loop;
  with ended as (
    update certificate c set revoked_at = clock_timestamp(), revocation_reason = 'cessation_of_operation'
    where c.authority = subject.fingerprint and c.revoked_at is null and c.not_after > clock_timestamp() returning c.fingerprint)
  select coalesce(array_agg(e.fingerprint), '{}') into revoked from ended e;
  perform post_credential(c.partner_id, 'credential.ended', 'certificate', c.fingerprint)
  from (select c.* from certificate c where c.fingerprint = any (revoked) order by c.partner_id, c.fingerprint) c;
  update authority a set retired_at = clock_timestamp() where a.fingerprint = subject.fingerprint;
  perform note('ca.retire', subject.fingerprint, jsonb_build_object('revoked', revoked));
  perform registry_changed();
  return cardinality(revoked);
end $$;

-- Returns false, and stores nothing, if the authority was retired or another list was stored first. In the
-- second case, the given list could lack certificates that were revoked in the meantime.
create or replace function gold.store_revocation_list(authority text, number bigint, list text, next_at timestamptz) returns boolean
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  update authority a set revocation_list = list, revocation_number = number, revocation_next_at = next_at
  where a.fingerprint = store_revocation_list.authority and a.revocation_number = number - 1 and a.retired_at is null;
  if not found then
    return false;
  end if;
  perform note('ca.revocation_list', store_revocation_list.authority, jsonb_build_object('number', number, 'next_at', next_at,
    'list_sha256', hash_text(convert_to(list, 'UTF8'))));
  perform registry_changed();
  return true;
end $$;

-- A key is certified only once. Revoking its certificate therefore also ends the key. `authority` and
-- `key_hash` are null for a certificate that another program made.
create or replace function gold.add_certificate(
  public text, fingerprint text, serial text, not_before timestamptz, not_after timestamptz, authority text default null, key_hash text default null
) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  newest text := hold_authorities();
  known certificate;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'fingerprint', add_certificate.fingerprint, 'serial', add_certificate.serial,
    'not_before', instant_text(add_certificate.not_before), 'not_after', instant_text(add_certificate.not_after),
    'authority', add_certificate.authority, 'key_hash', add_certificate.key_hash), 'certificate.issue');
  perform begin_change(subject.id);
  select c.* into known from certificate c where c.key_hash = add_certificate.key_hash;
  if add_certificate.authority <> newest then
    raise exception 'a new authority has replaced the one that signed this certificate: run the command again' using errcode = 'GR409';
  elsif known.revoked_at is not null then
    raise exception 'the certificate of this key was revoked at %, and a revoked key cannot be certified again: the partner must make a new one',
      instant_text(known.revoked_at) using errcode = 'GR409';
  elsif known.partner_id <> subject.id then
    raise exception 'this key is in a certificate of %: each partner must make its own key', public_of(known.partner_id) using errcode = 'GR409';
  elsif known.fingerprint is not null then
    raise exception 'this key is already in certificate %, and a key is certified only once. If `gold cert issue` was interrupted, the certificate may be beside the requested file, under the file''s name and a number. If it is not, the partner must make a new key', known.fingerprint
      using errcode = 'GR409';
  end if;
  insert into certificate (fingerprint, partner_id, serial, not_before, not_after, authority, key_hash)
  values (add_certificate.fingerprint, subject.id, add_certificate.serial, add_certificate.not_before, add_certificate.not_after,
    add_certificate.authority, add_certificate.key_hash);
  perform post_credential(subject.id, 'credential.added', 'certificate', add_certificate.fingerprint);
  perform note('certificate.issue', public, jsonb_build_object('fingerprint', add_certificate.fingerprint,
    'not_before', add_certificate.not_before, 'not_after', add_certificate.not_after, 'serial', add_certificate.serial,
    'authority', add_certificate.authority, 'key_hash', add_certificate.key_hash));
  perform registry_changed();
end $$;

create or replace function gold.revoke_certificate(fingerprint text, reason text default null) returns text
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject certificate;
  public text;
begin
  select c.* into subject from certificate c where c.fingerprint = revoke_certificate.fingerprint;
  if subject.fingerprint is null then
    raise exception 'there is no certificate %', revoke_certificate.fingerprint using errcode = 'GR404';
  end if;
  perform begin_change(subject.partner_id);
  perform end_admission(subject.partner_id);
  update certificate c set revoked_at = clock_timestamp(), revocation_reason = reason
  where c.fingerprint = subject.fingerprint and c.revoked_at is null;
  if not found then
    raise exception 'the certificate is revoked already; `gold cert crl` renews the revocation list' using errcode = 'GR409';
  end if;
  public := public_of(subject.partner_id);
  perform post_credential(subject.partner_id, 'credential.ended', 'certificate', subject.fingerprint);
  perform note('certificate.revoke', public, jsonb_strip_nulls(jsonb_build_object('fingerprint', subject.fingerprint, 'reason', reason)));
  perform registry_changed();
  return public;
end $$;
