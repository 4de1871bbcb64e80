-- Compares the delivery state with the attempts. Returns one row per defect; verify_ledger() includes these
-- rows.

create or replace function gold.verify_delivery() returns table (rule text, subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  -- A delivered event must have an attempt that was answered with 2xx. An event counts as delivered in two
  -- cases: it is up to the mark and neither due nor parked, or its row in the retry table says that it was
  -- delivered. Events that are older than the oldest stored week are not checked, because their attempts were
  -- dropped.
  select 'event_is_delivered', 'client ' || e.client_id || ' sequence ' || e.sequence
      || case when o.number > 1 then ' endpoint ' || o.number else '' end,
    'the event counts as delivered, but no attempt was answered with 2xx'
  from event e
  join receiver o on o.partner_id = e.client_id and o.removed_at is null and takes(o.types, e.type)
    and e.sequence > o.typed_after
  join endpoint p on p.bucket = o.id % 64 and p.client_id = o.id
  left join retry r on r.bucket = p.bucket and r.client_id = p.client_id and r.sequence = e.sequence
  where (e.sequence <= p.passed or r.sequence is not null) and r.due_at is null and r.parked_at is null
    and e.created_at >= (
      select min(to_date(right(c.relname, 8), 'YYYYMMDD'))::timestamp at time zone 'UTC' from pg_class c
      where c.relnamespace = 'gold_attempts'::regnamespace and c.relkind = 'r')
    and not exists (
      select from attempt a
      where a.bucket = p.bucket and a.client_id = p.client_id and a.sequence = e.sequence
        and a.http_status between 200 and 299)

  union all
  select 'retry_has_event', 'endpoint ' || r.client_id || ' sequence ' || r.sequence,
    'the retry row refers to an event that does not exist'
  from retry r
  left join receiver o on o.id = r.client_id
  left join event e on e.bucket = o.partner_id % 64 and e.client_id = o.partner_id and e.sequence = r.sequence
  where e.sequence is null

  union all
  select 'delivery_is_behind', 'endpoint ' || p.client_id,
    format('delivery has passed event %s, but the account''s last event is %s', p.passed, coalesce(a.event_sequence, 0))
  from endpoint p
  left join receiver o on o.id = p.client_id
  left join account a on a.bucket = o.partner_id % 64 and a.client_id = o.partner_id
  where p.passed > coalesce(a.event_sequence, 0)

  union all
  select 'notice_has_event', 'notice ' || n.id, count(e.id) || ' events refer to this notice; there must be exactly 1'
  from expiry_notice n
  left join event e on e.bucket = n.bucket and e.client_id = n.client_id and e.subject = n.id and e.type = 'credential.expiring'
  group by n.id
  having count(e.id) <> 1
$$;
