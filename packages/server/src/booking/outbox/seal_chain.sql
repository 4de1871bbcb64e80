-- The hash chain of a client, sealed outside the order path: one link a record, in the order of the event sequence.
-- A line is made of integers, uuids and hashes alone, so that any language builds the same bytes:
--   1|client|sequence|event number|subject|created_at in ms{|leg|debit|credit|asset|amount|available|held|gold}…
--     and of an order |side|grams|price|total, of a withdrawal's step |status|hash of the JSON array of IBAN, reference and login
-- and a link is sha256(previous link || line), the first previous link being 32 zero bytes.

create or replace function gold.event_number(type text) returns int
language sql immutable parallel safe
return array_position(array['order.executed', 'funding.completed', 'withdrawal.created', 'withdrawal.approved', 'withdrawal.submitted',
  'withdrawal.paid', 'withdrawal.rejected', 'withdrawal.returned', 'funding.reversed'], type);

create or replace function gold.chain_lines(client int, after_sequence bigint, most int)
returns table (sequence bigint, line text)
language sql stable set search_path = gold, pg_temp
begin atomic
  select e.sequence,
    '1|' || e.client_id || '|' || e.sequence || '|' || gold.event_number(e.type) || '|' || e.subject || '|'
      || (extract(epoch from e.created_at) * 1000)::bigint
      || coalesce((
        select string_agg('|' || t.leg || '|' || array_position(enum_range(null::gold.book), t.debit)
          || '|' || array_position(enum_range(null::gold.book), t.credit)
          || '|' || array_position(enum_range(null::gold.asset), t.asset) || '|' || t.amount
          || '|' || t.sar_available_after || '|' || t.sar_held_after || '|' || t.gold_after, '' order by t.leg)
        from gold.transfer t where t.bucket = e.bucket and t.client_id = e.client_id and t.sequence = e.sequence), '')
      || coalesce((
        select '|' || array_position(enum_range(null::gold.side), o.side) || '|' || o.grams || '|' || o.price || '|' || o.total
        from gold.orders o where o.bucket = e.bucket and o.client_id = e.client_id and o.id = e.subject), '')
      || coalesce((
        select string_agg('|' || array_position(enum_range(null::gold.withdrawal_status), s.status)
          || '|' || encode(sha256(convert_to(json_build_array(w.iban, w.reference, s.login)::text, 'UTF8')), 'hex'), '' order by s.status)
        from gold.withdrawal w
        join gold.withdrawal_step s on s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id and s.sequence = e.sequence
        where w.bucket = e.bucket and w.client_id = e.client_id and w.id = e.subject), '')
  from gold.event e
  where e.bucket = client % 64 and e.client_id = client and e.sequence > after_sequence
  order by e.sequence limit most;
end;

-- Seals what is committed and not yet sealed, 5,000 records a call at most, and returns the head. Two sealers at once: the second waits on the
-- first one's row and goes on from there. The account row is not touched.
create or replace function gold.seal_chain(client int) returns bytea
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  tail chain_tail;
  head bytea;
  sealed bigint;
  record record;
begin
  insert into chain_tail (bucket, client_id) values (seal_chain.client % 64, seal_chain.client) on conflict do nothing;
  select t.* into strict tail from chain_tail t
  where t.bucket = seal_chain.client % 64 and t.client_id = seal_chain.client for no key update;
  head := tail.head;
  sealed := tail.sequence;
  -- A backlog is sealed in parts, each well inside any statement's time.
  for record in select * from chain_lines(seal_chain.client, tail.sequence, 5000) loop
    if record.sequence <> sealed + 1 then
      raise exception 'event % of client % is missing', sealed + 1, seal_chain.client using errcode = 'GB003';
    end if;
    head := sha256(head || convert_to(record.line, 'UTF8'));
    sealed := record.sequence;
    insert into chain_link (bucket, client_id, sequence, hash) values (tail.bucket, tail.client_id, sealed, head);
  end loop;
  if sealed > tail.sequence then
    update chain_tail t set sequence = sealed, head = newest.head from (values (head)) newest (head)
    where t.bucket = tail.bucket and t.client_id = tail.client_id;
  end if;
  return head;
end $$;

-- Seals the clients that have something unsealed, at most so many in one transaction; returns how many there were.
create or replace function gold.seal_chains(most int) returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  client int;
  sealed int := 0;
begin
  for client in
    select a.client_id from account a left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
    where a.client_id <> 0 and a.event_sequence > coalesce(t.sequence, 0) order by a.client_id limit most
  loop
    perform seal_chain(client);
    sealed := sealed + 1;
  end loop;
  return sealed;
end $$;
