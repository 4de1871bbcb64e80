-- Returns null if this database can now commit a write as durably as an order needs it. Otherwise returns the
-- reason. Raises 25006 on a read-only database. Writes to no table: a message in the write-ahead log is enough for a commit to reach the disk and
-- the standby.
create or replace function gold.probe_write(standby boolean) returns text
language plpgsql volatile set search_path = gold, pg_temp set work_mem = '64kB' as $$
declare
  acknowledged_by text := current_setting('synchronous_commit');
begin
  if pg_is_in_recovery() or current_setting('transaction_read_only')::boolean then
    -- An error, so that the service replaces the connection.
    raise read_only_sql_transaction using message = 'the database accepts no writes';
  elsif acknowledged_by in ('off', 'local') or not current_setting('fsync')::boolean or not current_setting('full_page_writes')::boolean then
    return 'not_durable';
  elsif standby and (current_setting('synchronous_standby_names') = '' or acknowledged_by = 'remote_write'
      or current_setting('max_wal_senders')::int = 0) then
    return 'no_standby';
  -- Do not commit if a session of this login has waited for the standby for more than 2 s. The probe would
  -- wait as well, and a waiting commit cannot be cancelled safely and occupies its connection.
  elsif exists (select from pg_stat_get_activity(null) a where a.wait_event = 'SyncRep' and a.state_change < clock_timestamp() - interval '2 seconds') then
    return 'no_standby';
  end if;
  -- Read more rows than work_mem holds, so that Postgres writes a temporary file of 40 kB. On a full disk
  -- that fails with disk_full (53100).
  perform count(*) from generate_series(1, 3000);
  perform pg_logical_emit_message(true, 'gold', '');
  return null;
end $$;
