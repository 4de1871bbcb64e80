-- Every change of a partner's credentials, IBAN or webhook URL is an event of the partner's own chain. So
-- nobody can register a key in a partner's name without an event that the partner receives. Each routine that
-- makes such a change calls begin_change() first and then posts the event in the same transaction.

-- A partner's credentials with the members that their events state; an end can be in the future. A date that
-- is infinite is null here, because no event can state it. No request is accepted with such a credential.
create or replace function gold.credentials_of(client int)
returns table (kind text, credential text, kid text, valid_from timestamptz, valid_until timestamptz)
language sql stable
begin atomic
  select c.kind, c.credential, c.kid, case when isfinite(c.valid_from) then c.valid_from end, case when isfinite(c.valid_until) then c.valid_until end
  from (
    select 'certificate' as kind, c.fingerprint as credential, null as kid, c.not_before as valid_from,
      coalesce(c.revoked_at, c.not_after) as valid_until from gold.certificate c where c.partner_id = client
    union all
    select 'signing_key', k.thumbprint, k.kid, k.not_before, k.retire_at from gold.signing_key k where k.partner_id = client
    union all
    select 'client_secret', s.id::text, null, s.not_before, s.retire_at from gold.client_secret s where s.partner_id = client
    union all
    select 'webhook_secret', s.id::text, null, s.not_before, s.retire_at from gold.webhook_secret s where s.partner_id = client
  ) c;
end;

-- `login` made the change, and `approved_by` approved it. `login` is null if the change was made before such
-- changes were events.
create or replace function gold.post_change(
  client int, type text, login text, approved_by text default null, kind text default null, credential text default null,
  kid text default null, valid_from timestamptz default null, valid_until timestamptz default null,
  iban text default null, webhook_url text default null
) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  holder account;
  at timestamptz;
  id uuid;
begin
  select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client for no key update;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  id := new_uuid(at);
  insert into partner_change (bucket, client_id, sequence, kind, credential, kid, valid_from, valid_until, iban, webhook_url, login, approved_by)
  values (holder.bucket, client, holder.event_sequence + 1, kind, credential, kid, valid_from, valid_until, iban, webhook_url, login, approved_by);
  perform take_sequence(client, holder.event_sequence + 1, at);
  perform post_event(client, holder.event_sequence + 1, id, id, at, type);
end $$;

-- Posts the event of a credential that this transaction added or ended.
create or replace function gold.post_credential(client int, type text, kind text, credential text) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  perform post_change(client, post_credential.type, w.changed_by, w.approved_by, c.kind, c.credential, c.kid, c.valid_from, c.valid_until)
  from credentials_of(client) c, changer() w where c.kind = post_credential.kind and c.credential = post_credential.credential;
end $$;

-- Posts a partner's first events: its IBAN, its webhook URL and each credential that has not ended.
create or replace function gold.post_first_changes(client int, login text, approved_by text default null) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  perform post_change(client, 'settlement.changed', post_first_changes.login, post_first_changes.approved_by, iban => p.iban) from partner p where p.id = client;
  perform post_change(client, 'webhook_endpoint.changed', post_first_changes.login, post_first_changes.approved_by,
    webhook_url => r.url)
  from receiver r where r.id = client;
  perform post_change(client, 'credential.added', post_first_changes.login, post_first_changes.approved_by, c.kind, c.credential, c.kid, c.valid_from, c.valid_until)
  from (
    select * from credentials_of(client) c
    where c.valid_until is null or c.valid_until > clock_timestamp() order by c.kind, c.valid_from, c.credential
  ) c;
end $$;

-- Locks the account, before any row of the registry.
create or replace function gold.begin_change(client int) returns void
language plpgsql volatile set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform lock_accounts(array[client], true);
end $$;
