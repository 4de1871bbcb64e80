-- Money in: one transfer from the bank to the client, its event, its key. The sandbox's fund call and the operator's
-- approved deposit both end here, in post_funding.

create or replace function gold.post_funding(client int, amount bigint, id uuid, sequence bigint, at timestamptz, available bigint, held bigint, gold_held bigint)
returns void language sql volatile set search_path = gold, pg_temp
begin atomic
  insert into gold.funding (bucket, client_id, id, sequence, amount, created_at) values (client % 64, client, id, sequence, amount, at);
  insert into gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after, gold_after, posted_at)
    values (client % 64, client, 1, sequence, 'bank', 'available', 'SAR', amount, available, held, gold_held, at);
  insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type)
    values (client % 64, client, sequence, id, id, at, 'funding.completed');
end;

create or replace function gold.book_funding(
  settle boolean, client int, admission bigint, key text, fingerprint bytea, amount bigint, maximum bigint, id uuid, request uuid
) returns gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
  holder account;
  known idempotency_key;
  clock timestamptz;
  at timestamptz;
  body text;
  refused boolean;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'booking runs at READ COMMITTED: each statement after a lock must see what its holder committed';
  end if;
  -- Whoever holds the service's login can still make no money in production.
  if not exists (select from deployment d where d.environment = 'sandbox') then
    raise exception 'money comes in by a deposit here, never by a call' using errcode = 'GB004';
  end if;
  select a.* into strict holder from account a
  where a.bucket = book_funding.client % 64 and a.client_id = book_funding.client for no key update;
  clock := clock_timestamp();

  select k.* into known from idempotency_key k
  where k.bucket = holder.bucket and k.client_id = holder.client_id and k.key = book_funding.key;
  if settle and known.key is not null then
    return settled(1, known.request_id = book_funding.request, known.fingerprint = book_funding.fingerprint, known.status, known.body);
  elsif holder.admission_version <> book_funding.admission then
    return row(1, 'admission_changed', null, null)::outcome;
  elsif known.key is not null then
    return settled(1, false, known.fingerprint = book_funding.fingerprint, known.status, known.body);
  end if;

  at := greatest(next_millisecond(clock), holder.last_posted_at);
  -- The bound is on the balance, too: it keeps every later sum inside fifteen digits.
  refused := book_funding.amount > book_funding.maximum or holder.sar_available + holder.sar_held + book_funding.amount > 99999999999999;
  if refused then
    body := problem_text('limit_exceeded', 'A funding is at most ' || decimal_text(book_funding.maximum, 0.01)
      || ' SAR, and an account holds at most 999999999999.99 SAR.', book_funding.request);
  else
    perform post_funding(holder.client_id, book_funding.amount, book_funding.id, holder.event_sequence + 1, at,
      holder.sar_available + book_funding.amount, holder.sar_held, holder.gold);
    body := '{"funding_id":"fnd_' || book_funding.id || '","amount_sar":' || decimal_text(book_funding.amount, 0.01)
      || ',"created_at":"' || instant_text(at)
      || '","balances":' || balances_text(holder.sar_available + book_funding.amount, holder.sar_held, holder.gold, at) || '}';
  end if;
  insert into idempotency_key (bucket, client_id, status, key, fingerprint, request_id, result_id, created_at, result_kind, body)
  values (holder.bucket, holder.client_id, case when refused then 422 else 201 end, book_funding.key, book_funding.fingerprint,
    book_funding.request, case when refused then null else book_funding.id end, at, case when refused then 'refusal' else 'funding' end, body);
  return row(1, 'answered', case when refused then 422 else 201 end, body)::outcome;
end $$;
