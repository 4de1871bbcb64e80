-- How a record is told to its partner: the one place for what is read, listed and delivered.

create or replace function gold.quote_text(given gold.quote, status text) returns text
language sql stable
return '{"quote_id":"qt_' || (given).id || '","side":"' || (given).side || '","gold_grams":' || gold.decimal_text((given).grams, 0.0001)
  || ',"price_per_gram_sar":' || gold.decimal_text((given).price, 0.0001) || ',"total_sar":' || gold.decimal_text((given).total, 0.01)
  || ',"status":"' || status || '","created_at":"' || gold.instant_text((given).created_at)
  || '","expires_at":"' || gold.instant_text((given).expires_at) || '"}';

create or replace function gold.order_text(given gold.orders) returns text
language sql stable
return '{"order_id":"ord_' || (given).id || '","quote_id":"qt_' || (given).id || '","side":"' || (given).side
  || '","gold_grams":' || gold.decimal_text((given).grams, 0.0001) || ',"price_per_gram_sar":' || gold.decimal_text((given).price, 0.0001)
  || ',"total_sar":' || gold.decimal_text((given).total, 0.01) || ',"status":"executed","executed_at":"'
  || gold.instant_text((given).executed_at) || '"}';

-- `as_of` is the number of the event that tells of it: a step that came later is not known to it. Null is now.
create or replace function gold.withdrawal_text(given gold.withdrawal, as_of bigint) returns text
language sql stable
return '{"withdrawal_id":"wd_' || (given).id || '","amount_sar":' || gold.decimal_text((given).amount, 0.01)
  || ',"reference":' || coalesce(to_json((given).reference)::text, 'null') || ',"iban_masked":"' || gold.mask_iban((given).iban)
  || '","status":"' || (
    select s.status from gold.withdrawal_step s
    where s.bucket = (given).bucket and s.client_id = (given).client_id and s.withdrawal_id = (given).id and s.sequence <= coalesce(as_of, s.sequence)
    order by s.sequence desc limit 1
  ) || '","created_at":"' || gold.instant_text((given).created_at) || '"}';

-- What came in by a deposit may be taken back; the deposit of the same uuid tells when.
create or replace function gold.funding_text(given gold.funding, as_of bigint) returns text
language sql stable
return '{"funding_id":"fnd_' || (given).id || '","amount_sar":' || gold.decimal_text((given).amount, 0.01)
  || ',"created_at":"' || gold.instant_text((given).created_at) || '","reversed_at":' || coalesce((
    select '"' || gold.instant_text(d.reversed_at) || '"' from gold.deposit d where d.id = (given).id and d.reversed_sequence <= coalesce(as_of, d.reversed_sequence)
  ), 'null') || '}';

create or replace function gold.event_data(given gold.event) returns text
language sql stable
return case
  when (given).type = 'order.executed' then (
    select '"order":' || gold.order_text(o) || ',' from gold.orders o
    where o.bucket = (given).bucket and o.client_id = (given).client_id and o.id = (given).subject)
  when (given).type like 'withdrawal.%' then (
    select '"withdrawal":' || gold.withdrawal_text(w, (given).sequence) || ',' from gold.withdrawal w
    where w.bucket = (given).bucket and w.client_id = (given).client_id and w.id = (given).subject)
  when (given).type like 'funding.%' then (
    select '"funding":' || gold.funding_text(f, (given).sequence) || ',' from gold.funding f
    where f.bucket = (given).bucket and f.client_id = (given).client_id and f.id = (given).subject)
  else ''
end || '"chain_head":"' || (
  select encode(l.hash, 'hex') from gold.chain_link l
  where l.bucket = (given).bucket and l.client_id = (given).client_id and l.sequence = (given).sequence) || '"';

-- An event as it is delivered, the same bytes at every attempt; with `delivery`, as it is read. Its record has to be sealed.
create or replace function gold.event_text(given gold.event, delivery text) returns text
language sql stable
return '{"type":"' || (given).type || '","id":"evt_' || (given).id || '","sequence":' || (given).sequence
  || ',"created_at":"' || gold.instant_text((given).created_at) || '","data":{' || gold.event_data(given) || '}'
  || coalesce(',"delivery":' || delivery, '') || '}';

-- The attempts to deliver an event.
create or replace function gold.delivery_text(given gold.event) returns text
language sql immutable
return '{"status":"pending","next_attempt_at":null,"attempts":[]}';
