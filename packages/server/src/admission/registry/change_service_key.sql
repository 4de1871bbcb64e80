-- The service's own keys: the keys that sign tokens, the sealing key, which encrypts secrets in this database,
-- and the pepper, which is hashed with each client secret.

create or replace function gold.add_token_key(kid text, public_jwk jsonb, sealed bytea, sealing_key text, not_before timestamptz) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_approval_of_setting(jsonb_build_object('kid', add_token_key.kid), 'token_key.rotate');
  insert into token_key (kid, public_jwk, sealed, sealing_key, not_before)
  values (add_token_key.kid, add_token_key.public_jwk, add_token_key.sealed, add_token_key.sealing_key, add_token_key.not_before);
  perform note('token_key.add', add_token_key.kid, jsonb_build_object('not_before', add_token_key.not_before,
    'sealed_sha256', hash_text(add_token_key.sealed), 'sealing_key', add_token_key.sealing_key));
  perform registry_changed();
end $$;

-- The new key signs only after `lead_seconds`, so that every service can read it first. The older keys verify
-- until the overlap ends, or until an earlier end that was already set.
create or replace function gold.rotate_token_key(
  kid text, public_jwk jsonb, sealed bytea, sealing_key text, lead_seconds int, overlap_seconds int, out begins_at timestamptz, out retires_at timestamptz
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_approval(jsonb_build_object('kid', rotate_token_key.kid, 'public_jwk', rotate_token_key.public_jwk,
    'sealed', encode(rotate_token_key.sealed, 'hex'), 'sealing_key', rotate_token_key.sealing_key, 'lead_seconds', lead_seconds,
    'overlap_seconds', overlap_seconds), 'token_key.rotate');
  -- Let concurrent rotations wait here, so that the second also retires the key of the first.
  perform from deployment for no key update;
  begins_at := date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => lead_seconds);
  retires_at := begins_at + make_interval(secs => overlap_seconds);
  update token_key t set retire_at = rotate_token_key.retires_at where t.retire_at is null or t.retire_at > rotate_token_key.retires_at;
  insert into token_key (kid, public_jwk, sealed, sealing_key, not_before)
  values (rotate_token_key.kid, rotate_token_key.public_jwk, rotate_token_key.sealed, rotate_token_key.sealing_key, begins_at);
  perform note('token_key.rotate', rotate_token_key.kid, jsonb_build_object('begins_at', begins_at, 'older_retire_at', retires_at,
    'sealed_sha256', hash_text(rotate_token_key.sealed), 'sealing_key', rotate_token_key.sealing_key));
  perform registry_changed();
end $$;

-- Leaves out retired secrets and keys, because no process decrypts them again. Otherwise, one retired secret
-- whose sealing key was lost would make every later change of the sealing key fail.
create or replace function gold.read_sealed() returns table (kind text, id text, sealed bytea, sealing_key text)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select 'webhook_secret', w.id::text, w.sealed, w.sealing_key from gold.webhook_secret w
  where w.retire_at is null or w.retire_at > clock_timestamp()
  union all
  select 'token_key', t.kid, t.sealed, t.sealing_key from gold.token_key t
  where t.retire_at is null or t.retire_at > clock_timestamp();
end;

-- Each item of `secrets` is {kind, id, before, after}; before and after are hex. A secret that no longer
-- equals `before` is not changed.
create or replace function gold.reseal(sealing_key text, secrets jsonb) returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  resealed text[];
  hashes jsonb;
begin
  perform require_approval(jsonb_build_object('sealing_key', reseal.sealing_key, 'secrets', secrets), 'sealing_key.rotate');
  with given as (
    select g.kind, g.id, decode(g.before, 'hex') as before, decode(g.after, 'hex') as after
    from jsonb_to_recordset(secrets) g(kind text, id text, before text, after text)
  ), webhooks as (
    update webhook_secret w set sealed = g.after, sealing_key = reseal.sealing_key from given g
    where g.kind = 'webhook_secret' and w.id::text = g.id and w.sealed = g.before returning g.kind || ' ' || g.id as name, w.sealed
  ), tokens as (
    update token_key t set sealed = g.after, sealing_key = reseal.sealing_key from given g
    where g.kind = 'token_key' and t.kid = g.id and t.sealed = g.before returning g.kind || ' ' || g.id as name, t.sealed
  )
  select array_agg(r.name order by r.name), jsonb_object_agg(r.name, hash_text(r.sealed)) into resealed, hashes from (select * from webhooks union all select * from tokens) r;
  if resealed is null then
    return 0;
  end if;
  perform note('sealing_key.rotate', reseal.sealing_key, jsonb_build_object('resealed', resealed, 'sealed_sha256', hashes));
  perform registry_changed();
  return cardinality(resealed);
end $$;

-- Returns the name of the pepper with which this database's client secrets are hashed. If none is stored yet,
-- stores this one. With any other pepper, every client secret would be refused.
create or replace function gold.keep_pepper(name text) returns text
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  known text;
begin
  select d.pepper_name into known from deployment d;
  if known is null then
    update deployment d set pepper_name = keep_pepper.name where d.pepper_name is null;
    if found then
      perform note('pepper.keep', keep_pepper.name, '{}');
    end if;
    select d.pepper_name into known from deployment d;
  end if;
  return known;
end $$;

-- Changes the pepper of the client secrets. Returns false if it is the present pepper. Client secrets that were
-- made with an earlier pepper stay stored, but processes that start from now on refuse them.
create or replace function gold.rotate_pepper(name text) returns boolean
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_approval(jsonb_build_object('pepper', rotate_pepper.name), 'pepper.rotate');
  update deployment d set pepper_name = rotate_pepper.name where d.pepper_name is distinct from rotate_pepper.name;
  if not found then
    return false;
  end if;
  perform note('pepper.rotate', rotate_pepper.name, '{}');
  return true;
end $$;
