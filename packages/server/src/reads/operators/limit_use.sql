-- How much of its limits a partner has used, for operators. A use that nobody counts is null.
create or replace function gold.limit_use(partner text) returns json
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select json_build_object(
    'open_quotes', l.open_quotes, 'open_grams', l.open_grams::text, 'daily_records', l.records,
    'net_grams', greatest(d.net_buys, d.net_sells)::text, 'daily_withdrawals', d.withdrawals,
    'daily_withdrawn', d.withdrawn::text)
  from gold.partner p
  cross join lateral gold.read_day_limits(p.id) d
  left join lateral gold.read_limits(p.id) l on true
  where p.public_id = limit_use.partner;
end;
