#!/bin/sh
# Creates one database login for each job. The database container runs this script once, as the Postgres
# superuser, when its volume is new. The migration login owns the database and creates the roles and the
# operators' logins, so that it may change them. The operators take no step before `gold operator add` has
# recorded them. Each login of the service can only call the functions and read the views of its process.
set -eu
psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
-- psql reads the passwords from files, because every user of the machine can see a command's arguments.
\set migration `cat "$MIGRATION_PASSWORD_FILE"`
\set api `cat "$API_PASSWORD_FILE"`
\set delivery `cat "$DELIVERY_PASSWORD_FILE"`
\set ticker `cat "$TICKER_PASSWORD_FILE"`
\set trust `cat "$TRUST_PASSWORD_FILE"`
\set one `cat "$OPERATOR_ONE_PASSWORD_FILE"`
\set two `cat "$OPERATOR_TWO_PASSWORD_FILE"`
create role gold_migration login createrole password :'migration';
create role gold_api login password :'api';
create role gold_delivery login password :'delivery';
create role gold_ticker login password :'ticker';
create role gold_trust login password :'trust';
set role gold_migration;
create role gold_operator nologin;
create role operator_one login password :'one' in role gold_operator;
create role operator_two login password :'two' in role gold_operator;
reset role;
select format('alter database %I owner to gold_migration', current_database()) \gexec
SQL
