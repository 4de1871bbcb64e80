-- The operator's steps of a withdrawal. Each step is a row that names the step before it. Constraints of the
-- table allow only the legal sequences of steps, and refuse a submission by the login that approved.
-- step_withdrawal checks both first, so that the operator gets a readable error. `actor` is the login that
-- takes the step: session_user, the proposer of the applied proposal, or one of the logins of simulations.

create or replace function gold.step_withdrawal(actor text, id uuid, target gold.withdrawal_status, batch uuid) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  given withdrawal;
  holder account;
  last withdrawal_step;
  follows withdrawal_status[];
  next_sequence bigint;
  at timestamptz;
  debit book;
  credit book;
begin
  perform require_read_committed();
  select w.* into given from withdrawal w where w.id = step_withdrawal.id;
  if given.id is null then
    raise exception 'there is no withdrawal wd_%', step_withdrawal.id using errcode = 'GR404';
  end if;
  select a.* into strict holder from account a where a.bucket = given.bucket and a.client_id = given.client_id for no key update;
  select s.* into strict last from withdrawal_step s
  where s.bucket = given.bucket and s.client_id = given.client_id and s.withdrawal_id = given.id order by s.sequence desc limit 1;
  follows := case target when 'approved' then '{pending_approval}' when 'submitted' then '{approved}' when 'paid' then '{submitted}'
    when 'rejected' then '{pending_approval,approved}' when 'returned' then '{submitted,paid}' end;
  if last.status <> all (follows) then
    raise exception 'the withdrawal wd_% is %; only one that is % can be %', given.id, last.status, array_to_string(follows, ' or '), target
      using errcode = 'GR409';
  elsif target = 'submitted' and last.login = actor then
    raise exception 'you approved the withdrawal wd_%, so another login has to submit it', given.id using errcode = 'GR409';
  end if;

  next_sequence := holder.event_sequence + 1;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  insert into withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, previous, previous_login, at, batch_id)
  values (given.bucket, given.client_id, given.id, next_sequence, target, actor, last.status, last.login, at, batch);
  debit := case when last.status = 'paid' then 'bank' else 'held' end;
  credit := case when target = 'paid' then 'bank' else 'available' end;
  if target in ('approved', 'submitted') then
    perform take_sequence(given.client_id, next_sequence, at);
  else
    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
    values (given.bucket, given.client_id, 1, next_sequence, debit, credit, 'SAR', given.amount,
      holder.sar_available + case credit when 'available' then given.amount else 0 end,
      holder.sar_held - case debit when 'held' then given.amount else 0 end, holder.gold, at);
  end if;
  perform post_event(given.client_id, next_sequence, new_uuid(at), given.id, at, 'withdrawal.' || target);
  perform note_as(actor, 'withdrawal.' || target, public_of(given.client_id),
    jsonb_strip_nulls(jsonb_build_object('withdrawal', 'wd_' || given.id, 'amount', given.amount, 'batch', batch)));
end $$;

create or replace function gold.advance_withdrawal(id uuid, target gold.withdrawal_status, batch uuid) returns void
language sql volatile
begin atomic
  select gold.require_admitted_login();
  select gold.step_withdrawal(session_user, id, target, batch);
end;

create or replace function gold.approve_withdrawal(id uuid) returns void
language sql volatile security definer set search_path = gold, pg_temp
begin atomic select gold.advance_withdrawal(id, 'approved', null); end;

create or replace function gold.reject_withdrawal(id uuid) returns void
language sql volatile security definer set search_path = gold, pg_temp
begin atomic select gold.advance_withdrawal(id, 'rejected', null); end;

create or replace function gold.pay_withdrawal(id uuid) returns void
language sql volatile security definer set search_path = gold, pg_temp
begin atomic select gold.advance_withdrawal(id, 'paid', null); end;

create or replace function gold.return_withdrawal(id uuid) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  -- The bank may have paid. Then the partner would have the money twice.
  perform require_approval(jsonb_build_object('withdrawal', return_withdrawal.id), 'withdrawal.return');
  perform advance_withdrawal(return_withdrawal.id, 'returned', null);
end $$;

-- Returns the instant until which a partner's payouts are held after a change of its IBAN.
create or replace function gold.held_until(changed timestamptz) returns timestamptz
language sql immutable parallel safe
return changed + interval '24 hours';

-- Locks the accounts of these withdrawals.
create or replace function gold.lock_payees(ids uuid[]) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  perform 1 from (
    select from account a join (select distinct w.client_id from withdrawal w where w.id = any (ids)) c on a.bucket = c.client_id % 64 and a.client_id = c.client_id
    order by a.client_id for no key update of a
  ) locked;
end $$;

-- Submits all withdrawals of a batch or none, and stores the exact document that goes to the bank. The caller
-- has checked that the ids are of different withdrawals (payment_document).
create or replace function gold.submit_withdrawals_as(
  actor text, batch uuid, ids uuid[], document text, prepared_at timestamptz default clock_timestamp()
) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  held record;
  one uuid;
begin
  perform lock_payees(ids);
  select p.public_id, held_until(p.iban_changed_at) as until into held
  from withdrawal w join partner p on p.id = w.client_id
  where w.id = any (ids) and held_until(p.iban_changed_at) > clock_timestamp() limit 1;
  if found then
    raise exception 'the IBAN of % was changed, so its payouts are held until %', held.public_id, instant_text(held.until) using errcode = 'GR409';
  end if;
  prepared_at := date_trunc('milliseconds', prepared_at);
  insert into payment_batch (id, created_at, login, document) values (batch, prepared_at, actor, document);
  for one in select w.id from withdrawal w where w.id = any (ids) order by w.client_id, w.sequence loop
    perform step_withdrawal(actor, one, 'submitted', batch);
  end loop;
  -- The audit's hash chain protects the document's hash. A later change of the stored document is then
  -- detected.
  perform note_as(actor, 'withdrawal.batch', batch::text, jsonb_build_object('withdrawals', cardinality(ids),
    'prepared_at', instant_text(prepared_at), 'document_sha256', encode(sha256(convert_to(document, 'UTF8')), 'hex')));
end $$;
