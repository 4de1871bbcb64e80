-- Returns the reply body of a refusal. The body of a binding refusal is stored, so that every retry gets the
-- same bytes. Its detail ends with what to do next. Status and title come from the protocol's problem registry.

-- The page that explains a code: a path of the service, or one of the operator's documentation site, whose address
-- the service gives to its sessions.
create or replace function gold.problem_type(code text) returns text
language sql stable
return coalesce(nullif(current_setting('gold.docs_url', true), '') || '/errors.html#', '/docs/errors#') || code;

create or replace function gold.problem_text(refusal text, detail text, request uuid) returns text
language sql stable
return (
  select '{"type":' || to_json(gold.problem_type(p.code)) || ',"title":' || to_json(p.title) || ',"status":' || p.status
    || ',"detail":' || to_json(problem_text.detail || coalesce(' This answer is bound to the Idempotency-Key: ' || case p.code
      when 'not_found' then 'check the quote_id, or request a new quote and order it with a new key.'
      when 'quote_already_executed' then 'look up this order before you trade again; another trade needs a new quote and a new key.'
      when 'quote_expired' then 'request a new quote and order it with a new key.'
      when 'insufficient_funds' then 'send the request with a new key when GET /v1/balances shows enough.'
      when 'insufficient_gold' then 'sell at most what GET /v1/balances shows, with a new quote and a new key.'
      when 'insufficient_inventory' then 'order less, or order later, with a new quote and a new key.'
      when 'limit_exceeded' then 'send a quantity within the limits with a new key.'
      when 'withdrawal_limit_exceeded' then 'send it with a new key when the day has ended, or earlier if a smaller amount is within the limit.'
      when 'withdrawal_reference_reused' then 'look up this withdrawal; a second payment needs another reference and a new key.'
      when 'withdrawal_not_pending' then 'look up this withdrawal; only one that waits for approval can be cancelled, with a new key.'
    end, ''))
    || ',"code":"' || p.code || '","request_id":"req_' || request || '","retryable":' || p.retryable || '}'
  from gold.problem p
  where p.code = refusal
);
