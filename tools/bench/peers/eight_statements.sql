\set partner random(1, 1000)
\set house random(1001, 2000)
\set grams random(1, 1000)
\set high random(1, 9000000000000000)
\set low random(1, 9000000000000000)
begin;
insert into peer.nonce (partner, nonce) values (:partner, :high || '-' || :low);
insert into peer.trade (partner, client_order_id, side, grams, price)
  values (:partner, 'c' || :high || '-' || :low, 1, :grams, 159230) returning id as trade \gset
update peer.account set cash = cash - (:grams::bigint * 159230 / 1000), gold = gold + :grams, version = version + 1
  where id = :partner;
update peer.account set cash = cash + :grams::bigint * 159230 / 1000, gold = gold - :grams, version = version + 1
  where id = :house;
insert into peer.entry (trade, account, asset, amount) values
  (:trade, :partner, 1, -(:grams::bigint * 159230 / 1000)), (:trade, :house, 1, :grams::bigint * 159230 / 1000),
  (:trade, :partner, 2, :grams), (:trade, :house, 2, -(:grams)::bigint);
insert into peer.outbox (partner, kind, payload) values
  (:partner, 'order.filled', jsonb_build_object('id', :trade::bigint, 'grams', :grams::bigint));
commit;
