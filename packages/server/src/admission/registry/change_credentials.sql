-- A partner's secrets and signing keys. They rotate with an overlap: a new credential is valid beside the
-- older ones until these retire. Adding a credential does not affect requests. A credential can also end
-- without an overlap. Retiring a client secret or a signing key, and every rotation without an overlap,
-- raises the account's admission version under the account's lock. A write that was admitted earlier can then
-- no longer commit. At least one credential of each kind always remains without a retirement date. So a
-- partner can be suspended, but not locked out by accident.

-- Locks the partner's row. A function that counts the partner's credentials takes this lock first, so that
-- the count stays valid until the commit.
create or replace function gold.hold_partner(public text) returns gold.partner
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  held partner := partner_of(public);
begin
  perform from partner p where p.id = held.id for no key update;
  return held;
end $$;

-- The current time, rounded down to whole milliseconds, because the service's clock counts whole
-- milliseconds. By that clock, a time that was rounded up could still be in the future.
create or replace function gold.present_millisecond() returns timestamptz
language sql volatile
begin atomic
  select date_trunc('milliseconds', clock_timestamp());
end;

create or replace function gold.refuse_crowd(noun text, active bigint) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  if active >= 5 then
    raise exception '% %s are active, which is the maximum: retire one that is no longer used', active, noun using errcode = 'GR409';
  end if;
end $$;

-- Refuses to end a credential that the operator believes to be unused, but that was used less than an hour
-- ago. `seen` is the last use that the operator was shown. The function refuses if `seen` is null or older
-- than an hour. `seen` is infinity if the operator was not asked (--yes).
create or replace function gold.refuse_use_meanwhile(noun text, last_used_at timestamptz, seen timestamptz) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  in_use_since timestamptz := clock_timestamp() - interval '1 hour';
begin
  if last_used_at > in_use_since and coalesce(seen, '-infinity') <= in_use_since then
    raise exception 'the % was used meanwhile, at %: run the command again, and confirm only if nobody needs it any more', noun, instant_text(last_used_at) using errcode = 'GR409';
  end if;
end $$;

-- `heirs` is the number of the partner's other credentials of this kind without a retirement date.
create or replace function gold.check_retirement(
  noun text, ended_at timestamptz, last_used_at timestamptz, seen timestamptz, heirs bigint
) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  if ended_at <= clock_timestamp() then
    raise exception 'the % is retired already, since %', noun, instant_text(ended_at) using errcode = 'GR409';
  elsif heirs = 0 then
    raise exception 'the partner would have no other % without a retirement date: add one first, or suspend the partner', noun using errcode = 'GR409';
  end if;
  perform refuse_use_meanwhile(noun, last_used_at, seen);
end $$;

-- `seen` contains the id and the last use of each credential that the operator was shown. It is null if the
-- operator was not asked.
create or replace function gold.check_end(noun text, id int, last_used_at timestamptz, seen jsonb) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  if not seen ? id::text then
    raise exception 'the % % was created meanwhile: check who created it, and run the command again', noun, id using errcode = 'GR409';
  elsif seen is not null then
    perform refuse_use_meanwhile(format('%s %s', noun, id), last_used_at, (seen ->> id::text)::timestamptz);
  end if;
end $$;

create or replace function gold.begin_rotation(public text, overlap_seconds int, out partner_id int, out retires_at timestamptz)
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  if (overlap_seconds between 0 and 90 * 86400) is not true then
    raise exception 'the overlap must be between 0 seconds and 90 days' using errcode = 'GR409';
  end if;
  perform begin_change((partner_of(public)).id);
  if overlap_seconds = 0 then
    perform end_admission((partner_of(public)).id);
  end if;
  partner_id := (hold_partner(public)).id;
  retires_at := present_millisecond() + make_interval(secs => overlap_seconds);
end $$;

-- The service skips a secret with another hash, so its owner would be locked out.
create or replace function gold.check_secret_hash(hash bytea) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
begin
  if octet_length(hash) is distinct from 32 then
    raise exception 'the hash of a client secret is a SHA-256 of 32 bytes, not of %', coalesce(octet_length(hash), 0) using errcode = 'GR409';
  end if;
end $$;

-- The older secrets retire when the overlap ends, or at an earlier end that was already set.
create or replace function gold.rotate_client_secret(
  public text, hash bytea, overlap_seconds int, seen jsonb default null, out secret_id int, out retires_at timestamptz
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  rotation record := begin_rotation(public, overlap_seconds);
  older client_secret;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'hash', encode(rotate_client_secret.hash, 'hex'),
    'overlap_seconds', overlap_seconds), 'client_secret.rotate');
  perform check_secret_hash(rotate_client_secret.hash);
  rotate_client_secret.retires_at := rotation.retires_at;
  for older in
    update client_secret s set retire_at = rotation.retires_at
    where s.partner_id = rotation.partner_id and (s.retire_at is null or s.retire_at > rotation.retires_at) returning s.*
  loop
    perform check_end('client secret', older.id, older.last_used_at, seen);
    perform post_credential(rotation.partner_id, 'credential.ended', 'client_secret', older.id::text);
  end loop;
  perform refuse_crowd('client secret', (select count(*) from client_secret s
    where s.partner_id = rotation.partner_id and s.retire_at > clock_timestamp()));
  insert into client_secret (partner_id, hash, not_before) values (rotation.partner_id, rotate_client_secret.hash, present_millisecond())
  returning id into secret_id;
  perform post_credential(rotation.partner_id, 'credential.added', 'client_secret', secret_id::text);
  perform note('client_secret.rotate', public, jsonb_build_object('secret_id', secret_id, 'older_retire_at', rotation.retires_at,
    'secret_sha256', hash_text(rotate_client_secret.hash)));
  perform registry_changed();
end $$;

create or replace function gold.rotate_webhook_secret(
  public text, sealed bytea, sealing_key text, overlap_seconds int, seen jsonb default null, endpoint int default null,
  out secret_id int, out retires_at timestamptz
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  rotation record := begin_rotation(public, overlap_seconds);
  -- The first endpoint has the number of its partner.
  receiver int := case
    when endpoint > 1 then (receiver_of(rotation.partner_id, endpoint)).id else rotation.partner_id end;
  older webhook_secret;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'sealed', encode(rotate_webhook_secret.sealed, 'hex'),
    'sealing_key', rotate_webhook_secret.sealing_key, 'overlap_seconds', overlap_seconds, 'endpoint', endpoint),
    'webhook_secret.rotate');
  rotate_webhook_secret.retires_at := rotation.retires_at;
  for older in
    update webhook_secret s set retire_at = rotation.retires_at
    where s.receiver_id = receiver and (s.retire_at is null or s.retire_at > rotation.retires_at) returning s.*
  loop
    perform check_end('webhook secret', older.id, older.last_used_at, seen);
    perform post_credential(rotation.partner_id, 'credential.ended', 'webhook_secret', older.id::text);
  end loop;
  perform refuse_crowd('webhook secret', (select count(*) from webhook_secret s
    where s.receiver_id = receiver and s.retire_at > clock_timestamp()));
  insert into webhook_secret (partner_id, receiver_id, sealed, sealing_key, not_before)
  values (rotation.partner_id, receiver, rotate_webhook_secret.sealed, rotate_webhook_secret.sealing_key,
    present_millisecond())
  returning id into secret_id;
  perform post_credential(rotation.partner_id, 'credential.added', 'webhook_secret', secret_id::text);
  perform note('webhook_secret.rotate', public, jsonb_strip_nulls(jsonb_build_object('secret_id', secret_id,
    'older_retire_at', rotation.retires_at, 'sealed_sha256', hash_text(rotate_webhook_secret.sealed),
    'sealing_key', rotate_webhook_secret.sealing_key, 'endpoint', endpoint)));
  perform registry_changed();
  perform endpoint_changed(rotation.partner_id);
end $$;

create or replace function gold.retire_client_secret(public text, secret_id int, seen timestamptz) returns timestamptz
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  secret client_secret;
begin
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  perform hold_partner(public);
  select s.* into secret from client_secret s where s.partner_id = subject.id and s.id = secret_id for no key update;
  if secret.id is null then
    raise exception '% has no client secret %', public, secret_id using errcode = 'GR404';
  end if;
  perform check_retirement('client secret', secret.retire_at, secret.last_used_at, seen,
    (select count(*) from client_secret s where s.partner_id = subject.id and s.id <> secret.id and s.retire_at is null));
  update client_secret s set retire_at = present_millisecond() where s.id = secret.id returning s.retire_at into secret.retire_at;
  perform post_credential(subject.id, 'credential.ended', 'client_secret', secret.id::text);
  perform note('client_secret.retire', public, jsonb_build_object('secret_id', secret.id, 'last_used_at', secret.last_used_at));
  perform registry_changed();
  return secret.retire_at;
end $$;

create or replace function gold.retire_webhook_secret(public text, secret_id int, seen timestamptz) returns timestamptz
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  secret webhook_secret;
begin
  perform begin_change(subject.id);
  perform hold_partner(public);
  select s.* into secret from webhook_secret s where s.partner_id = subject.id and s.id = secret_id for no key update;
  if secret.id is null then
    raise exception '% has no webhook secret %', public, secret_id using errcode = 'GR404';
  end if;
  perform check_retirement('webhook secret', secret.retire_at, secret.last_used_at, seen,
    (select count(*) from webhook_secret s
      where s.receiver_id = secret.receiver_id and s.id <> secret.id and s.retire_at is null));
  update webhook_secret s set retire_at = present_millisecond() where s.id = secret.id returning s.retire_at into secret.retire_at;
  perform post_credential(subject.id, 'credential.ended', 'webhook_secret', secret.id::text);
  perform note('webhook_secret.retire', public, jsonb_build_object('secret_id', secret.id, 'last_used_at', secret.last_used_at));
  perform registry_changed();
  perform endpoint_changed(subject.id);
  return secret.retire_at;
end $$;

-- A key belongs to one partner only, so that the signer is always certain. Call this after note(), which
-- locks the end of the audit. If two transactions register the same key, the second then sees the row of the
-- first.
create or replace function gold.refuse_shared_key(client int, thumbprint text) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  other int := (select k.partner_id from signing_key k where k.thumbprint = refuse_shared_key.thumbprint and k.partner_id <> client limit 1);
begin
  if other is not null then
    raise exception 'this key is registered for %: each partner needs its own signing key', public_of(other) using errcode = 'GR409';
  end if;
end $$;

-- A retired key cannot be registered again, because its private key may have leaked.
create or replace function gold.add_signing_key(public text, thumbprint text, kid text, jwk jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  known signing_key;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'thumbprint', add_signing_key.thumbprint, 'kid', add_signing_key.kid,
    'jwk', add_signing_key.jwk), 'signing_key.add');
  perform begin_change(subject.id);
  perform hold_partner(public);
  select k.* into known from signing_key k where k.partner_id = subject.id and k.thumbprint = add_signing_key.thumbprint;
  if known.retire_at <= clock_timestamp() then
    raise exception 'this key was retired at %, and a retired key cannot be registered again: make a new one', instant_text(known.retire_at) using errcode = 'GR409';
  elsif known.thumbprint is not null then
    raise exception 'this key is registered already' using errcode = 'GR409';
  elsif exists (select from signing_key k where k.partner_id = subject.id and add_signing_key.kid in (k.kid, k.thumbprint)) then
    raise exception 'another key of this partner already has % as its kid or thumbprint: choose another kid', add_signing_key.kid using errcode = 'GR409';
  end if;
  perform refuse_crowd('signing key', (select count(*) from signing_key k
    where k.partner_id = subject.id and (k.retire_at is null or k.retire_at > clock_timestamp())));
  insert into signing_key (partner_id, thumbprint, kid, jwk, not_before)
  values (subject.id, add_signing_key.thumbprint, add_signing_key.kid, add_signing_key.jwk, present_millisecond());
  perform post_credential(subject.id, 'credential.added', 'signing_key', add_signing_key.thumbprint);
  perform note('signing_key.add', public, jsonb_strip_nulls(jsonb_build_object('thumbprint', add_signing_key.thumbprint, 'kid', add_signing_key.kid)));
  perform refuse_shared_key(subject.id, add_signing_key.thumbprint);
  perform registry_changed();
end $$;

create or replace function gold.retire_signing_key(public text, thumbprint text, seen timestamptz) returns timestamptz
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  key signing_key;
begin
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  perform hold_partner(public);
  select k.* into key from signing_key k where k.partner_id = subject.id and k.thumbprint = retire_signing_key.thumbprint for no key update;
  if key.thumbprint is null then
    raise exception '% has no signing key %', public, retire_signing_key.thumbprint using errcode = 'GR404';
  end if;
  perform check_retirement('signing key', key.retire_at, key.last_used_at, seen,
    (select count(*) from signing_key k where k.partner_id = subject.id and k.thumbprint <> key.thumbprint and k.retire_at is null));
  update signing_key k set retire_at = present_millisecond()
  where k.partner_id = subject.id and k.thumbprint = key.thumbprint returning k.retire_at into key.retire_at;
  perform post_credential(subject.id, 'credential.ended', 'signing_key', key.thumbprint);
  perform note('signing_key.retire', public, jsonb_build_object('thumbprint', key.thumbprint, 'last_used_at', key.last_used_at));
  perform registry_changed();
  return key.retire_at;
end $$;
