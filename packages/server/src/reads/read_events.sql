-- A client's events, oldest first. Each has the text that is delivered, the state of its delivery and its
-- line of the hash chain. The text contains the event's link, so list_events and find_event first seal the
-- client's events. An event that commits after the sealing appears in the next page.

create or replace function gold.seal_newest(client int) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  if exists (
    select from account a left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
    where a.bucket = client % 64 and a.client_id = client and a.event_sequence > coalesce(t.sequence, 0)
  ) then
    perform seal_chain(client);
  end if;
end $$;

create or replace function gold.sealed_events(client int, after_sequence bigint, most int) returns table (one gold.event, sequence bigint)
language sql stable
begin atomic
  select e, e.sequence from gold.event e
  where e.bucket = client % 64 and e.client_id = client and e.sequence > after_sequence
    and e.sequence <= (select t.sequence from gold.chain_tail t where t.bucket = client % 64 and t.client_id = client)
  order by e.sequence limit most;
end;

create or replace function gold.list_events(client int, after_sequence bigint, most int) returns table (sequence bigint, body text)
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
  set enable_mergejoin = off set enable_material = off set jit = off as $$
#variable_conflict use_column
begin
  perform seal_newest(client);
  return query
    select e.sequence, with_delivery(b.body, delivery_and_line(e.one))
    from sealed_events(client, after_sequence, most) e cross join lateral event_body(e.one) b
    order by e.sequence;
end $$;

-- The same events with the text alone, for a stream.
create or replace function gold.event_bodies(client int, after_sequence bigint, most int) returns table (sequence bigint, body text)
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
  set enable_mergejoin = off set enable_material = off set jit = off as $$
#variable_conflict use_column
begin
  perform seal_newest(client);
  return query
    select e.sequence, b.body from sealed_events(client, after_sequence, most) e cross join lateral event_body(e.one) b order by e.sequence;
end $$;

-- The number of each client's newest event.
create or replace function gold.newest_events(clients int[]) returns table (client int, sequence bigint)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select a.client_id, a.event_sequence from gold.account a join unnest(clients) c (client) on a.bucket = c.client % 64 and a.client_id = c.client;
end;

-- Finds the first event with an id of at least the given uuid, and then compares the id. With an equality in
-- the query, the planner may choose the index on sequence instead, and read all events of the client.
create or replace function gold.event_of(client int, id uuid) returns gold.event
language plpgsql stable set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  given event;
begin
  select e.* into given from event e
  where e.bucket = event_of.client % 64 and e.client_id = event_of.client and e.id >= event_of.id order by e.id limit 1;
  return case when given.id = event_of.id then given end;
end $$;

create or replace function gold.find_event(client int, id uuid) returns text
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  given event;
begin
  perform seal_newest(client);
  given := event_of(client, find_event.id);
  return case when given.id is not null then event_text(given, delivery_and_line(given)) end;
end $$;
