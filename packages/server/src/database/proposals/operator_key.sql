-- The SSH keys with which operators sign proposals and approvals. Postgres cannot verify a signature. It
-- reads which key a signature names, and stores the signature for the programs that verify it: gold, the
-- audit, the service and the trust sync.

-- As `ssh-keygen -l` prints it.
create or replace function gold.key_fingerprint(blob bytea) returns text
language sql immutable
return 'SHA256:' || rtrim(encode(sha256(blob), 'base64'), '=');

create or replace function gold.decode_base64(given text) returns bytea
language plpgsql immutable set search_path = gold, pg_temp as $$
begin
  return decode(given, 'base64');
exception when invalid_parameter_value then
  return null;
end $$;

create or replace function gold.public_key_fingerprint(public_key text) returns text
language plpgsql immutable set search_path = gold, pg_temp as $$
declare
  blob bytea;
begin
  if public_key ~ '^(ssh-ed25519|ecdsa-sha2-nistp256|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com) [A-Za-z0-9+/]{40,255}={0,2}$' then
    blob := decode_base64(split_part(public_key, ' ', 2));
  end if;
  if blob is null then
    raise exception 'the public key must be an OpenSSH key without a comment, of a supported type: ssh-ed25519, ecdsa-sha2-nistp256, or sk- for a security key'
      using errcode = 'GR409';
  end if;
  return key_fingerprint(blob);
end $$;

-- The fingerprint of the key that a signature of `ssh-keygen -Y sign` names, after 6 bytes of magic, a
-- version of 4 bytes and the key's length in 4 bytes.
create or replace function gold.signing_fingerprint(signature text) returns text
language plpgsql immutable set search_path = gold, pg_temp as $$
declare
  blob bytea;
begin
  if length(signature) < 4096 and signature ~ '^-----BEGIN SSH SIGNATURE-----\n[A-Za-z0-9+/=\n]+\n-----END SSH SIGNATURE-----\n?$' then
    blob := decode_base64(split_part(signature, '-----', 3));
  end if;
  if blob is null or substring(blob from 1 for 12) <> '\x535348534947000000010000' then
    raise exception 'the signature must be the text that `ssh-keygen -Y sign` writes' using errcode = 'GR409';
  end if;
  return key_fingerprint(substring(blob from 15 for get_byte(blob, 12) * 256 + get_byte(blob, 13)));
end $$;

-- A deployment demands signatures from its first operators' keys on. No function takes this back.
create or replace function gold.signatures_demanded() returns boolean
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select exists (select from gold.operator_key);
end;

-- Refuses a signature that does not name an active key of this login. Postgres does not verify the signature.
-- The lock on the key's row keeps the key active until this transaction ends, so that no approval is later
-- than the end of its key.
create or replace function gold.require_operator_key(login text, signature text) returns text
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  found_key text := signing_fingerprint(signature);
begin
  if not exists (select from operator_key k where k.login = login and k.ended_at is null) then
    raise exception 'the login % has no operator key: another operator proposes it with `gold operator key add`', login using errcode = 'GR409';
  end if;
  perform from operator_key k where k.login = login and k.fingerprint = found_key and k.ended_at is null for share;
  if not found then
    raise exception 'the signature was made with the key %, which is not an active key of the login %', found_key, login using errcode = 'GR409';
  end if;
  return found_key;
end $$;

-- A key belongs to one login forever, so that no person signs as two.
create or replace function gold.admit_operator_key(login text, public_key text, admitted_by text) returns text
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  added_key text := public_key_fingerprint(public_key);
  known operator_key;
begin
  if login !~ '^[!-~]+$' or login is null then
    raise exception 'the login of an operator must consist of visible ASCII characters' using errcode = 'GR409';
  end if;
  select k.* into known from operator_key k where k.fingerprint = added_key;
  if known.fingerprint is not null then
    raise exception 'the key % was registered before, for the login %: use a new key for each person',
      added_key, known.login using errcode = 'GR409';
  end if;
  insert into operator_key (fingerprint, login, public_key, admitted_by, added_at)
  values (added_key, login, public_key, admitted_by, ceil_millisecond(clock_timestamp()));
  return added_key;
end $$;

-- The first keys of a deployment, by the migration login, once. The programs that verify signatures read
-- these keys from a file outside the database. `keys` maps each login to a public key.
create or replace function gold.add_root_keys(keys jsonb) returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  given record;
  needed int := case when (select d.environment = 'production' from deployment d) then 3 else 2 end;
begin
  perform from audit_tail for no key update;
  if exists (select from operator_key) then
    raise exception 'the first operator keys are registered already: propose another with `gold operator key add`' using errcode = 'GR409';
  elsif (select count(*) from jsonb_object_keys(keys)) < needed then
    raise exception 'register the first operator keys of at least % people, so that two people can replace a lost key', needed using errcode = 'GR409';
  end if;
  perform require_two_people();
  for given in select k.key as login, k.value as public_key from jsonb_each_text(keys) k order by 1 loop
    perform note('operator_key.root', given.login, jsonb_build_object('public_key', given.public_key,
      'fingerprint', admit_operator_key(given.login, given.public_key, 'root')));
  end loop;
  perform registry_changed();
  return (select count(*) from operator_key);
end $$;

create or replace function gold.add_operator_key(login text, public_key text) returns text
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  added_key text;
begin
  perform require_approval(jsonb_build_object('login', login, 'public_key', public_key), 'operator_key.add');
  if not exists (select from operator_key) then
    raise exception 'register the first operator keys with `gold db migrate --operator-key LOGIN=FILE`' using errcode = 'GR409';
  end if;
  added_key := admit_operator_key(login, public_key, (applied_proposal()).id::text);
  perform note('operator_key.add', login,
    jsonb_build_object('public_key', public_key, 'fingerprint', added_key));
  perform registry_changed();
  return added_key;
end $$;

-- One person may end a lost key at once. Two people who can log in with the role `keys` must keep a key,
-- because two such people approve the next key. A key of any other login can always be ended.
create or replace function gold.end_operator_key(fingerprint text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  held operator_key;
begin
  -- First the key, then the audit, as in an approval.
  select k.* into held from operator_key k where k.fingerprint = fingerprint for update;
  perform from audit_tail for no key update;
  if held.fingerprint is null then
    raise exception 'there is no operator key %', fingerprint using errcode = 'GR404';
  elsif held.ended_at is not null then
    raise exception 'the operator key % ended already, at %', fingerprint, instant_text(held.ended_at) using errcode = 'GR409';
  elsif (
    select bool_or(k.fingerprint = fingerprint) and count(distinct k.login) filter (where k.fingerprint <> fingerprint) < 2
    from operator_key k join operator_overview o on o.login = k.login where k.ended_at is null and 'keys' = any (o.roles))
  then
    raise exception 'fewer than two people with the role keys would have an operator key, so nobody could approve a new key: add a key first' using errcode = 'GR409';
  end if;
  update operator_key k set ended_at = clock_timestamp() where k.fingerprint = fingerprint;
  perform note('operator_key.end', held.login, jsonb_build_object('fingerprint', fingerprint));
  perform registry_changed();
end $$;
