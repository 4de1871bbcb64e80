-- Makes a change for one person. The functions of the change decide whether one person may make it. If it
-- needs two people, they refuse it with the detail needs_approval (gate.sql), and `gold` proposes the same
-- content instead. Only a login that may call these functions itself may make the change: it needs the role of
-- the kind, or must be the migration login (is_owners). The session's login counts, also after SET ROLE. The
-- approval of a new, changed or removed login changes nothing yet, so `gold operator` does not make it with
-- this function.
-- Returns what the change's last audit row states, such as the id of a new secret. Returns null if the change
-- wrote no audit row, because nothing had to change.
create or replace function gold.change_alone(kind text, content jsonb) returns jsonb
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_role_of(session_user, kind, false);
  if is_owners(kind) and not pg_has_role(session_user, 'gold_owner', 'usage') then
    raise exception 'only the migration login may make a change of the kind %', kind using errcode = 'GR403';
  end if;
  perform set_config('gold.noted', '', true);
  perform apply_change(kind, content);
  return (select a.detail from audit a where a.id = nullif(current_setting('gold.noted'), '')::bigint);
end $$;
