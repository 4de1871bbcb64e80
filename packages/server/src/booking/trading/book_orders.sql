-- Books 1 to 256 orders in one transaction. One order is a batch of one; a batch gives what its items give one by one.
--
-- Locks: client accounts ascending, then the vault. A batch skips a client that another holds (`busy`); with
-- `wait` it waits, at most lock_timeout. After the locks the clock is read once, and it decides every expiry.
-- Decided in order, item by item, on running balances; written set by set, once, at the end.
--
-- Every statement here finds few rows by a key, so the one good plan is known beforehand, and planning at each call would cost
-- half a millisecond: a generic plan, nested loops over indexes, no JIT. These are settings of the function, so that no
-- connection can lack them, and plans that were made while tables were empty serve full ones.

create or replace function gold.book_orders(
  wait boolean, settle boolean,
  clients int[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[]
) returns setof gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  locked int[];
  versions bigint[];
  sequences bigint[];
  availables bigint[];
  helds bigint[];
  golds bigint[];
  posted timestamptz[];
  fresh text[];
  clock timestamptz;
  present timestamptz;
  free bigint;
  asked record;
  at int;
  refusal text;
  detail text;
  body text;
  answer idempotency_key;
  executed orders[] := '{}';
  bound idempotency_key[] := '{}';
  bound_names text[] := '{}';
  executed_names text[] := '{}';
begin
  perform require_read_committed();

  if wait then
    select array_agg(a.client_id), array_agg(a.admission_version), array_agg(a.event_sequence), array_agg(a.sar_available),
      array_agg(a.sar_held), array_agg(a.gold), array_agg(a.last_posted_at)
    into locked, versions, sequences, availables, helds, golds, posted
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a
    ) a;
  else
    select array_agg(a.client_id), array_agg(a.admission_version), array_agg(a.event_sequence), array_agg(a.sar_available),
      array_agg(a.sar_held), array_agg(a.gold), array_agg(a.last_posted_at)
    into locked, versions, sequences, availables, helds, golds, posted
    from (
      select a.* from account a join (select distinct unnest(clients) as client) i on a.bucket = i.client % 64 and a.client_id = i.client
      order by a.client_id for no key update of a skip locked
    ) a;
  end if;
  clock := clock_timestamp();
  present := next_millisecond(clock);

  with spent as (
    insert into nonce (bucket, client_id, nonce)
    select i.client % 64, i.client, i.nonce
    from unnest(clients, admissions, nonces) i (client, admission, nonce)
    where versions[array_position(locked, i.client)] = i.admission
    on conflict do nothing
    returning client_id, nonce
  )
  select array_agg(client_id || ' ' || nonce) into fresh from spent;

  for asked in
    select i.n::int as n, i.client, i.admission, i.client || ' ' || i.nonce as nonce, i.client || ' ' || i.key as name,
      i.key, i.fingerprint, i.request, array_position(locked, i.client) as slot,
      k.status as known_status, k.fingerprint as known_fingerprint, k.request_id as known_request, k.body as known_body,
      i.quote, q.side, q.grams, q.price, q.total, q.expires_at, o.id is not null as executed
    from unnest(clients, admissions, nonces, keys, fingerprints, quotes, requests)
      with ordinality i (client, admission, nonce, key, fingerprint, quote, request, n)
    left join idempotency_key k on k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key
    left join quote q on q.bucket = i.client % 64 and q.client_id = i.client and q.id = i.quote
    left join orders o on o.bucket = i.client % 64 and o.client_id = i.client and o.id = i.quote
    order by i.n
  loop
    at := asked.slot;
    if at is null then
      return next row(asked.n, 'busy', null, null)::outcome;
      continue;
    elsif settle and asked.known_body is not null then
      -- The connection was lost over an earlier attempt, which may have spent the nonce: the key alone tells what became of it.
      return next settled(asked.n, asked.known_request = asked.request, asked.known_fingerprint = asked.fingerprint,
        asked.known_status, asked.known_body);
      continue;
    elsif versions[at] <> asked.admission then
      return next row(asked.n, 'admission_changed', null, null)::outcome;
      continue;
    elsif array_position(fresh, asked.nonce) is null then
      return next row(asked.n, 'nonce_reused', null, null)::outcome;
      continue;
    end if;
    fresh[array_position(fresh, asked.nonce)] := null;

    if asked.known_body is null and array_position(bound_names, asked.name) is not null then
      answer := bound[array_position(bound_names, asked.name)];
      asked.known_status := answer.status;
      asked.known_fingerprint := answer.fingerprint;
      asked.known_body := answer.body;
    end if;
    if asked.known_body is not null then
      return next settled(asked.n, false, asked.known_fingerprint = asked.fingerprint, asked.known_status, asked.known_body);
      continue;
    end if;

    refusal := null;
    if asked.side is null then
      refusal := 'not_found';
      detail := 'There is no quote of yours with this quote_id.';
    elsif asked.executed or array_position(executed_names, asked.client || ' ' || asked.quote) is not null then
      refusal := 'quote_already_executed';
      detail := 'The quote was executed as ord_' || asked.quote || '.';
    elsif asked.expires_at <= clock then
      refusal := 'quote_expired';
      detail := 'The quote was firm until ' || instant_text(asked.expires_at) || '.';
    elsif asked.side = 'buy' and availables[at] < asked.total then
      refusal := 'insufficient_funds';
      detail := 'The order needs ' || decimal_text(asked.total, 0.01) || ' SAR and ' || decimal_text(availables[at], 0.01) || ' SAR are available.';
    elsif asked.side = 'sell' and golds[at] < asked.grams then
      refusal := 'insufficient_gold';
      detail := 'The order needs ' || decimal_text(asked.grams, 0.0001) || ' g and you hold ' || decimal_text(golds[at], 0.0001) || ' g.';
    else
      if free is null then
        select v.free into strict free from vault v where v.stripe = 0 for no key update;
      end if;
      if asked.side = 'buy' and free < asked.grams then
        refusal := 'insufficient_inventory';
        detail := 'The vault does not hold ' || decimal_text(asked.grams, 0.0001) || ' g that are free to sell.';
      end if;
    end if;

    if refusal is null then
      sequences[at] := sequences[at] + 1;
      posted[at] := greatest(present, posted[at]);
      if asked.side = 'buy' then
        availables[at] := availables[at] - asked.total;
        golds[at] := golds[at] + asked.grams;
        free := free - asked.grams;
      else
        availables[at] := availables[at] + asked.total;
        golds[at] := golds[at] - asked.grams;
        free := free + asked.grams;
      end if;
      executed_names := executed_names || (asked.client || ' ' || asked.quote);
      executed := executed || row(asked.client % 64, asked.client, asked.side, asked.quote, sequences[at], asked.grams, asked.price,
        asked.total, posted[at], availables[at], helds[at], golds[at], 0)::orders;
      body := '{"order_id":"ord_' || asked.quote || '","quote_id":"qt_' || asked.quote || '","side":"' || asked.side
        || '","gold_grams":' || decimal_text(asked.grams, 0.0001) || ',"price_per_gram_sar":' || decimal_text(asked.price, 0.0001)
        || ',"total_sar":' || decimal_text(asked.total, 0.01) || ',"status":"executed","executed_at":"' || instant_text(posted[at])
        || '","balances":' || balances_text(availables[at], helds[at], golds[at], posted[at]) || '}';
      answer := row(asked.client % 64, asked.client, 201, asked.key, asked.fingerprint, asked.request, asked.quote, posted[at], 'order', body);
    else
      body := problem_text(refusal, detail, asked.request);
      select p.status into strict asked.known_status from problem p where p.code = refusal;
      answer := row(asked.client % 64, asked.client, asked.known_status, asked.key, asked.fingerprint, asked.request, null,
        present, 'refusal', body);
    end if;
    bound := bound || answer;
    bound_names := bound_names || asked.name;
    return next row(asked.n, 'answered', answer.status, body)::outcome;
  end loop;

  if cardinality(executed) > 0 then
    insert into orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
    select bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after
    from unnest(executed);

    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount,
      sar_available_after, sar_held_after, gold_after, posted_at)
    select o.bucket, o.client_id, l.leg, o.sequence, l.debit, l.credit, l.asset, l.amount,
      o.sar_available_after, o.sar_held_after, l.gold_after, o.executed_at
    from unnest(executed) o cross join lateral (values
      (1, case o.side when 'buy' then 'available' else 'house' end::book, case o.side when 'buy' then 'house' else 'available' end::book,
        'SAR'::asset, o.total, o.gold_after + case o.side when 'buy' then -o.grams else o.grams end),
      (2, case o.side when 'buy' then 'vault' else 'gold' end::book, case o.side when 'buy' then 'gold' else 'vault' end::book,
        'XAU'::asset, o.grams, o.gold_after)
    ) l (leg, debit, credit, asset, amount, gold_after);

    insert into event (bucket, client_id, sequence, id, subject, created_at, type)
    select bucket, client_id, sequence, id, id, executed_at, 'order.executed' from unnest(executed);
  end if;

  insert into idempotency_key select * from unnest(bound);
end $$;
