-- Returns the next events for the endpoints that a worker holds, limited by the room of each endpoint. These
-- are the due rows of the retry table and, in order, the events after a given number. A disabled endpoint
-- gets only tests. However many events wait, the function reads only the events that it returns. For an endpoint that
-- takes only some types, it also reads over the events between them.

create or replace function gold.take_deliveries(worker uuid, clients int[], tenures int[], afters bigint[], rooms int[])
returns table (client int, sequence bigint, id uuid, body text, tries int, ticket timestamptz, follows bigint)
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
    select distinct r.partner_id from unnest(clients, afters, rooms) c (client, after, room)
    join receiver r on r.id = c.client
    join account a on a.bucket = r.partner_id % 64 and a.client_id = r.partner_id
    left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
    where coalesce(t.sequence, 0) < case
      when r.types is null then least(a.event_sequence, c.after + c.room) else a.event_sequence end);
  if cardinality(unsealed) > 0 then
    perform seal_next(unsealed);
  end if;

  return query
  with endpoints as materialized (
    select r.id as receiver, r.partner_id % 64 as bucket, r.partner_id, p.public_id, r.types, r.typed_after,
      c.after, c.room, takes(r.types, 'order.executed') as orders, t.sequence as sealed, a.event_sequence as last,
      n.disabled_at is not null as disabled
    from unnest(clients, tenures, afters, rooms) c (client, tenure, after, room)
    join receiver r on r.id = c.client
    join partner p on p.id = r.partner_id
    join endpoint n on n.bucket = r.id % 64 and n.client_id = r.id
      and n.worker = take_deliveries.worker and n.tenure = c.tenure
    join chain_tail t on t.bucket = r.partner_id % 64 and t.client_id = r.partner_id
    join account a on a.bucket = t.bucket and a.client_id = t.client_id
  ), taken as (
    -- Give retries half of the room at most, so that events that a receiver never accepts do not block new
    -- events. Tests are selected separately, up to the whole room. The test with the latest due time comes
    -- first, so that a new test does not wait for the retries of earlier tests.
    update retry r set due_at = lost_at
    where r.ctid = any (array(
      select r.ctid from endpoints n cross join lateral (
        select r.ctid from retry r where r.client_id + 0 = n.receiver and r.is_test and r.due_at <= clock
          and r.sequence <= n.sealed
        order by r.client_id + 0 desc, r.due_at desc limit n.room for no key update skip locked
      ) r
    ) || array(
      select r.ctid from endpoints n cross join lateral (
        select r.ctid from retry r where r.client_id + 0 = n.receiver and r.due_at <= clock
          and r.sequence <= n.sealed
        order by r.client_id + 0, r.due_at limit (n.room + 1) / 2 for no key update skip locked
      ) r where not n.disabled))
    returning r.client_id as receiver, r.sequence, r.tries
  ), fresh as materialized (
    select n.receiver, n.after, n.room_left, e.* from (
      select n.*, greatest(0, n.room - (select count(*) from taken t where t.receiver = n.receiver)) as room_left
      from endpoints n where not n.disabled
    ) n cross join lateral (
      (select e.* from event e
        where n.orders and e.bucket = n.bucket and e.client_id = n.partner_id and e.sequence > n.after
          and takes(n.types, e.type)
        order by e.sequence limit n.room_left)
      union all
      (select e.* from event e
        where not n.orders and e.bucket = n.bucket and e.client_id = n.partner_id and e.sequence > n.after
          and takes(n.types, e.type) and e.type <> 'order.executed'
        order by e.sequence limit n.room_left)
    ) e
  ), chosen as (
    select t.receiver, e.*, t.tries, lost_at as ticket, null::bigint as follows
    from taken t join endpoints n on n.receiver = t.receiver
    cross join lateral event_of_number(n.partner_id, t.sequence) e
    union all
    select f.receiver, f.bucket, f.client_id, f.sequence, f.id, f.subject, f.created_at, f.type, f.line, 0, null,
      lag(f.sequence, 1, f.after) over (partition by f.receiver order by f.sequence)
    from fresh f
  )
  -- An event without a chain link was written after the sealing and has no body yet. A later call returns it.
  select t.receiver, t.sequence, t.id,
    -- A new event that has a row in the retry table gets no body, because it is or was sent through that row.
    -- The worker then skips the event. This is a subquery, because with `exists` the planner might read the
    -- whole table.
    case when t.ticket is not null or (
      select r.tries from retry r
      where r.bucket = t.receiver % 64 and r.client_id = t.receiver and r.sequence = t.sequence) is null
    then left(b.body, -1) || ',"previous_sequence":'
      || coalesce(previous_sequence(n.partner_id, n.types, n.orders, n.typed_after, t.sequence)::text, 'null')
      || ',"client_id":"' || n.public_id || '"}' end,
    t.tries::int, t.ticket, t.follows
  from chosen t join endpoints n on n.receiver = t.receiver
  cross join lateral event_body(
    row(t.bucket, t.client_id, t.sequence, t.id, t.subject, t.created_at, t.type, t.line)::event) b

  union all
  -- An endpoint for whose types nothing more is left passes all other events, too.
  select n.receiver, n.last, null, null, 0, null, coalesce(f.sequence, n.after)
  from endpoints n cross join lateral (
    select max(f.sequence) as sequence, count(*) as events from fresh f where f.receiver = n.receiver
  ) f
  where n.types is not null and not n.disabled and n.last > coalesce(f.sequence, n.after)
    and f.events + (select count(*) from taken t where t.receiver = n.receiver) < n.room;
end $$;

-- The number of the event before this one among those that an endpoint takes. Null if there is none since the
-- endpoint has these types.
create or replace function gold.previous_sequence(
  client int, types text[], orders boolean, typed_after bigint, sequence bigint
) returns bigint
language sql stable
return case
  when types is null then nullif(greatest(sequence - 1, typed_after), typed_after)
  when orders then (
    select e.sequence from gold.event e
    where e.bucket = client % 64 and e.client_id = client
      and e.sequence < previous_sequence.sequence and e.sequence > typed_after
      and gold.takes(types, e.type)
    order by e.sequence desc limit 1)
  else (
    select e.sequence from gold.event e
    where e.bucket = client % 64 and e.client_id = client
      and e.sequence < previous_sequence.sequence and e.sequence > typed_after
      and gold.takes(types, e.type) and e.type <> 'order.executed'
    order by e.sequence desc limit 1)
end;
