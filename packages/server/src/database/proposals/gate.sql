-- Changes that need two people. One login proposes such a change, and another login approves it
-- (propose.sql). The function that makes the change calls require_approval() first. So no login can make the
-- change alone, with any program. A single-operator deployment, which only a sandbox can be, needs no
-- approval.

create or replace function gold.two_people() returns boolean
language sql stable
begin atomic
  select coalesce((select d.two_people or d.environment = 'production' from gold.deployment d), false);
end;

-- The proposal that this transaction applies. No other transaction ever sees a row in the state `applying`.
create or replace function gold.applied_proposal() returns gold.proposal
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  applied proposal;
begin
  select p.* into applied from proposal p where p.state = 'applying';
  return applied;
end $$;

-- Refuses the change, unless the applied proposal is of one of these kinds and each member of `part` equals
-- the member of its content. `part` holds what the calling function changes; a proposal can be applied by
-- several functions. `gold` proposes the change if the detail of the error is needs_approval.
create or replace function gold.require_approval(part jsonb, variadic kinds text[]) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  applied proposal;
begin
  if not two_people() then
    return;
  end if;
  applied := applied_proposal();
  if applied.kind = any (kinds) and not exists (
    select from jsonb_each(part) p where coalesce(applied.content -> p.key, 'null') <> p.value)
  then
    return;
  end if;
  raise exception 'this change needs two people: one proposes it with gold, and another login approves it'
    using errcode = 'GR409', detail = 'needs_approval';
end $$;

-- Like require_approval, for the settings of a deployment. Before the first partner exists, a setting can
-- affect nobody, so the migration login alone may change the settings.
create or replace function gold.require_approval_of_setting(part jsonb, variadic kinds text[]) returns void
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  if exists (select from partner) or not pg_has_role(session_user, 'gold_owner', 'usage') then
    perform require_approval(part, variadic kinds);
  end if;
end $$;

-- What note_as() adds to each audit row: the applied proposal if there is one, otherwise the deployment's
-- mode.
create or replace function gold.mode_of_change() returns jsonb
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  applied proposal := applied_proposal();
begin
  return case when applied.id is not null then jsonb_build_object('proposal', applied.id)
    when two_people() then '{"mode": "two_people"}' else '{"mode": "single_operator"}' end;
end $$;

-- Who asked for the change and who approved it, as the partner's events state it.
create or replace function gold.changer(out changed_by text, out approved_by text)
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  applied proposal := applied_proposal();
begin
  changed_by := coalesce(applied.proposer, session_user);
  approved_by := applied.decided_by;
end $$;
