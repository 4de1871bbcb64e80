-- Creates and removes operators' logins, and changes their roles. These functions run with the caller's
-- privileges, and the caller must be able to create roles. The migration login can create roles, an
-- operator's login cannot. Otherwise an operator could create a second login and approve the operator's own
-- changes with it.

-- Returns whether a name already appears in the audit or the books. Both identify a person by the login's
-- name alone, so they would not distinguish a second person with the same name from the first.
create or replace function gold.is_known_login(name text) returns boolean
language sql stable
begin atomic
  select exists (select from gold.audit a where a.login = is_known_login.name or (a.action = 'operator.add' and a.subject = is_known_login.name))
    or exists (select from gold.withdrawal_step s where s.login = is_known_login.name)
    or exists (select from gold.payment_batch b where b.login = is_known_login.name)
    or exists (select from gold.deposit d where is_known_login.name in (d.recorded_by, d.approved_by, d.reversed_by))
    or exists (select from gold.partner p where p.pending_iban_by = is_known_login.name)
    or exists (select from gold.proposal p where is_known_login.name in (p.proposer, p.decided_by));
end;

-- Every role of operators, in the order in which lists show them.
create or replace function gold.all_roles() returns text[]
language sql immutable
return '{treasury, credentials, pricing, keys, audit}'::text[];

create or replace function gold.check_roles(roles text[]) returns void
language plpgsql immutable set search_path = gold, pg_temp as $$
begin
  if cardinality(roles) > 0 and roles = array(select r from unnest(all_roles()) with ordinality every (r, n) where r = any (roles) order by n) then
    return;
  end if;
  raise exception 'the roles of an operator must be some of %, each once and in this order; got %',
    array_to_string(all_roles(), ', '), coalesce(array_to_string(roles, ', '), 'none') using errcode = 'GR409';
end $$;

create or replace function gold.roles_of_login(name text) returns text[]
language sql stable
return array(select r from unnest(gold.all_roles()) with ordinality every (r, n) where pg_has_role(name, 'gold_' || r, 'usage') order by n);

-- A change of logins by its kind and members, as a proposal states it. Under two people, a login is created
-- or removed and gets a role only after another login has approved it, once per approval. The approval lasts
-- until the proposal expires. Returns what the audit row states.
create or replace function gold.require_approved_operator(kind text, content jsonb) returns jsonb
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  approved uuid := (
    select p.id from proposal p
    where p.kind = require_approved_operator.kind and p.content = require_approved_operator.content and p.state = 'approved'
      and p.expires_at > clock_timestamp()
      and not exists (select from audit a where a.action = p.kind and a.detail ->> 'proposal' = p.id::text)
    order by p.id desc limit 1);
begin
  if approved is null then
    perform require_approval_of_setting(require_approved_operator.content, require_approved_operator.kind);
    return '{}';
  end if;
  return jsonb_build_object('proposal', approved);
end $$;

-- A login with roles of operators that was never added, such as one that a setup script created.
create or replace function gold.is_made_by_hand(name text) returns boolean
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  return exists (select from operator_overview o where o.login = is_made_by_hand.name and o.added_at is null);
end $$;

create or replace function gold.check_new_operator(name text) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  if name is null or name !~ '^[a-z][a-z0-9_]{2,39}$' or name ~ '^(gold|pg)_' or name in ('postgres', 'public', 'none') then
    raise exception 'the name of a login must have 3 to 40 characters of a-z, 0-9 and _, and begin with a letter. It must not be postgres, public or none, or begin with gold_ or pg_'
      using errcode = 'GR409';
  elsif is_made_by_hand(name) then
    return;
  elsif exists (select from pg_roles r where r.rolname = check_new_operator.name) then
    raise exception 'there is already a database login %', name using errcode = 'GR409';
  elsif is_known_login(name) then
    raise exception 'the login name % was used before and appears in the audit or the books. A name must always mean one person: choose another name', name
      using errcode = 'GR409';
  end if;
end $$;

create or replace function gold.check_operator(name text) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  perform from operator_overview o where o.login = check_operator.name;
  if not found then
    raise exception 'there is no operator %', name using errcode = 'GR404';
  end if;
end $$;

-- Makes the login's roles exactly these. Members of gold_operator have all roles, so that membership ends.
create or replace function gold.give_roles(name text, roles text[]) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  role text;
  groups constant text := 'gold_' || array_to_string(all_roles(), ', gold_');
begin
  begin
    if pg_has_role(name, 'gold_operator', 'member') then
      execute format('revoke gold_operator from %I', name);
    end if;
    foreach role in array all_roles() loop
      if (role = any (roles)) <> pg_has_role(name, 'gold_' || role, 'member') then
        execute format(case when role = any (roles) then 'grant %I to %I' else 'revoke %I from %I' end, 'gold_' || role, name);
      end if;
    end loop;
  exception when insufficient_privilege then
    raise exception 'the login % may not grant the roles of operators. A superuser must run once: grant gold_operator, % to % with admin option',
      session_user, groups, session_user using errcode = 'GR409';
  end;
  -- Since Postgres 16, a login can only revoke what it granted itself.
  if roles_of_login(name) <> roles then
    raise exception 'the login % may not revoke a role that another login granted. A superuser must run once: revoke gold_operator, % from %',
      session_user, groups, name using errcode = 'GR409';
  end if;
end $$;

-- `verifier` is the SCRAM verifier of the password, so that no statement log contains the password. A login
-- that was made by hand keeps its password. A single operator has all roles.
create or replace function gold.add_operator(name text, verifier text, roles text[] default null) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  approval jsonb;
begin
  perform check_new_operator(name);
  if roles is null and two_people() then
    raise exception 'give each person only the roles that this person needs: add --roles with some of %', array_to_string(all_roles(), ',')
      using errcode = 'GR409';
  end if;
  roles := coalesce(roles, all_roles());
  perform check_roles(roles);
  approval := require_approved_operator('operator.add', jsonb_build_object('name', name, 'roles', roles));
  if not is_made_by_hand(name) then
    execute format('create role %I login password %L', name, verifier);
  end if;
  perform give_roles(name, roles);
  begin
    perform limit_operator_sessions(name);
  exception when insufficient_privilege then
    raise exception 'the login % may not change %. A superuser must run once: grant % to % with admin option', session_user, name, name, session_user
      using errcode = 'GR409';
  end;
  perform note('operator.add', name, approval || jsonb_build_object('roles', roles));
end $$;

-- One person may take roles away. A login gets another role only with an approval.
create or replace function gold.set_operator(name text, roles text[]) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  known text[];
  approval jsonb := '{}';
begin
  perform check_operator(name);
  perform check_roles(roles);
  known := roles_of_login(name);
  if roles = known then
    return;
  elsif not roles <@ known then
    approval := require_approved_operator('operator.set', jsonb_build_object('name', name, 'roles', roles));
  end if;
  perform give_roles(name, roles);
  perform note('operator.set', name, approval || jsonb_build_object('before', known, 'roles', roles));
end $$;

-- Also ends the login's keys. The audit and the books keep the removed login's name.
create or replace function gold.remove_operator(name text) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  approval jsonb;
begin
  perform check_operator(name);
  approval := require_approved_operator('operator.remove', jsonb_build_object('name', name));
  begin
    -- Become a member of the login's role first: only members may terminate the sessions of a role.
    execute format('grant %I to %I', name, session_user);
    perform pg_terminate_backend(s.pid, 5000) from pg_stat_activity s where s.usename = remove_operator.name;
    -- Only after the sessions have ended, because they can hold the key or the audit trail locked. Before the
    -- login is dropped, because only the key of an existing login counts as one that must remain.
    perform end_operator_key(k.fingerprint) from operator_key k where k.login = name and k.ended_at is null;
    execute format('drop role %I', name);
  exception
    when insufficient_privilege then
      raise exception 'the login % may not remove %: use the login that created it, or a superuser', session_user, name using errcode = 'GR409';
    when dependent_objects_still_exist then
      raise exception '% owns objects in a database or was granted privileges directly: drop or reassign the objects and revoke the privileges first', name using errcode = 'GR409';
  end;
  perform note('operator.remove', name, approval);
end $$;
