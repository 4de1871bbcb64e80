-- The delivery backlog, for monitoring. The function looks once at each partner, however many events wait.

create or replace function gold.read_backlog()
returns table (waiting bigint, oldest_seconds float8, parked bigint, disabled bigint)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select coalesce(sum(p.waiting), 0)::bigint, coalesce(extract(epoch from clock_timestamp() - min(p.oldest)), 0)::float8,
    (select count(*) from gold.retry r where r.parked_at is not null), count(*) filter (where p.is_disabled)
  from (
    select a.event_sequence - coalesce(n.passed, 0) as waiting, n.disabled_at is not null as is_disabled, (
      -- Leaves out the events of disabled endpoints. These events wait until the partner or the operator
      -- enables the endpoint. The column `disabled` counts these endpoints.
      select e.created_at from gold.event e
      where n.disabled_at is null and e.bucket = a.bucket and e.client_id = a.client_id and e.sequence > coalesce(n.passed, 0)
      order by e.sequence limit 1) as oldest
    from gold.partner o
    join gold.account a on a.bucket = o.id % 64 and a.client_id = o.id
    left join gold.endpoint n on n.bucket = a.bucket and n.client_id = a.client_id
    where o.webhook_url is not null
  ) p;
end;
