-- Returns null if this database can now commit a write as durably as an order needs it. Otherwise returns the
-- reason. Raises 25006 on a read-only database, and GB005 if the settings can lose an acknowledged write, so
-- that the service replaces the connection. Writes to no table: a message in the write-ahead log is enough
-- for a commit to reach the disk and the standby.
create or replace function gold.probe_write(standby boolean) returns text
language plpgsql volatile set search_path = gold, pg_temp set work_mem = '64kB' as $$
declare
  -- The defaults of the database and the role that a new session of this login gets. A session keeps those
  -- from its login, and booking may open a new session at any time.
  defaults jsonb := (
    select jsonb_object_agg(d.name, d.value) from (
      select distinct on (name) split_part(c.setting, '=', 1) as name, split_part(c.setting, '=', 2) as value
      from pg_db_role_setting s cross join unnest(s.setconfig) c (setting)
      where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
        and s.setrole in (0, (select oid from pg_roles where rolname = session_user))
      order by name, s.setrole <> 0 desc, s.setdatabase <> 0 desc
    ) d
  );
  acknowledged_by text := lower(coalesce(defaults->>'synchronous_commit', current_setting('synchronous_commit')));
begin
  if pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
    or (defaults->>'default_transaction_read_only')::boolean then
    raise read_only_sql_transaction using message = 'the database accepts no writes';
  elsif acknowledged_by in ('off', 'local', 'false', 'no', '0') or not current_setting('fsync')::boolean
    or not current_setting('full_page_writes')::boolean then
    raise exception 'the settings can lose acknowledged writes' using errcode = 'GB005';
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
