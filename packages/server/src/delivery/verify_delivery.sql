-- Compares the delivery state with the attempts. Returns one row per defect; verify_ledger() includes these
-- rows.

create or replace function gold.verify_delivery() returns table (rule text, subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  -- A delivered event must have an attempt that was answered with 2xx. An event counts as delivered in two
  -- cases: it is up to the mark and neither due nor parked, or its row in the retry table says that it was
  -- delivered. Events that are older than the oldest stored week are not checked, because their attempts were
  -- dropped.
  select 'event_is_delivered', 'client ' || e.client_id || ' sequence ' || e.sequence,
    'the event counts as delivered, but no attempt was answered with 2xx'
  from event e
  join endpoint p on p.bucket = e.bucket and p.client_id = e.client_id
  left join retry r on r.bucket = e.bucket and r.client_id = e.client_id and r.sequence = e.sequence
  where (e.sequence <= p.passed or r.sequence is not null) and r.due_at is null and r.parked_at is null
    and e.created_at >= (
      select min(to_date(right(c.relname, 8), 'YYYYMMDD'))::timestamp at time zone 'UTC' from pg_class c
      where c.relnamespace = 'gold_attempts'::regnamespace and c.relkind = 'r')
    and not exists (
      select from attempt a
      where a.bucket = e.bucket and a.client_id = e.client_id and a.sequence = e.sequence and a.http_status between 200 and 299)

  union all
  select 'retry_has_event', 'client ' || r.client_id || ' sequence ' || r.sequence, 'the retry row refers to an event that does not exist'
  from retry r
  left join event e on e.bucket = r.bucket and e.client_id = r.client_id and e.sequence = r.sequence
  where e.sequence is null

  union all
  select 'delivery_is_behind', 'client ' || p.client_id,
    format('delivery has passed event %s, but the account''s last event is %s', p.passed, coalesce(a.event_sequence, 0))
  from endpoint p
  left join account a on a.bucket = p.bucket and a.client_id = p.client_id
  where p.passed > coalesce(a.event_sequence, 0)

  union all
  select 'notice_has_event', 'notice ' || n.id, count(e.id) || ' events refer to this notice; there must be exactly 1'
  from expiry_notice n
  left join event e on e.bucket = n.bucket and e.client_id = n.client_id and e.subject = n.id and e.type = 'credential.expiring'
  group by n.id
  having count(e.id) <> 1
$$;
