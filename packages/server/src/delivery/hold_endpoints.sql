-- Decides which worker sends to which endpoint. A worker sends a heartbeat every second. After five seconds
-- without one, any other worker may claim its endpoints.
-- In the functions that workers call, `client` and `clients` are the ids of webhook endpoints (gold.receiver). For a
-- partner's first endpoint, the id is the partner's number.

-- An endpoint's active signing secrets, the newest first. They are still encrypted; the worker decrypts them.
create or replace function gold.receiver_secrets(receiver int) returns jsonb
language sql volatile
return coalesce((
  select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed, 'base64'), 'sealing_key', s.sealing_key, 'retire_at', s.retire_at)
    order by s.not_before desc, s.id desc)
  from gold.webhook_secret s join gold.receiver r on r.id = s.receiver_id and r.partner_id = s.partner_id
  where s.receiver_id = receiver and s.not_before <= clock_timestamp()
    and (s.retire_at is null or s.retire_at > clock_timestamp())), '[]');

-- Claims endpoints that have something to send. If `clients` is null, all endpoints can be
-- claimed. Concurrent workers get different endpoints. The call leaves out an endpoint whose holder changes
-- during the call. A worker without a recent heartbeat gets nothing.
create or replace function gold.claim_receivers(worker uuid, clients int[], most int)
returns table (
  client int, url text, tenure int, passed bigint, failures int, disabled boolean, secrets jsonb,
  partner int, number int
)
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_material = off set jit = off as $$
#variable_conflict use_column
declare
  clock timestamptz := clock_timestamp();
  living_since timestamptz := clock - interval '5 seconds';
begin
  perform require_read_committed();
  if not exists (select from delivery_worker w where w.id = claim_receivers.worker and w.seen_at > living_since) then
    return;
  end if;
  clients := coalesce(clients, array(select r.id from receiver r where r.removed_at is null));
  insert into endpoint (bucket, client_id, passed)
  select r.id % 64, r.id, r.added_after
  from unnest(clients) c (client)
  join receiver r on r.id = c.client and r.removed_at is null
  join account a on a.bucket = r.partner_id % 64 and a.client_id = r.partner_id
  where a.event_sequence > r.added_after
    and not exists (select from endpoint n where n.bucket = r.id % 64 and n.client_id = r.id)
  on conflict do nothing;

  return query
  with waiting as materialized (
    select n.bucket, n.client_id, n.worker, r.url, r.partner_id, r.number
    from unnest(clients) c (client)
    join endpoint n on n.bucket = c.client % 64 and n.client_id = c.client
    join receiver r on r.id = n.client_id and r.removed_at is null
    join account a on a.bucket = r.partner_id % 64 and a.client_id = r.partner_id
    where (n.rests_until is null or n.rests_until <= clock)
      and (n.disabled_at is null and (a.event_sequence > n.passed
          or exists (select from retry r where r.client_id + 0 = n.client_id and r.due_at <= clock))
        or exists (select from retry r where r.client_id + 0 = n.client_id and r.is_test and r.due_at <= clock))
      and not exists (select from delivery_worker w where w.id = n.worker and w.seen_at > living_since)
    limit most
  ), free as (
    select w.bucket, w.client_id, w.url, w.partner_id, w.number
    from waiting w join endpoint n on n.bucket = w.bucket and n.client_id = w.client_id
      and n.worker is not distinct from w.worker
    for no key update of n skip locked
  )
  update endpoint n set worker = claim_receivers.worker, tenure = n.tenure + 1
  from free f where n.bucket = f.bucket and n.client_id = f.client_id
  returning n.client_id, f.url, n.tenure, n.passed, n.failures, n.disabled_at is not null,
    receiver_secrets(n.client_id), f.partner_id, f.number::int;
end $$;

-- Records the worker's heartbeat. Returns all endpoints that the worker still holds, in their current state.
create or replace function gold.renew_receivers(worker uuid)
returns table (
  client int, url text, tenure int, passed bigint, failures int, disabled boolean, secrets jsonb,
  partner int, number int
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
begin
  perform require_read_committed();
  insert into delivery_worker as w (id, seen_at) values (renew_receivers.worker, clock_timestamp())
  on conflict (id) do update set seen_at = excluded.seen_at;
  -- Delete the rows of dead workers. A row older than five seconds has no effect. A worker that was only
  -- paused inserts its row again with its next heartbeat.
  delete from delivery_worker w where w.seen_at <= clock_timestamp() - interval '1 minute';
  return query
  select n.client_id, r.url, n.tenure, n.passed, n.failures, n.disabled_at is not null, receiver_secrets(r.id),
    r.partner_id, r.number::int
  from endpoint n join receiver r on r.id = n.client_id
  where n.worker = renew_receivers.worker and r.removed_at is null;
end $$;

-- Called when a worker stops, so that other workers can claim its endpoints at once.
create or replace function gold.dismiss_worker(worker uuid) returns void
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  update gold.endpoint n set worker = null where n.worker = dismiss_worker.worker;
  delete from gold.delivery_worker w where w.id = dismiss_worker.worker;
end;
