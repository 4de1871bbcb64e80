-- Written by npm run docs from packages/approvals/src/changes.ts. Do not edit.

-- Makes a change: that of an approved proposal, or one person's (change_alone.sql). Each member of the content
-- has the name and the form that require_approval() compares; a quantity is a text with a number of minor
-- units. Only the migration login can create and remove logins. So the approval of a new or removed operator
-- changes nothing yet; see require_approved_operator().
create or replace function gold.apply_change(kind text, content jsonb) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  client text := content ->> 'client_id';
  mid bigint;
  spread int;
begin
  perform refuse_unknown_members(kind, content);
  perform require_answer(kind, content);
  perform refuse_no_change(kind, content);
  case kind
    when 'partner.create' then
      perform refuse_other_thumbprint(k ->> 'thumbprint', k -> 'jwk')
        from jsonb_array_elements(content -> 'keys') k;
      perform create_partner(client, content ->> 'name', content ->> 'iban', content ->> 'webhook_url',
        (content ->> 'rate_per_second')::int, (content ->> 'burst')::int,
        (content ->> 'maximum_grams')::bigint,
        texts_of(content -> 'ips')::cidr[], hex_of(content, 'secret_hash'), hex_of(content, 'webhook_sealed'),
        content ->> 'sealing_key', content -> 'keys');
      perform limit_partner(client, coalesce(content -> 'limits', '{}'));
    when 'partner.set' then
      if content ?| '{name,ips,webhook_url,rate_per_second,burst,maximum_grams}' then
        perform set_partner(client, content ->> 'name', texts_of(content -> 'ips')::cidr[],
          content ->> 'webhook_url', (content ->> 'rate_per_second')::int, (content ->> 'burst')::int,
          (content ->> 'maximum_grams')::bigint);
      end if;
      if content ? 'limits' then
        perform limit_partner(client, content -> 'limits');
      end if;
    when 'partner.iban' then
      perform ask_iban(client, content ->> 'iban');
    when 'partner.resume' then
      perform resume_partner(client);
    when 'certificate.issue' then
      perform add_certificate(client, content ->> 'fingerprint', content ->> 'serial',
        (content ->> 'not_before')::timestamptz,
        (content ->> 'not_after')::timestamptz, content ->> 'authority', content ->> 'key_hash');
    when 'signing_key.add' then
      perform refuse_other_thumbprint(content ->> 'thumbprint', content -> 'jwk');
      perform add_signing_key(client, content ->> 'thumbprint', content ->> 'kid', content -> 'jwk');
    when 'client_secret.rotate' then
      perform rotate_client_secret(client, hex_of(content, 'hash'), (content ->> 'overlap_seconds')::int,
        content -> 'seen');
    when 'webhook_secret.rotate' then
      perform rotate_webhook_secret(client, hex_of(content, 'sealed'), content ->> 'sealing_key',
        (content ->> 'overlap_seconds')::int, content -> 'seen', (content ->> 'endpoint')::int);
    when 'endpoint.add' then
      perform add_endpoint(client, content ->> 'url', texts_of(content -> 'types'), hex_of(content, 'sealed'),
        content ->> 'sealing_key');
    when 'endpoint.set' then
      perform set_endpoint(client, (content ->> 'endpoint')::int, content ->> 'url', texts_of(content -> 'types'));
    when 'endpoint.remove' then
      perform remove_endpoint(client, (content ->> 'endpoint')::int);
    when 'price.set' then
      if content ?| '{source,mid,spread_basis_points,stale_after_seconds,url}' then
        perform lock_price();
        -- Without a mid, the current price stays. If there is none yet, store 10000, as the command does.
        mid := coalesce((content ->> 'mid')::bigint, (select p.mid from price p), 10000);
        spread := (content ->> 'spread_basis_points')::int;
        perform set_price(content ->> 'source', mid, buy_of(mid, spread), sell_of(mid, spread), spread,
          (content ->> 'stale_after_seconds')::int, content ->> 'url');
      end if;
      if content ? 'hours' then
        perform set_market_hours((content -> 'hours' ->> 'always_open')::boolean,
          content -> 'hours' -> 'sessions');
      end if;
    when 'market.set' then
      if content ? 'breaker' then
        perform set_breaker((content -> 'breaker' ->> 'basis_points')::int,
          (content -> 'breaker' ->> 'seconds')::int);
      end if;
      if content ? 'band' then
        perform set_band((content -> 'band' ->> 'step_basis_points')::int,
          (content -> 'band' ->> 'hour_basis_points')::int);
      end if;
      if content ? 'exposure' then
        perform set_exposure((content ->> 'exposure')::bigint);
      end if;
    when 'market.open' then
      perform open_market();
    when 'authority.add' then
      perform refuse_other_fingerprint(content ->> 'fingerprint', content ->> 'certificate');
      perform add_authority((content ->> 'first')::boolean, content ->> 'fingerprint',
        content ->> 'certificate', null,
        content ->> 'revocation_list', (content ->> 'revocation_next_at')::timestamptz);
    when 'token_key.rotate' then
      perform refuse_other_thumbprint(content ->> 'kid', content -> 'public_jwk');
      perform rotate_token_key(content ->> 'kid', content -> 'public_jwk', hex_of(content, 'sealed'),
        content ->> 'sealing_key',
        (content ->> 'lead_seconds')::int, (content ->> 'overlap_seconds')::int);
    when 'sealing_key.rotate' then
      perform reseal(content ->> 'sealing_key', content -> 'secrets');
    when 'pepper.rotate' then
      perform rotate_pepper(content ->> 'pepper');
    when 'vault.add' then
      perform add_bar(content ->> 'serial', content ->> 'refiner', content ->> 'vault',
        (content ->> 'gross')::bigint, (content ->> 'fineness')::int);
    when 'vault.remove' then
      perform remove_bar(content ->> 'serial');
    when 'deposit.record' then
      perform record_deposit(client, (content ->> 'amount')::bigint, content ->> 'bank_reference');
    when 'deposit.reverse' then
      perform reverse_deposit((content ->> 'deposit')::uuid);
    when 'payment.submit' then
      perform submit_payment((content ->> 'batch')::uuid,
        array(select (p.value ->> 'withdrawal')::uuid from jsonb_array_elements(content -> 'payments') p),
        (content ->> 'prepared_at')::timestamptz, content ->> 'document_sha256');
    when 'withdrawal.return' then
      perform return_withdrawal((content ->> 'withdrawal')::uuid);
    when 'day.sign' then
      perform sign_day(content ->> 'day', content ->> 'document');
    when 'deployment.settle' then
      perform settle_deployment(content ->> 'environment', content ->> 'public_base_url',
        (content ->> 'loopback_receivers')::boolean, null, null,
        (content ->> 'flood_per_second')::int, texts_of(content -> 'webhook_ports')::int[],
        (content ->> 'attempts_kept_days')::int);
    when 'deployment.payout' then
      perform set_payout_account(content ->> 'name', content ->> 'iban', content ->> 'bic');
    when 'deployment.defaults' then
      if content ?| '{rate_per_second,burst}' then
        perform set_partner_defaults((content ->> 'rate_per_second')::int, (content ->> 'burst')::int);
      end if;
      if content ? 'limits' then
        perform set_limit_defaults(content -> 'limits');
      end if;
    when 'recovery.accept' then
      perform accept_losses((content ->> 'epoch')::int, content -> 'losses');
    when 'operator.add' then
      perform check_new_operator(content ->> 'name');
      perform check_roles(texts_of(content -> 'roles'));
    when 'operator.set' then
      perform check_operator(content ->> 'name');
      perform check_roles(texts_of(content -> 'roles'));
    when 'operator.remove' then
      perform check_operator(content ->> 'name');
    when 'operator_key.add' then
      perform add_operator_key(content ->> 'login', content ->> 'public_key');
    when 'registry.adopt' then
      perform adopt_registry(content -> 'rows');
    when 'approval.adopt' then
      perform adopt_approvals(content -> 'approvals');
  end case;
end $$;
