-- An event of any partner, for operators: its delivery to each webhook endpoint that gets it, with the status that
-- the partner reads, and all attempts. The attempts to an endpoint stay after it was removed. Returns null if no
-- partner has an event with this id.
create or replace function gold.trace_event(id uuid) returns json
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set jit = off as $$
#variable_conflict use_column
declare
  given event;
begin
  -- One look-up for each partner.
  select e.* into given from partner p
  cross join lateral (
    select * from event e where e.bucket = p.id % 64 and e.client_id = p.id and e.id = trace_event.id offset 0) e;
  if given.id is null then
    return null;
  end if;
  return (
    select json_build_object(
      'client_id', p.public_id, 'name', p.name,
      'event', json_build_object('event_id', 'evt_' || given.id, 'sequence', given.sequence::text, 'type', given.type,
        'created_at', instant_text(given.created_at)),
      'deliveries', (
        select coalesce(json_agg(json_build_object(
          'endpoint', o.number, 'url', o.url, 'status', d.delivery ->> 'status',
          'next_attempt_at', d.delivery ->> 'next_attempt_at') order by o.number), '[]')
        from json_array_elements(('{' || deliveries_text(given) || '}')::json -> 'deliveries') d (delivery)
        join receiver o on o.partner_id = given.client_id and o.number = (d.delivery ->> 'endpoint')::int),
      'attempts', (
        select coalesce(json_agg(json_build_object(
          'endpoint', o.number, 'attempted_at', instant_text(t.attempted_at), 'http_status', t.http_status,
          'duration_ms', t.duration_ms, 'error', t.error, 'answer', t.answer) order by t.attempted_at, o.number), '[]')
        from receiver o
        join attempt t on t.bucket = o.id % 64 and t.client_id = o.id and t.sequence = given.sequence
          and t.attempted_at between given.created_at - interval '1 minute' and now() + interval '1 minute'
        where o.partner_id = given.client_id))
    from partner p where p.id = given.client_id);
end $$;
