-- Whether this database can commit a write now, as an order would need it. Null where it can, else why not. It writes nothing to a table:
-- a message in the log is enough for a commit to reach the disk and the standby.
create or replace function gold.probe_write(standby boolean) returns text
language plpgsql volatile set search_path = gold, pg_temp set work_mem = '64kB' as $$
declare
  acknowledged_by text := current_setting('synchronous_commit');
begin
  if pg_is_in_recovery() or current_setting('transaction_read_only')::boolean then
    return 'read_only';
  elsif acknowledged_by in ('off', 'local') or not current_setting('fsync')::boolean or not current_setting('full_page_writes')::boolean then
    return 'not_durable';
  elsif standby and (current_setting('synchronous_standby_names') = '' or acknowledged_by = 'remote_write'
      or current_setting('max_wal_senders')::int = 0) then
    return 'no_standby';
  -- A commit that waits for the standby cannot be taken back, and its connection stays taken. Where one of this login's has waited this
  -- long, another one would wait, too.
  elsif exists (select from pg_stat_get_activity(null) a where a.wait_event = 'SyncRep' and a.state_change < clock_timestamp() - interval '2 seconds') then
    return 'no_standby';
  end if;
  -- More rows than work_mem holds: a temporary file of 40 kB, which fails with disk_full (53100) where a table could not grow either.
  perform count(*) from generate_series(1, 3000);
  perform pg_logical_emit_message(true, 'gold', '');
  return null;
end $$;
