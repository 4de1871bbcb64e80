-- The prices of each minute since an instant, from the history of prices. Its ids have no gap and grow with the time,
-- so the first row is found by halving.

create or replace function gold.first_price_since(since timestamptz) returns bigint
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  above bigint := 0;
  first_id bigint := coalesce((select max(h.id) from price_history h), 0) + 1;
  half bigint;
begin
  while first_id - above > 1 loop
    half := (above + first_id) / 2;
    if (select h.stored_at from price_history h where h.id = half) < since then
      above := half;
    else
      first_id := half;
    end if;
  end loop;
  return first_id;
end $$;

-- The minutes of the last 24 hours, from the one before `known` on: a price that committed late may belong to it. Each
-- price has its first, highest, lowest and last value of the minute.
create or replace function gold.price_minutes(known timestamptz)
returns table (at text, oldest text, buy bigint[], sell bigint[])
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select gold.instant_text(date_trunc('minute', h.stored_at)), gold.instant_text(max(d.began)),
    array[(array_agg(h.buy order by h.id))[1], max(h.buy), min(h.buy), (array_agg(h.buy order by h.id desc))[1]],
    array[(array_agg(h.sell order by h.id))[1], max(h.sell), min(h.sell), (array_agg(h.sell order by h.id desc))[1]]
  from (select date_trunc('minute', clock_timestamp()) - interval '24 hours' as began) d
  join gold.price_history h
    on h.id >= (select gold.first_price_since(greatest(d.began, price_minutes.known - interval '1 minute')))
  group by date_trunc('minute', h.stored_at) order by date_trunc('minute', h.stored_at);
end;
