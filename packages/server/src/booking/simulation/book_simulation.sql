-- Simulations of a partner of the sandbox. Some act at once. Others are armed: they affect later requests or
-- webhooks until they end. The armed simulations are in the partner's account row, so every process applies
-- them. Each contains the instant at which it ends, so nothing has to remove it.

-- The partner's armed simulations as JSON, for GET /sandbox/simulations and for the replies of the calls that
-- arm one.
create or replace function gold.simulations_text(holder gold.account, clock timestamptz) returns text
language sql stable
return (
  select '{"market":' || coalesce('{"state":"' || (m->>'state') || '","until":"' || (m->>'until') || '"}', 'null')
    || ',"prices":' || coalesce('{"percent":' || (p->>'percent') || ',"until":"' || (p->>'until') || '"}', 'null')
    || ',"failure":' || coalesce('{"kind":"' || (f->>'kind') || '","code":' || coalesce('"' || (f->>'code') || '"', 'null')
      || ',"seconds":' || coalesce(f->>'seconds', 'null') || ',"remaining":' || (f->>'remaining') || ',"until":"' || (f->>'until') || '"}', 'null')
    || ',"webhooks":' || coalesce(case when w.remaining > 0 then '{"kind":"' || (w.state->>'kind') || '","seconds":' || coalesce(w.state->>'seconds', 'null')
      || ',"remaining":' || w.remaining || ',"until":"' || (w.state->>'until') || '"}' end, 'null') || '}'
  from gold.armed((holder).simulations, 'market', clock) m, gold.armed((holder).simulations, 'prices', clock) p,
    gold.armed((holder).simulations, 'failure', clock) f, (
      select s as state, (s->>'from')::bigint + (s->>'count')::int - greatest((s->>'from')::bigint, (holder).event_sequence + 1) as remaining
      from gold.armed((holder).simulations, 'webhooks', clock) s
    ) w
);

-- Arms the simulation `name` with `parameters` for `lasts` seconds. It replaces an armed simulation of the
-- same name. The admission version rises, so a write that was admitted before this commit is admitted again.
-- Every process therefore applies the new simulation.
create or replace function gold.arm_simulation(holder gold.account, name text, parameters jsonb, clock timestamptz, out body text)
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  others jsonb := coalesce(holder.simulations, '{}') - name;
  state jsonb := jsonb_build_object(name, parameters - 'lasts' || jsonb_build_object('until',
    instant_text(clock + make_interval(secs => (parameters->>'lasts')::int))));
begin
  case
    when name = 'reset' then holder.simulations := others - '{market,prices,failure,webhooks}'::text[];
    when name = 'market' and parameters->>'state' = 'normal' then holder.simulations := others;
    -- `from` is the number of the first event that the simulation changes. So each worker decides by an
    -- event's number alone.
    when name = 'webhooks' then holder.simulations := others || jsonb_set(state, '{webhooks,from}', to_jsonb(holder.event_sequence + 1));
    else holder.simulations := others || state;
  end case;
  update account a set simulations = nullif(holder.simulations, '{}'), admission_version = a.admission_version + 1
  where a.bucket = holder.bucket and a.client_id = holder.client_id;
  perform registry_changed();
  perform endpoint_changed(holder.client_id);
  body := simulations_text(holder, clock);
end $$;

create or replace function gold.book_simulation(
  settle boolean, client int, admission bigint, key text, fingerprint bytea, name text, parameters jsonb, request uuid
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  turn record;
  made record;
  limited outcome;
  at timestamptz;
begin
  select * into turn from take_turn(settle, client, admission, null, key, fingerprint, request);
  if (turn.answer).outcome is not null then
    return turn.answer;
  end if;
  limited := take_record(1, client, turn.clock, request, false);
  if limited.outcome is not null then
    return limited;
  end if;
  case name
    when 'withdrawal' then select * into made from simulate_withdrawal(turn.holder, parameters);
    when 'deposit' then select * into made from simulate_deposit(turn.holder, parameters, request);
    when 'deposit_reversal' then select * into made from simulate_deposit_reversal(turn.holder, parameters);
    when 'quote_expiry' then select * into made from simulate_quote_expiry(turn.holder, parameters, turn.clock);
    when 'event' then select * into made from simulate_event(turn.holder, parameters, turn.clock);
    else select null as refusal, null as detail, a.body into made from arm_simulation(turn.holder, name, parameters, turn.clock) a;
  end case;
  -- A request with a wrong id or outcome does not bind its idempotency key.
  if made.refusal = 'not_found' then
    return row(1, made.refusal, null, made.detail)::outcome;
  elsif made.refusal = 'withdrawal_outcome_unreachable' then
    -- The whole body, because processes of the last release do not know this code.
    return row(1, 'answered', 409, problem_text(made.refusal, made.detail, request))::outcome;
  end if;
  at := account_instant(turn.holder, ceil_millisecond(turn.clock));
  if made.refusal is not null then
    return bind_answer(turn.holder, key, fingerprint, request, 'refusal', null, at,
      (select p.status from problem p where p.code = made.refusal), problem_text(made.refusal, made.detail, request));
  end if;
  return bind_answer(turn.holder, key, fingerprint, request, 'simulation', null, at, 201, made.body);
end $$;

create or replace function gold.read_simulations(client int) returns text
language sql stable security definer set search_path = gold, pg_temp as $$
  select simulations_text(a, clock_timestamp()) from account a where a.bucket = client % 64 and a.client_id = client
$$;

-- Uses up one simulated failure of the client and returns it. Returns null if no failure is armed, or if its
-- code is not in `codes`, which are the codes that the request's operation documents. A failure without a
-- code applies to every operation.
create or replace function gold.take_failure(client int, codes text[]) returns jsonb
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  holder account;
  failure jsonb;
  remaining int;
begin
  select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client for no key update;
  failure := armed(holder.simulations, 'failure', clock_timestamp());
  if failure is null or not coalesce(failure->>'code' = any (codes), true) then
    return null;
  end if;
  remaining := (failure->>'remaining')::int - 1;
  update account a set simulations = case when remaining > 0 then jsonb_set(a.simulations, '{failure,remaining}', to_jsonb(remaining))
    else nullif(a.simulations - 'failure', '{}') end
  where a.bucket = holder.bucket and a.client_id = holder.client_id;
  if remaining = 0 then
    perform registry_changed();
  end if;
  return failure;
end $$;
