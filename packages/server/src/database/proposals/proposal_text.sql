-- The text that an approval commits to: eight lines, each with a line feed at its end. Any language can build
-- the same bytes. Up to 0.5.0, the text began with `gold proposal 1`, and had no id of a deployment.
--   gold proposal 2
--   id of the deployment
--   id
--   kind
--   login of the proposer
--   proposed at
--   expires at
--   content as JSON (RFC 8785)

-- RFC 8785, for what a proposal can contain: names of members are ASCII, and numbers are whole numbers that
-- every language reads exactly.
create or replace function gold.canonical_json(value jsonb) returns text
language plpgsql immutable set search_path = gold, pg_temp as $$
begin
  case jsonb_typeof(value)
    when 'object' then
      if exists (select from jsonb_object_keys(value) name where name !~ '^[a-zA-Z0-9_]+$') then
        raise exception 'the names of members in the content of a proposal may have only letters, digits and _' using errcode = 'GR409';
      end if;
      return '{' || coalesce((
        select string_agg(to_json(m.key)::text || ':' || canonical_json(m.value), ',' order by m.key collate "C") from jsonb_each(value) m), '') || '}';
    when 'array' then
      return '[' || coalesce((
        select string_agg(canonical_json(e.value), ',' order by e.ordinality) from jsonb_array_elements(value) with ordinality e), '') || ']';
    when 'number' then
      if value::text !~ '^(0|-?[1-9][0-9]{0,14})$' then
        raise exception 'a number in the content of a proposal must be a whole number of at most 15 digits; got %', value using errcode = 'GR409';
      end if;
      return value::text;
    else
      return value::text;
  end case;
end $$;

create or replace function gold.proposal_text(given gold.proposal) returns text
language sql stable security definer set search_path = gold, pg_temp
return concat_ws(E'\n', case when (given).deployment is null then 'gold proposal 1' else 'gold proposal 2' end,
  (given).deployment, (given).id, (given).kind, (given).proposer, gold.instant_text((given).proposed_at),
  gold.instant_text((given).expires_at), gold.canonical_json((given).content)) || E'\n';

create or replace function gold.proposal_sha256(given gold.proposal) returns text
language sql stable security definer set search_path = gold, pg_temp
return encode(sha256(convert_to(gold.proposal_text(given), 'UTF8')), 'hex');
