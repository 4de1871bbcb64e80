-- Returns the sequence number of a client's last event at or before an instant. The events are numbered
-- without a gap and their instants never decrease. So a binary search needs no index on the instant, and
-- takes twenty steps for a million events. Each step uses `>=` with `limit 1`. With an equality, the planner
-- may choose the index by id instead and read all events of the client.

create or replace function gold.sequence_at(client int, at timestamptz) returns bigint
language plpgsql stable set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  low bigint := 0;
  high bigint;
  middle bigint;
begin
  select a.event_sequence into strict high from account a where a.bucket = client % 64 and a.client_id = client;
  while low < high loop
    middle := (low + high + 1) / 2;
    if (
      select e.created_at from event e where e.bucket = client % 64 and e.client_id = client and e.sequence >= middle
      order by e.sequence limit 1
    ) <= at then
      low := middle;
    else
      high := middle - 1;
    end if;
  end loop;
  return low;
end $$;

-- The newest record of each partner up to an instant. It searches all partners at once, by halving; sequence_at()
-- does this for one.
create or replace function gold.sequences_at(at timestamptz) returns table (client int, sequence bigint)
language sql stable security definer set search_path = gold, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
begin atomic
  with recursive half (client, low, high) as (
    select a.client_id, case when a.last_posted_at > sequences_at.at then 0 else a.event_sequence end, a.event_sequence
    from gold.account a where a.client_id <> 0
    union all
    select h.client, case when e.created_at <= sequences_at.at then m.middle else h.low end,
      case when e.created_at <= sequences_at.at then h.high else m.middle - 1 end
    from half h
    cross join lateral (select (h.low + h.high + 1) / 2 as middle) m
    left join lateral (
      select e.created_at from gold.event e
      where e.bucket = h.client % 64 and e.client_id = h.client and e.sequence >= m.middle order by e.sequence limit 1
    ) e on true
    where h.low < h.high
  )
  select h.client, h.low from half h where h.low >= h.high;
end;

-- The three balances after the record with this sequence number.
create or replace function gold.balance_after(client int, sequence bigint, out available bigint, out held bigint, out gold bigint)
language sql stable set search_path = gold, pg_temp
begin atomic
  select coalesce(t.sar_available_after, 0), coalesce(t.sar_held_after, 0), coalesce(t.gold_after, 0)
  from (values (1)) always (one) left join lateral (
    select * from gold.transfer t
    where t.bucket = balance_after.client % 64 and t.client_id = balance_after.client and t.sequence <= balance_after.sequence
    order by t.bucket desc, t.client_id desc, t.sequence desc, t.leg desc limit 1
  ) t on true;
end;

-- Closes an account's past up to an instant: every later posting gets a later millisecond (account_instant).
-- First waits for any posting in progress. The commit waits neither for the disk nor for a standby, so a
-- crash can lose this update. A returned balance then becomes wrong only if the clock also steps back.
create or replace function gold.close_past(client int, until timestamptz) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update account a set closed_until = greatest(closed_end(a, ceil_millisecond(clock_timestamp())), ceil_millisecond(until)) where a.bucket = client % 64 and a.client_id = client;
end $$;

-- Returns the balance at an instant. Returns no row if the instant is later than the clock, the newest
-- posting and closed_end. The answer for an instant never changes. An instant before the newest posting, or
-- not after closed_end, is closed already. If the instant is not closed yet, this call closes it.
create or replace function gold.balance_at(client int, at timestamptz) returns table (available bigint, held bigint, gold bigint)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  holder account;
  clock timestamptz;
  closed timestamptz;
begin
  perform require_read_committed();
  select a.* into strict holder from account a where a.bucket = balance_at.client % 64 and a.client_id = balance_at.client;
  clock := clock_timestamp();
  closed := closed_end(holder, ceil_millisecond(clock));
  if balance_at.at > greatest(clock, holder.last_posted_at, closed) then
    return;
  elsif balance_at.at >= holder.last_posted_at and balance_at.at > closed then
    perform close_past(balance_at.client, balance_at.at);
  end if;
  return query select b.available, b.held, b.gold from balance_after(balance_at.client, sequence_at(balance_at.client, balance_at.at)) b;
end $$;

-- The balance now, as of the later of the clock and the newest posting. For that instant, balance_at always
-- returns the same balance. A read-only database cannot close the past. The balance is then as of the later
-- of the newest posting and the last instant that was closed.
create or replace function gold.balance_now(client int) returns table (available bigint, held bigint, gold bigint, as_of timestamptz)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  holder account;
  clock timestamptz;
  present timestamptz;
begin
  perform require_read_committed();
  if current_setting('transaction_read_only')::boolean then
    holder := settled_account(balance_now.client);
    return query select holder.sar_available, holder.sar_held, holder.gold,
      greatest(holder.last_posted_at, closed_end(holder, ceil_millisecond(clock_timestamp())));
    return;
  end if;
  select a.* into strict holder from account a where a.bucket = balance_now.client % 64 and a.client_id = balance_now.client for no key update;
  clock := clock_timestamp();
  present := greatest(date_trunc('milliseconds', clock), holder.last_posted_at);
  if present > closed_end(holder, ceil_millisecond(clock)) then
    perform close_past(balance_now.client, present);
  end if;
  return query select holder.sar_available, holder.sar_held, holder.gold, present;
end $$;
