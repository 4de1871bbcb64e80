-- Every record of an account gets its instant from account_instant, under the account's lock. So an account's
-- records never go back in time, even if the database's clock does.

-- If the clock is further than this behind an account's newest posting, the account's quotes and orders are
-- refused. Without a step back, postings are ahead of the clock only by milliseconds, because their instants
-- are rounded up. A difference of seconds means that the clock stepped back.
create or replace function gold.clock_tolerance() returns interval
language sql immutable parallel safe
return interval '5 seconds';

-- Returns `closed_until`, the last millisecond for which a balance was answered, or '-infinity' if it must be
-- ignored. After the clock stepped back, `closed_until` can be ahead of the clock by more than the tolerance.
-- The next posting would then get an instant far ahead of the clock, and the account's quotes and orders
-- would be refused. So the function ignores `closed_until`. There is one exception: if the account's newest
-- posting is that far ahead, too, quotes and orders are refused in any case, and `closed_until` still counts.
create or replace function gold.closed_end(holder gold.account, present timestamptz) returns timestamptz
language sql stable parallel safe
return case
  when (holder).closed_until <= greatest(present, (holder).last_posted_at) + gold.clock_tolerance()
    or (holder).last_posted_at > present + gold.clock_tolerance() then (holder).closed_until
  else '-infinity'
end;

-- The instant of a new record: the later of the clock and the newest posting, and later than every
-- millisecond for which a balance was answered. `present` is the clock, rounded up to a full millisecond.
create or replace function gold.account_instant(holder gold.account, present timestamptz) returns timestamptz
language sql stable parallel safe
return case
  when (holder).last_posted_at <= present and (holder).closed_until < present then present
  else greatest(present, (holder).last_posted_at, gold.closed_end(holder, present) + interval '1 millisecond')
end;

-- The number of seconds by which the clock is behind an account's newest posting or quote, for the service's
-- alarm.
create or replace function gold.seconds_behind(newest timestamptz, clock timestamptz) returns text
language sql stable parallel safe
return ceil(extract(epoch from newest - clock))::bigint::text;
