-- Routines that the last release (0.1.0) calls and this version does not call. Processes of 0.1.0 keep
-- running while the database is migrated. So each of these routines keeps its name, arguments and result
-- until the next release.

-- A write of 0.1.0 that waited for the migration's locks continues with 0.1.0's routine body on changed
-- tables. Every such body calls this function next. The function raises a serialization failure. The write
-- rolls back, and the service retries it with this version's body.
create or replace function gold.next_millisecond(at timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;
