-- The id of the deployment, which the texts name that operators sign. So what two people signed for one
-- deployment never counts in another one. It begins with the environment: `gold` signs without a file only
-- for an id of a sandbox.

-- Gives the deployment a new id, and states the end of the earlier one: the last row of the audit trail under
-- it, with its link of the hash chain.
create or replace function gold.identify_deployment() returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  known deployment;
  tail audit_tail;
  made text;
begin
  select * into strict known from deployment for update;
  select * into strict tail from audit_tail for no key update;
  made := known.environment || '-' || gen_random_uuid();
  update deployment d set id = made;
  perform note('deployment.identify', made, case when known.id is null then '{}' else
    jsonb_build_object('before', known.id, 'audit_id', tail.id::text, 'head', encode(tail.head, 'hex')) end);
end $$;

-- For a copy of a database, by the migration login. Returns what the file of OPERATOR_KEYS states about the
-- earlier id. A millisecond is added because the instants of proposals are rounded up.
create or replace function gold.renew_deployment_id(
  out id text, out earlier text, out ended_at timestamptz, out audit_id bigint, out head text
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform identify_deployment();
  select n.subject, n.detail ->> 'before', a.at + interval '1 millisecond', a.id, n.detail ->> 'head'
  into id, earlier, ended_at, audit_id, head
  from audit n join audit a on a.id = (n.detail ->> 'audit_id')::bigint
  order by n.id desc limit 1;
end $$;

-- A deployment of an earlier release has no id yet.
do $$
begin
  if exists (select from gold.deployment where id is null) then
    perform gold.identify_deployment();
  end if;
end $$;
