-- Routines that processes of 0.5.0 call and this version does not call. Processes of 0.5.0 keep running while
-- the database is migrated. So each of these routines keeps its name, arguments and result.

-- The body of book_withdrawal of 0.5.0 calls this function. A write of 0.5.0 that waited for the migration's
-- locks continues with that body. The serialization failure rolls it back, and the service retries it with
-- this version's body.
create or replace function gold.partner_texts(reference text, account_label text) returns text
language plpgsql stable parallel safe as $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;

-- The bodies of book_orders and book_quotes of 0.5.0 call this function before they cast to the row of their
-- table, which fails after a column was added.
create or replace function gold.prior_outcome(
  item int, settle boolean, request uuid, spent_by uuid,
  known_request uuid, same boolean, status smallint, body text, is_admitted boolean
) returns gold.outcome
language plpgsql stable parallel safe as $$
begin
  raise exception 'the database was migrated while this statement waited: run the statement again'
    using errcode = '40001';
end $$;
