-- The views for the service and for operators. migrate.ts runs a statement only if the existing view differs.

create or replace view gold.current_price as
select source, buy, sell, mid, spread_basis_points, stale_after_seconds, as_of as ticked_at,
  case when source = 'fixed' then clock_timestamp() else as_of end as as_of,
  gold.is_stale(p, clock_timestamp()) as stale,
  url, always_open, gold.market_open(clock_timestamp()) as market_open, quote_ttl_seconds,
  halt_basis_points, halt_seconds, halted_at, band_basis_points, band_hour_basis_points
from gold.price p;

create or replace view gold.market_hours as select day, opens, closes from gold.market_session;

create or replace view gold.partner_overview as
select p.id, p.public_id, p.name, p.iban, (select r.url from gold.receiver r where r.id = p.id) as webhook_url,
  p.rate_per_second, p.burst, p.maximum_grams, p.created_at, p.suspended_at,
  (select array_agg(i.range::text order by i.range) from gold.allowed_ip i where i.partner_id = p.id) as ips,
  a.sar_available, a.sar_held, a.gold, p.pending_iban, p.pending_iban_by, p.pending_iban_at, p.iban_changed_at,
  case when gold.held_until(p.iban_changed_at) > clock_timestamp() then gold.held_until(p.iban_changed_at) end as payouts_held_until,
  l.maximum_open_quotes, l.maximum_open_grams, l.maximum_daily_records,
  l.maximum_net_grams, p.maximum_daily_withdrawals, p.maximum_daily_withdrawn
from gold.partner p join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id
left join gold.allowance l on l.bucket = a.bucket and l.client_id = a.client_id;

create or replace view gold.certificate_overview as
select p.public_id, c.fingerprint, c.serial, c.not_before, c.not_after, c.created_at, c.revoked_at, c.last_used_at, c.authority, c.revocation_reason
from gold.certificate c join gold.partner p on p.id = c.partner_id;

-- The state of each webhook endpoint. `waiting` counts the retries that have a due time, and the events
-- after the mark that have no row in gold.retry.
create or replace view gold.endpoint_overview as
select p.public_id, n.disabled_at, coalesce(n.failures, 0) as failures, case when n.rests_until > clock_timestamp() then n.rests_until end as rests_until,
  a.event_sequence - coalesce(n.passed, o.added_after) + r.due - r.ahead as waiting, r.parked, o.number, o.url, o.types
from gold.receiver o
join gold.partner p on p.id = o.partner_id
join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id
left join gold.endpoint n on n.bucket = o.id % 64 and n.client_id = o.id
cross join lateral (
  select count(r.due_at) as due, count(r.parked_at) as parked,
    count(*) filter (where r.sequence > coalesce(n.passed, o.added_after)) as ahead
  from gold.retry r where r.bucket = o.id % 64 and r.client_id = o.id
) r
where o.removed_at is null;

-- Delivery attempts for operators. Partners never see the receiver's answer.
create or replace view gold.attempt_overview as
select p.public_id, a.sequence, a.attempted_at, a.duration_ms, a.http_status, a.error, a.answer, o.number
from gold.receiver o join gold.partner p on p.id = o.partner_id
join gold.attempt a on a.bucket = o.id % 64 and a.client_id = o.id;

-- Every credential that can expire or be retired. For an authority, `not_before` is the time when it was
-- added, and `expires_at` is null. The validity dates of its certificate are only in the certificate's text.
create or replace view gold.credential_overview as
select c.kind, coalesce(p.public_id, 'house') as owner, c.name, c.kid, c.certificate, c.not_before, c.expires_at, c.retire_at, c.last_used_at,
  case when c.revoked then 'revoked' when c.retire_at <= clock_timestamp() then 'retired' when c.expires_at <= clock_timestamp() then 'expired'
    when c.not_before > clock_timestamp() then 'not_yet' when c.retire_at is not null then 'retiring' else 'active' end as status,
  case when not isfinite(c.not_before) or not isfinite(c.expires_at) or not isfinite(c.retire_at) then 'it has an infinite date'
    when least(c.not_before, c.expires_at, c.retire_at) < '0001-01-01 00:00Z' then 'it has a date before the year 1'
    when greatest(c.not_before, c.expires_at, c.retire_at) >= '10000-01-01 00:00Z' then 'it has a date after the year 9999'
    else c.fault end as fault,
  (select r.number from gold.webhook_secret s join gold.receiver r on r.id = s.receiver_id
    where s.id = case when c.kind = 'webhook_secret' then c.name::int end) as endpoint
from (
  select 'certificate' as kind, partner_id, fingerprint as name, null as kid, null as certificate, not_before, not_after as expires_at,
    revoked_at as retire_at, revoked_at is not null as revoked, last_used_at, null as fault from gold.certificate
  union all
  select 'client_secret', partner_id, id::text, null, null, not_before, null, retire_at, false, last_used_at,
    case when octet_length(hash) <> 32 then 'its hash is not a SHA-256' end from gold.client_secret
  union all
  select 'webhook_secret', partner_id, id::text, null, null, not_before, null, retire_at, false, last_used_at, null from gold.webhook_secret
  union all
  select 'signing_key', partner_id, thumbprint, kid, null, not_before, null, retire_at, false, last_used_at, gold.public_key_fault(jwk) from gold.signing_key
  union all
  select 'token_key', null, kid, null, null, not_before, null, retire_at, false, last_used_at, gold.public_key_fault(public_jwk) from gold.token_key
  union all
  select 'authority', null, a.fingerprint, null, a.certificate, a.created_at, null, a.retired_at, false,
    (select max(c.last_used_at) from gold.certificate c where c.authority = a.fingerprint), null from gold.authority a
  union all
  select 'revocation_list', null, fingerprint, null, null, null, revocation_next_at, null, false, null, null from gold.authority where retired_at is null
) c
left join gold.partner p on p.id = c.partner_id;

-- The logins of operators with their roles, whether `gold operator` or a person created them. Superusers and
-- logins that may create roles are left out.
create or replace view gold.operator_overview as
select r.rolname::text as login, a.at as added_at, a.login as added_by, (select max(u.at) from gold.audit u where u.login = r.rolname) as last_change_at,
  own.roles
from pg_roles r
cross join lateral (
  select array_agg(role.name order by role.position) as roles
  from unnest('{treasury, credentials, pricing, keys, audit}'::text[]) with ordinality role (name, position)
  join pg_roles g on g.rolname = 'gold_' || role.name where pg_has_role(r.oid, g.oid, 'usage')
) own
left join lateral (
  select u.at, u.login from gold.audit u where u.action = 'operator.add' and u.subject = r.rolname order by u.id desc limit 1
) a on true
where r.rolcanlogin and not r.rolsuper and not r.rolcreaterole and own.roles is not null;

create or replace view gold.authority_overview as
select fingerprint, certificate, key_source, created_at, retired_at, revocation_list, revocation_number, revocation_next_at from gold.authority;

create or replace view gold.bar_overview as
select serial, refiner, vault_name, gross, fineness, fine, added_at, removed_at, added_list, removed_list from gold.bar;

-- Without a limit, booking counts nothing, so this view counts from the rows.
create or replace view gold.exposure_overview as
select v.maximum_exposure, coalesce(c.day_net, case when clock_timestamp() < v.day_ends_at then v.day_net else 0 end) as day_net,
  coalesce(c.open_buys, e.buys, 0) as open_buys, coalesce(c.open_sells, e.sells, 0) as open_sells
from gold.vault v
cross join lateral (
  select sum(o.buys)::bigint as buys, sum(o.sells)::bigint as sells from gold.open_exposure o where o.ends_at > clock_timestamp()
) e
cross join lateral gold.count_position(v.maximum_exposure) c
where v.stripe = 0;

-- `select *` makes a new column of the table the last column of the view. A view can be replaced only if its
-- new columns come last.
create or replace view gold.deployment_overview as select * from gold.deployment;

create or replace view gold.token_key_overview as select kid, not_before, retire_at, last_used_at from gold.token_key;

create or replace view gold.deposit_overview as
select d.id, p.public_id, d.amount, d.bank_reference, d.recorded_at, d.recorded_by, d.approved_at, d.approved_by, d.reversed_at, d.reversed_by,
  case when d.reversed_at is not null then 'reversed' when d.approved_at is not null then 'approved' else 'recorded' end as status
from gold.deposit d join gold.partner p on p.id = d.client_id;

create or replace view gold.withdrawal_overview as
select w.id, p.public_id, p.name, w.amount, w.reference, w.iban, w.created_at, s.status, s.at as status_at, s.login as status_by,
  (select b.batch_id from gold.withdrawal_step b
    where b.bucket = w.bucket and b.client_id = w.client_id and b.withdrawal_id = w.id and b.status = 'submitted') as batch_id,
  case when gold.held_until(p.iban_changed_at) > clock_timestamp() then gold.held_until(p.iban_changed_at) end as held_until,
  gold.payment_text_fault(p.name) as name_fault
from gold.withdrawal w
join gold.partner p on p.id = w.client_id
join lateral (
  select s.* from gold.withdrawal_step s
  where s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id order by s.sequence desc limit 1
) s on true;

create or replace view gold.payment_batch_overview as select id, created_at, login, document from gold.payment_batch;

create or replace view gold.audit_overview as select id, at, login, action, subject, detail from gold.audit;

create or replace view gold.audit_link_overview as select id, encode(hash, 'hex') as head from gold.audit_link;

-- All links of a client's chain, not only the head, because an external checkpoint is an earlier head.
create or replace view gold.chain_link_overview as
select p.public_id, l.sequence, encode(l.hash, 'hex') as head
from gold.partner p join gold.chain_link l on l.bucket = p.id % 64 and l.client_id = p.id;

create or replace view gold.chain_tail_overview as
select p.public_id, t.sequence, encode(t.head, 'hex') as head
from gold.partner p join gold.chain_tail t on t.bucket = p.id % 64 and t.client_id = p.id;

-- Without the secrets, which only take_secrets() returns.
-- Only the proposer, logins with the role of the kind, and auditors see the content. It can have names, IBANs
-- and hashes of secrets.
create or replace view gold.proposal_overview as
select p.id, p.kind, case when own.may_read then p.content end as content, p.proposer, p.proposed_at, p.expires_at, p.decided_by, p.decided_at,
  case when p.state = 'pending' and p.expires_at <= clock_timestamp() then 'expired' else p.state end as status,
  case when own.may_read then gold.proposal_text(p) end as canonical_text, gold.proposal_sha256(p) as sha256, p.secrets is not null as has_secrets,
  p.proposer_signature, p.approver_signature, p.sealing_key, p.deployment
from gold.proposal p
cross join lateral (
  select p.proposer = session_user or pg_has_role('gold_audit', 'usage') or pg_has_role('gold_' || gold.role_of_kind(p.kind), 'usage') as may_read
) own;

create or replace view gold.operator_key_overview as
select k.fingerprint, k.login, k.public_key, k.admitted_by, k.added_at, k.ended_at from gold.operator_key k;

-- What partners requested, and what became of it.
create or replace view gold.change_overview as
select c.id, p.public_id, p.name, c.kind, c.content, c.requested_at, s.status, s.decided_at, c.taken_by, c.taken_at,
  c.proposal, c.declined_by, c.reason, c.wanted, c.certificate
from gold.change_request c join gold.partner p on p.id = c.client_id cross join lateral gold.change_request_state(c) s;
