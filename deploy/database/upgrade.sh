#!/bin/bash
# Moves the database to a server of a newer major version of Postgres by logical replication. The page
# docs/postgres_upgrade.md explains when to run each command:
#
#   prepare  copies the roles, and creates the database, for `gold db migrate`
#   start    begins to copy all rows and to follow every change
#   wait     returns when all rows are copied
#   switch   closes the old server, and opens the new one when both have the same rows
#   undo     before the end of the switch: removes the copy, and opens the old server again
#
# OLD_SERVER and NEW_SERVER are libpq strings of superusers, without dbname and without passwords, such as
# "host=db1 user=postgres sslmode=verify-full". The new server connects to the old one with OLD_SERVER.
#
# The connection limit of the new database shows how far the upgrade is: PREPARED after `prepare`, 0 after `start`,
# and -1 (no limit) after `switch`. With 0, only superusers may connect.
set -euo pipefail
DATABASE=${DATABASE:-gold}
PREPARED=50
# How long `switch` waits for the last changes.
LIMIT_SECONDS=${LIMIT_SECONDS:-60}

ask() { # SERVER DATABASE, with SQL on standard input
  psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 --set database="$DATABASE" \
    --set old="$OLD_SERVER dbname=$DATABASE" --set prepared="$PREPARED" --dbname "$1 dbname=$2"
}
old() { ask "$OLD_SERVER" "$DATABASE"; }
new() { ask "$NEW_SERVER" "$DATABASE"; }
fail() { echo "upgrade.sh: $*" >&2; exit 1; }
limit_of_new() {
  ask "$NEW_SERVER" postgres <<< "select datconnlimit from pg_database where datname = :'database'"
}

# Prints statements that create each role, with the hash of its password and its memberships. Superusers and
# replication logins belong to the server. Since Postgres 16, the owner of the database can change a login only
# with the admin option. In Postgres 15, CREATEROLE was enough.
print_roles() {
  old <<'SQL'
with role as (
  select r.*, format('%I', r.rolname) as name from pg_authid r
  where not r.rolsuper and not r.rolreplication and r.rolname !~ '^pg_'
)
select format(E'select %L where to_regrole(%L) is null \\gexec\n', 'create role ' || name, name)
  || format('alter role %s with %s %s %s %s connection limit %s password %L valid until %L;', name,
    case when rolcanlogin then 'login' else 'nologin' end, case when rolcreaterole then 'createrole' else 'nocreaterole' end,
    case when rolcreatedb then 'createdb' else 'nocreatedb' end, case when rolinherit then 'inherit' else 'noinherit' end,
    rolconnlimit, rolpassword, coalesce(rolvaliduntil, 'infinity'))
from role;
with granted as (
  -- Postgres 15 has no columns for the last two options.
  select g.rolname as role, m.rolname as member, a.admin_option as admin,
    coalesce((to_jsonb(a) ->> 'inherit_option')::boolean, true) as inherit,
    coalesce((to_jsonb(a) ->> 'set_option')::boolean, true) as set
  from pg_auth_members a join pg_roles g on g.oid = a.roleid join pg_roles m on m.oid = a.member
  where not m.rolsuper and m.rolname !~ '^pg_'
  union all
  select r.rolname, o.rolname, true, false, false
  from pg_roles r, pg_database d join pg_roles o on o.oid = d.datdba
  where d.datname = current_database() and o.rolcreaterole and not o.rolsuper and r.oid <> o.oid
    and not r.rolsuper and not r.rolreplication and r.rolname !~ '^pg_'
)
select format('grant %I to %I with admin %s, inherit %s, set %s;', role, member,
  bool_or(admin)::text, bool_or(inherit)::text, bool_or(set)::text)
from granted group by role, member;
select format('create database :"database" owner %I template template0 encoding ''UTF8'' connection limit :prepared;', o.rolname)
from pg_database d join pg_roles o on o.oid = d.datdba where d.datname = current_database();
SQL
}

# Prints what must be equal on both servers: the number of rows of each table, the heads of the hash chains and the
# accounts.
print_books() {
  ask "$1" "$DATABASE" <<'SQL'
set timezone = 'UTC';
select format('select %L, count(*) from %s', c.oid::regclass, c.oid::regclass)
from pg_class c
where c.relnamespace in ('gold'::regnamespace, 'gold_migrations'::regnamespace) and c.relkind in ('r', 'p')
order by c.oid::regclass::text collate "C" \gexec
select gold.current_heads();
select to_jsonb(a) from gold.account a order by a.bucket, a.client_id;
SQL
}

case "${1:-}" in
prepare)
  print_roles | ask "$NEW_SERVER" postgres
  ;;
start)
  [ "$(old <<< 'show wal_level')" = logical ] ||
    fail "wal_level of the old server must be logical. Set it, restart the server, and run start again."
  [ "$(limit_of_new)" = "$PREPARED" ] || fail "the new database is not new. Run undo, and begin with prepare."
  version=$(old <<< 'select gold.schema_version()')
  [ "$(new <<< 'select gold.schema_version()')" = "$version" ] ||
    fail "the servers have different schemas. Run gold db migrate of one release on both, and run start again."
  # From here on, only superusers may connect. A process that writes to the copy would break the replication.
  # The copy needs empty tables, and the same weekly partitions of delivery attempts as the old server.
  new <<'SQL'
alter database :"database" connection limit 0;
set session_replication_role = replica;
select format('truncate %s restart identity', string_agg(c.oid::regclass::text, ', '))
from pg_class c
where c.relnamespace in ('gold'::regnamespace, 'gold_migrations'::regnamespace) and c.relkind in ('r', 'p') \gexec
set client_min_messages = warning;
drop schema gold_attempts cascade;
SQL
  pg_dump --section=pre-data --schema=gold_attempts --dbname "$OLD_SERVER dbname=$DATABASE" | new > /dev/null
  old <<'SQL' | new
select pg_get_triggerdef(t.oid) || ';' from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = 'gold_attempts'::regnamespace and not t.tgisinternal;
SQL
  # Without a replica identity, Postgres would refuse updates of a published table. Attempts are never updated.
  old <<'SQL'
set lock_timeout = '2s';
select format('alter table %s replica identity full', c.oid::regclass)
from pg_class c
where c.relnamespace = 'gold'::regnamespace and c.relkind = 'r'
  and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) \gexec
create publication gold_upgrade for all tables with (publish_via_partition_root = true);
SQL
  new <<< "create subscription gold_upgrade connection :'old' publication gold_upgrade;"
  ;;
wait)
  while :; do
    left=$(new <<'SQL'
select count(*) filter (where r.srsubstate <> 'r')
from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid
where s.subname = 'gold_upgrade'
having count(*) > 0
SQL
    )
    [ "$left" ] || fail "nothing is being copied. Run start first."
    [ "$left" != 0 ] || break
    echo "$left tables are being copied"
    sleep 1
  done
  new <<< 'vacuum analyze;'
  ;;
switch)
  old <<'SQL'
alter database :"database" connection limit 0;
select from pg_stat_activity a, pg_terminate_backend(a.pid, 5000)
where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid();
SQL
  last=$(old <<< 'select pg_current_wal_insert_lsn()')
  seconds=0
  until [ "$(old <<< "select confirmed_flush_lsn >= '$last' from pg_replication_slots where slot_name = 'gold_upgrade'")" = t ]; do
    [ $((seconds += 1)) -le "$LIMIT_SECONDS" ] || fail "the new server lacks the last changes. Run switch again, or undo."
    sleep 1
  done
  # Before Postgres 19, logical replication does not copy sequences.
  old <<'SQL' | new > /dev/null
select format('select setval(%L, %s);', format('%I.%I', schemaname, sequencename), last_value)
from pg_sequences where last_value is not null;
SQL
  before=$(print_books "$OLD_SERVER")
  after=$(print_books "$NEW_SERVER")
  [ "$before" = "$after" ] || fail "the servers do not have the same rows. Run undo, and begin with prepare."
  new <<'SQL'
drop subscription gold_upgrade;
alter database :"database" connection limit -1;
SQL
  ;;
undo)
  limit=$(limit_of_new) || fail "the new server does not answer, so it may have new orders. Nothing was changed."
  [ "$limit" != -1 ] || fail "the new server is open, and may have new orders. Nothing was changed."
  # The old server may have lost the slot, for example in a failover. So it is dropped below, and not with the subscription.
  if [ "$limit" ]; then
    new <<'SQL'
select 'alter subscription gold_upgrade disable', 'alter subscription gold_upgrade set (slot_name = none)', 'drop subscription gold_upgrade'
from pg_subscription where subname = 'gold_upgrade' \gexec
SQL
  fi
  ask "$NEW_SERVER" postgres <<< 'drop database if exists :"database";'
  old <<'SQL'
set lock_timeout = '2s';
set client_min_messages = warning;
alter database :"database" connection limit -1;
select from pg_replication_slots s, pg_terminate_backend(s.active_pid, 5000) where s.slot_name = 'gold_upgrade';
select from pg_replication_slots s, pg_drop_replication_slot(s.slot_name) where s.slot_name = 'gold_upgrade';
drop publication if exists gold_upgrade;
select format('alter table %s replica identity default', c.oid::regclass)
from pg_class c
where c.relnamespace = 'gold'::regnamespace and c.relkind = 'r' and c.relreplident = 'f' \gexec
SQL
  ;;
*)
  fail "usage: deploy/database/upgrade.sh prepare|start|wait|switch|undo"
  ;;
esac
