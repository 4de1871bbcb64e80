-- Routines that this version no longer calls and that statements of the last release (0.1.0) still may. Its processes go on while the
-- database is migrated, so each of its routines keeps its name, arguments and result until the next release.

-- A write of 0.1.0 that waited for the migration's locks goes on with 0.1.0's body, on tables that have changed. Every such body calls this
-- function next. A serialization failure rolls the write back, and its service sends it again, to this version's body.
create or replace function gold.next_millisecond(at timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  raise exception 'the database was migrated while this statement waited: run it again (this version''s routines call ceil_millisecond)'
    using errcode = '40001';
end $$;
