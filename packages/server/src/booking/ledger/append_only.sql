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
    'withdrawal', 'withdrawal_step', 'payment_batch'
  ] loop
    execute format(
      'create or replace trigger append_only before update or delete or truncate on gold.%I
         for each statement execute function gold.refuse_change()', name);
  end loop;
end $$;
