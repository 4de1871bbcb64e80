-- What happened to a client, as its next event. The caller holds the account and has made the sequence number by it.

create or replace function gold.post_event(client int, sequence bigint, id uuid, subject uuid, at timestamptz, type text) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type) values (client % 64, client, sequence, id, subject, at, type);
end;

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
