-- Raises an error unless the transaction runs at READ COMMITTED. A function calls this before it waits for a
-- lock. At any other isolation level, the statements after the lock would not see what the previous holder of
-- the lock committed.
create or replace function gold.require_read_committed() returns void
language plpgsql stable as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'booking runs at READ COMMITTED: each statement after a lock must see what the previous holder of the lock committed';
  end if;
end $$;

-- In the text of a stored reply, a quantity is the shortest decimal, and an instant is RFC 3339 with
-- milliseconds.

create or replace function gold.decimal_text(quantity bigint, unit numeric) returns text
language sql immutable parallel safe return trim_scale(quantity * unit)::text;

create or replace function gold.instant_text(at timestamptz) returns text
language sql stable parallel safe
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Rounds up to a full millisecond, so that a posting never gets an instant that has already passed. A balance
-- that was read for a past instant therefore stays true.
create or replace function gold.ceil_millisecond(at timestamptz) returns timestamptz
language sql stable parallel safe
return case when date_trunc('milliseconds', at) = at then at
            else date_trunc('milliseconds', at) + interval '1 millisecond' end;

create or replace function gold.balances_text(available bigint, held bigint, gold bigint, at timestamptz) returns text
language sql stable parallel safe
return '{"sar":{"available":' || gold.decimal_text(available, 0.01) || ',"held":' || gold.decimal_text(held, 0.01)
    || '},"gold":{"grams":' || gold.decimal_text(gold, 0.0001) || '},"as_of":"' || gold.instant_text(at) || '"}';
