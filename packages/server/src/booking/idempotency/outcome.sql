-- The result of a booking function for each item. `outcome` is one of
--   answered                   the first result, bound to its key: an execution or a binding refusal. Or
--                              status 429: a limit of the partner refused the request; nothing was stored.
--                              The 409 withdrawal_outcome_unreachable of a simulation is not stored, either
--   replayed                   the key was known with the same fingerprint; the body is the first answer
--   nonce_reused, idempotency_key_conflict, price_unavailable, market_closed, not_found, invalid_request
--                              refused, and no key was bound; a body is the refusal's detail
--   admission_changed          the client's admission version changed after the request was admitted;
--                              nothing was stored, and the service must admit the request again
--   service_unavailable        the clock is behind the account's newest posting or the order's quote; the
--                              body is the number of seconds; nothing was stored
--   busy                       another transaction has locked the client's account; nothing was stored, and
--                              the caller must send the item again with `wait`
do $$
begin
  if to_regtype('gold.outcome') is null then
    create type gold.outcome as (item int, outcome text, status smallint, body text);
  end if;
end $$;

-- The answer for a known key: the request's own result (`own`), the first result again (`same` fingerprint),
-- or a conflict.
create or replace function gold.settled(item int, own boolean, same boolean, status smallint, body text) returns gold.outcome
language sql immutable parallel safe
return case
  when own then row(item, 'answered', status, body)::gold.outcome
  when same then row(item, 'replayed', status, body)::gold.outcome
  else row(item, 'idempotency_key_conflict', null, null)::gold.outcome
end;

-- The outcome of an item that can be answered before the other checks; otherwise null. With `settle`, an
-- earlier attempt of the same request may have been committed before its connection was lost. An attempt
-- writes its nonce in the transaction that writes or finds the key, so the key's row has the result. This
-- check comes before the check of the admission version, because a committed result stays valid after the
-- version changes.
create or replace function gold.earlier_outcome(
  item int, settle boolean, request uuid, spent_by uuid,
  known_request uuid, same boolean, status smallint, body text, is_admitted boolean
) returns gold.outcome
language sql immutable parallel safe
return case
  when settle and (known_request = request or spent_by = request)
    then gold.settled(item, known_request = request, same, status, body)
  when is_admitted is not true then row(item, 'admission_changed', null, null)::gold.outcome
end;
