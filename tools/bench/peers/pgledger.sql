-- An order is two transfers: SAR from the partner to the house, and gold from the house to the partner.
\set first random(0, 999)
select count(*) from pgledger_create_transfers((
  select array_agg(move)
  from (
    select (:first::int + one) % 1000 as partner, 1000 + (:first::int + one) % :houses::int as house
    from generate_series(1, :orders::int) one
  ) numbered, lateral (values
    (((select sar from peer.account where n = partner), (select sar from peer.account where n = house), 0.50)::transfer_request),
    (((select gold from peer.account where n = house), (select gold from peer.account where n = partner), 0.001)::transfer_request)
  ) moves (move)));
