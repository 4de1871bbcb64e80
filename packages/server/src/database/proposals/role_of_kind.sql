-- The role that the person who proposes a change and the person who approves it both need. It is the role
-- that may call the function of the change (privileges.sql). Only the migration login changes logins and most
-- settings of the deployment, so no role may call the functions of those changes.

create or replace function gold.role_of_kind(kind text) returns text
language sql immutable
return case
  when kind in ('deposit.record', 'deposit.reverse', 'payment.submit', 'vault.add', 'vault.remove', 'withdrawal.return', 'partner.iban',
    'deployment.payout') then 'treasury'
  when kind in ('partner.create', 'partner.set', 'partner.resume', 'certificate.issue', 'signing_key.add',
    'client_secret.rotate', 'webhook_secret.rotate', 'deployment.defaults') then 'credentials'
  when kind in ('price.set', 'market.set', 'market.open') then 'pricing'
  when kind in ('authority.add', 'token_key.rotate', 'sealing_key.rotate', 'pepper.rotate', 'deployment.settle', 'operator.add',
    'operator.set', 'operator.remove', 'operator_key.add', 'recovery.accept', 'registry.adopt', 'approval.adopt') then 'keys' end;

-- The migration login owns the books, so it may propose every change. It may approve only with the role.
-- A login that was removed has no role.
create or replace function gold.require_role_of(login text, kind text, approving boolean) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  needed text := role_of_kind(kind);
begin
  if needed is null or exists (
    select from pg_roles r where r.rolname = login
      and (pg_has_role(r.oid, 'gold_' || needed, 'usage') or (not approving and pg_has_role(r.oid, 'gold_owner', 'usage'))))
  then
    return;
  end if;
  raise exception 'a change of the kind % needs the role %, which the login % does not have', kind, needed, login
    using errcode = 'GR403';
end $$;
