-- Rows of history are never changed. Privileges forbid it, and these trigger functions also stop a mistake by
-- the owner of the tables. database/triggers.sql attaches them.

create or replace function gold.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: write a new row that corrects the old one', tg_table_name using errcode = 'GB002';
end $$;

-- The steps of a deposit are columns of its row. Each step is written once and never removed.
create or replace function gold.freeze_steps() returns trigger language plpgsql as $$
begin
  if (old.approved_at is not null or old.reversed_at is not null)
      and (new.approved_at, new.approved_by) is distinct from (old.approved_at, old.approved_by)
    or old.reversed_at is not null
      and (new.reversed_at, new.reversed_by, new.reversed_sequence) is distinct from (old.reversed_at, old.reversed_by, old.reversed_sequence) then
    raise exception 'a step of a deposit can be written only once' using errcode = 'GB002';
  end if;
  return new;
end $$;
