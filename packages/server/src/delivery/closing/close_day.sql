-- Closes a partner's day in Riyadh with the event `day.closed`. The event commits to the quotes and the
-- binding refusals of the day, with their keys and replies, because no other event does.
--
-- Nothing can be added to a closed day. Every event, quote and refusal gets its instant from account_instant
-- under the account's lock, and that instant is never before `last_posted_at`. So a day is closed in two
-- transactions:
--   1. Under the account's lock, `last_posted_at` is raised to the end of the day's last quote. A transaction
--      that held the lock earlier has committed. A transaction that gets the lock later takes an instant after
--      the day, even if the clock steps back, and no quote of the day can be executed any more.
--   2. The day is read without the lock, because a day may have 100,000 quotes. Then the event is posted under
--      the lock.
-- After a crash between the two transactions, the next call continues with the second transaction.

-- A day is closed some minutes after the end of its last quote, so that the clock rarely steps back across it.
create or replace function gold.close_delay() returns interval
language sql immutable parallel safe
return interval '5 minutes';

-- A quote's id contains the time of the service's clock. The quote's instant is the time of the database's
-- clock. The two clocks differ by less than this interval, so the quotes of a day can be found by their ids.
create or replace function gold.id_tolerance() returns interval
language sql immutable parallel safe
return interval '1 hour';

create or replace function gold.day_of(instant timestamptz) returns date
language sql immutable parallel safe
return (instant at time zone 'Asia/Riyadh')::date;

create or replace function gold.day_begin(day date) returns timestamptz
language sql immutable parallel safe
return day::timestamp at time zone 'Asia/Riyadh';

-- When the last quote of a client's day ends, or the day itself. A quote lasts one hour at most (the check
-- price_quote_ttl).
create or replace function gold.quotes_end(client int, day date) returns timestamptz
language sql stable set search_path = gold, pg_temp as $$
  select greatest(day_begin(quotes_end.day + 1), max(q.expires_at))
  from quote q
  where q.bucket = quotes_end.client % 64 and q.client_id = quotes_end.client
    and q.created_at >= day_begin(quotes_end.day) and q.created_at < day_begin(quotes_end.day + 1)
    and q.id >= first_id_at(day_begin(quotes_end.day + 1) - interval '1 hour' - id_tolerance())
    and q.id < first_id_at(day_begin(quotes_end.day + 1) + id_tolerance())
$$;

-- True if the partner sent the order in time, but the order failed because of the operator. Either the vault
-- was empty, or the quote ended between the signed X-Timestamp and the booking. The third line of the stored
-- request is its X-Timestamp, in seconds (docs/chain.md). The refusal's detail states the end of the quote.
create or replace function gold.is_broken(refused gold.idempotency_key) returns boolean
language sql stable
return case (refused).body::json->>'code'
  when 'insufficient_inventory' then true
  when 'quote_expired' then coalesce(nullif(split_part(convert_from((refused).request, 'UTF8'), chr(10), 3), '')::bigint
    < extract(epoch from substring((refused).body::json->>'detail' from 'until ([0-9TZ:.-]+Z)')::timestamptz), false)
  else false
end;

-- Computes from the rows what the event of a day states, except the event's own number and the epoch. A
-- quote's line is id|side|grams|price|total|begin|end|answer, and a refusal's line is instant|answer, with
-- instants in ms. The answer binds the idempotency key, fingerprint, status, reply and request (answer_of()).
-- Each line is hashed, and the day's hash is computed over these hashes, because the lines of a million
-- quotes would need 200 MB of memory.
create or replace function gold.day_facts(client int, day date) returns gold.closed_day
language plpgsql stable set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
  begins timestamptz := day_begin(day_facts.day);
  ends timestamptz := day_begin(day_facts.day + 1);
  opening bigint := sequence_at(day_facts.client, begins - interval '1 millisecond');
  closing bigint := sequence_at(day_facts.client, ends - interval '1 millisecond');
  facts closed_day;
begin
  facts.bucket := day_facts.client % 64;
  facts.client_id := day_facts.client;
  facts.day := day_facts.day;
  if closing > opening then
    facts.first_sequence := opening + 1;
    facts.last_sequence := closing;
  end if;
  select b.available, b.held, b.gold into facts.opening_available, facts.opening_held, facts.opening_gold
  from balance_after(day_facts.client, opening) b;
  select b.available, b.held, b.gold into facts.closing_available, facts.closing_held, facts.closing_gold
  from balance_after(day_facts.client, closing) b;
  select count(*) into facts.orders
  from event e
  where e.bucket = facts.bucket and e.client_id = facts.client_id and e.sequence > opening and e.sequence <= closing
    and e.type = 'order.executed';

  select count(*), sha256(coalesce(string_agg(sha256(convert_to(q.id || '|' || array_position(enum_range(null::side), q.side) || '|' || q.grams || '|'
      || q.price || '|' || q.total || '|' || (extract(epoch from q.created_at) * 1000)::bigint || '|'
      || (extract(epoch from q.expires_at) * 1000)::bigint || '|'
      || coalesce(encode(answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body), 'hex'), ''), 'UTF8')), ''::bytea order by q.id), '')),
    count(o.id)
  into facts.quotes, facts.quotes_sha256, facts.quotes_executed
  from quote q
  -- OFFSET 0 keeps these lookups by the whole key; see chain_lines().
  left join lateral (
    select o.id from orders o where o.bucket = q.bucket and o.client_id = q.client_id and o.id = q.id offset 0
  ) o on true
  left join lateral (
    select k.* from idempotency_key k
    where k.bucket = q.bucket and k.client_id = q.client_id and k.key = coalesce(q.key_uuid::text, q.key) offset 0
  ) k on true
  where q.bucket = facts.bucket and q.client_id = facts.client_id and q.created_at >= begins and q.created_at < ends
    and q.id >= first_id_at(begins - id_tolerance()) and q.id < first_id_at(ends + id_tolerance());

  select count(*), count(*) filter (where is_broken(k::idempotency_key)), sha256(coalesce(string_agg(sha256(convert_to((extract(epoch from r.created_at) * 1000)::bigint || '|'
      || encode(answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body, k.request, k.signing_thumbprint), 'hex'), 'UTF8')),
      ''::bytea order by r.created_at, r.key), ''))
  into facts.refusals, facts.broken, facts.refusals_sha256
  from refusal r
  cross join lateral (
    select k.* from idempotency_key k where k.bucket = r.bucket and k.client_id = r.client_id and k.key = r.key offset 0
  ) k
  where r.bucket = facts.bucket and r.client_id = facts.client_id and r.created_at >= begins and r.created_at < ends;
  return facts;
end $$;

-- The client's oldest day with activity that is not closed and has ended; null if there is none. Activity is
-- an event of another type, a quote or a binding refusal. If the event `day.closed` counted as activity, an
-- idle partner would get one every day.
create or replace function gold.unclosed_day(client int) returns date
language plpgsql stable set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  since timestamptz;
  clock timestamptz := clock_timestamp();
  active date;
begin
  select greatest(day_end(e.began_at), day_begin((
    select c.day + 1 from closed_day c
    where c.bucket = unclosed_day.client % 64 and c.client_id = unclosed_day.client order by c.bucket, c.client_id, c.day desc limit 1)))
  into since from epoch e where e.id = 1;
  if day_end(since) + close_delay() > clock then
    return null;
  end if;
  select day_of(least(
    (
      select e.created_at from event e
      where e.bucket = unclosed_day.client % 64 and e.client_id = unclosed_day.client
        and e.sequence > sequence_at(unclosed_day.client, since - interval '1 millisecond') and e.type <> 'day.closed'
      order by e.sequence limit 1
    ), (
      -- The first quote by id may not be the first by instant, so read the ids of its next hour, too.
      select min(q.created_at) from (
        select f.id, f.created_at from quote f
        where f.bucket = unclosed_day.client % 64 and f.client_id = unclosed_day.client
          and f.id >= first_id_at(since - id_tolerance()) and f.created_at >= since
        order by f.id limit 1
      ) f
      join quote q on q.bucket = unclosed_day.client % 64 and q.client_id = unclosed_day.client and q.id >= f.id
        and q.id < first_id_at(f.created_at + id_tolerance()) and q.created_at >= since
    ), (
      select r.created_at from refusal r
      where r.bucket = unclosed_day.client % 64 and r.client_id = unclosed_day.client and r.created_at >= since
      order by r.created_at limit 1
    )))
  into active;
  return case when quotes_end(unclosed_day.client, active) + close_delay() <= clock then active end;
end $$;

-- Posts the event of a day. Nothing may be added to the day any more. Does nothing if another transaction
-- closed the day meanwhile.
create or replace function gold.post_day(client int, day date) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  facts closed_day := day_facts(post_day.client, post_day.day);
  holder account;
  at timestamptz;
  id uuid;
begin
  facts.epoch := note_epoch();
  perform begin_change(post_day.client);
  select a.* into strict holder from account a where a.bucket = post_day.client % 64 and a.client_id = post_day.client;
  at := account_instant(holder, ceil_millisecond(clock_timestamp()));
  id := new_uuid(at);
  facts.sequence := holder.event_sequence + 1;
  insert into closed_day select (facts).* on conflict do nothing;
  if found then
    perform take_sequence(post_day.client, facts.sequence, at);
    perform post_event(post_day.client, facts.sequence, id, id, at, 'day.closed');
  end if;
end $$;

-- The clients for which close_day has something to do.
create or replace function gold.unclosed_clients() returns setof int
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select a.client_id from gold.account a where a.client_id <> 0 and gold.unclosed_day(a.client_id) is not null;
end;

-- Takes the next step to close the client's oldest day that has ended. Returns false if there is nothing to
-- do, or if another worker is doing it. Each step is a separate transaction.
create or replace function gold.close_day(client int) returns boolean
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  day date;
  ends timestamptz;
begin
  perform require_read_committed();
  -- Without this lock, two workers could both read the whole day. The first number identifies this kind of
  -- lock.
  if not pg_try_advisory_xact_lock(1735355493, close_day.client) then
    return false;
  end if;
  day := unclosed_day(close_day.client);
  if day is null then
    return false;
  end if;
  ends := quotes_end(close_day.client, day);
  if (select a.last_posted_at < ends from account a where a.bucket = close_day.client % 64 and a.client_id = close_day.client) then
    perform lock_accounts(array[close_day.client], true);
    update account a set last_posted_at = greatest(a.last_posted_at, ends)
    where a.bucket = close_day.client % 64 and a.client_id = close_day.client;
    return true;
  end if;

  perform post_day(close_day.client, day);
  return true;
end $$;
