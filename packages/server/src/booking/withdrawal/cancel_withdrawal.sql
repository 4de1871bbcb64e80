-- Books a partner's request to cancel a withdrawal that waits for its approval. The account's lock, which every step
-- of a withdrawal takes, lets only one of cancellation, approval and rejection happen. The step, its event and the
-- transfer that gives the held money back are in one transaction.

create or replace function gold.cancel_withdrawal(
  settle boolean, client int, admission bigint, nonce uuid, key text, fingerprint bytea, id uuid, request uuid,
  signed_request bytea, thumbprint bytea
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_variable
declare
  turn record;
  holder account;
  given withdrawal;
  last withdrawal_step;
  next_sequence bigint;
  at timestamptz;
  body text;
  limited outcome;
begin
  if nonce is null then
    raise exception 'the nonce of a cancellation must not be null' using errcode = 'null_value_not_allowed';
  end if;
  select * into turn from take_turn(settle, client, admission, nonce, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  holder := turn.holder;
  at := account_instant(holder, ceil_millisecond(turn.clock));
  select w.* into given from withdrawal w where w.bucket = holder.bucket and w.client_id = client and w.id = id;
  if given.id is null then
    return row(1, 'not_found', null, 'There is no withdrawal of yours with this withdrawal_id.')::outcome;
  end if;
  select s.* into strict last from withdrawal_step s
  where s.bucket = holder.bucket and s.client_id = client and s.withdrawal_id = id order by s.sequence desc limit 1;
  if last.status <> 'pending_approval' then
    limited := take_record(1, client, turn.clock, request, false);
    if limited.outcome is not null then
      return limited;
    end if;
    perform spend_nonce(holder, nonce, request);
    return bind_answer(holder, key, fingerprint, request, 'refusal', null, at,
      (select p.status from problem p where p.code = 'withdrawal_not_pending'),
      problem_text('withdrawal_not_pending', 'The withdrawal wd_' || id || ' is ' || last.status || '.', request),
      signed_request, thumbprint);
  end if;

  perform spend_nonce(holder, nonce, request);
  next_sequence := holder.event_sequence + 1;
  body := '{' || withdrawal_members(given, 'cancelled') || ',"balances":'
    || balances_text(holder.sar_available + given.amount, holder.sar_held - given.amount, holder.gold, at) || '}';
  insert into withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, previous, previous_login, at, answer)
  values (holder.bucket, client, id, next_sequence, 'cancelled', session_user, last.status, last.login, at,
    answer_of(key, fingerprint, 201, request, body, signed_request, thumbprint));
  insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
  values (holder.bucket, client, 1, next_sequence, 'held', 'available', 'SAR', given.amount,
    holder.sar_available + given.amount, holder.sar_held - given.amount, holder.gold, at);
  perform post_event(client, next_sequence, new_uuid(at), id, at, 'withdrawal.cancelled');
  return bind_answer(holder, key, fingerprint, request, 'cancellation', id, at, 201, body, signed_request, thumbprint);
end $$;
