-- Proposals. propose() tries the change and undoes it, so that a change that cannot be made is refused at
-- once. approve_proposal() makes the change in the transaction of the approval. Lock order: the proposal,
-- then the rows that the change locks.

create or replace function gold.hold_proposal(id uuid) returns gold.proposal
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  held proposal;
begin
  perform require_read_committed();
  select p.* into held from proposal p where p.id = hold_proposal.id for no key update;
  if held.id is null then
    raise exception 'there is no proposal %', hold_proposal.id using errcode = 'GR404';
  end if;
  return held;
end $$;

create or replace function gold.try_proposal(given gold.proposal) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  update proposal p set state = 'applying' where p.id = (given).id;
  perform apply_change((given).kind, (given).content);
  -- Rolls the block back.
  raise exception 'tried' using errcode = 'GR200';
exception when sqlstate 'GR200' then
  null;
end $$;

-- `secrets` are encrypted under the key that `sealing_key` names.
create or replace function gold.propose(
  kind text, content jsonb, secrets bytea default null, sealing_key text default null, lifetime interval default '3 days',
  out id uuid, out sha256 text, out expires_at timestamptz
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  at timestamptz := ceil_millisecond(clock_timestamp());
  made proposal;
begin
  perform require_read_committed();
  perform require_role_of(session_user, kind, false);
  if lifetime <= interval '0' then
    raise exception 'the change could be made only until %: run the command again', instant_text(at + lifetime) using errcode = 'GR409';
  elsif lifetime > interval '7 days' then
    raise exception 'a proposal expires after at most 7 days' using errcode = 'GR409';
  elsif session_user !~ '^[!-~]+$' then
    raise exception 'the login of a proposer must consist of visible ASCII characters' using errcode = 'GR409';
  end if;
  lifetime := least(lifetime, longest_life(kind, content));
  insert into proposal (id, kind, content, proposed_at, expires_at, secrets, sealing_key, deployment)
  values (new_uuid(at), kind, content, at, at + lifetime, secrets, sealing_key, (select d.id from deployment d)) returning * into made;
  perform try_proposal(made);
  id := made.id;
  sha256 := proposal_sha256(made);
  expires_at := made.expires_at;
  perform note('proposal.propose', id::text, jsonb_strip_nulls(jsonb_build_object('kind', kind, 'sha256', sha256,
    'sealing_key', sealing_key, 'secrets_sha256', hash_text(secrets))));
end $$;

create or replace function gold.refuse_decided(given gold.proposal) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  if (given).state <> 'pending' then
    raise exception 'the proposal was % already, by % at %', (given).state, (given).decided_by, instant_text((given).decided_at)
      using errcode = 'GR409';
  end if;
end $$;

-- Refuses a proposal whose text names another deployment: one of before the release that names deployments,
-- or one that was copied with the database. A superuser can edit what the text names. The programs and the
-- audit then find that nobody signed this text.
create or replace function gold.refuse_foreign(given gold.proposal) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  own text := (select d.id from deployment d);
begin
  if (given).deployment is null and own is not null then
    raise exception 'the text of the proposal names no deployment, as in 0.5.0 and earlier: propose the change again' using errcode = 'GR409';
  elsif (given).deployment <> own then
    raise exception 'the text of the proposal names the deployment %, but this database is the deployment %: propose the change here',
      (given).deployment, own using errcode = 'GR409';
  end if;
end $$;

-- The proposer's signature of the proposal's text, for the namespace gold-proposal. It is stored once.
create or replace function gold.sign_proposal(id uuid, signature text) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
begin
  perform refuse_decided(given);
  perform refuse_foreign(given);
  if given.proposer <> session_user then
    raise exception 'only % may sign this proposal', given.proposer using errcode = 'GR409';
  elsif given.proposer_signature is not null then
    raise exception 'the proposal is signed already' using errcode = 'GR409';
  end if;
  update proposal p set proposer_signature = signature where p.id = id;
  perform note('proposal.sign', id::text, signed_with(given.proposer, signature));
end $$;

-- What an audit row states about a signature.
create or replace function gold.signed_with(login text, signature text) returns jsonb
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  return jsonb_build_object('key', require_operator_key(login, signature), 'signature_sha256', hash_text(convert_to(signature, 'UTF8')));
end $$;

-- Returns what the approval's audit row states about the signature. Where operators sign, the proposer's key
-- must still be active, and the two keys must differ. In production, nobody can approve before operators can
-- sign.
create or replace function gold.require_signatures(given gold.proposal, signature text) returns jsonb
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  signed jsonb;
begin
  if not signatures_demanded() then
    if (select d.environment = 'production' from deployment d) then
      raise exception 'nobody can approve in production before the first operator keys are registered: run `gold db migrate --operator-key LOGIN=FILE`, with one key for each of at least three people'
        using errcode = 'GR409';
    end if;
    return '{}';
  elsif (given).proposer_signature is null then
    raise exception 'the proposer has not signed the proposal: % runs `gold proposal sign %`', (given).proposer, (given).id using errcode = 'GR409';
  elsif signature is null then
    raise exception 'the approval is not signed: approve with gold, which signs with your SSH key' using errcode = 'GR409';
  end if;
  signed := signed_with(session_user, signature);
  if require_operator_key((given).proposer, (given).proposer_signature) = signed ->> 'key' then
    raise exception 'the proposer signed with the same key: another person has to approve' using errcode = 'GR409';
  end if;
  return signed;
end $$;

-- `sha256` is the hash of the text that the approving person was shown. `signature` is of the approval's
-- text, for the namespace gold-approval.
create or replace function gold.approve_proposal(id uuid, sha256 text, signature text default null) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
  signed jsonb;
begin
  perform refuse_decided(given);
  perform refuse_foreign(given);
  perform require_role_of(session_user, given.kind, true);
  perform require_admitted_login();
  -- The proposer may have lost the role since the proposal.
  perform require_role_of(given.proposer, given.kind, false);
  if given.proposer = session_user then
    raise exception 'you proposed this change, so another login has to approve it' using errcode = 'GR409';
  elsif clock_timestamp() >= given.expires_at then
    raise exception 'the proposal expired at %: propose the change again', instant_text(given.expires_at) using errcode = 'GR409';
  elsif proposal_sha256(given) is distinct from sha256 then
    raise exception 'the hash % is not the hash of the proposal: run `gold proposal show` again, and approve the hash that it shows', sha256
      using errcode = 'GR409';
  end if;
  signed := require_signatures(given, signature);
  perform refuse_unlinked(given);
  update proposal p set state = 'applying', decided_by = session_user, decided_at = clock_timestamp(),
    approver_signature = case when signed <> '{}' then signature end where p.id = id returning * into given;
  perform apply_change(given.kind, given.content);
  perform refuse_outdated(given);
  perform note('proposal.approve', id::text, jsonb_strip_nulls(jsonb_build_object('kind', given.kind, 'sha256', sha256,
    'proposer', given.proposer, 'decided_at', instant_text(given.decided_at), 'replaces', replaced_by(given.kind, given.content))) || signed);
  update proposal p set state = 'approved' where p.id = id;
end $$;

-- The proposer can reject a proposal, too. An expired proposal can be rejected, which removes it from the
-- list.
create or replace function gold.reject_proposal(id uuid) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
begin
  perform refuse_decided(given);
  update proposal p set state = 'rejected', decided_by = session_user, decided_at = clock_timestamp(), secrets = null where p.id = id
  returning * into given;
  perform note('proposal.reject', id::text, jsonb_build_object('kind', given.kind, 'proposer', given.proposer,
    'decided_at', instant_text(given.decided_at)));
end $$;

-- Returns the secrets of an approved proposal once, to its proposer only.
create or replace function gold.take_secrets(id uuid, out secrets bytea, out sealing_key text)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  given proposal := hold_proposal(id);
begin
  if given.proposer <> session_user then
    raise exception 'only % may read the secrets of this proposal', given.proposer using errcode = 'GR409';
  elsif given.state <> 'approved' then
    raise exception 'the proposal is %: its secrets are shown after its approval', given.state using errcode = 'GR409';
  elsif given.sealing_key is null then
    raise exception 'the proposal has no secrets' using errcode = 'GR409';
  elsif given.secrets is null then
    raise exception 'the secrets were shown already: if they are lost, rotate them' using errcode = 'GR409';
  elsif clock_timestamp() >= given.decided_at + interval '7 days' then
    raise exception 'the secrets were available until %: rotate them', instant_text(given.decided_at + interval '7 days') using errcode = 'GR409';
  end if;
  secrets := given.secrets;
  sealing_key := given.sealing_key;
  update proposal p set secrets = null where p.id = id;
  perform note('proposal.take_secrets', id::text, '{}');
end $$;

-- Ends the single-operator mode. No function begins it again.
create or replace function gold.require_two_people() returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  update deployment d set two_people = true where not d.two_people;
  if found then
    perform note('deployment.two_people', 'deployment', '{}');
    perform store_first_breaker();
    perform store_first_band();
  elsif not exists (select from deployment) then
    raise exception 'the database has no deployment yet: run `gold db migrate` with --env, --base-url, --pepper and --sealing-key' using errcode = 'GR409';
  end if;
end $$;
