-- Returns the reply body of a binding refusal. The body is stored, so that every retry gets the same bytes.
-- Status and title come from the protocol's problem registry.

create or replace function gold.problem_text(refusal text, detail text, request uuid) returns text
language sql stable
return (
  select '{"type":"/docs/errors#' || p.code || '","title":' || to_json(p.title) || ',"status":' || p.status
    || ',"detail":' || to_json(problem_text.detail
      || ' This answer is bound to the Idempotency-Key: send a new key to try again.')
    || ',"code":"' || p.code || '","request_id":"req_' || request || '","retryable":' || p.retryable || '}'
  from gold.problem p
  where p.code = refusal
);
