-- What happened to a client, as its next event. The caller holds the account and has made the sequence number by it. Delivery is
-- woken with the commit; orders are too many for that, their service wakes it afterwards by `tell_events`.

create or replace function gold.post_event(client int, sequence bigint, id uuid, subject uuid, at timestamptz, type text) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type) values (client % 64, client, sequence, id, subject, at, type);
  select pg_notify('gold_event', client::text);
end;

-- Wakes the workers for clients that have new events, after the commit and only where one may be sent now: a notice takes a lock of the
-- whole cluster, and has each worker claim the endpoint. Nothing is lost by it: whoever names a URL or enables an endpoint has
-- it looked at with that commit, and one that this look did not see is later than the event. What rests is found when it has rested.
create or replace function gold.tell_events(clients int[]) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform pg_notify('gold_event', p.id::text)
  from unnest(clients) c (client)
  join partner p on p.id = c.client and p.webhook_url is not null
  left join endpoint n on n.bucket = c.client % 64 and n.client_id = c.client
  where n.disabled_at is null and (n.rests_until is null or n.rests_until <= clock_timestamp());
end $$;

-- A step that moves nothing still takes a number and an instant; one that moves something has them taken by its transfer.
create or replace function gold.take_sequence(client int, sequence bigint, at timestamptz) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  update gold.account a set event_sequence = sequence, last_posted_at = at where a.bucket = client % 64 and a.client_id = client;
end;

-- A UUIDv7 of this instant, for what the database itself gives a name.
create or replace function gold.new_uuid(at timestamptz) returns uuid
language sql volatile
return (
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(random.digits, 14))::uuid
  from (select replace(gen_random_uuid()::text, '-', '') as digits) random
);

-- One event. From its number on: asked for by equality, the planner may take the index by id for as good.
create or replace function gold.event_of_number(client int, sequence bigint) returns setof gold.event
language sql stable
begin atomic
  select * from gold.event e where e.bucket = client % 64 and e.client_id = client and e.sequence >= event_of_number.sequence
  order by e.sequence limit 1;
end;

-- Another URL, other secrets, or nobody who holds it any more: workers look at once, not with their next beat.
create or replace function gold.endpoint_changed(client int) returns void
language sql volatile
begin atomic
  select pg_notify('gold_endpoint', client::text), pg_notify('gold_event', client::text);
end;
