-- A partner's requests about its deliveries: the redelivery of an event, or a test event that exists only to
-- be delivered.

-- Returns a new `due_at` for a row of `retry`: it is due now and differs from the old `due_at`. A worker
-- stores an attempt's result only if the row still has the `due_at` with which the attempt started. So an
-- attempt that is already in flight cannot complete the redelivery.
create or replace function gold.due_now(due_at timestamptz) returns timestamptz
language sql volatile
return least(date_trunc('milliseconds', clock_timestamp()), due_at - interval '1 millisecond');

-- Makes an event due now, outside the order of the other events. Also ends the endpoint's rest (its pause
-- after failed attempts), because the partner or operator may know that the endpoint works again.
create or replace function gold.ask_delivery(client int, sequence bigint) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  update gold.endpoint n set worker = null, rests_until = null
  where n.bucket = client % 64 and n.client_id = client and n.rests_until > clock_timestamp();
  insert into gold.retry as r (bucket, client_id, sequence, tries, is_test, due_at)
  select client % 64, client, e.sequence, 0, e.type = 'webhook.test', gold.due_now(null) from gold.event_of_number(client, sequence) e
  on conflict (bucket, client_id, sequence) do update set tries = 0, due_at = gold.due_now(r.due_at), parked_at = null;
  select pg_notify('gold_event', client::text);
end;

-- Returns the same text of the event as a read, but without the event's line of the hash chain. An event has
-- no text until it is sealed. The caller has just called seal_newest, which seals only a part of a large
-- backlog. If this event is not sealed yet, the function raises an error and the service answers 503. The
-- sealer seals the rest, so a later retry succeeds.
create or replace function gold.told_event(given gold.event) returns text
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  told text := event_text(given, delivery_text(given));
begin
  if told is null then
    raise exception 'event % of client % is not sealed yet', given.sequence, given.client_id using errcode = 'insufficient_resources';
  end if;
  return told;
end $$;

-- Seals the chain before it changes the retry row, in the same order as a worker, so that the two cannot
-- deadlock.
create or replace function gold.book_redelivery(
  settle boolean, client int, admission bigint, key text, fingerprint bytea, event uuid, request uuid
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  turn record;
  given gold.event;
  limited outcome;
begin
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  given := event_of(client, book_redelivery.event);
  if given.id is null then
    return row(1, 'not_found', null, null)::outcome;
  end if;
  limited := take_record(1, client, turn.clock, request, false);
  if limited.outcome is not null then
    return limited;
  end if;
  perform seal_newest(client);
  perform ask_delivery(client, given.sequence);
  return bind_answer(turn.holder, key, fingerprint, request, 'event', given.id, account_instant(turn.holder, ceil_millisecond(turn.clock)), 201, told_event(given));
end $$;

create or replace function gold.book_webhook_test(
  settle boolean, client int, admission bigint, key text, fingerprint bytea, id uuid, request uuid
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  turn record;
  holder account;
  at timestamptz;
  made event;
  limited outcome;
begin
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  limited := take_record(1, client, turn.clock, request, false);
  if limited.outcome is not null then
    return limited;
  end if;
  holder := turn.holder;
  at := account_instant(holder, ceil_millisecond(turn.clock));
  perform take_sequence(client, holder.event_sequence + 1, at);
  perform post_event(client, holder.event_sequence + 1, book_webhook_test.id, book_webhook_test.id, at, 'webhook.test');
  perform seal_newest(client);
  perform ask_delivery(client, holder.event_sequence + 1);
  made := event_of(client, book_webhook_test.id);
  return bind_answer(holder, key, fingerprint, request, 'event', made.id, at, 201, told_event(made));
end $$;
