-- Money in: one transfer from the bank to the client, and its event. Two callers use post_funding: the
-- sandbox's fund call, which also binds its key, and the operator's approval of a deposit.

-- The limit applies to the balance after the funding. It keeps every later sum within fifteen digits.
create or replace function gold.has_room_for(holder gold.account, amount bigint) returns boolean
language sql immutable
return (holder).sar_available + (holder).sar_held + amount <= 99999999999999;

create or replace function gold.post_funding(
  holder gold.account, amount bigint, id uuid, at timestamptz, answer bytea default null
) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.funding (bucket, client_id, id, sequence, amount, created_at, answer)
    values ((holder).bucket, (holder).client_id, id, (holder).event_sequence + 1, amount, at, answer);
  insert into gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
    values ((holder).bucket, (holder).client_id, 1, (holder).event_sequence + 1, 'bank', 'available', 'SAR', amount,
      (holder).sar_available + amount, (holder).sar_held, (holder).gold, at);
  -- Pass the last argument, although it has a default. Until the end of a migration, the last release's
  -- post_event() also exists, and a call without this argument would be ambiguous.
  select gold.post_event((holder).client_id, (holder).event_sequence + 1, id, id, at, 'funding.completed', 2);
end;

create or replace function gold.book_funding(
  settle boolean, client int, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  turn record;
  holder account;
  at timestamptz;
  made funding;
  body text;
  limited outcome;
begin
  -- Refuse to create money in production, even with the service's login.
  if not exists (select from deployment d where d.environment = 'sandbox') then
    raise exception 'fundings can be booked only in the sandbox: record and approve a deposit instead' using errcode = 'GB004';
  end if;
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  holder := turn.holder;
  at := account_instant(holder, ceil_millisecond(turn.clock));
  if amount > maximum or not has_room_for(holder, amount) then
    limited := take_record(1, client, turn.clock, request, false);
    if limited.outcome is not null then
      return limited;
    end if;
    return bind_answer(holder, key, fingerprint, request, 'refusal', null, at, 422, problem_text('limit_exceeded',
      'A funding is at most ' || decimal_text(maximum, 0.01) || ' SAR, and an account holds at most 999999999999.99 SAR.', request));
  end if;
  made.id := id;
  made.amount := amount;
  made.created_at := at;
  body := '{' || funding_members(made) || ',"balances":'
    || balances_text(holder.sar_available + amount, holder.sar_held, holder.gold, at) || '}';
  perform post_funding(holder, amount, id, at, answer_of(key, fingerprint, 201, request, body));
  return bind_answer(holder, key, fingerprint, request, 'funding', id, at, 201, body);
end $$;
