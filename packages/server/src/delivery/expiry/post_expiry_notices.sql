-- A partner is notified 30, 7 and 1 days before one of its credentials ends. If several of these notices are
-- due at once, the partner gets only the one with the fewest days. If the end is moved, the new end gets
-- new notices.

create or replace function gold.due_notices(at timestamptz)
returns table (client_id int, kind text, credential text, expires_at timestamptz, days_ahead int)
language sql stable
begin atomic
  select c.partner_id, c.kind, c.name, c.ends_at, d.days_ahead
  from (
    select partner_id, 'certificate' as kind, fingerprint as name, not_after as ends_at from gold.certificate where revoked_at is null
    union all
    select partner_id, 'signing_key', thumbprint, retire_at from gold.signing_key
    union all
    select partner_id, 'client_secret', id::text, retire_at from gold.client_secret
    union all
    select partner_id, 'webhook_secret', id::text, retire_at from gold.webhook_secret
  ) c
  join lateral (
    select min(days) as days_ahead from unnest(array[1, 7, 30]) days where c.ends_at <= at + make_interval(hours => 24 * days)
  ) d on d.days_ahead is not null
  where c.ends_at > at and not exists (
    select from gold.expiry_notice n
    where n.bucket = c.partner_id % 64 and n.client_id = c.partner_id and n.kind = c.kind and n.credential = c.name
      and n.expires_at = c.ends_at and n.days_ahead = d.days_ahead
  );
end;

-- The caller has locked the account.
create or replace function gold.post_expiry_notice(client int, kind text, credential text, expires_at timestamptz, days_ahead int) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  holder account;
  at timestamptz;
  notice uuid;
begin
  select a.* into strict holder from account a where a.bucket = client % 64 and a.client_id = client;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  notice := new_uuid(at);
  insert into expiry_notice (bucket, client_id, id, kind, credential, expires_at, days_ahead)
  values (holder.bucket, client, notice, kind, credential, expires_at, days_ahead);
  perform take_sequence(client, holder.event_sequence + 1, at);
  perform post_event(client, holder.event_sequence + 1, new_uuid(at), notice, at, 'credential.expiring');
end $$;

-- Notifies at most `most` partners in one transaction. Returns how many partners with due notices it found
-- when it began. The due notices are read again under the accounts' locks, because a concurrent call may have
-- posted them meanwhile.
create or replace function gold.post_expiry_notices(most int) returns int
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  clients int[] := array(select distinct d.client_id from due_notices(clock_timestamp()) d order by d.client_id limit most);
begin
  perform require_read_committed();
  perform from account a join unnest(clients) c (client) on a.bucket = c.client % 64 and a.client_id = c.client
  order by a.client_id for no key update of a;
  perform post_expiry_notice(d.client_id, d.kind, d.credential, d.expires_at, d.days_ahead)
  from (
    select * from due_notices(clock_timestamp()) d where d.client_id = any (clients) order by d.client_id, d.expires_at, d.kind, d.credential
  ) d;
  return cardinality(clients);
end $$;
