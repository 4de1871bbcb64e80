-- Beside the service's own schema: the quotes that are made beforehand. Those of one run are numbered, and go round the
-- partners from the first one on.
create schema peer;

-- Time first, as in the service's ids, so that the indices grow as they do in use.
create function peer.quote_id(run text, number bigint) returns uuid
language sql immutable parallel safe
return (run || '-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid;

create function peer.insert_quotes(run text, first_client int, partners int, from_number bigint, to_number bigint) returns void
language sql volatile
begin atomic
  insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
  select client % 64, client, 'buy', peer.quote_id(run, number), 10, 5000000, 50, clock_timestamp(), clock_timestamp() + interval '1 day'
  from (
    select number, first_client + (number % partners)::int as client from generate_series(from_number, to_number) number
  ) numbered;
end;
