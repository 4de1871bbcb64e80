-- The middle price of each minute since an instant.
create or replace function gold.price_bars(since timestamptz)
returns table (minute timestamptz, first bigint, highest bigint, lowest bigint, last bigint)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
begin
  return query
    select date_trunc('minute', h.stored_at), (array_agg(h.mid order by h.id))[1], max(h.mid), min(h.mid),
      (array_agg(h.mid order by h.id desc))[1]
    from price_history h where h.id >= (select first_price_since(since)) group by 1 order by 1;
end $$;
