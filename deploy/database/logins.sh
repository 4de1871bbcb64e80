#!/bin/sh
# Run once by the database's container, as its superuser: one login for each job. Who migrates owns the database and makes
# the roles; the service can call functions and read views, and nothing else.
set -eu
psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
-- Read here: what stands among a command's words is shown to everybody on the machine.
\set migration `cat "$MIGRATION_PASSWORD_FILE"`
\set api `cat "$API_PASSWORD_FILE"`
\set one `cat "$OPERATOR_ONE_PASSWORD_FILE"`
\set two `cat "$OPERATOR_TWO_PASSWORD_FILE"`
create role gold_migration login createrole password :'migration';
create role gold_api login password :'api';
create role gold_operator nologin;
create role operator_one login password :'one' in role gold_operator;
create role operator_two login password :'two' in role gold_operator;
select format('alter database %I owner to gold_migration', current_database()) \gexec
SQL
