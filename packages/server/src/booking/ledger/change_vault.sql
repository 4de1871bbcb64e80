-- Adding or removing a bar is a transfer on the house account, client 0. A bar is removed only if the free
-- gold covers it. Lock order: the house account, the vault, the bar.

create or replace function gold.move_bar(bar_in boolean, fine bigint) returns bigint
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  house account;
  free bigint;
  at timestamptz;
begin
  select a.* into strict house from account a where a.bucket = 0 and a.client_id = 0 for no key update;
  select v.free into strict free from vault v where v.stripe = 0 for no key update;
  if not bar_in and free < fine then
    raise exception 'the bar holds % g and only % g are free; the rest is owed to partners', decimal_text(fine, 0.0001), decimal_text(free, 0.0001)
      using errcode = 'GR409';
  end if;
  at := account_instant(house, ceil_millisecond(clock_timestamp()));
  insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
  values (0, 0, 1, house.event_sequence + 1, case when bar_in then 'bars' else 'vault' end::book,
    case when bar_in then 'vault' else 'bars' end::book, 'XAU', fine, 0, 0, 0, at);
  return house.event_sequence + 1;
end $$;

create or replace function gold.add_bar(serial text, refiner text, vault_name text, gross bigint, fineness int) returns bigint
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  fine bigint := add_bar.gross * add_bar.fineness / 10000;
  booked bigint;
begin
  if exists (select from bar b where b.serial = add_bar.serial) then
    raise exception 'a bar with serial % is on record already', add_bar.serial using errcode = 'GR409';
  end if;
  booked := move_bar(true, fine);
  insert into bar (serial, refiner, vault_name, gross, fineness, fine, added_at, added_sequence)
  values (add_bar.serial, add_bar.refiner, add_bar.vault_name, add_bar.gross, add_bar.fineness, fine, clock_timestamp(), booked);
  perform note('vault.add', add_bar.serial, jsonb_build_object('gross', add_bar.gross, 'fineness', add_bar.fineness, 'fine', fine));
  return fine;
end $$;

create or replace function gold.remove_bar(serial text) returns bigint
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  leaving bar;
  booked bigint;
begin
  -- Read the bar before the locks, because its weight never changes. Under the locks, the update checks that
  -- the bar is still here.
  select b.* into leaving from bar b where b.serial = remove_bar.serial;
  if leaving.serial is null then
    raise exception 'there is no bar with serial %', remove_bar.serial using errcode = 'GR404';
  elsif leaving.removed_at is not null then
    raise exception 'the bar % was removed already', remove_bar.serial using errcode = 'GR409';
  end if;
  booked := move_bar(false, leaving.fine);
  update bar b set removed_at = clock_timestamp(), removed_sequence = booked where b.serial = remove_bar.serial and b.removed_at is null;
  if not found then
    raise exception 'the bar % was removed already', remove_bar.serial using errcode = 'GR409';
  end if;
  perform note('vault.remove', remove_bar.serial, jsonb_build_object('fine', leaving.fine));
  return leaving.fine;
end $$;
