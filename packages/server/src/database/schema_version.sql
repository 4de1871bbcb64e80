-- Returns the time of the newest migration of this database, in Unix milliseconds. A process of a later
-- version refuses to start, because some of its routines do not exist yet. A process of an earlier version
-- may start: see release_0_5_0.sql.
create or replace function gold.schema_version() returns bigint
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select max(m.created_at) from gold_migrations.__drizzle_migrations m;
end;
