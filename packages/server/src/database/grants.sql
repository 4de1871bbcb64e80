-- Ownership and privileges, applied by every migration. gold_owner owns the tables, the trigger functions
-- that write balances and protect history, and the function that creates partitions. gold_book owns all other
-- functions and has no right to update or delete history. Logins may only execute functions and read views.
-- The grants of `create` below are needed, because a role can own objects only in a schema in which it may
-- create them.
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
      case when item.proname in ('post_transfers', 'refuse_change', 'freeze_steps', 'keep_attempts') then 'gold_owner' else 'gold_book' end);
    execute format('revoke all on function %s from public', item.name);
  end loop;
  for item in select t.oid::regtype as name from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'gold'::regnamespace and (t.typtype in ('e', 'd') or c.relkind = 'c') and t.typowner <> 'gold_owner'::regrole loop
    execute format('alter type %s owner to gold_owner', item.name);
  end loop;
end $$;

grant usage on schema gold to gold_owner, gold_book, gold_api, gold_operator;
revoke create on schema gold from gold_owner, gold_book;

revoke all on all tables in schema gold from gold_book, gold_api, gold_operator;
grant select on all tables in schema gold to gold_book;
grant insert on gold.transfer, gold.orders, gold.quote, gold.funding, gold.event, gold.idempotency_key, gold.nonce, gold.chain_link,
  gold.chain_tail, gold.account, gold.vault, gold.bar, gold.audit, gold.partner, gold.allowed_ip, gold.authority, gold.certificate, gold.client_secret,
  gold.webhook_secret, gold.signing_key, gold.token_key, gold.price, gold.deployment, gold.registry_version,
  gold.withdrawal, gold.withdrawal_step, gold.payment_batch, gold.deposit, gold.market_session, gold.audit_link, gold.audit_tail, gold.expiry_notice, gold.partner_change, gold.attempt,
  gold.price_history, gold.simulated_price, gold.bar_list, gold.refusal, gold.closed_day, gold.epoch, gold.proposal to gold_book;
-- None of these columns is a balance: only post_transfers writes balances. `stripe` is in the list because
-- locking a row requires the right to update one of its columns.
grant update (admission_version, event_sequence, last_posted_at, closed_until) on gold.account to gold_book;
grant update (stripe, list_id, maximum_exposure, day_net, day_ends_at) on gold.vault to gold_book;
grant update (removed_at, removed_sequence, removed_list) on gold.bar to gold_book;
grant update (approved_at, approved_by, reversed_at, reversed_by, reversed_sequence) on gold.deposit to gold_book;
grant update (state, decided_by, decided_at, secrets) on gold.proposal to gold_book;
grant insert on gold.published_reserves to gold_book;
grant update (as_of, body) on gold.published_reserves to gold_book;
grant update on gold.chain_tail, gold.audit_tail, gold.partner, gold.price, gold.registry_version, gold.deployment to gold_book;
grant update (retired_at, revocation_list, revocation_number, revocation_next_at) on gold.authority to gold_book;
grant update (revoked_at, revocation_reason, last_used_at) on gold.certificate to gold_book;
grant update (last_used_at, retire_at) on gold.client_secret, gold.signing_key, gold.token_key, gold.webhook_secret to gold_book;
grant update (sealed, sealing_key) on gold.webhook_secret, gold.token_key to gold_book;
grant delete on gold.allowed_ip, gold.market_session to gold_book;
grant insert, update, delete on gold.delivery_worker, gold.endpoint, gold.retry, gold.allowance to gold_book;
grant insert, update (buys, sells), delete on gold.open_exposure to gold_book;

grant execute on function gold.read_registry, gold.probe_write, gold.read_trust, gold.record_use, gold.book_funding, gold.book_redelivery, gold.book_webhook_test, gold.balance_at, gold.balance_now,
  gold.find_quote, gold.find_order, gold.find_withdrawal, gold.find_funding, gold.find_event,
  gold.list_fundings, gold.list_events, gold.statement_range, gold.list_postings, gold.read_reserves, gold.read_credentials, gold.read_limits, gold.read_day_limits, gold.read_chain_key, gold.find_reserves_list, gold.reserves_at,
  gold.spend_nonces, gold.seal_chain, gold.seal_next, gold.unsealed_tail, gold.tell_events, gold.post_expiry_notices, gold.unclosed_clients, gold.close_day, gold.note_epoch, gold.tick_price, gold.market_open, gold.is_stale,
  gold.claim_endpoints, gold.renew_endpoints, gold.take_events, gold.settle_attempts, gold.dismiss_worker, gold.keep_attempts, gold.read_backlog to gold_api;
-- Each of these names also has a function for processes of the last release (database/last_release.sql).
do $$
declare
  item record;
begin
  for item in
    select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'gold'::regnamespace
      and p.proname in ('book_orders', 'book_quotes', 'book_withdrawal', 'list_orders', 'list_withdrawals')
  loop
    execute format('grant execute on function %s to gold_api', item.name);
  end loop;
end $$;
grant select on gold.current_price, gold.market_hours to gold_api;

grant execute on function gold.rotate_client_secret, gold.retire_client_secret, gold.rotate_webhook_secret, gold.retire_webhook_secret,
  gold.add_signing_key, gold.retire_signing_key, gold.public_key_fault to gold_operator;
grant select on gold.credential_overview, gold.operator_overview to gold_operator;
grant execute on function gold.create_partner, gold.suspend_partner, gold.resume_partner, gold.add_certificate, gold.revoke_certificate,
  gold.add_authority, gold.move_authority_key, gold.retire_authority, gold.store_revocation_list, gold.add_token_key, gold.rotate_token_key, gold.read_sealed, gold.reseal,
  gold.add_bar, gold.remove_bar, gold.set_price, gold.lock_price, gold.verify_ledger, gold.verify_chain,
  gold.unsealed_tail, gold.seal_chain, gold.set_partner, gold.limit_partner, gold.ask_iban, gold.approve_iban, gold.set_market_hours, gold.set_breaker, gold.open_market, gold.set_exposure, gold.set_payout_account,
  gold.record_deposit, gold.approve_deposit, gold.reverse_deposit, gold.approve_withdrawal, gold.reject_withdrawal, gold.submit_withdrawals,
  gold.pay_withdrawal, gold.return_withdrawal, gold.audit_head, gold.verify_audit, gold.market_open, gold.is_stale, gold.held_until to gold_operator;
grant execute on function gold.propose, gold.approve_proposal, gold.reject_proposal, gold.take_secrets,
  gold.proposal_text, gold.proposal_sha256 to gold_operator;
grant select on gold.proposal_overview to gold_operator;
grant execute on function gold.redeliver_event, gold.count_events, gold.replay_events, gold.list_deliveries to gold_operator;
grant select on gold.endpoint_overview, gold.attempt_overview to gold_operator;
grant select on gold.exposure_overview, gold.partner_overview, gold.authority_overview, gold.certificate_overview, gold.bar_overview, gold.current_price, gold.market_hours,
  gold.deployment_overview, gold.token_key_overview, gold.deposit_overview, gold.withdrawal_overview, gold.payment_batch_overview,
  gold.audit_overview, gold.audit_link_overview, gold.chain_link_overview, gold.chain_tail_overview to gold_operator;
