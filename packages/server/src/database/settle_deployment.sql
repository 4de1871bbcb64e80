-- Records the deployment that a database belongs to. The environment can never change. A new base URL affects
-- every partner, because partners sign it. Only the migration login may call settle_deployment.
-- `sealing_key_source` and `pepper_source` are ignored: a database that holds a command could make the next
-- person's `gold` run it.

create or replace function gold.settle_deployment(environment text, public_base_url text, loopback_receivers boolean,
  sealing_key_source text, pepper_source text, flood_per_second int, webhook_ports int[], attempts_kept_days int) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  known deployment;
begin
  insert into account (bucket, client_id) values (0, 0) on conflict do nothing;
  insert into vault (stripe) values (0) on conflict do nothing;
  insert into registry_version (version) values (1) on conflict do nothing;
  select * into known from deployment for update;
  if known.environment <> settle_deployment.environment then
    raise exception 'this is a % database; got --env %: check the database URL and --env', known.environment, settle_deployment.environment using errcode = 'GR409';
  elsif settle_deployment.environment = 'production' and settle_deployment.loopback_receivers then
    raise exception 'receivers on loopback addresses are allowed only in the sandbox: leave out --loopback-receivers' using errcode = 'GR409';
  elsif settle_deployment.flood_per_second / 4 < (select max(p.rate_per_second) from partner p) then
    raise exception 'a partner has a rate of %/s, which is more than a quarter of the proxy''s limit of %/s for one certificate: give a --flood of at least four times this rate, or lower the partner''s --rate first', (select max(p.rate_per_second) from partner p),
      settle_deployment.flood_per_second using errcode = 'GR409';
  elsif (known.public_base_url, known.loopback_receivers, known.flood_per_second, known.webhook_ports, known.attempts_kept_days) is not distinct from
    (settle_deployment.public_base_url, settle_deployment.loopback_receivers, settle_deployment.flood_per_second,
      settle_deployment.webhook_ports, settle_deployment.attempts_kept_days)
    -- Earlier releases did not record the new values. The first call of this release records them.
    and exists (select from audit a where a.action = 'deployment.settle' and a.detail ? 'after') then
    return;
  end if;
  perform require_approval_of_setting(jsonb_build_object('environment', settle_deployment.environment,
    'public_base_url', settle_deployment.public_base_url, 'loopback_receivers', settle_deployment.loopback_receivers,
    'flood_per_second', settle_deployment.flood_per_second, 'webhook_ports', settle_deployment.webhook_ports,
    'attempts_kept_days', settle_deployment.attempts_kept_days), 'deployment.settle');
  insert into deployment (environment, public_base_url, loopback_receivers, flood_per_second, webhook_ports, attempts_kept_days)
  values (settle_deployment.environment, settle_deployment.public_base_url, settle_deployment.loopback_receivers,
    settle_deployment.flood_per_second, settle_deployment.webhook_ports, settle_deployment.attempts_kept_days)
  on conflict (one) do update set public_base_url = excluded.public_base_url, loopback_receivers = excluded.loopback_receivers,
    flood_per_second = excluded.flood_per_second, webhook_ports = excluded.webhook_ports, attempts_kept_days = excluded.attempts_kept_days;
  if known.environment is null and settle_deployment.environment = 'production' then
    perform set_limit_defaults('{"net_grams": 100000000, "daily_withdrawals": 20, "daily_withdrawn": 1000000000}');
  end if;
  perform note('deployment.settle', settle_deployment.public_base_url,
    jsonb_build_object('before', to_jsonb(known) - 'one', 'after', jsonb_build_object('environment', settle_deployment.environment,
      'loopback_receivers', settle_deployment.loopback_receivers, 'flood_per_second', settle_deployment.flood_per_second,
      'webhook_ports', settle_deployment.webhook_ports, 'attempts_kept_days', settle_deployment.attempts_kept_days)));
  if known.id is null then
    perform identify_deployment();
  end if;
  perform registry_changed();
end $$;

-- Sets the operator's bank account, from which withdrawals are paid.
create or replace function gold.set_payout_account(name text, iban text, bic text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  known deployment;
begin
  select * into known from deployment for update;
  if known.environment is null then
    raise exception 'the database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key' using errcode = 'GR409';
  elsif (known.payout_name, known.payout_iban, known.payout_bic) is not distinct from
    (set_payout_account.name, set_payout_account.iban, set_payout_account.bic) then
    return;
  end if;
  perform require_approval_of_setting(jsonb_build_object('name', set_payout_account.name, 'iban', set_payout_account.iban,
    'bic', set_payout_account.bic), 'deployment.payout');
  update deployment d set payout_name = set_payout_account.name, payout_iban = set_payout_account.iban, payout_bic = set_payout_account.bic;
  perform note('deployment.payout', set_payout_account.iban, jsonb_build_object('name', set_payout_account.name, 'bic', set_payout_account.bic,
    'before', jsonb_build_object('name', known.payout_name, 'iban', known.payout_iban, 'bic', known.payout_bic)));
end $$;

-- Sets the rate limit for partners that are created without one. Existing partners keep their rate limits.
create or replace function gold.set_partner_defaults(rate_per_second int, burst int) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_approval_of_setting(jsonb_build_object('rate_per_second', set_partner_defaults.rate_per_second,
    'burst', set_partner_defaults.burst), 'deployment.defaults')
  from deployment d
  where (d.partner_rate_per_second, d.partner_burst) is distinct from (set_partner_defaults.rate_per_second, set_partner_defaults.burst);
  perform check_rate(set_partner_defaults.rate_per_second);
  update deployment d set partner_rate_per_second = set_partner_defaults.rate_per_second, partner_burst = set_partner_defaults.burst
  where (d.partner_rate_per_second, d.partner_burst) is distinct from (set_partner_defaults.rate_per_second, set_partner_defaults.burst);
  if found then
    perform note('deployment.partner_defaults', 'deployment', jsonb_build_object('rate_per_second', set_partner_defaults.rate_per_second,
      'burst', set_partner_defaults.burst));
  end if;
end $$;

-- Sets the given limits for partners that are created without limits. The names are those of limit_partner().
-- Null is unlimited. Existing partners keep their limits.
create or replace function gold.set_limit_defaults(limits jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  known deployment;
  changed deployment;
begin
  select * into known from deployment for update;
  update deployment d set
    partner_open_quotes = case when limits ? 'open_quotes' then (limits->>'open_quotes')::int else d.partner_open_quotes end,
    partner_open_grams = case when limits ? 'open_grams' then (limits->>'open_grams')::bigint else d.partner_open_grams end,
    partner_daily_records = case when limits ? 'daily_records' then (limits->>'daily_records')::int else d.partner_daily_records end,
    partner_net_grams = case when limits ? 'net_grams' then (limits->>'net_grams')::bigint else d.partner_net_grams end,
    partner_daily_withdrawals = case when limits ? 'daily_withdrawals' then (limits->>'daily_withdrawals')::int else d.partner_daily_withdrawals end,
    partner_daily_withdrawn = case when limits ? 'daily_withdrawn' then (limits->>'daily_withdrawn')::bigint else d.partner_daily_withdrawn end
  returning d.* into changed;
  if changed is distinct from known then
    perform require_approval_of_setting(jsonb_build_object('limits', limits), 'deployment.defaults');
    perform note('deployment.limit_defaults', 'deployment', limits);
  end if;
end $$;
