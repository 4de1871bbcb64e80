-- Until `gold db migrate --finish`, gold_api may also do what the other logins of the service may do.
-- Processes of 0.4.0 use gold_api for everything, and keep running after the migration. See hasNarrowLogins()
-- of migrate.ts.
do $$
declare
  item record;
begin
  for item in
    select distinct p.oid::regprocedure as name from pg_proc p, aclexplode(p.proacl) granted
    where p.pronamespace = 'gold'::regnamespace
      and granted.grantee in ('gold_delivery'::regrole, 'gold_ticker'::regrole, 'gold_trust'::regrole)
  loop
    execute format('grant execute on function %s to gold_api', item.name);
  end loop;
end $$;
