-- The time of an account. Its records never go back in time, even if the database's clock does. Every record of an account
-- takes its instant from here, under the account's lock.

-- If the clock is further than this behind an account's newest posting, the account's quotes and orders are refused. Postings are
-- rounded up by less than a millisecond, so a greater difference means that the clock stepped back.
create or replace function gold.clock_tolerance() returns interval
language sql immutable parallel safe
return interval '5 seconds';

-- The instant of a new record: the later of the clock and the newest posting, and later than every millisecond for which a
-- balance was answered. `present` is the clock's next millisecond. If the clock stepped back by more than the tolerance, balances
-- read before the step are ignored: they would stop an account that has no posting ahead of the clock.
create or replace function gold.account_instant(holder gold.account, present timestamptz) returns timestamptz
language sql stable parallel safe
return case
  when (holder).last_posted_at <= present and (holder).closed_until < present then present
  when (holder).closed_until <= greatest(present + gold.clock_tolerance(), (holder).last_posted_at)
    then greatest(present, (holder).last_posted_at, (holder).closed_until + interval '1 millisecond')
  else greatest(present, (holder).last_posted_at)
end;

-- The number of seconds by which the clock is behind an account's newest posting, for the service's alarm.
create or replace function gold.seconds_behind(holder gold.account, clock timestamptz) returns text
language sql stable parallel safe
return ceil(extract(epoch from (holder).last_posted_at - clock))::bigint::text;
