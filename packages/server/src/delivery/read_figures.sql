-- The figures of the whole database, for monitoring: an object of metric names and values. Null is a value that
-- does not exist. Several processes ask. Only the process whose session holds an advisory lock gets the
-- figures, so that a sum over the processes counts each figure once. The lock ends with the session, so
-- another process gets the figures when the holder dies.
create or replace function gold.read_figures() returns jsonb
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  clock timestamptz := clock_timestamp();
  day text := 'gold.opening_' || to_char(day_end(clock), 'YYYYMMDD');
  owed bigint;
  newest timestamptz;
begin
  if not pg_try_advisory_lock(1735355494) then
    return null;
  end if;
  -- Only trades change the partners' gold. So what they bought in a day minus what they sold is the change
  -- since the day began. net_of_day() looks up each partner that traded, so the session asks it once a day.
  if coalesce(current_setting(day, true), '') = '' then
    perform set_config(day, (select sum(a.gold) - net_of_day(clock) from account a where a.client_id <> 0)::text, false);
  end if;
  select coalesce(sum(a.gold), 0), max(a.last_posted_at) into owed, newest from account a where a.client_id <> 0;
  return (
    select jsonb_build_object(
      'gold_database_read_timestamp_seconds', extract(epoch from clock),
      'gold_vault_free_grams', (select sum(v.free) from vault v) * 0.0001,
      'gold_order_limit_grams', (
        select max(p.maximum_grams) from partner p where p.suspended_at is null) * 0.0001,
      'gold_exposure_grams', (owed - coalesce(nullif(current_setting(day, true), ''), '0')::bigint) * 0.0001,
      'gold_clock_behind_seconds', case when newest > clock + clock_tolerance() then seconds_behind(newest, clock)::int else 0 end,
      'gold_market_halted', coalesce((select (p.halted_at is not null)::int from price p), 0),
      'gold_price_age_seconds', r.age_seconds,
      'gold_price_stale', r.stale::int,
      'gold_proposals_waiting', o.waiting,
      'gold_proposal_oldest_seconds', o.oldest_seconds,
      'gold_webhook_waiting', b.waiting,
      'gold_webhook_oldest_seconds', b.oldest_seconds,
      'gold_webhook_unsent_seconds', s.unsent_seconds,
      'gold_webhook_parked', b.parked,
      'gold_webhook_endpoints_disabled', b.disabled,
      'gold_webhook_endpoints_failing', s.failing,
      'gold_backup_age_seconds', case when w.watched then w.age_seconds end,
      'gold_backup_files_waiting', case when w.watched then w.waiting end)
    from read_backlog() b, read_sending() s, (
      select count(*) as waiting, coalesce(extract(epoch from clock - min(p.proposed_at)), 0)::int as oldest_seconds
      from proposal p where p.state = 'pending' and p.expires_at > clock
    ) o, (
      -- A source that has given no price yet has the time `epoch`: count from when the source was set.
      select coalesce(bool_or(is_stale(p, clock)), false) as stale, max(case when p.source <> 'fixed' then
        greatest(extract(epoch from clock - case when p.as_of = 'epoch' then p.stored_at else p.as_of end), 0)::int end) as age_seconds
      from price p where market_open(clock)
    ) r, (
      -- Without an archive, a sandbox has no figures of backups. Production has them, so that the alarm fires.
      select r.*, r.archiving or d.environment = 'production' as watched from read_archive() r, deployment d
    ) w
  );
end $$;
