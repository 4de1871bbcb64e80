-- The state of the WAL archive on the primary. A restore can reach every instant up to the end of the newest
-- archived WAL file. `newest_at` is when that file was archived; before the first one, when the server
-- started. `waiting` counts complete WAL files that are not archived yet. Anybody may read the views that
-- this uses.
create or replace function gold.read_archive()
returns table (archiving boolean, newest_at timestamptz, age_seconds float8, waiting bigint, failing boolean)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  -- The name of a WAL file has 8 digits each for its timeline, its log and its file in this log.
  files_per_log bigint := 4294967296 / pg_size_bytes(current_setting('wal_segment_size'));
  current_file text := pg_walfile_name(pg_current_wal_insert_lsn());
  archived pg_stat_archiver;
begin
  select a.* into archived from pg_stat_archiver a;
  archiving := current_setting('archive_mode') <> 'off'
    and (current_setting('archive_command') <> '' or coalesce(current_setting('archive_library', true), '') <> '');
  newest_at := coalesce(archived.last_archived_time, pg_postmaster_start_time());
  age_seconds := extract(epoch from clock_timestamp() - newest_at);
  failing := coalesce(archived.last_failed_time > archived.last_archived_time, archived.last_failed_time is not null);
  -- A history file, which a new timeline archives first, has no number.
  waiting := case when archived.last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0,
    (select sum((('x' || substr(f.name, 9, 8))::bit(32)::bigint * files_per_log + ('x' || substr(f.name, 17, 8))::bit(32)::bigint) * f.sign)
     from (values (current_file, 1), (archived.last_archived_wal, -1)) f (name, sign)) - 1)
  else 0 end;
  return next;
end $$;
