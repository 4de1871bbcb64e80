-- pgbench: books one order per call. The first two arguments are wait and settle. Each further argument is an
-- array with one element per order: client, admission version, nonce, idempotency key, fingerprint, quote,
-- request id, reference, account label, signed request and thumbprint. Reference and account label are null.
select booked.*
from (select nextval(:numbers) as number) next,
  lateral gold.book_orders(true, false, array[(:first_client + number % :partners)::int], array[1::bigint],
    array[gen_random_uuid()], array[gen_random_uuid()::text], array[decode(repeat('ab', 32), 'hex')],
    array[peer.quote_id(:run, number)], array[gen_random_uuid()], null, null,
    array[decode(repeat('ab', 262), 'hex')], array[decode(repeat('ab', 32), 'hex')]) booked;
