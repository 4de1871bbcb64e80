-- Writes the orders that a batch executed: for each order its row, its two transfers and its event. It is one
-- statement, because starting a statement costs more than writing one of its rows. Only book_orders calls
-- this function, so the planner settings of book_orders apply here, too.

create or replace function gold.write_orders(executed gold.orders[]) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  with booked as (
    insert into orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at,
      sar_available_after, sar_held_after, gold_after)
    select bucket, client_id, side, id, sequence, grams, price, total, executed_at,
      sar_available_after, sar_held_after, gold_after
    from unnest(executed)
    returning *
  ), moved as (
    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount,
      sar_available_after, sar_held_after, gold_after, posted_at)
    select bucket, client_id, 1, sequence, case side when 'buy' then 'available' else 'house' end::book,
      case side when 'buy' then 'house' else 'available' end::book, 'SAR'::asset, total,
      sar_available_after, sar_held_after, gold_after + case side when 'buy' then -grams else grams end, executed_at
    from booked
    union all
    select bucket, client_id, 2, sequence, case side when 'buy' then 'vault' else 'gold' end::book,
      case side when 'buy' then 'gold' else 'vault' end::book, 'XAU'::asset, grams,
      sar_available_after, sar_held_after, gold_after, executed_at
    from booked
  )
  insert into event (bucket, client_id, sequence, id, subject, created_at, type)
  select bucket, client_id, sequence, id, id, executed_at, 'order.executed' from booked;
end $$;
