-- This trigger function is the only writer of the stored balances; database/triggers.sql attaches it. It runs
-- once per statement, over all transfers of the statement. For each client, the old balances plus the
-- transfers must equal the balances stated in the client's last transfer. The sequence number must increase,
-- and the instant must not decrease. Otherwise the function refuses the whole statement. gather_vault() and
-- set_stripes() also write `vault.free`, but they only move gold between stripes.

create or replace function gold.post_transfers() returns trigger
language plpgsql security definer set search_path = gold, pg_temp as $$
declare
  owners int;
  followed int;
  stripes int;
begin
  with moved as (
    select bucket, client_id,
      max(posted_at) as posted_at,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end)::bigint as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end)::bigint as held,
      sum(case when credit = 'gold' then amount when debit = 'gold' then -amount else 0 end)::bigint as gold,
      -- The last transfer and the balances that it states.
      max(array[sequence, leg, sar_available_after, sar_held_after, gold_after]) as last
    from posted
    group by bucket, client_id
  ), followed as (
    update account a
    set event_sequence = moved.last[1],
        last_posted_at = moved.posted_at,
        sar_available = a.sar_available + moved.available,
        sar_held = a.sar_held + moved.held,
        gold = a.gold + moved.gold
    from moved
    where a.bucket = moved.bucket and a.client_id = moved.client_id
      and a.event_sequence < moved.last[1]
      and a.last_posted_at <= moved.posted_at
      and array[a.sar_available + moved.available, a.sar_held + moved.held, a.gold + moved.gold] = moved.last[3:5]
    returning 1
  )
  select (select count(*) from moved), (select count(*) from followed) into owners, followed;
  if owners <> followed then
    raise exception 'a client''s transfers do not match its account: wrong balances, a sequence number that did not increase, or an instant before the last posting' using errcode = 'GB001';
  end if;

  with moved as (
    select stripe, sum(case when credit = 'vault' then amount when debit = 'vault' then -amount else 0 end)::bigint as free
    from posted
    where asset = 'XAU'
    group by stripe
  ), followed as (
    update vault v set free = v.free + moved.free from moved where v.stripe = moved.stripe and moved.free <> 0 returning 1
  )
  select (select count(*) from moved where free <> 0), (select count(*) from followed) into stripes, followed;
  if stripes <> followed then
    raise exception 'the transfers name a stripe that the vault does not have' using errcode = 'GB001';
  end if;
  return null;
end $$;
