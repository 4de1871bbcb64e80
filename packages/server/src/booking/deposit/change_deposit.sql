-- Deposits that the bank reported. With a single operator, one login records a deposit and another login
-- approves it. Under two people, a deposit and the reversal of a booked one are proposals, so that both
-- people sign them. The approval books a funding with the deposit's uuid. Lock order: the client's account,
-- then the deposit. `actor` is the login that acts: session_user, a login of the applied proposal, or one of
-- the logins of simulations.

create or replace function gold.lock_deposit(id uuid, out found_deposit gold.deposit, out holder gold.account)
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_column
begin
  perform require_read_committed();
  select d.* into found_deposit from deposit d where d.id = lock_deposit.id;
  if found_deposit.id is null then
    raise exception 'there is no deposit dep_%', lock_deposit.id using errcode = 'GR404';
  end if;
  select a.* into strict holder from account a where a.bucket = found_deposit.bucket and a.client_id = found_deposit.client_id for no key update;
  -- Read the deposit again, because it may have changed before the lock.
  select d.* into strict found_deposit from deposit d where d.id = lock_deposit.id for no key update;
end $$;

create or replace function gold.record_deposit_as(actor text, public text, amount bigint, bank_reference text, out id uuid)
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  subject partner := partner_of(public);
  known deposit;
begin
  if record_deposit_as.amount <= 0 or record_deposit_as.amount > 99999999999999 then
    raise exception 'the amount of a deposit must be more than 0 and at most 999999999999.99 SAR' using errcode = 'GR409';
  end if;
  record_deposit_as.id := new_uuid(clock_timestamp());
  insert into deposit (bucket, client_id, id, amount, bank_reference, recorded_at, recorded_by)
  values (subject.id % 64, subject.id, record_deposit_as.id, record_deposit_as.amount, record_deposit_as.bank_reference, clock_timestamp(), actor)
  on conflict (bank_reference) where reversed_at is null do nothing;
  if not found then
    select d.* into known from deposit d where d.bank_reference = record_deposit_as.bank_reference and d.reversed_at is null;
    raise exception 'the bank reference % is on record already, as dep_%', record_deposit_as.bank_reference, known.id using errcode = 'GR409';
  end if;
  perform note_as(actor, 'deposit.record', public, jsonb_build_object('deposit', 'dep_' || record_deposit_as.id, 'amount', record_deposit_as.amount,
    'bank_reference', record_deposit_as.bank_reference));
end $$;

create or replace function gold.approve_deposit_as(actor text, id uuid) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  locked record;
  given deposit;
  at timestamptz;
begin
  select * into locked from lock_deposit(approve_deposit_as.id);
  given := locked.found_deposit;
  if given.reversed_at is not null then
    raise exception 'the deposit was reversed' using errcode = 'GR409';
  elsif given.approved_at is not null then
    raise exception 'the deposit was approved already, by %', given.approved_by using errcode = 'GR409';
  elsif given.recorded_by = actor then
    raise exception 'you recorded this deposit, so another login has to approve it' using errcode = 'GR409';
  elsif not has_room_for(locked.holder, given.amount) then
    raise exception 'an account holds at most 999999999999.99 SAR' using errcode = 'GR409';
  end if;
  at := account_instant(locked.holder, ceil_millisecond(clock_timestamp()));
  update deposit d set approved_at = at, approved_by = actor where d.id = given.id;
  perform post_funding(locked.holder, given.amount, given.id, at);
  perform note_as(actor, 'deposit.approve', public_of(given.client_id), jsonb_build_object('deposit', 'dep_' || given.id, 'amount', given.amount));
end $$;

-- Before the approval, a reversal only cancels the recorded deposit. After the approval, it also takes the
-- money back.
create or replace function gold.reverse_deposit_as(actor text, id uuid) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  locked record;
  given deposit;
  holder account;
  at timestamptz;
begin
  select * into locked from lock_deposit(reverse_deposit_as.id);
  given := locked.found_deposit;
  holder := locked.holder;
  if given.reversed_at is not null then
    raise exception 'the deposit was reversed already, by %', given.reversed_by using errcode = 'GR409';
  elsif given.approved_at is not null and holder.sar_available < given.amount then
    raise exception 'the partner has % SAR available, less than the deposit of % SAR: the rest was spent or is held for withdrawals',
      decimal_text(holder.sar_available, 0.01), decimal_text(given.amount, 0.01) using errcode = 'GR409';
  end if;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  update deposit d set reversed_at = at, reversed_by = actor,
    reversed_sequence = case when given.approved_at is not null then holder.event_sequence + 1 end where d.id = given.id;
  if given.approved_at is not null then
    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
    values (holder.bucket, holder.client_id, 1, holder.event_sequence + 1, 'available', 'bank', 'SAR', given.amount,
      holder.sar_available - given.amount, holder.sar_held, holder.gold, at);
    perform post_event(holder.client_id, holder.event_sequence + 1, new_uuid(at), given.id, at, 'funding.reversed');
  end if;
  perform note_as(actor, 'deposit.reverse', public_of(given.client_id), jsonb_build_object('deposit', 'dep_' || given.id, 'amount', given.amount));
end $$;

create or replace function gold.record_deposit(public text, amount bigint, bank_reference text, out id uuid)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  applied proposal := applied_proposal();
  subject partner;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'amount', amount::text, 'bank_reference', bank_reference), 'deposit.record');
  if applied.id is null then
    id := record_deposit_as(session_user, public, amount, bank_reference);
    return;
  end if;
  -- Lock the account before the audit trail, as every other change of money does. Otherwise, two of them
  -- could deadlock.
  subject := partner_of(public);
  perform from account a where a.bucket = subject.id % 64 and a.client_id = subject.id for no key update;
  id := record_deposit_as(applied.proposer, public, amount, bank_reference);
  -- propose() tries the change before anybody has approved it, so decided_by can be null.
  perform approve_deposit_as(coalesce(applied.decided_by, 'the approver'), id);
end $$;

create or replace function gold.approve_deposit(id uuid) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  if two_people() then
    raise exception 'under two people, a deposit is approved with `gold proposal approve`: if dep_% is recorded but not approved, reverse it and record it again',
      approve_deposit.id using errcode = 'GR409';
  end if;
  perform require_admitted_login();
  perform approve_deposit_as(session_user, approve_deposit.id);
end $$;

-- One person alone may cancel a deposit that is not approved. Taking booked money back needs two people.
create or replace function gold.reverse_deposit(id uuid) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  if ((lock_deposit(reverse_deposit.id)).found_deposit).approved_at is not null then
    perform require_approval(jsonb_build_object('deposit', reverse_deposit.id), 'deposit.reverse');
  end if;
  perform reverse_deposit_as(session_user, reverse_deposit.id);
end $$;
