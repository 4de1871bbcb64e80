-- The roles, once per cluster. gold_owner owns tables and triggers, gold_book owns the booking functions; neither
-- can log in. gold_api is the service: it may call functions and read views, and nothing else. gold_operator is
-- what each operator's own login is a member of.
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
  -- The migration login hands what it makes to these two, and changes it later as a member.
  execute format('grant gold_owner, gold_book to %I', current_user);
end $$;
