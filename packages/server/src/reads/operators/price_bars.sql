-- The middle price of each minute since an instant, from the history of prices. Its ids have no gap and grow with
-- the time, so the first row is found by halving.
create or replace function gold.price_bars(since timestamptz)
returns table (minute timestamptz, first bigint, highest bigint, lowest bigint, last bigint)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
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
  return query
    select date_trunc('minute', h.stored_at), (array_agg(h.mid order by h.id))[1], max(h.mid), min(h.mid),
      (array_agg(h.mid order by h.id desc))[1]
    from price_history h where h.id >= first_id group by 1 order by 1;
end $$;
