-- Stores what partners asked of one process and what it granted, and returns what the other processes stored. Nothing
-- waits for the disk or for a standby, because the table is unlogged: after a crash, every process stores again. Each
-- process stores twice a second, so a row that is older than two seconds belongs to a process that ended or hangs.
-- After an outage of the database, all processes find each other's rows too old at once. Each stores its own row first
-- and skips rows that another one deletes, so none waits and none can deadlock.

create or replace function gold.share_rates(process uuid, used jsonb) returns setof jsonb
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  insert into gold.rate_use as r (id, used, at) values (share_rates.process, share_rates.used, clock_timestamp())
  on conflict (id) do update set used = excluded.used, at = excluded.at;

  delete from gold.rate_use where id in (
    select r.id from gold.rate_use r
    where r.id <> share_rates.process and r.at <= clock_timestamp() - interval '2 seconds' for update skip locked);

  select r.used from gold.rate_use r where r.id <> share_rates.process and r.at > clock_timestamp() - interval '2 seconds';
end;
