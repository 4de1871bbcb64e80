-- What a booking function says of each item. `outcome` is one of
--   answered                   first result, bound to its key: an execution or a binding refusal. Or status 429: one of the
--                              partner's limits refused the request, and nothing was stored
--   replayed                   the key was known with this fingerprint: the first answer's bytes
--   nonce_reused, idempotency_key_conflict, price_unavailable, market_closed, not_found    refused, nothing bound
--   admission_changed          admitted under credentials that changed since: nothing spent, admit anew
--   service_unavailable        the clock is behind the account's newest posting by as many seconds as the body says: nothing spent or bound
--   busy                       the client's account is locked by another: nothing spent, run it alone
do $$
begin
  if to_regtype('gold.outcome') is null then
    create type gold.outcome as (item int, outcome text, status smallint, body text);
  end if;
end $$;

-- What a known key answers: the request's own result, the first result again, or that the key belongs to another request.
create or replace function gold.settled(item int, own boolean, same boolean, status smallint, body text) returns gold.outcome
language sql immutable parallel safe
return case
  when own then row(item, 'answered', status, body)::gold.outcome
  when same then row(item, 'replayed', status, body)::gold.outcome
  else row(item, 'idempotency_key_conflict', null, null)::gold.outcome
end;
