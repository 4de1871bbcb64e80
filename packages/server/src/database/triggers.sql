-- Every trigger on a table of the schema gold, written as pg_get_triggerdef() prints it. No other file
-- creates a trigger in this schema. Only a trigger that is missing, disabled or different is created, because
-- creating one locks its table against writes until the migration commits.
do $$
declare
  item record;
begin
  for item in
    select 'gold.' || name as table_name, 'append_only' as trigger_name,
      'CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON gold.' || name
        || ' FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change()' as definition
    from unnest(array[
      'transfer', 'orders', 'funding', 'quote', 'event', 'idempotency_key', 'nonce', 'chain_link', 'audit', 'audit_link',
      'withdrawal', 'withdrawal_step', 'payment_batch', 'expiry_notice', 'partner_change', 'attempt',
      'price_history', 'simulated_price', 'bar_list', 'refusal', 'closed_day', 'epoch'
    ]) name
    union all
    select 'gold.' || name, 'refuse_unprintable',
      format('CREATE TRIGGER refuse_unprintable BEFORE INSERT OR UPDATE OF %s ON gold.%s FOR EACH ROW EXECUTE FUNCTION gold.refuse_unprintable(%s)',
        array_to_string(columns, ', '), name, (select string_agg(quote_literal(c), ', ') from unnest(columns) c))
    from (values
      ('partner', array['name', 'iban', 'pending_iban']),
      ('receiver', array['url']),
      ('bar', array['serial', 'refiner', 'vault_name']),
      ('deposit', array['bank_reference']),
      ('withdrawal', array['reference']),
      ('change_request', array['reason']),
      ('signing_key', array['kid', 'thumbprint']),
      ('certificate', array['serial', 'revocation_reason']),
      ('authority', array['key_source']),
      ('price', array['url']),
      ('deployment', array['public_base_url', 'sealing_key_source', 'pepper_source', 'payout_name', 'payout_iban', 'payout_bic'])
    ) free_text (name, columns)
    union all values
      ('gold.deposit', 'append_only',
        'CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.deposit FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change()'),
      ('gold.deposit', 'freeze_steps',
        'CREATE TRIGGER freeze_steps BEFORE UPDATE ON gold.deposit FOR EACH ROW EXECUTE FUNCTION gold.freeze_steps()'),
      ('gold.proposal', 'append_only',
        'CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.proposal FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change()'),
      ('gold.proposal', 'freeze_proposal',
        'CREATE TRIGGER freeze_proposal BEFORE UPDATE ON gold.proposal FOR EACH ROW EXECUTE FUNCTION gold.freeze_proposal()'),
      ('gold.operator_key', 'append_only',
        'CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.operator_key FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change()'),
      ('gold.operator_key', 'freeze_operator_key',
        'CREATE TRIGGER freeze_operator_key BEFORE UPDATE ON gold.operator_key FOR EACH ROW EXECUTE FUNCTION gold.freeze_operator_key()'),
      ('gold.change_request', 'append_only',
        'CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.change_request FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change()'),
      ('gold.bar', 'append_only',
        'CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gold.bar FOR EACH STATEMENT EXECUTE FUNCTION gold.refuse_change()'),
      ('gold.bar', 'freeze_bar',
        'CREATE TRIGGER freeze_bar BEFORE INSERT OR UPDATE ON gold.bar FOR EACH ROW EXECUTE FUNCTION gold.freeze_bar()'),
      ('gold.price', 'number_price',
        'CREATE TRIGGER number_price BEFORE INSERT OR UPDATE OF source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of, quote_ttl_seconds ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.number_price()'),
      ('gold.price', 'keep_price',
        'CREATE TRIGGER keep_price AFTER INSERT OR UPDATE OF source, mid, buy, sell, spread_basis_points, stale_after_seconds, as_of, quote_ttl_seconds ON gold.price FOR EACH ROW EXECUTE FUNCTION gold.keep_price()'),
      ('gold.signing_key', 'refuse_malformed_key',
        'CREATE TRIGGER refuse_malformed_key BEFORE INSERT OR UPDATE OF jwk ON gold.signing_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_malformed_key(''jwk'')'),
      ('gold.token_key', 'refuse_malformed_key',
        'CREATE TRIGGER refuse_malformed_key BEFORE INSERT OR UPDATE OF public_jwk ON gold.token_key FOR EACH ROW EXECUTE FUNCTION gold.refuse_malformed_key(''public_jwk'')'),
      ('gold.transfer', 'post_transfers',
        'CREATE TRIGGER post_transfers AFTER INSERT ON gold.transfer REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION gold.post_transfers()')
  loop
    continue when exists (
      select from pg_trigger t
      where t.tgrelid = item.table_name::regclass and t.tgname = item.trigger_name and t.tgenabled = 'O'
        and pg_get_triggerdef(t.oid) = item.definition
    );
    execute replace(item.definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
  end loop;
end $$;
