-- The delivery backlog, for monitoring. An event waits until it is delivered or parked. Most of the events that
-- wait for a dead receiver were sent once and have a row in `retry`.

create or replace function gold.read_backlog()
returns table (waiting bigint, oldest_seconds float8, parked bigint, disabled bigint)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select coalesce(sum(p.waiting), 0)::bigint, coalesce(extract(epoch from clock_timestamp() - min(p.oldest)), 0)::float8,
    (select count(*) from gold.retry r where r.parked_at is not null), count(*) filter (where p.is_disabled)
  from (
    select a.event_sequence - coalesce(n.passed, o.added_after) + r.due - r.ahead as waiting,
      n.disabled_at is not null as is_disabled, (
      -- Leaves out the events of disabled endpoints. These events wait until the partner or the operator
      -- enables the endpoint. The column `disabled` counts these endpoints.
      select e.created_at from gold.event e
      where n.disabled_at is null and e.bucket = a.bucket and e.client_id = a.client_id
        and e.sequence = least(r.first, coalesce(n.passed, o.added_after) + 1)) as oldest
    from gold.receiver o
    join gold.account a on a.bucket = o.partner_id % 64 and a.client_id = o.partner_id
    left join gold.endpoint n on n.bucket = o.id % 64 and n.client_id = o.id
    cross join lateral (
      -- `ahead` are rows above the mark, whose events the difference to the mark has counted already.
      select count(r.due_at) as due, count(*) filter (where r.sequence > coalesce(n.passed, o.added_after)) as ahead,
        min(r.sequence) filter (where r.due_at is not null) as first
      from gold.retry r where r.bucket = o.id % 64 and r.client_id = o.id
    ) r
    where o.removed_at is null
  ) p;
end;

-- `failing` counts the endpoints whose last attempt failed. `unsent_seconds` is the age of the oldest event that
-- was never sent although its endpoint does not fail. If it grows, the workers are too slow.
create or replace function gold.read_sending()
returns table (failing bigint, unsent_seconds float8)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select count(*) filter (where p.failures > 0),
    coalesce(extract(epoch from clock_timestamp() - min(p.oldest_unsent) filter (where p.failures = 0)), 0)::float8
  from (
    select coalesce(n.failures, 0) as failures, (
      select e.created_at from gold.event e
      where e.bucket = a.bucket and e.client_id = a.client_id
        and e.sequence = coalesce(n.passed, o.added_after) + 1) as oldest_unsent
    from gold.receiver o
    join gold.account a on a.bucket = o.partner_id % 64 and a.client_id = o.partner_id
    left join gold.endpoint n on n.bucket = o.id % 64 and n.client_id = o.id
    where o.removed_at is null and n.disabled_at is null
  ) p;
end;
