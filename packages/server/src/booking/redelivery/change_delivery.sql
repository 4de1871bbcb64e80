-- An operator's commands for a partner's deliveries. A command that resets an endpoint takes it from its
-- worker, and a worker must claim it again. After that, results of attempts that were in flight no longer
-- change the endpoint.

-- Sets the endpoint's failures to 0, ends its rest (its pause after failed attempts) and enables it. The
-- first 10,000 retries that wait for their next try become due now. Any others stay due at their own time.
create or replace function gold.enable_receiver(receiver int) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  update gold.endpoint n set worker = null, failures = 0, rests_until = null, disabled_at = null
  where n.bucket = receiver % 64 and n.client_id = receiver;
  update gold.retry r set due_at = gold.due_now(r.due_at)
  where r.ctid = any (array(
    select r.ctid from gold.retry r where r.client_id + 0 = receiver and r.due_at is not null
    order by r.client_id + 0, r.due_at limit 10000));
  select gold.endpoint_changed(n.partner_id) from gold.receiver n where n.id = receiver;
end;

-- Makes an event of any partner due now. The event is found by its id, without the partner. `disabled_at` is set
-- if an endpoint that takes the event is disabled.
create or replace function gold.redeliver_event(id uuid, out public text, out sequence bigint, out disabled_at timestamptz)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  given event;
begin
  select e.* into given from partner p cross join lateral event_of(p.id, redeliver_event.id) e where e.id is not null;
  if given.id is null then
    raise exception 'there is no event evt_%', redeliver_event.id using errcode = 'GR404';
  end if;
  perform from account a where a.bucket = given.bucket and a.client_id = given.client_id for no key update;
  perform ask_delivery(given.client_id, given.sequence);
  public := public_of(given.client_id);
  sequence := given.sequence;
  select min(n.disabled_at) into redeliver_event.disabled_at
  from takers_of(given) r join endpoint n on n.bucket = r.id % 64 and n.client_id = r.id;
  perform note('event.redeliver', public, jsonb_build_object('event', 'evt_' || given.id, 'sequence', given.sequence));
end $$;

-- The number of events that a partner has from this instant on.
create or replace function gold.count_events(public text, since timestamptz) returns bigint
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
begin
  return (select a.event_sequence from account a where a.bucket = subject.id % 64 and a.client_id = subject.id)
    - sequence_at(subject.id, since - interval '1 millisecond');
end $$;

-- Moves the mark of each endpoint back to before the partner's first event since this instant. Returns how many
-- events that are. If an event's own row in `retry` says that it was delivered or parked, the row is deleted, so that
-- the event is sent in order again. An event whose own row is due later becomes due now.
create or replace function gold.replay_events(public text, since timestamptz) returns bigint
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  taker receiver;
  last bigint;
  events bigint;
begin
  perform require_read_committed();
  select a.event_sequence into strict last from account a where a.bucket = subject.id % 64 and a.client_id = subject.id for no key update;
  events := count_events(public, since);
  if events = 0 then
    raise exception 'partner % has no events since %', public, instant_text(since) using errcode = 'GR409';
  end if;
  for taker in select * from receiver r where r.partner_id = subject.id and r.removed_at is null order by r.id loop
    update endpoint n set passed = least(n.passed, greatest(last - events, taker.added_after)), worker = null
    where n.bucket = taker.id % 64 and n.client_id = taker.id;
    delete from retry r
    where r.bucket = taker.id % 64 and r.client_id = taker.id and r.sequence > last - events and r.due_at is null;
    update retry r set tries = 0, due_at = due_now(r.due_at)
    where r.bucket = taker.id % 64 and r.client_id = taker.id and r.sequence > last - events;
  end loop;
  perform endpoint_changed(subject.id);
  perform note('event.replay', public, jsonb_build_object('since', instant_text(since), 'after_sequence', last - events, 'events', events));
  return events;
end $$;

-- If an event has its own row in retry, that row decides. Otherwise, the event is delivered if the mark has
-- passed it.
create or replace function gold.delivery_status(mark bigint, sequence bigint, own gold.retry) returns text
language sql immutable parallel safe
return case
  when (own).parked_at is not null then 'parked'
  when (own).due_at is not null or (own).sequence is null and sequence > mark then 'pending'
  else 'delivered'
end;

-- The next attempt is not before the end of the endpoint's rest. A disabled endpoint gets only tests.
create or replace function gold.next_attempt_at(type text, own gold.retry, standing gold.endpoint) returns timestamptz
language sql immutable parallel safe
return case when (own).due_at is not null and ((standing).disabled_at is null or type = 'webhook.test')
  then greatest((own).due_at, (standing).rests_until) end;

-- A partner's events at one of its webhook endpoints, newest first, with their delivery status. After a replay, a
-- delivered event is pending again. An event with its own row in `retry` is selected by that row. Every other event is
-- selected by whether the mark has passed it. So each of the two selections reads along one index.
create or replace function gold.list_deliveries(public text, wanted text, most int, endpoint int default 1)
returns table (sequence bigint, id uuid, type text, created_at timestamptz, status text, next_attempt_at timestamptz)
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set jit = off as $$
#variable_conflict use_column
declare
  subject partner := partner_of(public);
  taker receiver := receiver_of(subject.id, list_deliveries.endpoint);
  standing endpoint;
  mark bigint;
  above bigint;
  last bigint;
begin
  select n.* into standing from endpoint n where n.bucket = taker.id % 64 and n.client_id = taker.id;
  mark := coalesce(standing.passed, taker.added_after);
  above := case when wanted = 'pending' then mark else taker.added_after end;
  last := case wanted when 'parked' then 0 when 'delivered' then mark else 9223372036854775807 end;
  return query
    select e.sequence, e.id, e.type, e.created_at, delivery_status(mark, e.sequence, r),
      next_attempt_at(e.type, r, standing)
    from (
      (select r.sequence from retry r
        where r.bucket = taker.id % 64 and r.client_id = taker.id
          and (wanted is null or delivery_status(mark, r.sequence, r) = wanted)
        order by r.sequence desc limit most)
      union all
      (select e.sequence from event e
        where e.bucket = subject.id % 64 and e.client_id = subject.id and e.sequence > above and e.sequence <= last
          and gets(taker, mark, e)
          and not exists (
            select from retry r where r.bucket = taker.id % 64 and r.client_id = taker.id and r.sequence = e.sequence)
        order by e.sequence desc limit most)
      order by 1 desc limit most
    ) found
    join event e on e.bucket = subject.id % 64 and e.client_id = subject.id and e.sequence = found.sequence
    left join retry r on r.bucket = taker.id % 64 and r.client_id = taker.id and r.sequence = e.sequence
    order by e.sequence desc;
end $$;
