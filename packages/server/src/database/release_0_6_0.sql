-- Routines that processes of 0.6.0 call and this version does not. Processes of 0.6.0 keep running while the
-- database is migrated. So each of these routines keeps its name, arguments and result. For a partner's first endpoint,
-- `client` is the partner's number, as 0.6.0 knows it.

create or replace function gold.claim_endpoints(worker uuid, clients int[], most int)
returns table (client int, url text, tenure int, passed bigint, failures int, disabled boolean, secrets jsonb)
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  select r.client, r.url, r.tenure, r.passed, r.failures, r.disabled, r.secrets
  from gold.claim_receivers(worker, clients, most) r;
end;

create or replace function gold.renew_endpoints(worker uuid)
returns table (client int, url text, tenure int, passed bigint, failures int, disabled boolean, secrets jsonb)
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  select r.client, r.url, r.tenure, r.passed, r.failures, r.disabled, r.secrets from gold.renew_receivers(worker) r;
end;

create or replace function gold.take_events(worker uuid, clients int[], tenures int[], afters bigint[], rooms int[])
returns table (client int, sequence bigint, id uuid, body text, tries int, ticket timestamptz)
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  select d.client, d.sequence, d.id, d.body, d.tries, d.ticket
  from gold.take_deliveries(worker, clients, tenures, afters, rooms) d;
end;

-- Bodies of 0.6.0 that waited for the migration's locks call these.
create or replace function gold.enable_endpoint(client int) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  select gold.enable_receiver(client);
end;

create or replace function gold.webhook_secrets(client int) returns jsonb
language sql volatile
return gold.receiver_secrets(client);

create or replace function gold.delivery_text(given gold.event) returns text
language sql stable
return gold.deliveries_text(given);
