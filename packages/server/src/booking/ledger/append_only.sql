-- Rows of history are never changed. Privileges forbid it, and these trigger functions also stop a mistake by
-- the owner of the tables. database/triggers.sql attaches them.

create or replace function gold.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: write a new row that corrects the old one', tg_table_name using errcode = 'GB002';
end $$;

-- The steps of a deposit are columns of its row. Each step is written once and never removed.
create or replace function gold.freeze_steps() returns trigger language plpgsql as $$
begin
  if (old.approved_at is not null or old.reversed_at is not null)
      and (new.approved_at, new.approved_by) is distinct from (old.approved_at, old.approved_by)
    or old.reversed_at is not null
      and (new.reversed_at, new.reversed_by, new.reversed_sequence) is distinct from (old.reversed_at, old.reversed_by, old.reversed_sequence) then
    raise exception 'a step of a deposit can be written only once' using errcode = 'GB002';
  end if;
  return new;
end $$;

-- A proposal is decided once. Its change never changes, and its secrets only go away.
create or replace function gold.freeze_proposal() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - '{state,decided_by,decided_at,secrets,proposer_signature,approver_signature}'::text[]
      <> to_jsonb(old) - '{state,decided_by,decided_at,secrets,proposer_signature,approver_signature}'::text[]
    -- The proposer signs once, while the proposal is pending. The approver signs in the approval.
    or (old.state, new.state) = ('pending', 'pending')
      and (old.proposer_signature is not null or to_jsonb(new) - 'proposer_signature' <> to_jsonb(old) - 'proposer_signature')
    or (old.state, new.state) <> ('pending', 'pending') and new.proposer_signature is distinct from old.proposer_signature
    or new.state <> 'applying' and new.approver_signature is distinct from old.approver_signature
    or (old.state, new.state) not in (('pending', 'pending'), ('pending', 'applying'), ('pending', 'rejected'), ('applying', 'approved'), ('approved', 'approved'))
    or old.state in ('applying', 'approved') and (new.decided_by, new.decided_at) is distinct from (old.decided_by, old.decided_at)
    or new.secrets is not null and new.secrets is distinct from old.secrets then
    raise exception 'a proposal is decided once, and its content never changes' using errcode = 'GB002';
  end if;
  return new;
end $$;

create or replace function gold.freeze_operator_key() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null or new.ended_at is null or to_jsonb(new) - 'ended_at' <> to_jsonb(old) - 'ended_at' then
    raise exception 'an operator key never changes: end it, and add another' using errcode = 'GB002';
  end if;
  return new;
end $$;

-- A bar is never changed. Its removal is the only update of its row, and happens once.
create or replace function gold.freeze_bar() returns trigger language plpgsql as $$
begin
  if old.removed_at is not null
    or to_jsonb(new) - '{removed_at,removed_sequence,removed_list}'::text[] <> to_jsonb(old) - '{removed_at,removed_sequence,removed_list}'::text[] then
    raise exception 'a bar never changes: remove it, and add the right one' using errcode = 'GB002';
  end if;
  return new;
end $$;
