-- Time limits for a login's sessions in this database. Without time limits, an open transaction keeps its
-- locks: when an operator left psql open after lock_price(), the price became stale and all quoting stopped.
-- Each login gets its own limits, because a login does not inherit the settings of its roles. The limits
-- guard only against mistakes, because a login may change its own settings. The functions run with the
-- caller's privileges, and the caller must be able to alter the login.

create or replace function gold.limit_sessions(login name, limits jsonb) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  present text[] := (
    select s.setconfig from pg_db_role_setting s
    where s.setrole = (select r.oid from pg_roles r where r.rolname = login) and s.setdatabase = (select d.oid from pg_database d where d.datname = current_database())
  );
  wanted record;
begin
  for wanted in select key as name, value as milliseconds from jsonb_each_text(limits) loop
    continue when wanted.name || '=' || wanted.milliseconds = any (present);
    execute format('alter role %I in database %I set %I = %L', login, current_database(), wanted.name, wanted.milliseconds);
  end loop;
end $$;

create or replace function gold.limit_operator_sessions(login name) returns void
language sql volatile set search_path = gold, pg_temp
return gold.limit_sessions(login, '{"lock_timeout": "2000", "statement_timeout": "10000", "idle_in_transaction_session_timeout": "5000"}');

-- Limits the sessions of every login that exists when a database is migrated. The migration login may be
-- unable to alter a login that a superuser created. The migration then raises a warning and continues.
create or replace function gold.limit_all_sessions() returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  item record;
  operators constant text[] := '{gold_operator, gold_treasury, gold_credentials, gold_pricing, gold_keys, gold_audit}';
  services constant text[] := '{gold_api, gold_delivery, gold_ticker, gold_trust}';
begin
  for item in
    select r.rolname as login, bool_or(g.name = any (operators)) as is_operator
    from pg_roles r join unnest(operators || services) g (name) on pg_has_role(r.oid, g.name, 'member')
    where r.rolcanlogin and not r.rolsuper and not r.rolcreaterole
    group by r.rolname
  loop
    begin
      if item.is_operator then
        perform limit_operator_sessions(item.login);
      else
        -- For the service and the sidecar's trust sync. Some functions set a shorter lock_timeout of their
        -- own.
        perform limit_sessions(item.login,
          '{"lock_timeout": "2000", "statement_timeout": "10000", "idle_in_transaction_session_timeout": "10000"}');
      end if;
    exception when insufficient_privilege then
      raise warning 'Sessions of the login % have no time limits, because % may not alter it. As a superuser, run: grant % to % with admin option, then gold db migrate again.',
        item.login, current_user, item.login, current_user;
    -- The login was dropped meanwhile. Logins belong to the server, so another database's operator can do
    -- that.
    when undefined_object then
      null;
    end;
  end loop;
  -- Limit only idle transactions. Migrations, pg_dump and a manual CREATE INDEX take long.
  if not (select r.rolsuper from pg_roles r where r.rolname = current_user) then
    perform limit_sessions(current_user, '{"idle_in_transaction_session_timeout": "60000"}');
  end if;
end $$;
