-- pgbench: books one order per call. Arguments: wait, settle, and one array each for client, admission
-- version, nonce, idempotency key, fingerprint, quote and request, none for the partner's own texts, and one
-- each for signed request and thumbprint.
select booked.*
from (select nextval(:numbers) as number) next,
  lateral gold.book_orders(true, false, array[(:first_client + number % :partners)::int], array[1::bigint],
    array[gen_random_uuid()], array[gen_random_uuid()::text], array[decode(repeat('ab', 32), 'hex')],
    array[peer.quote_id(:run, number)], array[gen_random_uuid()], null, null,
    array[decode(repeat('ab', 262), 'hex')], array[decode(repeat('ab', 32), 'hex')]) booked;
