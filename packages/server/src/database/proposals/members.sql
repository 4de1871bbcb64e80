-- The members of an object inside the content.
create or replace function gold.inner_members(name text) returns text[]
language sql immutable
return case name
  when 'limits' then '{open_quotes,open_grams,daily_records,net_grams,daily_withdrawals,daily_withdrawn}'
  when 'breaker' then '{basis_points,seconds}'
  when 'band' then '{step_basis_points,hour_basis_points}'
  when 'hours' then '{always_open,sessions}'
end::text[];

create or replace function gold.refuse_unknown_members(kind text, content jsonb) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  unknown text;
begin
  if proposal_members(kind) is null then
    raise exception 'there is no kind of proposal %', kind using errcode = 'GR409';
  elsif jsonb_typeof(content) is distinct from 'object' then
    raise exception 'the content of a proposal must be an object' using errcode = 'GR409';
  end if;
  select name into unknown from jsonb_object_keys(content) name where name <> all (proposal_members(kind))
  union all
  select m.key || '.' || name from jsonb_each(content) m, jsonb_object_keys(m.value) name
  where jsonb_typeof(m.value) = 'object' and name <> all (inner_members(m.key))
  limit 1;
  if unknown is not null then
    raise exception 'a proposal of the kind % has no member %', kind, unknown using errcode = 'GR409';
  end if;
end $$;

-- Refuses a proposal that changes nothing. Only a null exposure is a change: it removes the limit.
create or replace function gold.refuse_no_change(kind text, content jsonb) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
#variable_conflict use_variable
begin
  if is_partial(kind) and not exists (
    select from jsonb_each(content) m where m.key not in ('client_id', 'request') and m.value <> '{}' and (m.value <> 'null' or m.key = 'exposure'))
  then
    raise exception 'the proposal would change nothing: a proposal of the kind % needs at least one of %', kind,
      array_to_string(array_remove(array_remove(proposal_members(kind), 'client_id'), 'request'), ', ') using errcode = 'GR409';
  end if;
end $$;

create or replace function gold.texts_of(list jsonb) returns text[]
language sql immutable
return case when jsonb_typeof(list) = 'array' then
  array(select e.value from jsonb_array_elements_text(list) with ordinality e order by e.ordinality) end;

create or replace function gold.hex_of(content jsonb, name text) returns bytea
language sql immutable
return decode(content ->> name, 'hex');
