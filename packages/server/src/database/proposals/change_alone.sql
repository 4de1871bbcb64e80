-- Makes a change for one person. The functions of the change decide whether one person may make it: where it
-- needs two people, they refuse it with the detail needs_approval (gate.sql). `gold` then proposes the same
-- content. The login needs what it needs to call these functions itself: the role of the kind, or for settings
-- of the deployment, the migration login. Returns what the change's last audit row states, such as the id of a
-- new secret. Null: the change was made already, so there is no such row.
create or replace function gold.change_alone(kind text, content jsonb) returns jsonb
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  known bigint := (select coalesce(max(a.id), 0) from audit a);
begin
  perform require_role_of(session_user, kind, false);
  if is_owners(kind) and not pg_has_role(session_user, 'gold_owner', 'usage') then
    raise exception 'only the migration login may make a change of the kind %', kind using errcode = 'GR403';
  end if;
  perform apply_change(kind, content);
  return (select a.detail from audit a where a.id > known and a.xmin = pg_current_xact_id()::xid order by a.id desc limit 1);
end $$;
