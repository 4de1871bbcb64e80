-- The role that a change needs, from the person who proposes it and from the person who approves it. It is the
-- role that may call the function of the change (privileges.sql). Settings of the deployment and logins are
-- changed by the migration login, so no such function has a role.

create or replace function gold.role_of_kind(kind text) returns text
language sql immutable
return case
  when kind in ('vault.add', 'vault.remove', 'withdrawal.return', 'partner.iban', 'deployment.payout') then 'treasury'
  when kind in ('partner.create', 'partner.set', 'partner.resume', 'certificate.issue', 'signing_key.add',
    'client_secret.rotate', 'webhook_secret.rotate', 'deployment.defaults') then 'credentials'
  when kind in ('price.set', 'market.set', 'market.open') then 'pricing'
  when kind in ('authority.add', 'token_key.rotate', 'sealing_key.rotate', 'deployment.settle', 'operator.add',
    'operator.set', 'operator.remove', 'operator_key.add', 'recovery.accept', 'registry.adopt') then 'keys' end;

-- The migration login owns the books, so it may propose every change. It may approve only with the role.
create or replace function gold.require_role_of(kind text, approving boolean) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  needed text := role_of_kind(kind);
begin
  if needed is null or pg_has_role(session_user, 'gold_' || needed, 'usage')
    or (not approving and pg_has_role(session_user, 'gold_owner', 'usage'))
  then
    return;
  end if;
  raise exception 'a change of the kind % needs the role %, which the login % does not have', kind, needed, session_user
    using errcode = 'GR403';
end $$;
