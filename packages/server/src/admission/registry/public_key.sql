-- Checks public keys when they are stored. The service skips a key that it cannot read, so a malformed key
-- would lock its owner out.

-- Returns null for the JWK of an ES256 public key (RFC 7518, section 6.2.1), otherwise a text that names the
-- fault.
create or replace function gold.public_key_fault(jwk jsonb) returns text
language plpgsql immutable security definer set search_path = gold, pg_temp as $$
declare
  prime constant numeric := 115792089210356248762697446949407573530086143415290314195533631308867097853951;
  b constant numeric := 41058363725152142129326129780047268409114441015993725554835256314039467401291;
  -- 43 characters with 258 bits. The last two bits must be zero, because one coordinate would otherwise have
  -- four spellings.
  coordinate constant text := '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$';
  x numeric;
  y numeric;
begin
  if jsonb_typeof(jwk) is distinct from 'object' then
    return 'it is not a JSON object';
  elsif jwk ->> 'kty' is distinct from 'EC' or jwk ->> 'crv' is distinct from 'P-256' then
    return 'kty must be EC and crv must be P-256';
  elsif jwk - array['kty', 'crv', 'x', 'y'] <> '{}' then
    return 'it has members other than kty, crv, x and y';
  elsif coalesce(jwk ->> 'x', '') !~ coordinate or coalesce(jwk ->> 'y', '') !~ coordinate then
    return 'x and y must each be 32 bytes in base64url without padding';
  end if;
  x := coordinate_value(jwk ->> 'x');
  y := coordinate_value(jwk ->> 'y');
  if x >= prime or y >= prime or mod(y * y, prime) <> mod(x * x * x + (prime - 3) * x + b, prime) then
    return 'x and y are not a point of P-256';
  end if;
  return null;
end $$;

create or replace function gold.coordinate_value(text text) returns numeric
language plpgsql immutable set search_path = gold, pg_temp as $$
declare
  bytes bytea := decode(translate(text, '-_', '+/') || '=', 'base64');
  total numeric := 0;
begin
  for n in 0 .. length(bytes) - 1 loop
    total := total * 256 + get_byte(bytes, n);
  end loop;
  return total;
end $$;

-- RFC 7638. The required members of an EC key, in this order, are also its JSON in the form of RFC 8785.
create or replace function gold.key_thumbprint(jwk jsonb) returns text
language sql immutable
return translate(encode(sha256(convert_to(gold.canonical_json(jwk), 'UTF8')), 'base64'), '+/=', '-_');

-- The approving person compares only the thumbprint with the partner. So it must be that of the key in the
-- proposal.
create or replace function gold.refuse_other_thumbprint(thumbprint text, jwk jsonb) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
begin
  if thumbprint is distinct from key_thumbprint(jwk) then
    raise exception 'the thumbprint of the key is %, not %', key_thumbprint(jwk), thumbprint using errcode = 'GR409';
  end if;
end $$;

-- This is a trigger and not a check constraint, because rows that are already stored must not be checked.
-- database/triggers.sql attaches it.
create or replace function gold.refuse_malformed_key() returns trigger
language plpgsql set search_path = gold, pg_temp as $$
declare
  fault text := public_key_fault(to_jsonb(new) -> tg_argv[0]);
begin
  if fault is not null then
    raise exception 'this is not the public JWK of a P-256 key: %', fault using errcode = 'GR409';
  end if;
  return new;
end $$;
