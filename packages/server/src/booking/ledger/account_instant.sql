-- The time of an account. Its records never go back in time, whatever the database's clock does: everything that is recorded for an
-- account takes its instant from here, under the account's lock.

-- How far the clock may be behind an account's newest posting before its quotes and orders are refused. Postings are rounded up by
-- less than a millisecond, so only a clock that stepped back is ever behind by more.
create or replace function gold.clock_tolerance() returns interval
language sql immutable parallel safe
return interval '5 seconds';

-- The instant of what is recorded now: the later of the clock and the newest posting, and a later millisecond than any for which a
-- balance was answered. `present` is the clock's next millisecond. A balance that was read before the clock stepped back by more
-- than the tolerance does not count: it would stop an account that has no posting ahead of the clock.
create or replace function gold.account_instant(holder gold.account, present timestamptz) returns timestamptz
language sql stable parallel safe
return case
  when (holder).last_posted_at <= present and (holder).closed_until < present then present
  when (holder).closed_until <= greatest(present + gold.clock_tolerance(), (holder).last_posted_at)
    then greatest(present, (holder).last_posted_at, (holder).closed_until + interval '1 millisecond')
  else greatest(present, (holder).last_posted_at)
end;

-- By how many seconds the clock is behind an account's newest posting, as the service reports it.
create or replace function gold.seconds_behind(holder gold.account, clock timestamptz) returns text
language sql stable parallel safe
return ceil(extract(epoch from (holder).last_posted_at - clock))::bigint::text;
