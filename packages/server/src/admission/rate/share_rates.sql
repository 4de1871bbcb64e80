-- Stores what one process was asked by each partner, and returns what the other processes stored. Nothing waits
-- for the disk or for a standby, because the table is unlogged: after a crash, every process stores again. A row
-- that is older than two seconds belongs to a process that ended or has no requests.

create or replace function gold.share_rates(process uuid, used jsonb) returns setof jsonb
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  delete from gold.rate_use r where r.id <> share_rates.process and r.at <= clock_timestamp() - interval '2 seconds';

  insert into gold.rate_use as r (id, used, at) values (share_rates.process, share_rates.used, clock_timestamp())
  on conflict (id) do update set used = excluded.used, at = excluded.at;

  select r.used from gold.rate_use r where r.id <> share_rates.process and r.at > clock_timestamp() - interval '2 seconds';
end;
