-- A partner's requests about its deliveries: the redelivery of an event, or a test event that exists only to
-- be delivered.

-- Returns a new `due_at` for a row of `retry`: it is due now and differs from the old `due_at`. A worker
-- stores an attempt's result only if the row still has the `due_at` with which the attempt started. So an
-- attempt that is already in flight cannot complete the redelivery.
create or replace function gold.due_now(due_at timestamptz) returns timestamptz
language sql volatile
return least(date_trunc('milliseconds', clock_timestamp()), due_at - interval '1 millisecond');

-- The webhook endpoints of a client to which this event is sent.
create or replace function gold.takers_of(given gold.event) returns setof gold.receiver
language sql stable
begin atomic
  select r.* from gold.receiver r
  where r.partner_id = (given).client_id and r.removed_at is null and gold.takes(r.types, (given).type)
    and (given).sequence > r.added_after
  order by r.id;
end;

-- Makes an event due now at each endpoint that takes it, outside the order of the other events. Also ends the
-- endpoint's rest (its pause after failed attempts), because the partner or operator may know that the endpoint
-- works again. It locks the endpoints in the order of their ids, as the workers do.
create or replace function gold.ask_delivery(client int, sequence bigint) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  given event := (select e from event_of_number(client, ask_delivery.sequence) e);
  taker receiver;
begin
  for taker in select * from takers_of(given) loop
    update endpoint n set worker = null, rests_until = null
    where n.bucket = taker.id % 64 and n.client_id = taker.id and n.rests_until > clock_timestamp();
    insert into retry as r (bucket, client_id, sequence, tries, is_test, due_at)
    values (taker.id % 64, taker.id, given.sequence, 0, given.type = 'webhook.test', due_now(null))
    on conflict (bucket, client_id, sequence) do update set tries = 0, due_at = due_now(r.due_at), parked_at = null;
  end loop;
  perform notify_receivers(client);
end $$;

-- Returns the same text of the event as a read, but without the event's line of the hash chain. An event has
-- no text until it is sealed. The caller has just called seal_newest, which seals only a part of a large
-- backlog. If this event is not sealed yet, the function raises an error and the service answers 503. The
-- sealer seals the rest, so a later retry succeeds.
create or replace function gold.told_event(given gold.event) returns text
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  told text := event_text(given, deliveries_text(given));
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
