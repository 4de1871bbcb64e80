-- Returns the next events for the endpoints that a worker holds, limited by the room of each endpoint. These
-- are the due rows of the retry table and, in order, the events after a given number. A disabled endpoint
-- gets only tests. However many events wait, the function reads only the events that it returns.

create or replace function gold.take_events(worker uuid, clients int[], tenures int[], afters bigint[], rooms int[])
returns table (client int, sequence bigint, id uuid, body text, tries int, ticket timestamptz)
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_material = off set jit = off as $$
#variable_conflict use_column
declare
  clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  -- When a taken retry becomes due again, so that another worker can send it if this worker dies. Every
  -- attempt ends before this time.
  lost_at timestamptz := clock + interval '20 seconds';
  unsealed int[];
begin
  perform require_read_committed();
  unsealed := array(
    select c.client from unnest(clients, afters, rooms) c (client, after, room)
    join account a on a.bucket = c.client % 64 and a.client_id = c.client
    left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
    where coalesce(t.sequence, 0) < least(a.event_sequence, c.after + c.room));
  if cardinality(unsealed) > 0 then
    perform seal_next(unsealed);
  end if;

  return query
  with endpoints as materialized (
    select n.bucket, n.client_id, c.after, c.room, t.sequence as sealed, n.disabled_at is not null as disabled
    from unnest(clients, tenures, afters, rooms) c (client, tenure, after, room)
    join endpoint n on n.bucket = c.client % 64 and n.client_id = c.client
      and n.worker = take_events.worker and n.tenure = c.tenure
    join chain_tail t on t.bucket = n.bucket and t.client_id = n.client_id
  ), taken as (
    -- Give retries half of the room at most, so that events that a receiver never accepts do not block new
    -- events. Tests are selected separately, up to the whole room. The test with the latest due time comes
    -- first, so that a new test does not wait for the retries of earlier tests.
    update retry r set due_at = lost_at
    where r.ctid = any (array(
      select r.ctid from endpoints n cross join lateral (
        select r.ctid from retry r where r.client_id + 0 = n.client_id and r.is_test and r.due_at <= clock
          and r.sequence <= n.sealed
        order by r.client_id + 0 desc, r.due_at desc limit n.room for no key update skip locked
      ) r
    ) || array(
      select r.ctid from endpoints n cross join lateral (
        select r.ctid from retry r where r.client_id + 0 = n.client_id and r.due_at <= clock
          and r.sequence <= n.sealed
        order by r.client_id + 0, r.due_at limit (n.room + 1) / 2 for no key update skip locked
      ) r where not n.disabled))
    returning r.client_id, r.sequence, r.tries
  ), chosen as (
    select e.*, t.tries, lost_at as ticket from taken t cross join lateral event_of_number(t.client_id, t.sequence) e
    union all
    select e.*, 0, null from endpoints n cross join lateral (
      select e.* from event e
      where e.bucket = n.bucket and e.client_id = n.client_id and e.sequence > n.after
      order by e.sequence
      limit greatest(0, n.room - (select count(*) from taken t where t.client_id = n.client_id))
    ) e
    where not n.disabled
  )
  -- An event without a chain link was written after the sealing and has no body yet. A later call returns it.
  select t.client_id, t.sequence, t.id,
    -- A new event that has a row in the retry table gets no body, because it is or was sent through that row.
    -- The worker then skips the event. This is a subquery, because with `exists` the planner might read the
    -- whole table.
    case when t.ticket is not null or (
      select r.tries from retry r where r.bucket = t.bucket and r.client_id = t.client_id and r.sequence = t.sequence) is null then b.body end,
    t.tries::int, t.ticket
  from chosen t cross join lateral event_body(row(t.bucket, t.client_id, t.sequence, t.id, t.subject, t.created_at, t.type, t.line)::event) b;
end $$;
