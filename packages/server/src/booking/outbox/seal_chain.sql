-- The hash chain of a client: one link per record, in the order of the event sequence. An order is sealed
-- after its commit. A line has only integers, uuids and hashes, so that any language builds the same bytes.
-- docs/chain.md describes it for partners and auditors. It begins with the version, which event.line names:
--   version|client|sequence|event number|subject|created_at in ms
-- Then come these fields, for each transfer of the record in the order of its legs:
--   |leg|debit|credit|asset|amount|available|held|gold
-- Then come these fields, depending on the event:
--   an order                   |side|grams|price|total
--   a step of a withdrawal     |status|hash of the JSON array of IBAN, reference and login
--   an expiring credential     |hash of the JSON array of its kind, its id and its end in ms
--   a changed credential, IBAN or webhook URL
--                              |hash of the JSON array of kind, id, kid, begin in ms, end in ms, hash of the
--                               IBAN, URL, login and approving login; members of other events are null
--   a closed day               |hash of the JSON array of its members, in the order of docs/chain.md
-- Version 2 ends with |answer|salt. The answer commits to the request and its reply (answer_of()). It is
-- empty for a record that was made without an idempotency key. Because of the salt, nobody else can find the
-- line of a public link by guessing. A link is sha256(previous link || line). The first link uses 32 zero
-- bytes as its previous link.

create or replace function gold.event_number(type text) returns int
language sql immutable parallel safe
return array_position(array['order.executed', 'funding.completed', 'withdrawal.created', 'withdrawal.approved', 'withdrawal.submitted',
  'withdrawal.paid', 'withdrawal.rejected', 'withdrawal.returned', 'funding.reversed', 'webhook.test', 'credential.expiring',
  'credential.added', 'credential.ended', 'settlement.changed', 'webhook_endpoint.changed', 'day.closed', 'withdrawal.cancelled'],
  type);

-- Only the partner and the operator know the chain key, so nobody else can test guesses against a link.
create or replace function gold.line_salt(chain_key bytea, sequence bigint) returns text
language sql immutable parallel safe
return encode(substr(sha256(chain_key || int8send(sequence)), 1, 16), 'hex');

-- The client's number, with which its lines begin, and its chain key, for GET /v1/chain-key.
create or replace function gold.read_chain_key(client int) returns text
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select '{"client_number":' || p.id || ',"chain_key":"' || encode(p.chain_key, 'hex') || '"}' from gold.partner p where p.id = client;
end;

-- Postgres can inline this function into the calling statement. Each sub-select of an enum's values then runs
-- once per statement, not once per record.
create or replace function gold.chain_lines(client int, after_sequence bigint, most int)
returns table (sequence bigint, line text)
language sql stable
begin atomic
  select e.sequence,
    e.line || '|' || e.client_id || '|' || e.sequence || '|' || gold.event_number(e.type) || '|' || e.subject || '|'
      || (extract(epoch from e.created_at) * 1000)::bigint
      || coalesce((
        select string_agg('|' || t.leg || '|' || array_position((select enum_range(null::gold.book)), t.debit)
          || '|' || array_position((select enum_range(null::gold.book)), t.credit)
          || '|' || array_position((select enum_range(null::gold.asset)), t.asset) || '|' || t.amount
          || '|' || t.sar_available_after || '|' || t.sar_held_after || '|' || t.gold_after, '' order by t.leg)
        from gold.transfer t where t.bucket = e.bucket and t.client_id = e.client_id and t.sequence = e.sequence), '')
      || coalesce('|' || array_position((select enum_range(null::gold.side)), o.side) || '|' || o.grams || '|' || o.price || '|' || o.total, '')
      || coalesce(case when e.type like 'withdrawal.%' then (
        select string_agg('|' || array_position((select enum_range(null::gold.withdrawal_status)), s.status)
          || '|' || encode(sha256(convert_to(json_build_array(w.iban, w.reference, s.login)::text, 'UTF8')), 'hex'), '' order by s.status)
        from gold.withdrawal w
        join gold.withdrawal_step s on s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id and s.sequence = e.sequence
        where w.bucket = e.bucket and w.client_id = e.client_id and w.id = e.subject) end, '')
      || coalesce(case when e.type = 'credential.expiring' then (
        select '|' || encode(sha256(convert_to(
          json_build_array(n.kind, n.credential, (extract(epoch from n.expires_at) * 1000)::bigint)::text, 'UTF8')), 'hex')
        from gold.expiry_notice n where n.bucket = e.bucket and n.client_id = e.client_id and n.id = e.subject) end, '')
      || coalesce(case when gold.is_partner_change(e.type) then (
        select '|' || encode(sha256(convert_to(json_build_array(c.kind, c.credential, c.kid,
          (extract(epoch from c.valid_from) * 1000)::bigint, (extract(epoch from c.valid_until) * 1000)::bigint,
          encode(sha256(convert_to(c.iban, 'UTF8')), 'hex'), c.webhook_url, c.login, c.approved_by)::text, 'UTF8')), 'hex')
        from gold.partner_change c where c.bucket = e.bucket and c.client_id = e.client_id and c.sequence = e.sequence) end, '')
      || coalesce(case when e.type = 'day.closed' then (
        select '|' || encode(sha256(convert_to(json_build_array(d.day, d.first_sequence, d.last_sequence,
          d.opening_available, d.opening_held, d.opening_gold, d.closing_available, d.closing_held, d.closing_gold,
          d.quotes, d.orders, d.refusals, d.broken, encode(d.quotes_sha256, 'hex'), encode(d.refusals_sha256, 'hex'),
          p.id, p.timeline, (extract(epoch from p.began_at) * 1000)::bigint)::text, 'UTF8')), 'hex')
        from gold.closed_day d join gold.epoch p on p.id = d.epoch
        where d.bucket = e.bucket and d.client_id = e.client_id and d.sequence = e.sequence) end, '')
      || case when e.line = 2 then
        '|' || coalesce(encode(case e.type
          when 'order.executed' then o.answer
          when 'funding.completed' then (
            select f.answer from gold.funding f where f.bucket = e.bucket and f.client_id = e.client_id and f.id = e.subject)
          when 'withdrawal.created' then (
            select w.answer from gold.withdrawal w where w.bucket = e.bucket and w.client_id = e.client_id and w.id = e.subject)
          when 'withdrawal.cancelled' then (
            select s.answer from gold.withdrawal_step s
            where s.bucket = e.bucket and s.client_id = e.client_id and s.withdrawal_id = e.subject and s.sequence = e.sequence)
        end, 'hex'), '')
        || '|' || gold.line_salt((select p.chain_key from gold.partner p where p.id = chain_lines.client), e.sequence)
      else '' end
  from gold.event e
  left join lateral (
    -- OFFSET 0 keeps this a lookup by the whole key. In a plain join, the planner may read all orders of the
    -- client for each event, if it plans while the tables are empty.
    select o.* from gold.orders o
    where e.type = 'order.executed' and o.bucket = e.bucket and o.client_id = e.client_id and o.id = e.subject offset 0
  ) o on true
  where e.bucket = client % 64 and e.client_id = client and e.sequence > after_sequence
  order by e.sequence limit most;
end;

-- Seals committed records of these clients that are not sealed yet; returns the clients that may have more.
-- For each client, it seals at most 5,000 records divided by the number of clients, but never less than 50.
-- If two sealers run at once, the second waits for the first one's rows in chain_tail and continues after
-- them. The account rows are not touched.
create or replace function gold.seal_next(clients int[]) returns setof int
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_material = off set jit = off as $$
#variable_conflict use_column
declare
  -- Seal a backlog in several calls, so that each call stays well below the statement timeout.
  most int := greatest(50, 5000 / nullif(cardinality(clients), 0));
  record record;
  client int;
  head bytea;
  sealed bigint;
  owners int[];
  sequences bigint[];
  hashes bytea[];
begin
  insert into chain_tail (bucket, client_id)
  select c.client % 64, c.client from unnest(clients) c (client)
  where not exists (select from chain_tail t where t.bucket = c.client % 64 and t.client_id = c.client) order by c.client
  on conflict do nothing;
  for record in
    select t.client_id, t.sequence as tail, t.head, l.sequence, l.line
    from (
      select t.* from unnest(clients) c (client) join chain_tail t on t.bucket = c.client % 64 and t.client_id = c.client
      order by t.client_id for no key update of t
    ) t
    cross join lateral chain_lines(t.client_id, t.sequence, most) l
    order by t.client_id, l.sequence
  loop
    if client is distinct from record.client_id then
      client := record.client_id;
      head := record.head;
      sealed := record.tail;
    end if;
    if record.sequence <> sealed + 1 then
      -- Skip a client whose event is missing, because it must not stop the sealing and delivery of other
      -- clients. Only a call for this client alone raises an error.
      continue when cardinality(clients) > 1;
      raise exception 'event % of client % is missing', sealed + 1, client using errcode = 'GB003';
    end if;
    head := sha256(head || convert_to(record.line, 'UTF8'));
    sealed := record.sequence;
    owners := owners || client;
    sequences := sequences || sealed;
    hashes := hashes || head;
    if sealed = record.tail + most then
      return next client;
    end if;
  end loop;
  insert into chain_link (bucket, client_id, sequence, hash)
  select l.client % 64, l.client, l.sequence, l.hash from unnest(owners, sequences, hashes) l (client, sequence, hash);
  update chain_tail t set sequence = l.sequence, head = l.hash
  from unnest(owners, sequences, hashes) with ordinality l (client, sequence, hash, n)
  where t.bucket = l.client % 64 and t.client_id = l.client and l.client is distinct from owners[l.n + 1];
end $$;

-- Seals a client's next records, at most 5,000, and returns the head of the chain.
create or replace function gold.seal_chain(client int) returns bytea
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform seal_next(array[client]);
  return (select t.head from chain_tail t where t.bucket = client % 64 and t.client_id = client);
end $$;
