-- The audit: one row per change, with the login that made it, and a hash chain over the rows. The chain
-- detects an edited or deleted row. A line is the row's columns as a JSON array. A link is sha256(previous
-- link || line).

create or replace function gold.audit_line(entry gold.audit) returns text
language sql stable
return json_build_array(1, (entry).id, (extract(epoch from (entry).at) * 1000)::bigint, (entry).login, (entry).action, (entry).subject, (entry).detail)::text;

-- Appends the link of one row to the chain. The caller has locked the row of audit_tail.
create or replace function gold.link_audit(entry gold.audit) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  tail audit_tail;
begin
  select * into strict tail from audit_tail;
  tail.head := sha256(tail.head || convert_to(audit_line(entry), 'UTF8'));
  insert into audit_link (id, hash) values (entry.id, tail.head);
  update audit_tail t set id = entry.id, head = tail.head;
end $$;

create or replace function gold.seal_audit() returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  entry audit;
begin
  insert into audit_tail (one) values (true);
  for entry in select a.* from audit a order by a.id loop
    perform link_audit(entry);
  end loop;
end $$;

-- A new chain begins with the audit rows that already exist. A process of a version without the chain may be
-- inserting a row now. The table lock waits for the commit of that transaction, because the row has a number
-- already but is not visible before the commit.
do $$
begin
  if not exists (select from gold.audit_tail) then
    lock table gold.audit in share row exclusive mode;
    perform gold.seal_audit();
  end if;
end $$;

-- Each row states the deployment's mode, or the proposal that is applied. `actor` is the login that made the
-- change. Simulations and applied proposals pass another login than session_user.
create or replace function gold.note_as(actor text, action text, subject text, detail jsonb) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  entry audit;
begin
  -- Lock the tail before the row gets its number, so that numbers follow the order of the chain.
  perform from audit_tail for no key update;
  insert into audit (login, action, subject, detail) values (actor, action, subject, mode_of_change() || detail) returning * into entry;
  -- For change_alone().
  perform set_config('gold.noted', entry.id::text, true);
  -- Link only this row. If something other than note_as() inserted a row, verify_audit() reports it
  -- permanently.
  perform link_audit(entry);
end $$;

create or replace function gold.note(action text, subject text, detail jsonb) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  perform note_as(session_user, action, subject, detail);
end $$;

-- Refuses a login that `gold operator add` did not record, or that was removed since. So the migration login
-- cannot create a login whose roles come from another login, and approve with it. The approver of a proposal
-- was checked before the proposal is applied.
create or replace function gold.require_admitted_login() returns void
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  if (applied_proposal()).id is null and 'operator.add' is distinct from (
    select a.action from audit a where a.subject = session_user and a.action in ('operator.add', 'operator.remove') order by a.id desc limit 1)
  then
    raise exception 'the login % may not approve a change or take a step of a withdrawal, because it was not added with `gold operator add`',
      session_user using errcode = 'GR403';
  end if;
end $$;

create or replace function gold.audit_head(out id bigint, out head text)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select t.id, encode(t.head, 'hex') from gold.audit_tail t;
end;

-- Returns no row if the audit is intact. If an audit row was edited, deleted or inserted without note_as(),
-- returns only the first such row. Otherwise checks the end of the chain and the payment batches.
create or replace function gold.verify_audit() returns table (rule text, subject text, detail text)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  tail audit_tail;
  sealed bigint := 0;
  head bytea := decode(repeat('00', 32), 'hex');
  link record;
begin
  select * into tail from audit_tail;
  for link in
    select coalesce(l.id, a.id) as id, l.hash, a.id is not null as noted, audit_line(a) as line
    from audit_link l full join audit a on a.id = l.id order by 1
  loop
    if link.noted then
      sealed := link.id;
      head := sha256(head || convert_to(link.line, 'UTF8'));
    end if;
    if not link.noted or link.hash is distinct from head then
      return query select 'audit_is_whole', 'row ' || link.id,
        case when not link.noted then 'the row was deleted' when link.hash is null then 'the row has no link: gold did not write it' else 'the row does not match its link' end;
      return;
    end if;
  end loop;
  if (tail.id, tail.head) is distinct from (sealed, head) then
    return query select 'audit_head', 'row ' || sealed, 'the chain does not end at its recorded head';
  end if;
  -- Compare each batch's document with its audit row, which contains the hash of the document that went to
  -- the bank.
  return query
  select 'batch_is_noted', 'batch ' || coalesce(b.id::text, n.subject), 'its document is not the one that was submitted'
  from payment_batch b full join (select * from audit a where a.action = 'withdrawal.batch') n on n.subject = b.id::text
  where encode(sha256(convert_to(b.document, 'UTF8')), 'hex') is distinct from n.detail->>'document_sha256';
end $$;
