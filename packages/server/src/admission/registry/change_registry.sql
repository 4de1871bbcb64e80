-- The changes that an operator can make to partners. Each change writes an audit row with the login that made
-- it. A change that admission has to see raises the registry's version. A change that ends an admission also
-- raises the account's admission version, under the account's lock. A write that was admitted before the
-- change can then no longer commit.

create or replace function gold.registry_changed() returns void
language sql volatile
begin atomic
  update gold.registry_version set version = version + 1;
end;

create or replace function gold.partner_of(public text) returns gold.partner
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  found_partner partner;
begin
  select * into found_partner from partner p where p.public_id = public;
  if found_partner.id is null then
    raise exception 'there is no partner %', public using errcode = 'GR404';
  end if;
  return found_partner;
end $$;

create or replace function gold.public_of(client int) returns text
language sql stable
begin atomic
  select p.public_id from gold.partner p where p.id = client;
end;

-- The audit keeps this hash of a secret's stored form, so that a replaced secret is noticed.
create or replace function gold.hash_text(stored bytea) returns text
language sql immutable parallel safe
return encode(sha256(stored), 'hex');

create or replace function gold.end_admission(partner_id int) returns void
language sql volatile
begin atomic
  update gold.account a set admission_version = a.admission_version + 1
  where a.bucket = end_admission.partner_id % 64 and a.client_id = end_admission.partner_id;
end;

-- The proxy limits the requests of each certificate (flood_per_second). A partner's own rate must stay well
-- below that limit.
create or replace function gold.check_rate(rate_per_second int) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  flood int := (select d.flood_per_second from deployment d);
begin
  if rate_per_second > flood / 4 then
    raise exception 'the rate %/s is more than a quarter of the proxy''s limit of %/s for one certificate: set at most %/s',
      rate_per_second, flood, flood / 4 using errcode = 'GR409';
  end if;
end $$;

create or replace function gold.create_partner(
  public text, name text, iban text, webhook_url text, rate_per_second int, burst int, maximum_grams bigint, ips cidr[],
  secret_hash bytea, webhook_sealed bytea, sealing_key text, signing_keys jsonb
) returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  created int;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'name', create_partner.name, 'iban', create_partner.iban,
    'webhook_url', create_partner.webhook_url, 'rate_per_second', create_partner.rate_per_second, 'burst', create_partner.burst,
    'maximum_grams', create_partner.maximum_grams::text, 'ips', ips, 'secret_hash', encode(secret_hash, 'hex'),
    'webhook_sealed', encode(webhook_sealed, 'hex'), 'sealing_key', create_partner.sealing_key, 'keys', signing_keys), 'partner.create');
  if ips is null or jsonb_typeof(signing_keys) is distinct from 'array' then
    raise exception 'a partner needs a list of addresses and a list of signing keys' using errcode = 'GR409';
  end if;
  perform check_rate(create_partner.rate_per_second);
  perform check_secret_hash(secret_hash);
  insert into partner (public_id, name, iban, rate_per_second, burst, maximum_grams)
  values (public, create_partner.name, create_partner.iban, create_partner.rate_per_second, create_partner.burst,
    create_partner.maximum_grams)
  returning id into created;
  insert into account (bucket, client_id) values (created % 64, created);
  insert into receiver (id, partner_id, number, url)
  select created, created, 1, create_partner.webhook_url where create_partner.webhook_url is not null;
  insert into allowed_ip (partner_id, range) select distinct created, unnest(ips);
  insert into client_secret (partner_id, hash) values (created, secret_hash);
  insert into webhook_secret (partner_id, receiver_id, sealed, sealing_key)
  values (created, created, webhook_sealed, create_partner.sealing_key);
  insert into signing_key (partner_id, thumbprint, kid, jwk)
  select created, k->>'thumbprint', k->>'kid', k->'jwk' from jsonb_array_elements(signing_keys) k;
  perform note('partner.create', public, jsonb_build_object('name', create_partner.name, 'iban', create_partner.iban, 'ips', ips,
    'webhook_url', create_partner.webhook_url, 'rate_per_second', create_partner.rate_per_second, 'burst', create_partner.burst,
    'maximum_grams', create_partner.maximum_grams,
    'signing_keys', (select jsonb_agg(k->>'thumbprint') from jsonb_array_elements(signing_keys) k),
    'kids', (select jsonb_object_agg(k->>'thumbprint', k->>'kid') from jsonb_array_elements(signing_keys) k),
    'secret_sha256', hash_text(secret_hash), 'sealed_sha256', hash_text(webhook_sealed), 'sealing_key', create_partner.sealing_key));
  perform refuse_shared_key(created, k->>'thumbprint') from jsonb_array_elements(signing_keys) k;
  perform post_first_changes(created, c.changed_by, c.approved_by) from changer() c;
  perform registry_changed();
  return created;
end $$;

-- Changes the given values; null leaves a value unchanged. The IBAN is not included, because changing it
-- takes two people.
create or replace function gold.set_partner(
  public text, name text, ips cidr[], webhook_url text, rate_per_second int, burst int, maximum_grams bigint
) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  url text;
begin
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  subject := partner_of(public);
  url := coalesce((select r.url from receiver r where r.id = subject.id), '');
  -- One person may lower limits, and enable the endpoint again.
  if set_partner.name <> subject.name or ips is not null or set_partner.webhook_url <> url
    or set_partner.rate_per_second > subject.rate_per_second or set_partner.burst > subject.burst or set_partner.maximum_grams > subject.maximum_grams
  then
    perform require_approval(jsonb_build_object('client_id', public, 'name', set_partner.name, 'ips', ips, 'webhook_url', set_partner.webhook_url,
      'rate_per_second', set_partner.rate_per_second, 'burst', set_partner.burst, 'maximum_grams', set_partner.maximum_grams::text), 'partner.set');
  end if;
  perform check_rate(set_partner.rate_per_second);
  if cardinality(ips) = 0 then
    raise exception 'a partner needs at least one registered address: give one, or suspend the partner' using errcode = 'GR409';
  end if;
  update partner p set
    name = coalesce(set_partner.name, p.name),
    rate_per_second = coalesce(set_partner.rate_per_second, p.rate_per_second),
    burst = coalesce(set_partner.burst, p.burst),
    maximum_grams = coalesce(set_partner.maximum_grams, p.maximum_grams)
  where p.id = subject.id;
  if ips is not null then
    delete from allowed_ip i where i.partner_id = subject.id;
    insert into allowed_ip (partner_id, range) select distinct subject.id, unnest(ips);
  end if;
  -- Setting the webhook URL, even to the same value, enables the endpoint again, because the operator states
  -- that the endpoint works.
  if set_partner.webhook_url is not null then
    insert into receiver as r (id, partner_id, number, url) values (subject.id, subject.id, 1, set_partner.webhook_url)
    on conflict (id) do update set url = excluded.url where r.url <> excluded.url;
    perform enable_receiver(subject.id);
  end if;
  if set_partner.webhook_url <> url then
    perform post_change(subject.id, 'webhook_endpoint.changed', c.changed_by, c.approved_by, webhook_url => set_partner.webhook_url) from changer() c;
  end if;
  perform note('partner.set', public, jsonb_strip_nulls(jsonb_build_object('name', set_partner.name, 'ips', ips,
    'webhook_url', set_partner.webhook_url, 'rate_per_second', set_partner.rate_per_second, 'burst', set_partner.burst, 'maximum_grams', set_partner.maximum_grams)));
  perform registry_changed();
end $$;

-- Whether one of the given limits is higher than before; null is unlimited.
create or replace function gold.raises_limit(before jsonb, given jsonb) returns boolean
language sql immutable
begin atomic
  select exists (select from jsonb_each_text(given) g
    where before ->> g.key is not null and (g.value is null or g.value::numeric > (before ->> g.key)::numeric));
end;

-- Changes the given limits and leaves the others unchanged; null removes a limit. `limits` can hold
-- open_quotes, open_grams and net_grams (0.0001 g), daily_records, daily_withdrawals and daily_withdrawn
-- (halalas). Takes the account's lock, like every write that counts against a limit.
create or replace function gold.limit_partner(public text, limits jsonb) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  sequence bigint;
  held allowance;
  unknown text := (select name from jsonb_object_keys(limits) name where name <> all (inner_members('limits')) limit 1);
begin
  -- The audit row contains all members. A member such as `proposal` would state an approval that there was
  -- not.
  if unknown is not null then
    raise exception 'there is no limit %', unknown using errcode = 'GR409';
  elsif exists (select from jsonb_each_text(limits) l where l.value !~ '^(0|[1-9][0-9]*)$') then
    raise exception 'a limit is null or a whole number in digits' using errcode = 'GR409';
  end if;
  select a.event_sequence into strict sequence from account a
  where a.bucket = subject.id % 64 and a.client_id = subject.id for no key update;
  insert into allowance (bucket, client_id, open_from, counted_sequence)
  values (subject.id % 64, subject.id, first_id_at(clock_timestamp() - interval '1 hour'), sequence)
  on conflict do nothing;
  select l.* into strict held from allowance l where l.bucket = subject.id % 64 and l.client_id = subject.id;
  subject := partner_of(public);
  if raises_limit(jsonb_build_object('open_quotes', held.maximum_open_quotes, 'open_grams', held.maximum_open_grams,
    'daily_records', held.maximum_daily_records, 'net_grams', held.maximum_net_grams, 'daily_withdrawals', subject.maximum_daily_withdrawals,
    'daily_withdrawn', subject.maximum_daily_withdrawn), limits)
  then
    perform require_approval(jsonb_build_object('client_id', public, 'limits', limits), 'partner.set', 'partner.create');
  end if;
  update allowance l set
    maximum_open_quotes = case when limits ? 'open_quotes' then (limits->>'open_quotes')::int else l.maximum_open_quotes end,
    maximum_open_grams = case when limits ? 'open_grams' then (limits->>'open_grams')::bigint else l.maximum_open_grams end,
    maximum_daily_records = case when limits ? 'daily_records' then (limits->>'daily_records')::int else l.maximum_daily_records end,
    maximum_net_grams = case when limits ? 'net_grams' then (limits->>'net_grams')::bigint else l.maximum_net_grams end
  where l.bucket = subject.id % 64 and l.client_id = subject.id
  returning l.* into held;
  if limits ? 'net_grams' then
    held := renewed(held, clock_timestamp(), null);
    held.day_gold := case when held.maximum_net_grams is null then 0
      else gold_before(subject.id, held.day_ends_at - interval '24 hours') end;
    -- The counts of the two sides may be unknown. The next quote that they would refuse counts them exactly.
    held.open_buy_grams := 500000000000000;
    held.open_sell_grams := 500000000000000;
    held.open_grams := held.open_buy_grams + held.open_sell_grams;
    held.exact_until := '-infinity';
    perform keep_allowances(array[held]);
  end if;
  update partner p set
    maximum_daily_withdrawals = case when limits ? 'daily_withdrawals' then (limits->>'daily_withdrawals')::int else p.maximum_daily_withdrawals end,
    maximum_daily_withdrawn = case when limits ? 'daily_withdrawn' then (limits->>'daily_withdrawn')::bigint else p.maximum_daily_withdrawn end
  where p.id = subject.id and limits ?| array['daily_withdrawals', 'daily_withdrawn'];
  -- Delete the row of a partner without limits, so that booking counts nothing for it.
  delete from allowance l
  where l.bucket = subject.id % 64 and l.client_id = subject.id
    and l.maximum_open_quotes is null and l.maximum_open_grams is null and l.maximum_daily_records is null and l.maximum_net_grams is null;
  perform note('partner.limit', public, limits);
end $$;

-- With a single operator, one login asks for a new IBAN, and another login approves it. A second request
-- replaces the first one. A request for the registered IBAN withdraws the pending one. Under two people, the
-- new IBAN is a proposal, so that both people sign it. end_admission() takes the account's lock, so that a
-- concurrent withdrawal uses either the old or the new IBAN.
create or replace function gold.ask_iban(public text, iban text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
  changer record := changer();
begin
  if two_people() then
    perform begin_change(subject.id);
  end if;
  perform end_admission(subject.id);
  subject := partner_of(public);
  if subject.iban = ask_iban.iban and subject.pending_iban is null then
    raise exception '% is the registered IBAN already', ask_iban.iban using errcode = 'GR409';
  elsif subject.iban = ask_iban.iban then
    update partner p set pending_iban = null, pending_iban_by = null, pending_iban_at = null where p.id = subject.id;
    perform note('partner.withdraw_iban', public, jsonb_build_object('iban', subject.pending_iban, 'asked_by', subject.pending_iban_by));
    perform registry_changed();
    return;
  end if;
  perform require_approval(jsonb_build_object('client_id', public, 'iban', ask_iban.iban), 'partner.iban');
  if two_people() then
    perform note('partner.iban', public, jsonb_build_object('before', subject.iban, 'iban', ask_iban.iban));
    perform register_iban(subject.id, ask_iban.iban, changer.changed_by, changer.approved_by);
    return;
  end if;
  update partner p set pending_iban = ask_iban.iban, pending_iban_by = session_user, pending_iban_at = clock_timestamp() where p.id = subject.id;
  perform note('partner.ask_iban', public, jsonb_build_object('before', subject.iban, 'iban', ask_iban.iban));
  perform registry_changed();
end $$;

-- `seen` is the IBAN that the approving person was shown. If another login asked for a different IBAN in the
-- meantime, the approval is refused.
create or replace function gold.approve_iban(public text, seen text) returns timestamptz
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
begin
  perform require_admitted_login();
  perform begin_change(subject.id);
  perform end_admission(subject.id);
  subject := partner_of(public);
  if subject.pending_iban is null then
    raise exception 'no new IBAN was requested' using errcode = 'GR409';
  elsif subject.pending_iban_by = session_user then
    raise exception 'you requested this IBAN, so another login has to approve it' using errcode = 'GR409';
  elsif subject.pending_iban is distinct from seen then
    raise exception 'another IBAN was requested meanwhile: %', subject.pending_iban using errcode = 'GR409';
  elsif two_people() then
    raise exception 'this IBAN was requested with a single operator: run gold partner set % --iban % again', public, seen using errcode = 'GR409';
  end if;
  perform note('partner.approve_iban', public, jsonb_build_object('before', subject.iban, 'iban', seen, 'asked_by', subject.pending_iban_by));
  return register_iban(subject.id, seen, subject.pending_iban_by, session_user);
end $$;

-- Returns the end of the hold of the partner's payouts.
create or replace function gold.register_iban(client int, iban text, asked_by text, approver text) returns timestamptz
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  changed_at timestamptz;
begin
  update partner p set iban = register_iban.iban, iban_changed_at = clock_timestamp(), pending_iban = null, pending_iban_by = null,
    pending_iban_at = null
  where p.id = client returning p.iban_changed_at into changed_at;
  perform post_change(client, 'settlement.changed', asked_by, approver, iban => register_iban.iban);
  perform registry_changed();
  return held_until(changed_at);
end $$;

create or replace function gold.suspend_partner(public text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
begin
  perform end_admission(subject.id);
  update partner set suspended_at = clock_timestamp() where id = subject.id and suspended_at is null;
  if not found then
    raise exception 'partner % is suspended already', public using errcode = 'GR409';
  end if;
  perform note('partner.suspend', public, '{}');
  perform registry_changed();
end $$;

create or replace function gold.resume_partner(public text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  subject partner := partner_of(public);
begin
  perform require_approval(jsonb_build_object('client_id', public), 'partner.resume');
  update partner set suspended_at = null where id = subject.id and suspended_at is not null;
  if not found then
    raise exception 'partner % is not suspended', public using errcode = 'GR409';
  end if;
  perform note('partner.resume', public, '{}');
  perform registry_changed();
end $$;
