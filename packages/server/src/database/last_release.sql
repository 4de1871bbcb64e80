-- Routines that the last release (0.1.0) calls and this version does not call. Processes of 0.1.0 keep
-- running while the database is migrated. So each of these routines keeps its name, arguments and result
-- until the next release.

-- Raises a serialization failure, so that a write of 0.1.0 rolls back if it waited for the migration's locks.
-- Such a write would otherwise continue with 0.1.0's routine body on changed tables. Every such body calls
-- this function next. After the rollback, the service retries the write with this version's body.
create or replace function gold.next_millisecond(at timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;

create or replace function gold.statement_lines(client int, above bigint, last bigint)
returns table (posted_at text, id text, type text, account text, change text, balance_after text)
language sql stable security definer set search_path = gold, pg_temp
begin atomic
  select r.*
  from gold.list_postings(client, above, last) with ordinality p (posting, n),
    json_to_record(p.posting) r (posted_at text, id text, type text, account text, change text, balance_after text)
  order by p.n;
end;
