-- The bars in the vault and the gold owed to all partners. Partners see a published figure that changes at
-- most once an hour, so that nobody can follow the other partners' trades one by one.

create or replace function gold.bar_text(given gold.bar) returns text
language sql stable
return '{"serial":' || to_json((given).serial) || ',"refiner":' || to_json((given).refiner) || ',"vault":' || to_json((given).vault_name)
  || ',"gross_grams":' || gold.decimal_text((given).gross, 0.0001) || ',"fineness":' || gold.decimal_text((given).fineness, 0.1)
  || ',"fine_grams":' || gold.decimal_text((given).fine, 0.0001) || '}';

-- One statement, so that bars, grams and coverage come from one snapshot.
create or replace function gold.compute_reserves(at timestamptz) returns text
language sql stable
begin atomic
  select '{"bars":[' || coalesce(held.bars, '') || '],"fine_grams":' || gold.decimal_text(held.fine, 0.0001)
    || ',"owed_grams":' || gold.decimal_text(owed.gold, 0.0001)
    || ',"coverage":' || coalesce(gold.decimal_text(div(held.fine * 10000::numeric, nullif(owed.gold, 0))::bigint, 0.0001), 'null')
    || ',"as_of":"' || gold.instant_text(at) || '","reserves_list_id":"lst_' || listed.id || '"}'
  from (
    select coalesce(sum(b.fine), 0)::bigint as fine, string_agg(gold.bar_text(b), ',' order by b.added_at, b.serial) as bars
    from gold.bar b where b.removed_at is null
  ) held, (
    select coalesce(sum(a.gold), 0)::bigint as gold from gold.account a where a.client_id <> 0
  ) owed, (
    select max(l.id) as id from gold.bar_list l
  ) listed;
end;

-- The first reader after an hour publishes the next figure. Returns null if no figure was ever published and
-- the database accepts no writes.
create or replace function gold.read_reserves() returns text
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  due timestamptz := clock - interval '1 hour';
begin
  if not exists (select from published_reserves p where p.as_of > due) then
    begin
      -- Do not wait for a synchronous standby, because this is a read. If the figure is lost in a failover,
      -- the next reader publishes another one.
      perform set_config('synchronous_commit', 'local', true);
      -- Publish the figure. If several readers get here at once, the first publishes, and the others wait for
      -- its commit and change nothing.
      insert into published_reserves as p (as_of, body) values (clock, compute_reserves(clock))
      on conflict (one) do update set as_of = excluded.as_of, body = excluded.body where p.as_of <= due;
    exception when read_only_sql_transaction or disk_full then
      -- On a replica, or without disk space, keep the last figure with its `as_of`.
    end;
  end if;
  return (select p.body from published_reserves p);
end $$;

-- A list of bars, or null if there is none with this number. It never changes. Bars are in the order in which
-- the hash commits to them.
create or replace function gold.find_reserves_list(list int) returns text
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select '{"reserves_list_id":"lst_' || l.id || '","created_at":"' || gold.instant_text(l.created_at) || '","bars":['
    || coalesce((select string_agg(gold.bar_text(b), ',' order by b.serial collate "C") from gold.listed_bars(l.id) b), '')
    || '],"fine_grams":' || gold.decimal_text(l.fine, 0.0001)
    || ',"previous_sha256":"' || coalesce((select encode(p.sha256, 'hex') from gold.bar_list p where p.id = l.id - 1), repeat('0', 64))
    || '","sha256":"' || encode(l.sha256, 'hex') || '"}'
  from gold.bar_list l where l.id = list;
end;

-- The list of bars in force at an instant. Returns no row for an instant before the first list.
create or replace function gold.reserves_at(at timestamptz) returns table (list int, fine bigint)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select l.id, l.fine from gold.bar_list l where l.created_at <= at order by l.id desc limit 1;
end;
