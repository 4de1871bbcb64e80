-- Ownership, and the privileges of the owners, applied by every migration. gold_owner owns the tables, the
-- trigger functions that write balances and protect history, and the function that creates partitions.
-- gold_book owns all other functions and has no right to update or delete history. Logins may only execute
-- functions and read views; privileges.sql lists them.
-- The grants of `create` below are needed, because a role can own objects only in a schema in which it may
-- create objects.
grant create on schema gold to gold_owner, gold_book;
grant usage, create on schema gold_attempts to gold_owner;

do $$
declare
  item record;
begin
  -- Drop all functions that this migration did not create. They belong to an earlier version, under other
  -- names or with other parameters. One statement drops them, because they can depend on each other.
  select string_agg(p.oid::regprocedure::text, ', ') as names into item from pg_proc p
  where p.pronamespace = 'gold'::regnamespace and p.xmin <> pg_current_xact_id()::xid;
  if item.names is not null then
    execute 'drop function ' || item.names;
  end if;
  -- Change the owner only if it differs, because the statement blocks all access to the table until the
  -- migration commits.
  for item in
    select c.oid::regclass as name from pg_class c
    where c.relnamespace = 'gold'::regnamespace and c.relkind in ('r', 'v', 'p') and c.relowner <> 'gold_owner'::regrole
  loop
    execute format('alter table %s owner to gold_owner', item.name);
  end loop;
  for item in select p.oid::regprocedure as name, p.proname from pg_proc p where p.pronamespace = 'gold'::regnamespace loop
    execute format('alter function %s owner to %I', item.name,
      case when item.proname in ('post_transfers', 'refuse_change', 'freeze_steps', 'keep_attempts', 'gather_vault') then 'gold_owner' else 'gold_book' end);
    execute format('revoke all on function %s from public', item.name);
  end loop;
  for item in select t.oid::regtype as name from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'gold'::regnamespace and (t.typtype in ('e', 'd') or c.relkind = 'c') and t.typowner <> 'gold_owner'::regrole loop
    execute format('alter type %s owner to gold_owner', item.name);
  end loop;
end $$;

-- Booking may move free gold between stripes only with this function.
grant execute on function gold.gather_vault to gold_book;
grant usage on schema gold to gold_owner, gold_book;
revoke create on schema gold from gold_owner, gold_book;

revoke all on all tables in schema gold from gold_book;
grant select on all tables in schema gold to gold_book;
grant insert on gold.transfer, gold.orders, gold.quote, gold.funding, gold.event, gold.idempotency_key, gold.nonce, gold.chain_link,
  gold.chain_tail, gold.account, gold.vault, gold.bar, gold.audit, gold.partner, gold.receiver, gold.allowed_ip,
  gold.authority, gold.certificate, gold.client_secret,
  gold.webhook_secret, gold.signing_key, gold.token_key, gold.price, gold.deployment, gold.registry_version,
  gold.withdrawal, gold.withdrawal_step, gold.payment_batch, gold.deposit, gold.market_session, gold.audit_link, gold.audit_tail, gold.expiry_notice, gold.partner_change, gold.attempt,
  gold.price_history, gold.simulated_price, gold.bar_list, gold.refusal, gold.closed_day, gold.epoch, gold.proposal,
  gold.operator_key, gold.change_request to gold_book;
-- None of these columns is a balance: only post_transfers writes balances. `stripe` is in the list because
-- locking a row requires the right to update one of its columns.
grant update (admission_version, event_sequence, last_posted_at, closed_until) on gold.account to gold_book;
grant update (stripe, list_id, maximum_exposure, day_net, day_ends_at) on gold.vault to gold_book;
grant update (removed_at, removed_sequence, removed_list) on gold.bar to gold_book;
grant update (approved_at, approved_by, reversed_at, reversed_by, reversed_sequence) on gold.deposit to gold_book;
grant update (state, decided_by, decided_at, secrets, proposer_signature, approver_signature) on gold.proposal to gold_book;
grant update (taken_by, taken_at, proposal, certificate, declined_by, declined_at, reason) on gold.change_request
  to gold_book;
grant update (ended_at) on gold.operator_key to gold_book;
grant insert on gold.published_reserves to gold_book;
grant update (as_of, body) on gold.published_reserves to gold_book;
grant update on gold.chain_tail, gold.audit_tail, gold.partner, gold.price, gold.registry_version, gold.deployment to gold_book;
grant update (retired_at, revocation_list, revocation_number, revocation_next_at) on gold.authority to gold_book;
grant update (revoked_at, revocation_reason, last_used_at) on gold.certificate to gold_book;
grant update (last_used_at, retire_at) on gold.client_secret, gold.signing_key, gold.token_key, gold.webhook_secret to gold_book;
grant update (url, types, typed_after, removed_at) on gold.receiver to gold_book;
grant update (sealed, sealing_key) on gold.webhook_secret, gold.token_key to gold_book;
grant delete on gold.allowed_ip, gold.market_session to gold_book;
grant insert, update, delete on gold.delivery_worker, gold.rate_use, gold.endpoint, gold.retry, gold.allowance to gold_book;
grant insert, update (buys, sells), delete on gold.open_exposure to gold_book;
-- For gold.schema_version.
grant usage on schema gold_migrations to gold_book;
grant select on gold_migrations.__drizzle_migrations to gold_book;
