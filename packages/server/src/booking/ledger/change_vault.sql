-- Adding or removing a bar is a transfer on the house account, client 0, and the only way to change how much
-- gold the books have. It starts a new list of the bars in the vault. Lists never change, and orders name the
-- list in force. A bar is removed only if the free gold covers it. Lock order: the house account, the vault,
-- the bar.

-- The bars of a list.
create or replace function gold.listed_bars(list int) returns setof gold.bar
language sql stable
begin atomic
  select b.* from gold.bar b where b.added_list <= list and (b.removed_list is null or b.removed_list > list);
end;

-- The bytes that a list's SHA-256 commits to: one JSON array without spaces, in UTF-8. Weights are in 0.0001
-- g, the fineness is in 0.01 %, the instant is in ms. Bars are sorted by the bytes of their serial. The first
-- list has 64 zeros as its previous hash.
--   [1,id,created at,fine,"previous hash",[["serial","refiner","vault",gross,fineness,fine],...]]
create or replace function gold.bar_list_text(given gold.bar_list) returns text
language sql stable
begin atomic
  select '[1,' || (given).id || ',' || (extract(epoch from (given).created_at) * 1000)::bigint || ',' || (given).fine || ',"'
    || coalesce((select encode(p.sha256, 'hex') from gold.bar_list p where p.id = (given).id - 1), repeat('0', 64)) || '",['
    || coalesce((
      select string_agg('[' || to_json(b.serial) || ',' || to_json(b.refiner) || ',' || to_json(b.vault_name) || ',' || b.gross
        || ',' || b.fineness || ',' || b.fine || ']', ',' order by b.serial collate "C")
      from gold.listed_bars((given).id) b), '') || ']]';
end;

-- Stores the list whose number the bars already have, and makes it the list in force.
create or replace function gold.open_bar_list(list int, at timestamptz) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  opened bar_list;
begin
  select list, at, count(*), coalesce(sum(b.fine), 0) into opened.id, opened.created_at, opened.bars, opened.fine from listed_bars(list) b;
  opened.sha256 := sha256(convert_to(bar_list_text(opened), 'UTF8'));
  insert into bar_list select opened.*;
  update vault v set list_id = list;
end $$;

-- Books a bar's gold in or out. Returns the number of the transfer, and the number and instant of the next
-- list.
create or replace function gold.book_bar(bar_in boolean, fine bigint, out sequence bigint, out list int, out at timestamptz)
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  house account;
  stock vault;
begin
  select a.* into strict house from account a where a.bucket = 0 and a.client_id = 0 for no key update;
  stock := gather_vault(case when bar_in then 0 else fine end);
  list := stock.list_id + 1;
  if not bar_in and stock.free < fine then
    raise exception 'the bar holds % g and only % g are free; the rest is owed to partners', decimal_text(fine, 0.0001), decimal_text(stock.free, 0.0001)
      using errcode = 'GR409';
  end if;
  sequence := house.event_sequence + 1;
  at := account_instant(house, ceil_millisecond(clock_timestamp()));
  insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
  values (0, 0, 1, book_bar.sequence, case when bar_in then 'bars' else 'vault' end::book,
    case when bar_in then 'vault' else 'bars' end::book, 'XAU', fine, 0, 0, 0, at);
end $$;

create or replace function gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness int) returns bigint
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  fine bigint := add_bar.gross * add_bar.fineness / 10000;
  booked record;
begin
  perform require_approval(jsonb_build_object('serial', add_bar.serial, 'refiner', add_bar.refiner, 'vault', add_bar.vault_name,
    'gross', add_bar.gross::text, 'fineness', add_bar.fineness), 'vault.add');
  if exists (select from bar b where b.serial = add_bar.serial) then
    raise exception 'a bar with serial % is on record already', add_bar.serial using errcode = 'GR409';
  end if;
  booked := book_bar(true, fine);
  insert into bar (serial, refiner, vault_name, gross, fineness, fine, added_at, added_sequence, added_list)
  values (add_bar.serial, add_bar.refiner, add_bar.vault_name, add_bar.gross, add_bar.fineness, fine, clock_timestamp(), booked.sequence, booked.list);
  perform open_bar_list(booked.list, booked.at);
  perform note('vault.add', add_bar.serial, jsonb_build_object('gross', add_bar.gross, 'fineness', add_bar.fineness, 'fine', fine,
    'list', booked.list));
  return fine;
end $$;

create or replace function gold.remove_bar(serial text) returns bigint
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  leaving bar;
  booked record;
begin
  perform require_approval(jsonb_build_object('serial', remove_bar.serial), 'vault.remove');
  -- Read the bar before the locks, because its weight never changes. Under the locks, the update checks that
  -- the bar is still in the vault.
  select b.* into leaving from bar b where b.serial = remove_bar.serial;
  if leaving.serial is null then
    raise exception 'there is no bar with serial %', remove_bar.serial using errcode = 'GR404';
  elsif leaving.removed_at is not null then
    raise exception 'the bar % was removed already', remove_bar.serial using errcode = 'GR409';
  end if;
  booked := book_bar(false, leaving.fine);
  update bar b set removed_at = clock_timestamp(), removed_sequence = booked.sequence, removed_list = booked.list
  where b.serial = remove_bar.serial and b.removed_at is null;
  if not found then
    raise exception 'the bar % was removed already', remove_bar.serial using errcode = 'GR409';
  end if;
  perform open_bar_list(booked.list, booked.at);
  perform note('vault.remove', remove_bar.serial, jsonb_build_object('fine', leaving.fine, 'list', booked.list));
  return leaving.fine;
end $$;

-- The first list of a new database has no bars.
select gold.open_bar_list(1, gold.ceil_millisecond(clock_timestamp())) where not exists (select from gold.bar_list);
