select booked.*
from (
  select array_agg((:first_client + number % :partners)::int) as clients, array_agg(1::bigint) as admissions,
    array_agg(gen_random_uuid()) as nonces, array_agg(gen_random_uuid()::text) as keys,
    array_agg(decode(repeat('ab', 32), 'hex')) as fingerprints, array_agg(peer.quote_id(:run, number)) as quotes,
    array_agg(gen_random_uuid()) as requests, array_agg(decode(repeat('ab', 262), 'hex')) as signed,
    array_agg(decode(repeat('ab', 32), 'hex')) as thumbprints
  from (select nextval(:numbers) as number from generate_series(1, 64)) next
) batch, lateral gold.book_orders(true, false, clients, admissions, nonces, keys, fingerprints, quotes, requests, null, null, signed, thumbprints) booked;
