-- The roles, once per cluster. gold_owner owns the tables and the functions of their triggers, gold_book owns
-- the other functions; neither can log in. gold_api is the service: it may call functions and read views, and
-- nothing else. Each operator has a login that is a member of gold_operator.
do $$
declare
  name text;
begin
  foreach name in array array['gold_owner', 'gold_book', 'gold_operator'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
  if not exists (select from pg_roles where rolname = 'gold_api') then
    create role gold_api login;
  end if;
  -- Make the migration login a member of these two roles, because it makes them the owners of its objects and
  -- later changes those objects. Grant only a missing membership: a repeated grant would wait for the
  -- migrations of all other databases of the server, because databases share roles. Before Postgres 16 a
  -- member may always SET ROLE.
  foreach name in array array['gold_owner', 'gold_book'] loop
    if not pg_has_role(current_user, name, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end) then
      execute format('grant %I to %I', name, current_user);
    end if;
  end loop;
end $$;
