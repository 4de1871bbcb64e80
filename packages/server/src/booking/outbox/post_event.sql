-- Whether a webhook endpoint takes events of this type. Every endpoint takes tests.
create or replace function gold.takes(types text[], type text) returns boolean
language sql immutable parallel safe
return types is null or type = any (types) or type = 'webhook.test';

-- Notifies the delivery workers of each webhook endpoint of a client.
create or replace function gold.notify_receivers(client int) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  select pg_notify('gold_event', r.id::text) from gold.receiver r where r.partner_id = client and r.removed_at is null;
end;

-- Writes the next event of a client. The caller holds the account's lock and took the sequence number under
-- it. The commit notifies the delivery workers. For orders, the service calls `tell_events` after the commit
-- instead, because one notification for each order would be too many. `line` is the version of the record's
-- line in the hash chain.

create or replace function gold.post_event(
  client int, sequence bigint, id uuid, subject uuid, at timestamptz, type text, line int default 2
) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type, line)
    values (client % 64, client, sequence, id, subject, at, type, line);
  select gold.notify_receivers(client);
end;

-- Notifies the workers of clients that have new orders, after the commit. It leaves out webhook endpoints to which
-- nothing can be sent now. A notification takes a lock on the whole cluster, and each worker then tries to
-- claim the endpoint. No event is lost. A commit that sets a URL or enables an endpoint sends its own
-- notification. If this function did not see that commit, the commit is later than the event and its
-- notification covers the event. An endpoint may rest after a failed attempt. When its rest has ended, the
-- workers find it without a notification.
create or replace function gold.tell_events(clients int[]) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform pg_notify('gold_event', r.id::text)
  from unnest(clients) c (client)
  join receiver r on r.partner_id = c.client and r.removed_at is null and takes(r.types, 'order.executed')
  left join endpoint n on n.bucket = r.id % 64 and n.client_id = r.id
  where n.disabled_at is null and (n.rests_until is null or n.rests_until <= clock_timestamp());
end $$;

-- An event whose members are in the row of `partner_change` with its sequence number.
create or replace function gold.is_partner_change(type text) returns boolean
language sql immutable parallel safe
return type in ('credential.added', 'credential.ended', 'settlement.changed', 'webhook_endpoint.changed');

-- For an event that moves no money: stores its sequence number and its instant in the client's account. For
-- an event with a transfer, the trigger on `transfer` stores both.
create or replace function gold.take_sequence(client int, sequence bigint, at timestamptz) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  update gold.account a set event_sequence = sequence, last_posted_at = at where a.bucket = client % 64 and a.client_id = client;
end;

-- A UUIDv7 of this instant, for rows whose id the database makes.
create or replace function gold.new_uuid(at timestamptz) returns uuid
language sql volatile
return (
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(random.digits, 14))::uuid
  from (select replace(gen_random_uuid()::text, '-', '') as digits) random
);

-- The event with this number. It uses `>=` with `limit 1`. With an equality, the planner may choose the index
-- by id instead.
create or replace function gold.event_of_number(client int, sequence bigint) returns setof gold.event
language sql stable
begin atomic
  select * from gold.event e where e.bucket = client % 64 and e.client_id = client and e.sequence >= event_of_number.sequence
  order by e.sequence limit 1;
end;

-- Notifies the workers that a client's endpoints have another URL or other secrets, or that no worker holds them any
-- more. The workers then check the endpoint at once. Without the notification, they would check it up to a
-- second later.
create or replace function gold.endpoint_changed(client int) returns void
language sql volatile
begin atomic
  select pg_notify('gold_endpoint', client::text), gold.notify_receivers(client);
end;
