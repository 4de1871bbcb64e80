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
  taken account[];
  known idempotency_key;
  spent_by uuid;
  is_spent boolean;
begin
  select l.accounts into taken from lock_accounts(array[take_turn.client], true) l;
  if taken is null then
    raise exception 'client % does not exist', take_turn.client using errcode = 'no_data_found';
  end if;
  holder := taken[1];
  clock := clock_timestamp();

  select k.* into known from idempotency_key k
  where k.bucket = holder.bucket and k.client_id = holder.client_id and k.key = take_turn.key;
  select n.request_id into spent_by from nonce n
  where n.bucket = holder.bucket and n.client_id = holder.client_id and n.nonce = take_turn.nonce;
  is_spent := found;
  answer := earlier_outcome(1, settle, take_turn.request, spent_by, known.request_id,
    known.fingerprint = take_turn.fingerprint, known.status, known.body,
    holder.admission_version = take_turn.admission);
  if answer.outcome is not null then
    return;
  end if;
  if is_spent then
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

-- The account's lock is held, so a nonce that take_turn did not find is still unspent. The primary key also
-- refuses to store a nonce twice.
create or replace function gold.spend_nonce(holder gold.account, nonce uuid, request uuid) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.nonce (bucket, client_id, nonce, request_id) values ((holder).bucket, (holder).client_id, nonce, request);
end;

-- Stores the instant of each refusal among these answers. The event `day.closed` commits to the refusals
-- (close_day.sql).
create or replace function gold.keep_refusals(bound gold.idempotency_key[]) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.refusal (bucket, client_id, created_at, key)
  select b.bucket, b.client_id, b.created_at, b.key from unnest(bound) b where b.result_kind = 'refusal';
end;

-- Binds the answer to the idempotency key and returns the answer. A refusal has no `result`. Every replay
-- returns the same `body`. For a signed write, also stores the signed request and the thumbprint of the
-- public key that verified the signature.
create or replace function gold.bind_answer(
  holder gold.account, key text, fingerprint bytea, request uuid, kind text, result uuid, at timestamptz, status int, body text,
  signed_request bytea default null, thumbprint bytea default null
) returns gold.outcome
language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.idempotency_key (bucket, client_id, status, key, fingerprint, request_id, result_id, created_at, result_kind, body,
    request, signing_thumbprint)
  values ((holder).bucket, (holder).client_id, status, key, fingerprint, request, result, at, kind, body, signed_request, thumbprint);
  insert into gold.refusal (bucket, client_id, created_at, key)
  select (holder).bucket, (holder).client_id, at, bind_answer.key where kind = 'refusal';
  select row(1, 'answered', status, body)::gold.outcome;
end;

-- Returns the SHA-256 that commits to a stored answer. It is computed over seven lines, each ended by a line
-- feed. The lines are the idempotency key, the fingerprint, the status, the request's uuid, the SHA-256 of
-- the body, the SHA-256 of the signed request, and the thumbprint of the key that verified the signature.
-- Bytes are in lower-case hex. If the request was not signed, the sixth line is the SHA-256 of no bytes, and
-- the seventh line is empty. The hash chain contains the result (seal_chain.sql).
-- The function is stable, as convert_to() is, and casts each part to text, so that Postgres can inline it.
create or replace function gold.answer_of(
  key text, fingerprint bytea, status int, request uuid, body text, signed_request bytea default null, thumbprint bytea default null
) returns bytea
language sql stable parallel safe
return sha256(convert_to(key || chr(10) || encode(fingerprint, 'hex') || chr(10) || status::text || chr(10) || request::text || chr(10)
  || encode(sha256(convert_to(body, 'UTF8')), 'hex') || chr(10) || encode(sha256(coalesce(signed_request, '')), 'hex') || chr(10)
  || coalesce(encode(thumbprint, 'hex'), '') || chr(10), 'UTF8'));
