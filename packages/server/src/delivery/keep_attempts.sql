-- Attempts are partitioned by week, Monday to Monday in UTC. Creates the partitions of this week and the next
-- three, and drops the partitions that are past their retention. Most calls change nothing, because no
-- partition is missing or too old.

create or replace function gold.keep_attempts() returns void
language plpgsql volatile security definer set search_path = gold, pg_temp set timezone = 'UTC' set lock_timeout = '200ms' as $$
declare
  this_week date := date_trunc('week', clock_timestamp());
  week date;
  old record;
begin
  for week in select this_week + 7 * n from generate_series(0, 3) n loop
    continue when to_regclass('gold_attempts.week_' || to_char(week, 'YYYYMMDD')) is not null;
    -- If two workers call this at once, let the second one wait here. It then finds that the table exists.
    -- Attempts can still be written meanwhile.
    lock table attempt in share update exclusive mode;
    continue when to_regclass('gold_attempts.week_' || to_char(week, 'YYYYMMDD')) is not null;
    execute format('create table gold_attempts.week_%s (like gold.attempt including defaults)', to_char(week, 'YYYYMMDD'));
    execute format('create trigger append_only before update or delete or truncate on gold_attempts.week_%s
      for each statement execute function gold.refuse_change()', to_char(week, 'YYYYMMDD'));
    execute format('alter table gold.attempt attach partition gold_attempts.week_%s for values from (%L) to (%L)',
      to_char(week, 'YYYYMMDD'), week, week + 7);
  end loop;

  for old in
    select c.oid::regclass as name from pg_class c, deployment d
    where c.relnamespace = 'gold_attempts'::regnamespace and c.relkind = 'r'
      and to_date(right(c.relname, 8), 'YYYYMMDD') + 7 + d.attempts_kept_days <= clock_timestamp()::date
  loop
    begin
      -- Dropping a partition needs an exclusive lock for a moment. If a long read holds the table, this
      -- attempt fails, and a later call drops the partition.
      execute format('drop table if exists %s', old.name);
    exception when lock_not_available then
      exit;
    end;
  end loop;
end $$;
