-- Writes a history of orders into the books, many rows per statement. Each partner buys gold and then sells
-- the same amount, alternately, until it has `each` orders. Every row passes the service's own constraints
-- and triggers, and the service's own function seals the chain.
create function peer.preload(first_client int, partners int, each int) returns void
language plpgsql volatile as $$
declare
  last_client int := first_client + partners - 1;
  present timestamptz;
  sealed int;
begin
  perform from gold.account a where a.client_id between first_client and last_client
  order by a.client_id for no key update;
  present := date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond';

  with booked as materialized (
    select traded.bucket, traded.client_id, traded.event_sequence + n as sequence,
      gold.new_uuid(present - (each - n) * interval '1 millisecond') as id, side, grams, price, total,
      sar_available + sum(case side when 'buy' then -total else total end) over so_far as available, sar_held as held,
      gold + sum(case side when 'buy' then grams else -grams end) over so_far as gold
    from (
      select a.*, n, t.side::gold.side, g.grams, t.price, t.total
      from gold.account a
      cross join generate_series(1, each) n
      cross join lateral (select 100::bigint + ((n + 1) / 2 * 7919 + a.client_id) % 1000 as grams) g
      cross join lateral (values
        ('buy', 5001234, (g.grams * 5001234 + 999999) / 1000000),
        ('sell', 4998766, g.grams * 4998766 / 1000000)
      ) t (side, price, total)
      where a.client_id between first_client and last_client and t.side = case n % 2 when 1 then 'buy' else 'sell' end
    ) traded
    window so_far as (partition by client_id order by n)
    order by bucket, client_id, n
  ), quoted as (
    insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
    select bucket, client_id, side, id, grams, price, total, present, present + interval '30 seconds' from booked
  ), spent as (
    insert into gold.nonce (bucket, client_id, nonce) select bucket, client_id, gen_random_uuid() from booked
  ), executed as (
    insert into gold.orders as placed (bucket, client_id, side, id, sequence, grams, price, total, executed_at,
      sar_available_after, sar_held_after, gold_after, list_id)
    select bucket, client_id, side, id, sequence, grams, price, total, present, available, held, gold,
      (select v.list_id from gold.vault v where v.stripe = 0)
    from booked
    returning placed
  ), moved as (
    insert into gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount,
      sar_available_after, sar_held_after, gold_after, posted_at)
    select b.bucket, b.client_id, l.leg, b.sequence, l.debit::gold.book, l.credit::gold.book, l.asset::gold.asset,
      l.amount, b.available, b.held, l.gold_after, present
    from booked b cross join lateral (values
      ('buy', 1, 'available', 'house', 'SAR', b.total, b.gold - b.grams),
      ('buy', 2, 'vault', 'gold', 'XAU', b.grams, b.gold),
      ('sell', 1, 'house', 'available', 'SAR', b.total, b.gold + b.grams),
      ('sell', 2, 'gold', 'vault', 'XAU', b.grams, b.gold)
    ) l (side, leg, debit, credit, asset, amount, gold_after)
    where l.side = b.side::text
  ), noted as (
    insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type)
    select bucket, client_id, sequence, id, id, present, 'order.executed' from booked
  )
  insert into gold.idempotency_key (bucket, client_id, status, key, fingerprint, request_id, result_id, created_at,
    result_kind, request, signing_thumbprint, body)
  select (placed).bucket, (placed).client_id, 201, gen_random_uuid(), decode(repeat('ab', 32), 'hex'),
    gen_random_uuid(), (placed).id, present, 'order',
    decode(repeat('ab', 262), 'hex'), decode(repeat('ab', 32), 'hex'),
    '{' || gold.order_members(placed) || ',"balances":'
      || gold.balances_text((placed).sar_available_after, (placed).sar_held_after, (placed).gold_after, present) || '}'
  from executed;

  -- Seal at most 5,000 records per call. seal_next() could leave some of a larger number unsealed.
  for sealed in select generate_series(first_client, last_client, 5000 / each) loop
    perform gold.seal_next(array(select generate_series(sealed, least(sealed + 5000 / each - 1, last_client))));
  end loop;
end $$;
