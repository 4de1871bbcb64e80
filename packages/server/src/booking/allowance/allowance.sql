-- Limits of one partner: open firm quotes by number and by grams, the net position of a day, and stored
-- records per day. The net position is what the partner bought minus what it sold. It is checked when the
-- quote is made, as if every open quote had been executed, so that an order needs no check. A record is a
-- stored request that moved no money or gold: a quote, a binding refusal, a redelivery, a webhook test, a
-- simulation, or the nonce of a probe or a replay. An executed quote no longer counts as a record.
--
-- Every function here that reads or changes a row of `allowance` runs under the lock of the partner's
-- account, except read_limits. The counts in a row are upper bounds: executed and expired quotes are
-- subtracted only when a limit would be exceeded. So an executed order writes nothing here. A request that
-- a limit refuses writes to the row only if the counts have changed.

-- The day ends at midnight in Riyadh, like the day of a statement.
create or replace function gold.day_end(clock timestamptz) returns timestamptz
language sql immutable parallel safe
return (date_trunc('day', clock at time zone 'Asia/Riyadh') + interval '1 day') at time zone 'Asia/Riyadh';

-- Whether the clock is outside the day that ends at `ends_at`: the day has ended, or the clock stepped back
-- to before it. A clock that was read before the wait for a lock may be a moment before the day.
create or replace function gold.is_other_day(ends_at timestamptz, clock timestamptz) returns boolean
language sql stable parallel safe
return clock >= ends_at or clock < ends_at - interval '24 hours' - gold.clock_tolerance();

-- The smallest id that can be made at this instant. An id is a UUIDv7, which starts with its instant in
-- milliseconds.
create or replace function gold.first_id_at(instant timestamptz) returns uuid
language sql immutable parallel safe
return (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid;

-- The partner's gold before an instant that is not in the future.
create or replace function gold.gold_before(client int, at timestamptz) returns bigint
language plpgsql stable set search_path = gold, pg_temp as $$
begin
  return (select b.gold from balance_after(client, sequence_at(client, at - interval '1 millisecond')) b);
end $$;

-- How much of a limit on the net of a day a new quote's side has used: the net of the day's orders (negated
-- for a sell), and all open quotes of this side. A quote that ends after the day can be executed in the next
-- day, which begins at 0. So the day's orders on the other side do not make room for it.
create or replace function gold.side_used(
  side gold.side, net bigint, open_buys bigint, open_sells bigint, ends_at timestamptz, day_ends_at timestamptz
) returns bigint
language sql immutable parallel safe
return greatest(case side when 'buy' then net else -net end, case when ends_at >= day_ends_at then 0 end)
  + case side when 'buy' then open_buys else open_sells end;

-- How much of its net position a partner has used. `gold` is what it holds.
create or replace function gold.net_used(held gold.allowance, side gold.side, gold bigint, ends_at timestamptz) returns bigint
language sql immutable parallel safe
return gold.side_used(side, gold - (held).day_gold, (held).open_buy_grams, (held).open_sell_grams, ends_at, (held).day_ends_at);

-- The limit that one more record, or a new quote of `grams`, would exceed. `grams` is null for a request that
-- makes no quote; the arguments after it describe the quote, and `gold` is what the partner holds.
create or replace function gold.exceeded_limit(
  held gold.allowance, grams bigint, side gold.side default null, gold bigint default null, ends_at timestamptz default null
) returns text
language sql immutable parallel safe
return case
  when grams is not null and held.open_quotes >= held.maximum_open_quotes then 'open_quotes'
  when held.open_grams + grams > held.maximum_open_grams then 'open_grams'
  when held.maximum_net_grams is not null and gold.net_used(held, side, gold, ends_at) + grams > held.maximum_net_grams then 'net_position'
  when held.records >= held.maximum_daily_records then 'daily_records'
end;

-- Subtracts quotes that no longer count. First, it subtracts one quote for each order since the last call,
-- because each order executed a counted quote, and one record if the quote was made in the day of the
-- records. After the end of the day, it sets the records to 0 and reads the gold with which the day began. If
-- the clock stepped back to an earlier day, the records count on. If a limit that counts open quotes would
-- still be exceeded and a counted quote may have expired, it counts the open quotes exactly. A quote that was
-- made before the clock stepped back counts, too, because it can be executed when the clock reaches its time
-- again. But a quote that had expired at the last exact count stays uncounted.
create or replace function gold.renewed(
  held gold.allowance, clock timestamptz, grams bigint, side gold.side default null, gold bigint default null, ends_at timestamptz default null
) returns gold.allowance
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  first_of_day uuid := case when isfinite(held.day_ends_at) then first_id_at(held.day_ends_at - interval '24 hours') end;
  executed bigint;
  executed_today bigint;
  executed_buys bigint;
  executed_sells bigint;
  newest bigint;
begin
  select count(*), count(*) filter (where o.id >= first_of_day), coalesce(sum(o.grams) filter (where o.side = 'buy'), 0),
    coalesce(sum(o.grams) filter (where o.side = 'sell'), 0), max(o.sequence)
  into executed, executed_today, executed_buys, executed_sells, newest
  from orders o where o.client_id + 0 = held.client_id and o.sequence > held.counted_sequence;
  if executed > 0 then
    held.open_quotes := greatest(held.open_quotes - executed, 0);
    held.open_buy_grams := greatest(held.open_buy_grams - executed_buys, 0);
    held.open_sell_grams := greatest(held.open_sell_grams - executed_sells, 0);
    held.open_grams := held.open_buy_grams + held.open_sell_grams;
    held.records := greatest(held.records - executed_today, 0);
    held.counted_sequence := newest;
  end if;
  if is_other_day(held.day_ends_at, clock) then
    if clock >= held.day_ends_at then
      held.records := 0;
    end if;
    held.day_ends_at := day_end(clock);
    if held.maximum_net_grams is not null then
      held.day_gold := gold_before(held.client_id, held.day_ends_at - interval '24 hours');
    end if;
  end if;
  -- The open quotes are also counted again if `exact_until` is more than two minutes ahead of the clock,
  -- because then the clock stepped back.
  if exceeded_limit(held, grams, side, gold, ends_at) in ('open_quotes', 'open_grams', 'net_position')
    and (clock >= held.exact_until or held.exact_until > clock + interval '2 minutes') then
    select count(*), coalesce(sum(q.grams) filter (where q.side = 'buy'), 0), coalesce(sum(q.grams) filter (where q.side = 'sell'), 0),
      coalesce(min(q.expires_at), clock + interval '1 minute'),
      coalesce((array_agg(q.id order by q.id))[1], 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    into held.open_quotes, held.open_buy_grams, held.open_sell_grams, held.exact_until, held.open_from
    from quote q
    where q.bucket = held.bucket and q.client_id = held.client_id and q.id >= held.open_from and q.expires_at > clock
      and not exists (
        select from orders o where o.bucket = q.bucket and o.client_id = q.client_id and o.id = q.id offset 0
      );
    held.open_grams := held.open_buy_grams + held.open_sell_grams;
  end if;
  return held;
end $$;

-- This function is in PL/pgSQL, which caches the plan. Postgres would plan a function in SQL at each call.
create or replace function gold.keep_allowances(changed gold.allowance[]) returns void
language plpgsql volatile as $$
begin
  update gold.allowance l set open_quotes = c.open_quotes, open_grams = c.open_grams, open_buy_grams = c.open_buy_grams,
    open_sell_grams = c.open_sell_grams, open_from = c.open_from, exact_until = c.exact_until,
    counted_sequence = c.counted_sequence, records = c.records, day_ends_at = c.day_ends_at, day_gold = c.day_gold,
    replays_paid_at = c.replays_paid_at
  from unnest(changed) c
  where l.bucket = c.bucket and l.client_id = c.client_id;
end $$;

-- Builds the refusal for an exceeded limit. The refusal is not stored and binds no key. The service writes
-- the rate-limit headers from the member `limit`. Services of version 0.1.0 pass the body on unchanged.
-- `used` is the result of net_used() for a limit on the net position.
create or replace function gold.limit_reached(
  item int, held gold.allowance, reached text, clock timestamptz, request uuid, used bigint default null
) returns gold.outcome
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  answer text;
  detail text;
  quota bigint;
  free bigint := 0;
  window_seconds bigint := 86400;
  changes_at timestamptz := held.exact_until;
begin
  case reached
    when 'open_quotes' then
      answer := 'open_quotes_exceeded';
      quota := held.maximum_open_quotes;
      window_seconds := 60;
      detail := 'You have ' || held.open_quotes || ' of at most ' || quota || ' open quotes.';
    when 'open_grams' then
      answer := 'open_quotes_exceeded';
      quota := held.maximum_open_grams / 10000;
      free := greatest(held.maximum_open_grams - held.open_grams, 0) / 10000;
      window_seconds := 60;
      detail := 'Your open quotes hold ' || decimal_text(held.open_grams, 0.0001) || ' g; with this one they would exceed your limit of '
        || decimal_text(held.maximum_open_grams, 0.0001) || ' g.';
    when 'net_position' then
      answer := 'net_position_exceeded';
      quota := held.maximum_net_grams / 10000;
      free := greatest(held.maximum_net_grams - used, 0) / 10000;
      changes_at := held.day_ends_at;
      detail := 'With this quote, your orders of today and your open quotes could change your gold by more than your limit of '
        || decimal_text(held.maximum_net_grams, 0.0001) || ' g a day; at most ' || decimal_text(greatest(held.maximum_net_grams - used, 0), 0.0001)
        || ' g on this side are left. The day ends at ' || instant_text(held.day_ends_at) || '.';
    when 'daily_records' then
      answer := 'daily_budget_exceeded';
      quota := held.maximum_daily_records;
      changes_at := held.day_ends_at;
      detail := 'You have used your daily budget of ' || quota || ' stored records. The day ends at '
        || instant_text(held.day_ends_at) || '.';
    when 'replays' then
      answer := 'rate_limited';
      quota := replay_burst();
      window_seconds := quota / replays_per_second();
      changes_at := clock + interval '1 second';
      detail := 'You may replay ' || replays_per_second() || ' known keys a second, with a burst of ' || quota || '.';
  end case;
  return (
    select row(item, 'answered', p.status, json_build_object('type', problem_type(p.code), 'title', p.title, 'status', p.status,
      'detail', detail, 'code', p.code, 'request_id', 'req_' || request, 'retryable', p.retryable,
      'limit', json_build_object('policy', reached, 'quota', quota, 'window_seconds', window_seconds, 'remaining', free,
        'reset_seconds', greatest(1, ceil(extract(epoch from changes_at - clock)))))::text)::outcome
    from problem p where p.code = answer
  );
end $$;

-- Signed retries of known keys are answered even past the daily budget, so they have their own rate limit
-- (GCRA).
create or replace function gold.replays_per_second() returns int language sql immutable parallel safe return 5;
create or replace function gold.replay_burst() returns int language sql immutable parallel safe return 500;

-- Counts one record of a request that makes no quote, such as a binding refusal, a probe or a replay. Returns
-- the refusal if a limit forbids the record, and null if it may be stored. `executed` is the number of the
-- running batch's orders that are not in the table yet and whose quotes were made today.
create or replace function gold.take_record(
  item int, client int, clock timestamptz, request uuid, is_replay boolean, executed bigint default 0
) returns gold.outcome
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  held allowance;
begin
  select * into held from allowance l where l.bucket = client % 64 and l.client_id = client and l.maximum_daily_records is not null;
  if held.client_id is null then
    return null;
  end if;
  if is_replay then
    -- Correct `replays_paid_at` if it is more than a whole burst ahead of the clock, because then the clock
    -- stepped back.
    if held.replays_paid_at > clock + make_interval(secs => replay_burst() / replays_per_second()::float8) then
      held.replays_paid_at := clock;
    end if;
    if held.replays_paid_at > clock + make_interval(secs => (replay_burst() - 1) / replays_per_second()::float8) then
      return limit_reached(item, held, 'replays', clock, request);
    end if;
    held.replays_paid_at := greatest(held.replays_paid_at, clock) + make_interval(secs => 1 / replays_per_second()::float8);
  elsif held.records >= held.maximum_daily_records or is_other_day(held.day_ends_at, clock) then
    held := renewed(held, clock, null);
    if held.records - executed >= held.maximum_daily_records then
      return limit_reached(item, held, 'daily_records', clock, request);
    end if;
  end if;
  held.records := held.records + 1;
  perform keep_allowances(array[held]);
  return null;
end $$;

-- The limits of a partner and their use, counted exactly, for GET /v1/limits. Returns no row for a partner
-- without limits.
create or replace function gold.read_limits(client int) returns table (
  maximum_open_quotes int, maximum_open_grams bigint, maximum_daily_records int,
  open_quotes bigint, open_grams bigint, records bigint, resets_at timestamptz
)
language sql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
begin atomic
  select l.maximum_open_quotes, l.maximum_open_grams, l.maximum_daily_records, q.number, q.grams,
    case when c.clock < l.day_ends_at then greatest(l.records - o.number, 0) else 0 end, gold.day_end(c.clock)
  from gold.allowance l
  cross join (select clock_timestamp() as clock) c
  cross join lateral (
    select count(*) as number, coalesce(sum(q.grams), 0)::bigint as grams from gold.quote q
    where q.bucket = l.bucket and q.client_id = l.client_id and q.id >= l.open_from and q.expires_at > c.clock
      and not exists (select from gold.orders o where o.bucket = q.bucket and o.client_id = q.client_id and o.id = q.id)
  ) q
  cross join lateral (
    select count(*) as number from gold.orders o where o.client_id + 0 = l.client_id and o.sequence > l.counted_sequence
      and o.id >= case when isfinite(l.day_ends_at) then gold.first_id_at(l.day_ends_at - interval '24 hours') end
  ) o
  where l.bucket = read_limits.client % 64 and l.client_id = read_limits.client;
end;
