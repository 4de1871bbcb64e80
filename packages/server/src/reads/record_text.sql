-- The JSON text of each kind of record. Reads, lists and webhooks all use these functions.

create or replace function gold.quote_text(given gold.quote, status text) returns text
language sql stable
return '{' || gold.quote_members(given, status) || '}';

create or replace function gold.order_text(given gold.orders) returns text
language sql stable
return '{' || gold.order_members(given) || '}';

-- `as_of` is the number of the event that reports the withdrawal. Later steps are ignored, so that the
-- event's text never changes. With null, the current status is shown.
create or replace function gold.withdrawal_text(given gold.withdrawal, as_of bigint) returns text
language sql stable
return '{' || gold.withdrawal_members(given, (
  select s.status from gold.withdrawal_step s
  where s.bucket = (given).bucket and s.client_id = (given).client_id and s.withdrawal_id = (given).id
    and s.sequence <= coalesce(as_of, s.sequence)
  order by s.sequence desc limit 1
)::text) || coalesce((
  select ',"bank_reference":"' || gold.payment_id((given).id) || '","expected_on":"' || gold.day_in_riyadh(b.created_at) || '"'
  from gold.withdrawal_step s join gold.payment_batch b on b.id = s.batch_id
  where s.bucket = (given).bucket and s.client_id = (given).client_id and s.withdrawal_id = (given).id
    and s.status = 'submitted' and s.sequence <= coalesce(as_of, s.sequence)
), ',"bank_reference":null,"expected_on":null') || '}';

-- A funding that came from a deposit can be reversed. The deposit with the same uuid stores the time of the
-- reversal. `as_of` has the same meaning as in withdrawal_text().
create or replace function gold.funding_text(given gold.funding, as_of bigint) returns text
language sql stable
return '{' || gold.funding_members(given) || ',"reversed_at":' || coalesce((
    select '"' || gold.instant_text(d.reversed_at) || '"' from gold.deposit d
    where d.id = (given).id and d.reversed_sequence <= coalesce(as_of, d.reversed_sequence)
  ), 'null') || '}';

-- `changed_by` is null if the change was made before such changes were events.
create or replace function gold.change_text(given gold.partner_change) returns text
language sql stable
return case
    when (given).iban is not null then '"settlement":{"iban_masked":"' || gold.mask_iban((given).iban)
      || '","iban_sha256":"' || encode(sha256(convert_to((given).iban, 'UTF8')), 'hex') || '"'
    when (given).webhook_url is not null then '"webhook_endpoint":{"url":' || to_json((given).webhook_url)
      || ',"endpoint":' || coalesce((given).kid, '1')
      || ',"removed_at":' || coalesce('"' || gold.instant_text((given).valid_until) || '"', 'null')
    else '"credential":{"kind":"' || (given).kind || '","id":' || to_json((given).credential)
      || ',"kid":' || coalesce(to_json((given).kid)::text, 'null') || ',"valid_from":' || coalesce('"' || gold.instant_text((given).valid_from) || '"', 'null')
      || ',"valid_until":' || coalesce('"' || gold.instant_text((given).valid_until) || '"', 'null')
  end || ',"changed_by":' || coalesce(to_json((given).login)::text, 'null')
  || ',"approved_by":' || coalesce(to_json((given).approved_by)::text, 'null') || '}';

create or replace function gold.closed_day_text(given gold.closed_day) returns text
language sql stable
return (
  select '{"date":"' || (given).day || '","first_sequence":' || coalesce((given).first_sequence::text, 'null')
    || ',"last_sequence":' || coalesce((given).last_sequence::text, 'null')
    || ',"opening_balance":{"available_sar":' || gold.decimal_text((given).opening_available, 0.01) || ',"held_sar":'
    || gold.decimal_text((given).opening_held, 0.01) || ',"gold_grams":' || gold.decimal_text((given).opening_gold, 0.0001)
    || '},"closing_balance":{"available_sar":' || gold.decimal_text((given).closing_available, 0.01) || ',"held_sar":'
    || gold.decimal_text((given).closing_held, 0.01) || ',"gold_grams":' || gold.decimal_text((given).closing_gold, 0.0001)
    || '},"quotes":' || (given).quotes || ',"orders":' || (given).orders || ',"refusals":' || (given).refusals
    || ',"broken":' || (given).broken || ',"quotes_sha256":"' || encode((given).quotes_sha256, 'hex')
    || '","refusals_sha256":"' || encode((given).refusals_sha256, 'hex') || '","epoch":{"number":' || p.id
    || ',"timeline":' || p.timeline || ',"began_at":"' || gold.instant_text(p.began_at) || '"}'
    || coalesce(',"quotes_executed":' || (given).quotes_executed || ',"quotes_expired":'
      || (given).quotes - (given).quotes_executed, '') || '}'
  from gold.epoch p where p.id = (given).epoch
);

-- An event as it is delivered, with the same bytes at every attempt. An event that is not sealed yet yields
-- no row. Because the function returns a table, Postgres inlines it into the statement that reads the events.
-- One call per event would cost four times as much. Each join looks up the record of one type. For an event
-- of another type, the id in the join's condition is null, so the join looks up nothing.
create or replace function gold.event_body(given gold.event) returns table (body text)
language sql stable
begin atomic
  select '{"type":"' || (given).type || '","id":"evt_' || (given).id || '","sequence":' || (given).sequence
    || ',"created_at":"' || gold.instant_text((given).created_at)
    -- A sub-select without a reference to the event runs once per statement.
    || '","environment":"' || (select d.environment from gold.deployment d) || '","api_version":"1","data":{' || case
      when (given).type = 'order.executed' then '"order":' || gold.order_text(o) || ','
      when (given).type like 'withdrawal.%' then '"withdrawal":' || gold.withdrawal_text(w, (given).sequence) || ','
      when (given).type like 'funding.%' then '"funding":' || gold.funding_text(f, (given).sequence) || ','
      when (given).type = 'credential.expiring' then '"credential":{"kind":"' || n.kind || '","id":' || to_json(n.credential)
        || ',"expires_at":"' || gold.instant_text(n.expires_at) || '"},'
      when gold.is_partner_change((given).type) then gold.change_text(c) || ','
      -- A sub-select instead of a join: this type is rare, and each join costs at every event.
      when (given).type = 'day.closed' then (
        select '"day":' || gold.closed_day_text(d) || ',' from gold.closed_day d
        where d.bucket = (given).bucket and d.client_id = (given).client_id and d.sequence = (given).sequence)
      else ''
    end || '"chain_head":"' || encode(l.hash, 'hex') || '"}}'
  from gold.chain_link l
  left join gold.orders o on o.bucket = l.bucket and o.client_id = l.client_id
    and o.id = case when (given).type = 'order.executed' then (given).subject end
  left join gold.withdrawal w on w.bucket = l.bucket and w.client_id = l.client_id
    and w.id = case when (given).type like 'withdrawal.%' then (given).subject end
  left join gold.funding f on f.bucket = l.bucket and f.client_id = l.client_id
    and f.id = case when (given).type like 'funding.%' then (given).subject end
  left join gold.expiry_notice n on n.bucket = l.bucket and n.client_id = l.client_id
    and n.id = case when (given).type = 'credential.expiring' then (given).subject end
  left join gold.partner_change c on c.bucket = l.bucket and c.client_id = l.client_id
    and c.sequence = case when gold.is_partner_change((given).type) then (given).sequence end
  where l.bucket = (given).bucket and l.client_id = (given).client_id and l.sequence = (given).sequence;
end;

-- The state of an event's delivery to one endpoint, with the newest hundred of the attempts that are still stored.
-- The bounds on attempted_at let Postgres read only the weekly partitions from the event until now. One minute on each
-- side allows for clock differences.
create or replace function gold.delivery_members(given gold.event, receiver int) returns text
language sql stable
return (
  select '"status":"' || case
      when r.sequence is null and a.delivered then 'delivered'
      else gold.delivery_status(coalesce(n.passed, 0), (given).sequence, r)
    end || '","next_attempt_at":'
    || coalesce('"' || gold.instant_text(gold.next_attempt_at((given).type, r, n)) || '"', 'null')
    || ',"attempts":[' || coalesce(a.listed, '') || ']'
  from (
    select bool_or(a.http_status between 200 and 299) as delivered,
      string_agg('{"attempted_at":"' || gold.instant_text(a.attempted_at) || '","http_status":' || coalesce(a.http_status::text, 'null')
        || ',"duration_ms":' || a.duration_ms || ',"cause":' || coalesce('"' || case
          when a.http_status between 200 and 299 then null
          when a.http_status is not null then 'status'
          when a.error = 'dns_failed' then 'dns'
          when a.error in ('address_forbidden', 'url_invalid', 'port_forbidden') then 'address'
          when a.error = 'connect_failed' then 'refused'
          when a.error = 'tls_failed' then 'tls_untrusted'
          when a.error = 'timeout' then 'timeout'
          when a.error in ('reset', 'answer_invalid') then 'reset'
          else 'other'
        end || '"', 'null') || '}', ',' order by a.attempted_at) as listed
    from (
      select * from gold.attempt a
      where a.bucket = receiver % 64 and a.client_id = receiver and a.sequence = (given).sequence
        and a.attempted_at between (given).created_at - interval '1 minute' and now() + interval '1 minute'
      order by a.attempted_at desc limit 100
    ) a
  ) a
  left join gold.endpoint n on n.bucket = receiver % 64 and n.client_id = receiver
  left join gold.retry r on r.bucket = receiver % 64 and r.client_id = receiver and r.sequence = (given).sequence
);

-- Whether an endpoint gets the event, or got it before its types changed. `passed` is the endpoint's mark.
create or replace function gold.gets(taker gold.receiver, passed bigint, given gold.event) returns boolean
language sql stable
return (given).sequence > (taker).added_after
  and (gold.takes((taker).types, (given).type) and (given).sequence > least((taker).typed_after, passed)
    or exists (
      select from gold.retry r
      where r.bucket = (taker).id % 64 and r.client_id = (taker).id and r.sequence = (given).sequence)
    or exists (
      select from gold.attempt a
      where a.bucket = (taker).id % 64 and a.client_id = (taker).id and a.sequence = (given).sequence
        and a.attempted_at between (given).created_at - interval '1 minute' and now() + interval '1 minute'
        and a.http_status between 200 and 299));

-- The deliveries of an event to each endpoint that gets it. `delivery` is that to the first of them.
create or replace function gold.deliveries_text(given gold.event) returns text
language sql stable
return (
  select '"delivery":{' || coalesce((array_agg(d.members order by d.number))[1],
      '"status":"filtered","next_attempt_at":null,"attempts":[]')
    || '},"deliveries":['
    || coalesce(string_agg('{"endpoint":' || d.number || ',' || d.members || '}', ',' order by d.number), '') || ']'
  from (
    select r.number, gold.delivery_members(given, r.id) as members
    from gold.receiver r left join gold.endpoint n on n.bucket = r.id % 64 and n.client_id = r.id
    where r.partner_id = (given).client_id and r.removed_at is null
      and gold.gets(r, coalesce(n.passed, r.added_after), given)
    offset 0
  ) d
);

-- The text of an event for reads: the delivered body plus the state of its deliveries and its line.
create or replace function gold.with_delivery(body text, delivery text) returns text
language sql immutable parallel safe
return left(body, -1) || ',' || delivery || '}';

create or replace function gold.event_text(given gold.event, delivery text) returns text
language sql stable
return (select gold.with_delivery(b.body, delivery) from gold.event_body(given) b);

-- What reads add to an event: the state of its deliveries, then the line that its link of the hash chain
-- commits to. A line has only digits, hexadecimal digits, hyphens and bars, so JSON escapes nothing in it.
create or replace function gold.delivery_and_line(given gold.event) returns text
language sql stable
return gold.deliveries_text(given) || ',"line":"'
  || (select l.line from gold.chain_lines((given).client_id, (given).sequence - 1, 1) l) || '"';
