-- The role of a change is the role that may call its function (privileges.sql). Only the migration login
-- changes logins and most settings of the deployment, so no role may call the functions of those changes.
--
-- The migration login owns the books, so it may propose every change. It may approve only with the role.
-- A login that was removed has no role.
create or replace function gold.require_role_of(login text, kind text, approving boolean) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  needed text := role_of_kind(kind);
begin
  if needed is null or exists (
    select from pg_roles r where r.rolname = login
      and (pg_has_role(r.oid, 'gold_' || needed, 'usage')
        or (not approving and pg_has_role(r.oid, 'gold_owner', 'usage'))))
  then
    return;
  end if;
  raise exception 'a change of the kind % needs the role %, which the login % does not have', kind, needed, login
    using errcode = 'GR403', detail = 'role_missing';
end $$;
