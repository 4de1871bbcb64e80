-- Books orders in bulk, 64 per call, with the service's own function. The quotes were made in advance. Each
-- order makes one event.
create function peer.book_quotes(run text, first_client int, partners int, from_number bigint, to_number bigint)
returns bigint
language plpgsql volatile as $$
declare
  batch bigint;
  refused int;
begin
  for batch in select generate_series(from_number, to_number, 64) loop
    select count(*) filter (where booked.status <> 201) into refused
    from (
      select array_agg((first_client + number % partners)::int) as clients, array_agg(1::bigint) as admissions,
        array_agg(gen_random_uuid()) as nonces, array_agg(gen_random_uuid()::text) as keys,
        array_agg(decode(repeat('ab', 32), 'hex')) as fingerprints, array_agg(peer.quote_id(run, number)) as quotes,
        array_agg(gen_random_uuid()) as requests, array_agg(decode(repeat('ab', 262), 'hex')) as signed,
        array_agg(decode(repeat('ab', 32), 'hex')) as thumbprints
      from generate_series(batch, least(batch + 63, to_number)) number
    ) orders, lateral gold.book_orders(true, false, clients, admissions, nonces, keys, fingerprints, quotes, requests,
      null, null, signed, thumbprints) booked;
    if refused > 0 then
      raise exception '% of a batch''s orders were refused', refused;
    end if;
  end loop;
  return to_number - from_number + 1;
end $$;
