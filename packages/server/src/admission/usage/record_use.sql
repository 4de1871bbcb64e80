-- Records when each credential was last used. A row is written again only after a minute, however many
-- services record uses. The registry's version does not change. Rows that another transaction has locked are
-- skipped, so this function never waits and cannot deadlock.

create or replace function gold.record_use(uses jsonb) returns void
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  with due as (
    select c.fingerprint, u.at from gold.certificate c
    join jsonb_to_recordset(uses) u(kind text, id text, at timestamptz) on u.kind = 'certificate' and u.id = c.fingerprint
    where c.last_used_at is null or c.last_used_at <= u.at - interval '1 minute'
    for update of c skip locked)
  update gold.certificate c set last_used_at = due.at from due where c.fingerprint = due.fingerprint;

  with due as (
    select s.id, u.at from gold.client_secret s
    join jsonb_to_recordset(uses) u(kind text, id text, at timestamptz) on u.kind = 'client_secret' and u.id = s.id::text
    where s.last_used_at is null or s.last_used_at <= u.at - interval '1 minute'
    for update of s skip locked)
  update gold.client_secret s set last_used_at = due.at from due where s.id = due.id;

  with due as (
    select k.partner_id, k.thumbprint, u.at from gold.signing_key k
    join jsonb_to_recordset(uses) u(kind text, partner int, id text, at timestamptz)
      on u.kind = 'signing_key' and u.partner = k.partner_id and u.id = k.thumbprint
    where k.last_used_at is null or k.last_used_at <= u.at - interval '1 minute'
    for update of k skip locked)
  update gold.signing_key k set last_used_at = due.at from due where k.partner_id = due.partner_id and k.thumbprint = due.thumbprint;

  with due as (
    select t.kid, u.at from gold.token_key t
    join jsonb_to_recordset(uses) u(kind text, id text, at timestamptz) on u.kind = 'token_key' and u.id = t.kid
    where t.last_used_at is null or t.last_used_at <= u.at - interval '1 minute'
    for update of t skip locked)
  update gold.token_key t set last_used_at = due.at from due where t.kid = due.kid;

  with due as (
    select s.id, u.at from gold.webhook_secret s
    join jsonb_to_recordset(uses) u(kind text, id text, at timestamptz) on u.kind = 'webhook_secret' and u.id = s.id::text
    where s.last_used_at is null or s.last_used_at <= u.at - interval '1 minute'
    for update of s skip locked)
  update gold.webhook_secret s set last_used_at = due.at from due where s.id = due.id;
end;
