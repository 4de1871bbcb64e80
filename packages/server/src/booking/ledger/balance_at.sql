-- The past, found by the sequence: a client's events are numbered without a gap and their instants never fall, so the last
-- one of any instant is found by halving, twenty steps for a million, without an index for it. Each step asks for the next number
-- that there is: asked for by equality, the planner may take the index by id for as good, and read all events of the client.

create or replace function gold.sequence_at(client int, at timestamptz) returns bigint
language plpgsql stable set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
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

-- The three balances after the record of this number.
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

-- The balance at an instant that is past. The account is held while it is found: a posting under way is waited for, and one
-- that comes later gets a later instant, so the answer never changes. Null where the instant is still to come; but the one that a
-- posting was just given may be less than a millisecond ahead, for it is rounded up, and that is waited for.
create or replace function gold.balance_at(client int, at timestamptz) returns table (available bigint, held bigint, gold bigint)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform require_read_committed();
  perform from account a where a.bucket = balance_at.client % 64 and a.client_id = balance_at.client for share;
  if balance_at.at > ceil_millisecond(clock_timestamp()) then
    return;
  end if;
  while balance_at.at >= clock_timestamp() loop
    perform pg_sleep(0.0005);
  end loop;
  return query select b.available, b.held, b.gold from balance_after(balance_at.client, sequence_at(balance_at.client, balance_at.at)) b;
end $$;

-- The balance now. The account is held here, too, and the rest of a posting's own millisecond waited for: so what is told as of an instant is
-- what balance_at tells of it ever after.
create or replace function gold.balance_now(client int) returns table (available bigint, held bigint, gold bigint, as_of timestamptz)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  holder account;
begin
  perform require_read_committed();
  select a.* into holder from account a where a.bucket = balance_now.client % 64 and a.client_id = balance_now.client for share;
  while holder.last_posted_at >= clock_timestamp() loop
    perform pg_sleep(0.0005);
  end loop;
  return query select holder.sar_available, holder.sar_held, holder.gold, date_trunc('milliseconds', clock_timestamp());
end $$;
