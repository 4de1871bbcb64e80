-- Books a partner's request for a withdrawal. It holds the amount and stores the IBAN that is registered at
-- this moment.

create or replace function gold.mask_iban(iban text) returns text
language sql immutable parallel safe
return substr(iban, 1, 4) || repeat('*', length(iban) - 8) || right(iban, 4);

-- The withdrawals that a client requested since an instant. Those that ended without a payment count,
-- too: otherwise a partner could request as many as it likes.
create or replace function gold.withdrawals_since(client int, since timestamptz, out requested int, out withdrawn bigint)
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  select count(*), coalesce(sum(w.amount), 0) into requested, withdrawn from withdrawal w
  where w.client_id + 0 = client and w.sequence > sequence_at(client, since - interval '1 millisecond');
end $$;

create or replace function gold.book_withdrawal(
  settle boolean, client int, admission bigint, nonce uuid, key text, fingerprint bytea, amount bigint, maximum bigint, reference text,
  id uuid, request uuid, account_label text, signed_request bytea, thumbprint bytea
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_variable
declare
  turn record;
  holder account;
  registered partner;
  requested int;
  withdrawn bigint;
  doubled uuid;
  refusal text;
  detail text;
  at timestamptz;
  made withdrawal;
  body text;
  limited outcome;
begin
  if nonce is null then
    raise exception 'the nonce of a withdrawal must not be null' using errcode = 'null_value_not_allowed';
  end if;
  select * into turn from take_turn(settle, client, admission, nonce, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  holder := turn.holder;
  at := account_instant(holder, ceil_millisecond(turn.clock));
  -- The signed reference, like the nonce, prevents a second payment. The Idempotency-Key does not, because it
  -- is not signed: a copied request could arrive with another key.
  select w.id into doubled from withdrawal w
  where w.reference = reference and w.client_id = client and not exists (
    select from withdrawal_step s where s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id
      and s.status in ('rejected', 'returned', 'cancelled'))
  limit 1;
  select p.* into strict registered from partner p where p.id = client;
  if num_nonnulls(registered.maximum_daily_withdrawals, registered.maximum_daily_withdrawn, holder.simulations) > 0 then
    select d.requested, d.withdrawn into requested, withdrawn from withdrawals_since(client, day_end(at) - interval '1 day') d;
  end if;
  -- Only a partner of the sandbox can have simulations.
  if holder.simulations is not null and armed(holder.simulations, 'market', turn.clock)->>'state' = 'withdrawals_spent' then
    registered.maximum_daily_withdrawals := requested;
  end if;
  if amount > maximum then
    refusal := 'limit_exceeded';
    detail := 'A withdrawal is at most ' || decimal_text(maximum, 0.01) || ' SAR.';
  elsif doubled is not null then
    refusal := 'withdrawal_reference_reused';
    detail := 'The withdrawal wd_' || doubled || ' has this reference.';
  elsif holder.sar_available < amount then
    refusal := 'insufficient_funds';
    detail := 'The withdrawal needs ' || decimal_text(amount, 0.01) || ' SAR and ' || decimal_text(holder.sar_available, 0.01)
      || ' SAR are available.';
  elsif requested >= registered.maximum_daily_withdrawals then
    refusal := 'withdrawal_limit_exceeded';
    detail := 'You may request ' || registered.maximum_daily_withdrawals || ' withdrawals a day and have requested ' || requested
      || '. The day ends at ' || instant_text(day_end(at)) || '.';
  elsif withdrawn + amount > registered.maximum_daily_withdrawn then
    refusal := 'withdrawal_limit_exceeded';
    detail := 'You may withdraw ' || decimal_text(registered.maximum_daily_withdrawn, 0.01) || ' SAR a day and have requested '
      || decimal_text(withdrawn, 0.01) || ' SAR. The day ends at ' || instant_text(day_end(at)) || '.';
  end if;
  if refusal is not null then
    limited := take_record(1, client, turn.clock, request, false);
    if limited.outcome is not null then
      return limited;
    end if;
  end if;
  perform spend_nonce(holder, nonce, request);
  if refusal is not null then
    return bind_answer(holder, key, fingerprint, request, 'refusal', null, at,
      (select p.status from problem p where p.code = refusal), problem_text(refusal, detail, request), signed_request, thumbprint);
  end if;

  made.bucket := holder.bucket;
  made.client_id := client;
  made.id := id;
  made.sequence := holder.event_sequence + 1;
  made.amount := amount;
  made.iban := registered.iban;
  made.reference := reference;
  made.account_label := account_label;
  made.created_at := at;
  body := '{' || withdrawal_members(made, 'pending_approval') || ',"balances":'
    || balances_text(holder.sar_available - amount, holder.sar_held + amount, holder.gold, at) || '}';
  made.answer := answer_of(key, fingerprint, 201, request, body, signed_request, thumbprint);
  insert into withdrawal (bucket, client_id, id, sequence, amount, iban, reference, created_at, account_label, answer)
  values (made.bucket, made.client_id, made.id, made.sequence, made.amount, made.iban, made.reference, made.created_at,
    made.account_label, made.answer);
  insert into withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, at)
  values (holder.bucket, client, id, holder.event_sequence + 1, 'pending_approval', session_user, at);
  insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
  values (holder.bucket, client, 1, holder.event_sequence + 1, 'available', 'held', 'SAR', amount,
    holder.sar_available - amount, holder.sar_held + amount, holder.gold, at);
  perform post_event(client, holder.event_sequence + 1, id, id, at, 'withdrawal.created');
  return bind_answer(holder, key, fingerprint, request, 'withdrawal', id, at, 201, body, signed_request, thumbprint);
end $$;
