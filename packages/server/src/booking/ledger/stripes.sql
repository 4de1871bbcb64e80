-- The vault's free gold lies in one or more stripes, rows of `vault`. A batch of orders holds one stripe
-- until its commit. With a synchronous standby, a commit takes a round trip, and batches on other connections
-- use the other stripes meanwhile.
--
-- The sum of the stripes is the free gold of the books. How it is spread has no meaning, so moving it needs
-- no transfer. Lock order: accounts, then stripes in ascending order. A batch that locks a single stripe does
-- not wait for it, and locks no other stripe afterwards. So no two transactions wait for each other. Postgres
-- may lock a single stripe that the batch then cannot use; book_orders() refuses to wait while it holds one.

-- Locks all stripes and returns stripe 0. If stripe 0 has less than `need`, moves free gold: stripe 0 gets
-- `need`, and the rest is spread evenly over all stripes. If all stripes together have less than `need`,
-- stripe 0 gets everything. The caller must hold no stripe.
create or replace function gold.gather_vault(need bigint) returns gold.vault
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
declare
  stripes vault[];
  first vault;
  others int;
  total bigint;
  share bigint;
begin
  select array_agg(s::vault) into strict stripes from (select v.* from vault v order by v.stripe for no key update) s;
  first := stripes[1];
  others := cardinality(stripes) - 1;
  if others > 0 and first.free < need then
    select sum(s.free) into total from unnest(stripes) s;
    share := greatest(total - need, 0) / (others + 1);
    first.free := total - share * others;
    -- Only the locked stripes: set_stripes() may have added others meanwhile.
    update vault v set free = case v.stripe when 0 then first.free else share end
    from unnest(stripes) s where v.stripe = s.stripe;
  end if;
  return first;
end $$;

-- Sets the number of stripes, and spreads the free gold evenly. Only the migration login may call it, because
-- it needs the rights of the tables' owner. The lock waits for the batches that are being booked.
create or replace function gold.set_stripes(count int) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  known int := (select max(v.stripe) + 1 from vault v);
begin
  if count not between 1 and 64 then
    raise exception 'the vault can have 1 to 64 stripes; got %', count using errcode = 'GR409';
  elsif known = count then
    return;
  end if;
  lock table vault in exclusive mode;
  insert into vault (stripe, list_id, maximum_exposure)
  select n, v.list_id, v.maximum_exposure from vault v, generate_series(1, count - 1) n where v.stripe = 0
  on conflict do nothing;
  update vault v set free = case when v.stripe < count then t.free / count else 0 end
    + case v.stripe when 0 then t.free % count else 0 end
  from (select sum(w.free)::bigint as free from vault w) t;
  delete from vault v where v.stripe >= count;
  perform note('deployment.stripes', count::text, jsonb_build_object('before', known));
end $$;
