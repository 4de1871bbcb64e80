-- Functions that insert quotes into the service's own table before a measurement. The quotes of one run are
-- numbered. Each quote goes to the next partner, from the first partner on.
create schema peer;

-- The id begins with a time, as the service's ids do, so that the indexes grow as they do in production.
create function peer.quote_id(run text, number bigint) returns uuid
language sql immutable parallel safe
return (run || '-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid;

create function peer.insert_quotes(run text, first_client int, partners int, from_number bigint, to_number bigint)
returns void
language sql volatile
begin atomic
  insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
  select client % 64, client, 'buy', peer.quote_id(run, number), 10, 5000000, 50, clock_timestamp(),
    clock_timestamp() + interval '1 day'
  from (
    select number, first_client + (number % partners)::int as client from generate_series(from_number, to_number) number
  ) numbered;
end;
