-- The first steps of a write that is booked alone: the account's lock, the clock, the nonce, the key. If
-- `answer` is null, the calling function decides. It then stores its decision with bind_answer and, for a
-- signed request, the nonce with spend_nonce.

create or replace function gold.take_turn(
  settle boolean, client int, admission bigint, nonce uuid, key text, fingerprint bytea, request uuid,
  out holder gold.account, out clock timestamptz, out answer gold.outcome
)
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  known idempotency_key;
begin
  perform require_read_committed();
  select a.* into strict holder from account a where a.bucket = take_turn.client % 64 and a.client_id = take_turn.client for no key update;
  clock := clock_timestamp();

  select k.* into known from idempotency_key k
  where k.bucket = holder.bucket and k.client_id = holder.client_id and k.key = take_turn.key;
  if settle and known.key is not null and (known.request_id = take_turn.request or exists (
    select from nonce n
    where n.bucket = holder.bucket and n.client_id = holder.client_id and n.nonce = take_turn.nonce and n.request_id = take_turn.request
  )) then
    -- An earlier attempt of the same request was committed before its connection was lost.
    answer := settled(1, known.request_id = take_turn.request, known.fingerprint = take_turn.fingerprint, known.status, known.body);
    return;
  elsif holder.admission_version is distinct from take_turn.admission then
    answer := row(1, 'admission_changed', null, null);
    return;
  end if;
  if exists (select from nonce n where n.bucket = holder.bucket and n.client_id = holder.client_id and n.nonce = take_turn.nonce) then
    answer := row(1, 'nonce_reused', null, null);
    return;
  end if;
  if known.key is not null then
    if take_turn.nonce is not null then
      answer := take_record(1, holder.client_id, clock, take_turn.request, true);
      if answer.outcome is not null then
        return;
      end if;
      perform spend_nonce(holder, take_turn.nonce, take_turn.request);
    end if;
    answer := settled(1, false, known.fingerprint = take_turn.fingerprint, known.status, known.body);
  end if;
end $$;

-- The account's lock is held, so a nonce that take_turn did not find is still unspent. The primary key
-- enforces it again.
create or replace function gold.spend_nonce(holder gold.account, nonce uuid, request uuid) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.nonce (bucket, client_id, nonce, request_id) values ((holder).bucket, (holder).client_id, nonce, request);
end;

-- Binds the answer to the key and returns it. A refusal has no `result`. `body` is the answer now and at
-- every replay.
create or replace function gold.bind_answer(
  holder gold.account, key text, fingerprint bytea, request uuid, kind text, result uuid, at timestamptz, status int, body text
) returns gold.outcome
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.idempotency_key (bucket, client_id, status, key, fingerprint, request_id, result_id, created_at, result_kind, body)
  values ((holder).bucket, (holder).client_id, status, key, fingerprint, request, result, at, kind, body);
  select row(1, 'answered', status, body)::gold.outcome;
end;
