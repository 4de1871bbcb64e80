-- History is never updated, not even by the owner of the tables by mistake. Privileges say so first; this says so again.

create or replace function gold.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: write a new row that corrects the old one', tg_table_name using errcode = 'GB002';
end $$;

do $$
declare
  name text;
begin
  foreach name in array array[
    'transfer', 'orders', 'funding', 'quote', 'event', 'idempotency_key', 'nonce', 'chain_link', 'audit', 'audit_link',
    'withdrawal', 'withdrawal_step', 'payment_batch', 'expiry_notice', 'attempt'
  ] loop
    execute format(
      'create or replace trigger append_only before update or delete or truncate on gold.%I
         for each statement execute function gold.refuse_change()', name);
  end loop;
end $$;

-- A deposit's steps stand in its row: each is written once, and never taken back.
create or replace function gold.freeze_steps() returns trigger language plpgsql as $$
begin
  if (old.approved_at is not null or old.reversed_at is not null)
      and (new.approved_at, new.approved_by) is distinct from (old.approved_at, old.approved_by)
    or old.reversed_at is not null
      and (new.reversed_at, new.reversed_by, new.reversed_sequence) is distinct from (old.reversed_at, old.reversed_by, old.reversed_sequence) then
    raise exception 'a step of a deposit is written once' using errcode = 'GB002';
  end if;
  return new;
end $$;

create or replace trigger freeze_steps before update on gold.deposit for each row execute function gold.freeze_steps();
create or replace trigger append_only before delete or truncate on gold.deposit for each statement execute function gold.refuse_change();
