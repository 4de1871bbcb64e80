-- Locks the accounts of these clients in ascending order and returns them. All code locks accounts in this
-- order, and the vault only afterwards. An account that another transaction holds is left out. With `wait`,
-- the call waits for such an account, at most lock_timeout. Booking functions call this first and read the
-- clock next, so that instants follow the order of the locks.
create or replace function gold.lock_accounts(
  clients int[], wait boolean, out locked int[], out accounts gold.account[]
)
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  perform require_read_committed();
  if wait then
    select array_agg((l.a).client_id), array_agg(l.a) into locked, accounts
    from (
      select a from account a
      join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a
    ) l;
  else
    select array_agg((l.a).client_id), array_agg(l.a) into locked, accounts
    from (
      select a from account a
      join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a skip locked
    ) l;
  end if;
end $$;

-- The account after any posting in progress. A read-only transaction may not lock the row. It does not wait,
-- because nothing is posted while the database is read-only.
create or replace function gold.settled_account(client int) returns gold.account
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  holder account;
begin
  if current_setting('transaction_read_only')::boolean then
    select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client;
  else
    select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client for share;
  end if;
  return holder;
end $$;
