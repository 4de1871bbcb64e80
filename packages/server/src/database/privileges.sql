-- What logins may do: who may call each function and read each view. packages/approvals/src/changes.ts lists
-- the functions of the changes that need two people. Nothing else grants them anything, except
-- sandbox_grants.sql. No login can read a table, and every change is made by one of these
-- functions. docs/security_model.md explains the roles. gold_operator is a member of the five roles of
-- operators and has no privileges of its own.
do $$
declare
  everybody constant text := 'gold_operator, gold_treasury, gold_credentials, gold_pricing, gold_keys, gold_audit,
    gold_api, gold_delivery, gold_ticker, gold_trust';
  item record;
begin
  -- Remove what an earlier version granted. Other sessions see no difference before the commit.
  execute format('revoke all on all functions in schema gold from %s', everybody);
  execute format('revoke all on all tables in schema gold from %s', everybody);
  execute format('grant usage on schema gold to %s', everybody);
  for item in select list.roles, name from (values
    -- Operators. gold_operator is a member of these five roles and has no privileges of its own.
    -- Treasury moves money and gold.
    ('gold_treasury',
      'approve_deposit approve_withdrawal reject_withdrawal prepare_payment pay_withdrawal
        approve_iban read_payee_approvals'),
    -- Credentials decides who may call the API, with which credentials, from where and up to which limits.
    ('gold_credentials',
      'revoke_certificate retire_signing_key retire_client_secret retire_webhook_secret redeliver_event
        replay_events seal_chain take_change_alone propose_change take_change decline_change'),
    -- Keys holds the deployment's own keys: certificate authorities, token keys, sealing keys and the
    -- operators' signing keys. It accepts what a restore lost.
    ('gold_keys',
      'retire_authority add_token_key read_sealed read_first_approvals end_operator_key
        find_losses note_epoch read_approvals read_rows'),
    -- What several roles need.
    ('gold_treasury gold_credentials',
      'suspend_partner'),
    ('gold_credentials gold_keys',
      'store_revocation_list'),
    ('gold_treasury gold_credentials gold_pricing gold_keys',
      'change_alone propose sign_proposal approve_proposal reject_proposal take_secrets'),
    -- Reads. Audit reads every view and changes nothing.
    ('gold_treasury gold_credentials gold_pricing gold_keys gold_audit',
      'deployment_overview operator_overview proposal_overview current_price market_hours exposure_overview
        operator_key_overview is_stale is_outside_band market_open count_position proposal_text proposal_sha256 signatures_demanded
        role_of_kind read_key_approvals read_archive'),
    ('gold_treasury gold_credentials gold_audit',
      'partner_overview endpoint_overview held_until'),
    -- Orders, quotes and positions, without IBANs.
    ('gold_treasury gold_credentials gold_pricing gold_audit',
      'page_orders page_quotes trace_event trace_order find_request find_records price_bars limit_use
        sequences_at trades_after count_refusals open_withdrawals holdings open_exposures stock'),
    ('gold_treasury gold_audit',
      'days_range list_postings deposit_overview withdrawal_overview payment_batch_overview payment_text_fault
        bar_overview'),
    ('gold_credentials gold_audit',
      'attempt_overview change_overview change_request_state count_events list_deliveries'),
    ('gold_credentials gold_keys gold_audit',
      'authority_overview certificate_overview credential_overview public_key_fault'),
    ('gold_keys gold_audit',
      'token_key_overview'),
    -- `gold withdrawal submit` compares the payment document with its audit row.
    ('gold_treasury gold_audit',
      'audit_overview'),
    ('gold_audit',
      'audit_link_overview chain_link_overview chain_tail_overview
        audit_head verify_audit verify_ledger verify_chain unsealed_tail'),
    -- The service's processes.
    ('gold_api gold_delivery',
      'read_registry probe_write schema_version record_use'),
    -- Payments and the service compare the database with the heads outside it.
    ('gold_api gold_delivery gold_treasury',
      'keep_heads'),
    -- The API books what partners request, and reads what they may read.
    ('gold_api',
      'keep_pepper book_quotes book_orders book_withdrawal cancel_withdrawal request_change book_funding
        book_redelivery book_webhook_test spend_nonces tell_events balance_at balance_now
        find_quote find_order find_withdrawal find_funding find_event
        list_orders list_withdrawals list_fundings list_events event_bodies newest_events statement_range list_postings read_reserves
        find_change list_changes
        read_credentials read_account read_limits read_day_limits price_minutes read_chain_key find_reserves_list reserves_at share_rates
        current_price market_hours read_registry_approvals'),
    -- The programs refuse OPERATOR_KEYS=off as soon as two people signed for every row.
    ('gold_api gold_trust',
      'signatures_demanded'),
    ('gold_api gold_ticker',
      'is_stale market_open'),
    -- Delivery sends webhooks, seals hash chains, closes days and keeps partitions.
    ('gold_delivery',
      'seal_next seal_chain unsealed_tail post_expiry_notices unclosed_clients close_day note_epoch claim_receivers
        renew_receivers take_deliveries settle_attempts dismiss_worker keep_attempts read_figures'),
    -- Processes of 0.6.0 call these themselves.
    ('gold_delivery',
      'read_backlog read_sending read_archive claim_endpoints renew_endpoints take_events'),
    -- The ticker stores the prices of the price source.
    ('gold_ticker',
      'tick_price current_price'),
    -- The trust sync writes the proxies' CA certificates, revocation lists and addresses.
    ('gold_trust',
      'read_trust read_trust_approvals read_addresses')
    -- The changes that need two people.
    union all select 'gold_' || c.role, c.functions from gold.functions_of_changes() c
  ) list (roles, names), string_to_table(regexp_replace(list.names, '\s+', ' ', 'g'), ' ') name
  loop
    if to_regclass('gold.' || item.name) is not null then
      execute format('grant select on gold.%I to %s', item.name, replace(item.roles, ' ', ', '));
    elsif exists (select from pg_proc p where p.pronamespace = 'gold'::regnamespace and p.proname = item.name) then
      -- A name can also have a function for processes of the last release (such as those of
      -- release_0_6_0.sql).
      execute (
        select string_agg(format('grant execute on function %s to %s', p.oid::regprocedure,
          replace(item.roles, ' ', ', ')), '; ')
        from pg_proc p where p.pronamespace = 'gold'::regnamespace and p.proname = item.name);
    else
      raise exception 'privileges.sql or changes.ts names %, which does not exist', item.name;
    end if;
  end loop;
end $$;
