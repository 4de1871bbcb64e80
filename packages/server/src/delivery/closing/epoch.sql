-- An epoch is one timeline of the database. Postgres starts a new timeline at a failover and when a database
-- is restored to an earlier instant. So a restore that lost the newest records shows as a new epoch, and each
-- event `day.closed` names its epoch. Another cluster, as after a dump or pg_upgrade, is a new epoch, too.

-- Returns the number of the current epoch. Stores the epoch if it is new. The name of the current WAL file
-- begins with the timeline. pg_control_checkpoint() would still name the old one right after a promotion.
create or replace function gold.note_epoch() returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  newest epoch;
  current_system bigint := (select c.system_identifier from pg_control_system() c);
  current_timeline int := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int;
begin
  select e.* into newest from epoch e order by e.id desc limit 1;
  if (newest.system, newest.timeline) is distinct from (current_system, current_timeline) then
    newest.id := coalesce(newest.id, 0) + 1;
    -- Another worker may have stored the same epoch meanwhile.
    insert into epoch (id, system, timeline, began_at)
    values (newest.id, current_system, current_timeline, ceil_millisecond(clock_timestamp())) on conflict do nothing;
  end if;
  return newest.id;
end $$;

-- The first epoch begins with the migration. The first day that is closed is the first whole day after it.
select gold.note_epoch();
