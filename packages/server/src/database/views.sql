-- What the service reads. A view shows columns, never how they are stored.

create or replace view gold.client_balance as
select bucket, client_id, sar_available, sar_held, gold, clock_timestamp() as as_of from gold.account where client_id <> 0;

create or replace view gold.current_price as
select source, buy, sell, mid, spread_basis_points, stale_after_seconds, as_of as ticked_at,
  case when source = 'fixed' then clock_timestamp() else as_of end as as_of,
  source <> 'fixed' and clock_timestamp() >= as_of + make_interval(secs => stale_after_seconds) as stale
from gold.price;

create or replace view gold.partner_overview as
select p.id, p.public_id, p.name, p.iban, p.webhook_url, p.rate_per_second, p.burst, p.maximum_grams, p.created_at, p.suspended_at,
  (select array_agg(i.range::text order by i.range) from gold.allowed_ip i where i.partner_id = p.id) as ips,
  a.sar_available, a.sar_held, a.gold
from gold.partner p join gold.account a on a.bucket = p.id % 64 and a.client_id = p.id;

create or replace view gold.certificate_overview as
select p.public_id, c.fingerprint, c.serial, c.not_before, c.not_after, c.created_at, c.revoked_at, c.last_used_at
from gold.certificate c join gold.partner p on p.id = c.partner_id;

create or replace view gold.bar_overview as
select serial, refiner, vault_name, gross, fineness, fine, added_at, removed_at from gold.bar;

create or replace view gold.deployment_overview as select * from gold.deployment;

create or replace view gold.token_key_overview as select kid, not_before, retire_at, last_used_at from gold.token_key;
