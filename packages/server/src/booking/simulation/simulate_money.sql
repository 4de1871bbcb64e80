-- Simulations of the bank and of the operator's people. They call the same functions as real operators, so
-- they book the same steps, transfers, events and audit rows. The steps are taken by two logins that exist
-- only for simulations: gold_simulation_maker records deposits, and approves or rejects withdrawals.
-- gold_simulation_checker takes all other steps. Nobody can log in as either of them.
do $$
declare
  name text;
begin
  foreach name in array array['gold_simulation_maker', 'gold_simulation_checker'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
end $$;

-- The functions below return the reply's body, or the code and detail of a refusal.

-- Takes all steps from the withdrawal's status to the wanted outcome, or none.
create or replace function gold.simulate_withdrawal(holder gold.account, parameters jsonb, out refusal text, out detail text, out body text)
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  given withdrawal;
  status withdrawal_status;
  outcome withdrawal_status := parameters->>'outcome';
  path withdrawal_status[];
  target withdrawal_status;
begin
  select w.* into given from withdrawal w
  where w.bucket = holder.bucket and w.client_id = holder.client_id and w.id = (parameters->>'id')::uuid;
  if given.id is null then
    refusal := 'not_found';
    detail := 'No withdrawal of yours has this withdrawal_id.';
    return;
  end if;
  select s.status into strict status from withdrawal_step s
  where s.bucket = given.bucket and s.client_id = given.client_id and s.withdrawal_id = given.id order by s.sequence desc limit 1;
  path := case
    when outcome = 'rejected' then '{rejected}'
    when outcome = 'returned' then case status when 'paid' then '{returned}' else '{approved,submitted,returned}' end
    else '{approved,submitted,paid}' end;
  path := path[: array_position(path, outcome)];
  begin
    -- If the withdrawal's status is not on the path, step_withdrawal refuses the first step.
    foreach target in array path[coalesce(array_position(path, status), 0) + 1 :] loop
      if target = 'submitted' then
        perform submit_withdrawals_as('gold_simulation_checker', gen_random_uuid(), array[given.id],
          'A simulated payment: no document was sent to a bank.');
      else
        perform step_withdrawal(case when target in ('approved', 'rejected') then 'gold_simulation_maker' else 'gold_simulation_checker' end,
          given.id, target, null);
      end if;
    end loop;
  exception when sqlstate 'GR409' then
    refusal := 'withdrawal_outcome_unreachable';
    detail := 'The withdrawal wd_' || given.id || ' is ' || status || ', so it cannot become ' || outcome || ' any more.';
    return;
  end;
  body := withdrawal_text(given, null);
end $$;

create or replace function gold.simulate_deposit(
  holder gold.account, parameters jsonb, request uuid, out refusal text, out detail text, out body text
)
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  amount bigint := parameters->>'amount';
  maximum bigint := parameters->>'maximum';
  deposit uuid;
begin
  if amount > maximum or not has_room_for(holder, amount) then
    refusal := 'limit_exceeded';
    detail := 'A deposit is at most ' || decimal_text(maximum, 0.01) || ' SAR, and an account holds at most 999999999999.99 SAR.';
    return;
  end if;
  deposit := record_deposit_as('gold_simulation_maker', public_of(holder.client_id), amount, 'SIMULATED-' || request);
  perform approve_deposit_as('gold_simulation_checker', deposit);
  select funding_text(f, null) into strict body from funding f
  where f.bucket = holder.bucket and f.client_id = holder.client_id and f.id = deposit;
end $$;

create or replace function gold.simulate_deposit_reversal(
  holder gold.account, parameters jsonb, out refusal text, out detail text, out body text
)
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  given deposit;
begin
  select d.* into given from deposit d
  where d.id = (parameters->>'id')::uuid and d.client_id = holder.client_id and d.approved_at is not null;
  if given.id is null then
    refusal := 'not_found';
    detail := 'No bank deposit of yours has this funding_id. Money from POST /sandbox/fund cannot be reversed.';
    return;
  elsif given.reversed_at is null and holder.sar_available < given.amount then
    refusal := 'insufficient_funds';
    detail := 'The reversal takes back ' || decimal_text(given.amount, 0.01) || ' SAR and ' || decimal_text(holder.sar_available, 0.01)
      || ' SAR are available.';
    return;
  elsif given.reversed_at is null then
    perform reverse_deposit_as('gold_simulation_checker', given.id);
  end if;
  select funding_text(f, null) into strict body from funding f
  where f.bucket = holder.bucket and f.client_id = holder.client_id and f.id = given.id;
end $$;
