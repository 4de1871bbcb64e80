-- The roles, once per cluster. gold_owner owns the tables and the functions of their triggers, gold_book owns
-- the other functions; neither can log in. Each process of the service has a login: gold_api, gold_delivery,
-- gold_ticker and gold_trust. Each operator has a login that is a member of some of the roles of operators.
-- Members of gold_operator have all of these roles. privileges.sql says what each login and role may do.
do $$
declare
  name text;
  operators constant text[] := '{gold_treasury, gold_credentials, gold_pricing, gold_keys, gold_audit}';
begin
  foreach name in array '{gold_owner, gold_book, gold_operator}' || operators loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
  foreach name in array '{gold_api, gold_delivery, gold_ticker, gold_trust}'::text[] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login', name);
    end if;
  end loop;
  -- Make the migration login a member of these two roles, because it makes them the owners of its objects and
  -- later changes those objects. Grant only a missing membership: a repeated grant would wait for the
  -- migrations of all other databases of the server, because databases share roles. Before Postgres 16 a
  -- member may always SET ROLE.
  foreach name in array array['gold_owner', 'gold_book'] loop
    if not pg_has_role(current_user, name, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end) then
      execute format('grant %I to %I', name, current_user);
    end if;
  end loop;
  foreach name in array operators loop
    if not pg_has_role('gold_operator', name, 'member') then
      execute format('grant %I to gold_operator', name);
    end if;
  end loop;
end $$;
