-- The heads of all hash chains are also kept in a file outside the database (keep_heads.ts). A database that
-- lacks a kept head has lost records, as after a restore. A head has the members client_id, sequence and
-- head. The operators' audit trail has the client_id `audit`.

create or replace function gold.current_heads() returns jsonb
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select coalesce(
    jsonb_agg(
      jsonb_build_object('client_id', h.client_id, 'sequence', h.sequence::text, 'head', encode(h.head, 'hex'))
      order by h.client_id),
    '[]')
  from (
    select p.public_id as client_id, t.sequence, t.head
    from gold.chain_tail t join gold.partner p on p.id = t.client_id
    where t.bucket = p.id % 64 and t.sequence > 0
    union all
    select 'audit', t.id, t.head from gold.audit_tail t where t.id > 0
  ) h;
end;

-- Seals the chains that end before a known head, if their events exist. Then returns one row for each known
-- head that the database does not have: the records from `first` to `last` are missing or changed. `ends_at`
-- is the instant of the newest record that the client still has.
create or replace function gold.find_losses(known jsonb)
returns table (client_id text, first bigint, last bigint, ends_at timestamptz)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  head record;
begin
  for head in
    select k.client_id, k.sequence, k.head, p.id as client, a.event_sequence, a.last_posted_at
    from jsonb_to_recordset(known) as k (client_id text, sequence bigint, head text)
    left join partner p on p.public_id = k.client_id
    left join account a on a.bucket = p.id % 64 and a.client_id = p.id
    left join chain_tail t on t.bucket = p.id % 64 and t.client_id = p.id
    where k.client_id <> 'audit' and (t.sequence, encode(t.head, 'hex')) is distinct from (k.sequence, k.head)
    order by k.client_id
  loop
    while head.event_sequence >= head.sequence
      and head.sequence > coalesce(
        (select t.sequence from chain_tail t where t.bucket = head.client % 64 and t.client_id = head.client), 0)
    loop
      perform seal_chain(head.client);
    end loop;
    continue when exists (
      select from chain_link l
      where l.bucket = head.client % 64 and l.client_id = head.client and l.sequence = head.sequence
        and encode(l.hash, 'hex') = head.head);
    return query
      select head.client_id, least(coalesce(head.event_sequence, 0) + 1, head.sequence), head.sequence,
        head.last_posted_at;
  end loop;
  return query
    select 'audit', least(t.id + 1, k.sequence), k.sequence, (select a.at from audit a where a.id = t.id)
    from jsonb_to_recordset(known) as k (client_id text, sequence bigint, head text) cross join audit_tail t
    where k.client_id = 'audit'
      and not exists (select from audit_link l where l.id = k.sequence and encode(l.hash, 'hex') = k.head);
end $$;

-- Two people accept a loss, with the current epoch. The service writes again after they have accepted every
-- loss that its file shows. The detail of the audit row is the whole acceptance. Each loss names the lost
-- head, so that the acceptance never counts for a later loss of records with the same numbers.
create or replace function gold.accept_losses(epoch int, losses jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  current_epoch int := note_epoch();
begin
  perform require_approval(jsonb_build_object('epoch', epoch, 'losses', losses), 'recovery.accept');
  if epoch <> current_epoch then
    raise exception 'the loss was found in epoch %, and the database is now in epoch %: run `gold recovery show` again', epoch, current_epoch using errcode = 'GR409';
  elsif jsonb_typeof(losses) <> 'array' or losses = '[]' or exists (
    select from jsonb_array_elements(losses) l
    where coalesce(jsonb_typeof(l -> 'client_id') <> 'string' or l ->> 'first' !~ '^[1-9][0-9]{0,17}$' or l ->> 'last' !~ '^[1-9][0-9]{0,17}$'
      or l ->> 'head' !~ '^[0-9a-f]{64}$', true))
  then
    raise exception 'a loss needs client_id, first, last and head' using errcode = 'GR409';
  end if;
  perform note('recovery.accept', 'epoch ' || epoch, jsonb_build_object('epoch', epoch, 'losses', losses));
end $$;

-- Called by each process every second, with the heads of its file and their epoch. Returns the current heads,
-- and the losses that nobody has accepted. The epoch of the file is ignored, because a restore can lead to a
-- lower epoch. Writes a message to the write-ahead log, so that its commit waits for the standby: a file
-- never has a head that a failover can undo. Delivery commits some records without this wait.
create or replace function gold.keep_heads(known jsonb, known_epoch int) returns jsonb
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  current_epoch int := note_epoch();
  losses jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('client_id', l.client_id, 'first', l.first::text, 'last', l.last::text,
    'ends_at', instant_text(l.ends_at)) order by l.client_id), '[]') into losses
  from find_losses(known) l
  join jsonb_to_recordset(known) as k (client_id text, sequence bigint, head text)
    on k.client_id = l.client_id and k.sequence = l.last
  where not exists (
    select from audit a cross join jsonb_array_elements(a.detail -> 'losses') r
    where a.action = 'recovery.accept' and r ->> 'client_id' = l.client_id and r ->> 'head' = k.head
      and (r ->> 'last')::bigint = l.last and (r ->> 'first')::bigint <= l.first);
  perform pg_logical_emit_message(true, 'gold', '');
  return jsonb_build_object('epoch', current_epoch, 'at', instant_text(clock_timestamp()), 'losses', losses, 'heads', current_heads());
end $$;
