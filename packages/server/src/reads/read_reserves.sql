-- The bars in the vault and the gold that is owed, from one snapshot: between two statements a bar or an order could slip in.

create or replace function gold.read_reserves() returns text
language sql volatile security definer set search_path = gold, pg_temp
begin atomic
  select '{"bars":[' || coalesce(held.bars, '') || '],"fine_grams":' || gold.decimal_text(held.fine, 0.0001)
    || ',"owed_grams":' || gold.decimal_text(owed.gold, 0.0001)
    || ',"coverage":' || coalesce(gold.decimal_text(div(held.fine * 10000::numeric, nullif(owed.gold, 0))::bigint, 0.0001), 'null')
    || ',"as_of":"' || gold.instant_text(clock_timestamp()) || '"}'
  from (
    select coalesce(sum(b.fine), 0)::bigint as fine, string_agg(
      '{"serial":' || to_json(b.serial) || ',"refiner":' || to_json(b.refiner) || ',"vault":' || to_json(b.vault_name)
        || ',"gross_grams":' || gold.decimal_text(b.gross, 0.0001) || ',"fineness":' || gold.decimal_text(b.fineness, 0.1)
        || ',"fine_grams":' || gold.decimal_text(b.fine, 0.0001) || '}', ',' order by b.added_at, b.serial) as bars
    from gold.bar b where b.removed_at is null
  ) held, (
    select coalesce(sum(a.gold), 0)::bigint as gold from gold.account a where a.client_id <> 0
  ) owed;
end;
