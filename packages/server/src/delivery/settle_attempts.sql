-- Stores the results of attempts, many in one transaction. The function keeps each attempt, records its event
-- as delivered, due again or parked, and updates the state of its endpoint. It returns the endpoints that the
-- caller no longer holds.
-- Two checks prevent a worker from settling what it no longer owns. For an event from the retry table, the
-- caller must send the ticket with which it took the event. For all other changes to an endpoint, the
-- caller's claim must still hold the endpoint, and the mark must be where that claim left it. So a caller
-- that does not know whether a call succeeded can safely repeat the call.

create or replace function gold.settle_attempts(
  worker uuid,
  -- The attempts. 2xx means delivered. Otherwise the event is due again after the wait, or parked if the wait
  -- is null.
  clients int[], sequences bigint[], tickets timestamptz[], attempted_ats timestamptz[], durations_ms int[], statuses int[],
  errors text[], answers text[], tries int[], waits_ms int[],
  -- The endpoints. Each has: the number of the claim, the old mark, the new mark, failures in a row, the
  -- length of the rest, whether to disable the endpoint, and whether to release it if nothing waits.
  held int[], tenures int[], froms bigint[], passeds bigint[], failures int[], rests_ms int[], disableds boolean[], releases boolean[]
) returns setof int
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_material = off set jit = off set lock_timeout = '200ms' as $$
#variable_conflict use_column
declare
  clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  tried record;
  enables boolean;
  kept int[];
  released int[];
  enabled int[] := '{}';
begin
  perform require_read_committed();
  insert into attempt (bucket, client_id, sequence, attempted_at, duration_ms, http_status, error, answer)
  select a.client % 64, a.client, a.sequence, a.attempted_at, a.duration_ms, a.status, a.error, a.answer
  from unnest(clients, sequences, attempted_ats, durations_ms, statuses, errors, answers)
    a (client, sequence, attempted_at, duration_ms, status, error, answer)
  on conflict do nothing;

  with moved as (
    update endpoint n set passed = h.passed, failures = h.failures, rests_until = clock + h.rest_ms * interval '1 millisecond',
      disabled_at = case when h.disabled then coalesce(n.disabled_at, clock) else n.disabled_at end
    from unnest(held, tenures, froms, passeds, settle_attempts.failures, rests_ms, disableds)
      h (client, tenure, "from", passed, failures, rest_ms, disabled)
    where n.bucket = h.client % 64 and n.client_id = h.client
      and n.worker = settle_attempts.worker and n.tenure = h.tenure
      and n.passed in (h."from", h.passed) and h.passed >= h."from"
    returning n.client_id
  )
  select array_agg(m.client_id) into kept from moved m;

  -- Handle the few attempts that failed or belong to events from the retry table.
  for tried in
    select a.*, (a.status between 200 and 299) is true as delivered, clock + a.wait_ms * interval '1 millisecond' as due_at
    from unnest(clients, sequences, tickets, statuses, settle_attempts.tries, waits_ms) a (client, sequence, ticket, status, tries, wait_ms)
    where a.ticket is not null or (a.status between 200 and 299) is not true
  loop
    if tried.ticket is null and tried.client = any (kept) then
      insert into retry (bucket, client_id, sequence, tries, due_at, parked_at)
      values (tried.client % 64, tried.client, tried.sequence, tried.tries, tried.due_at, case when tried.due_at is null then clock end)
      on conflict do nothing;
    elsif tried.delivered then
      -- Record the event as delivered: its row has neither due_at nor parked_at. The row is deleted when the
      -- mark passes it.
      update retry r set due_at = null
      where r.bucket = tried.client % 64 and r.client_id = tried.client and r.sequence = tried.sequence
        and r.due_at = tried.ticket
      returning r.is_test and exists (
        select from endpoint n
        where n.bucket = r.bucket and n.client_id = r.client_id and n.disabled_at is not null) into enables;
      if enables then
        enabled := enabled || tried.client;
      end if;
    else
      update retry r set tries = tried.tries, due_at = tried.due_at, parked_at = case when tried.due_at is null then clock end
      where r.bucket = tried.client % 64 and r.client_id = tried.client and r.sequence = tried.sequence
        and r.due_at = tried.ticket;
    end if;
  end loop;

  delete from retry r
  where r.ctid = any (array(
    select r.ctid from (
      -- Select the events from the retry table that this call settles, and the events that the mark passes in
      -- this call.
      select a.client, a.sequence - 1 as above, a.sequence as last from unnest(clients, sequences, tickets) a (client, sequence, ticket)
      where a.ticket is not null
      union all
      select h.client, h."from", h.passed from unnest(held, froms, passeds) h (client, "from", passed) where h.client = any (kept)
    ) p
    join endpoint n on n.bucket = p.client % 64 and n.client_id = p.client
    cross join lateral (
      select r.ctid from retry r
      where r.bucket = p.client % 64 and r.client_id = p.client
        and r.sequence > p.above and r.sequence <= least(p.last, n.passed)
        and r.due_at is null and r.parked_at is null offset 0
    ) r))
    -- Check again, because somebody may have requested a redelivery meanwhile.
    and r.due_at is null;

  -- Enable the endpoint of a delivered test, no matter which worker holds it now.
  perform enable_receiver(e.client) from (select distinct client from unnest(enabled) e (client) order by client) e;

  -- Release last, so that this statement sees which retries these attempts made due.
  with let_go as (
    update endpoint n set worker = null
    from unnest(held, releases) h (client, release), receiver o, account a
    where h.release and h.client = any (kept) and n.bucket = h.client % 64 and n.client_id = h.client
      and o.id = n.client_id and a.bucket = o.partner_id % 64 and a.client_id = o.partner_id
      and (n.rests_until > clock or not exists (
          select from retry r where r.client_id + 0 = n.client_id and r.is_test and r.due_at <= clock)
        and (n.disabled_at is not null or a.event_sequence = n.passed
          and not exists (select from retry r where r.client_id + 0 = n.client_id and r.due_at <= clock)))
    returning n.client_id
  )
  select array_agg(l.client_id) into released from let_go l;
  return query select h.client from unnest(held) h (client)
    where h.client = any (kept) is not true or h.client = any (released) or h.client = any (enabled);
end $$;
