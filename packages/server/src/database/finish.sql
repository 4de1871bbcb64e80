-- Ends the booking of signed writes without their signed request, for `gold db migrate --finish`. The
-- migration has dropped the functions of release_0_3_0.sql and release_0_4_0.sql. Only the first call stores
-- the instant.
--
-- The constraint is NOT VALID, because older rows have no request. It then checks every new row.
alter table "gold"."idempotency_key" drop constraint if exists "idempotency_key_signed";
alter table "gold"."idempotency_key" add constraint "idempotency_key_signed"
  check (result_kind not in ('order', 'withdrawal') or (request is not null and signing_thumbprint is not null)) not valid;

do $$
declare
  at timestamptz;
begin
  update gold.deployment
  -- An account's newest posting can be ahead of the clock, but no older posting can be after this instant.
  -- The migration holds the lock of the accounts.
  set requests_kept_since = greatest(gold.ceil_millisecond(clock_timestamp()), (select max(a.last_posted_at) from gold.account a))
  where requests_kept_since is null
  returning requests_kept_since into at;
  if at is not null then
    perform gold.note('deployment.finish', 'deployment', jsonb_build_object('requests_kept_since', gold.instant_text(at)));
  end if;
end $$;
