-- Books a batch of orders in one transaction; the service sends 1 to 64. A single order is a batch of one. A
-- batch gives the same results as its items booked one by one.
--
-- If another transaction holds the lock of a client's account, the client's items get `busy`, unless `wait`
-- is true (lock_accounts). When the accounts are locked, the function reads the clock once. Whether a quote
-- has expired depends on the later of the clock and the account's newest posting (account_instant). While the
-- clock is more than clock_tolerance behind that posting, the account's orders are refused. Items are decided
-- one by one, in order, on running balances. The rows are written together at the end, because starting a
-- statement costs more than writing one of its rows.
--
-- Every statement here finds few rows by a key. So the good plan is always the same: a generic plan with
-- nested loops over indexes and no JIT. Planning at each call would cost half a millisecond. The settings
-- belong to the function, so that every connection has them. OFFSET 0 keeps each lookup one by its whole key.
-- In a plain join, a plan that was made while a table was empty would later read all of its rows for each
-- batch.

create or replace function gold.book_orders(
  wait boolean, settle boolean,
  clients int[], admissions bigint[], nonces uuid[], keys text[], fingerprints bytea[], quotes uuid[], requests uuid[],
  partner_references text[], account_labels text[], signed_requests bytea[], thumbprints bytea[]
) returns setof gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  locked int[];
  accounts account[];
  clock timestamptz;
  present timestamptz;
  instant timestamptz;
  horizon timestamptz;
  crowded boolean;
  stripe smallint;
  free bigint;
  limits_exposure boolean;
  list int;
  is_short boolean;
  refused boolean := false;
  item record;
  holder account;
  earlier int;
  refusal text;
  detail text;
  body text;
  answer idempotency_key;
  early outcome;
  limited outcome;
  placed orders;
  spent nonce[] := '{}';
  spent_names text[] := '{}';
  executed orders[] := '{}';
  executed_names text[] := '{}';
  bound idempotency_key[] := '{}';
  bound_names text[] := '{}';
begin
  select l.locked, l.accounts into locked, accounts from lock_accounts(clients, wait) l;
  clock := clock_timestamp();
  present := ceil_millisecond(clock);
  horizon := clock + clock_tolerance();
  -- Each nonce, key and quote belongs to one client. So an item can repeat a nonce, key or quote of the same
  -- batch only if the batch has two items of that client.
  crowded := cardinality(locked) < cardinality(clients);

  for item in
    select i.n::int as n, i.client, i.admission, i.nonce, i.key, i.fingerprint, i.request,
      array_position(locked, i.client) as slot, s.nonce is not null as spent, s.request_id as spent_by,
      k.status as known_status, k.fingerprint as known_fingerprint, k.request_id as known_request, k.body as known_body,
      i.quote, q.side, q.grams, q.price, q.total, q.created_at as quoted_at, q.expires_at, o.id is not null as executed,
      i.signed_request, i.thumbprint, coalesce(sum(q.grams) filter (where q.side = 'buy') over (), 0)::bigint as need,
      -- An order inherits each of these texts from its quote, unless its own request gives one.
      coalesce(i.reference, q.reference) as reference, coalesce(i.account_label, q.account_label) as account_label
    from unnest(clients, admissions, nonces, keys, fingerprints, quotes, requests, partner_references, account_labels, signed_requests, thumbprints)
      with ordinality i (client, admission, nonce, key, fingerprint, quote, request, reference, account_label, signed_request, thumbprint, n)
    left join lateral (select * from nonce n where n.bucket = i.client % 64 and n.client_id = i.client and n.nonce = i.nonce offset 0) s on true
    left join lateral (select * from idempotency_key k where k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key offset 0) k on true
    left join lateral (select * from quote q where q.bucket = i.client % 64 and q.client_id = i.client and q.id = i.quote offset 0) q on true
    left join lateral (select * from orders o where o.bucket = i.client % 64 and o.client_id = i.client and o.id = i.quote offset 0) o on true
    order by i.n
  loop
    if item.slot is null then
      return next row(item.n, 'busy', null, null)::outcome;
      continue;
    end if;
    holder := accounts[item.slot];
    early := earlier_outcome(item.n, settle, item.request, item.spent_by, item.known_request,
      item.known_fingerprint = item.fingerprint, item.known_status, item.known_body,
      holder.admission_version = item.admission);
    if early.outcome is not null then
      return next early;
      continue;
    end if;
    if crowded then
      item.spent := item.spent or item.client || ' ' || item.nonce = any (spent_names);
      item.executed := item.executed or item.client || ' ' || item.quote = any (executed_names);
      earlier := array_position(bound_names, item.client || ' ' || item.key);
      if earlier is not null then
        item.known_status := bound[earlier].status;
        item.known_fingerprint := bound[earlier].fingerprint;
        item.known_body := bound[earlier].body;
      end if;
    end if;
    -- If the clock stepped back after the quote was made, the quote's age is unknown. Its order is then
    -- refused, too.
    if greatest(holder.last_posted_at, item.quoted_at) > horizon and item.known_body is null then
      return next row(item.n, 'service_unavailable', null,
        seconds_behind(greatest(holder.last_posted_at, item.quoted_at), clock))::outcome;
      continue;
    end if;
    if item.spent then
      return next row(item.n, 'nonce_reused', null, null)::outcome;
      continue;
    end if;
    if item.known_body is not null then
      limited := take_record(item.n, item.client, clock, item.request, true);
      if limited.outcome is not null then
        return next limited;
        continue;
      end if;
      spent := spent || row(holder.bucket, item.client, item.nonce, item.request)::nonce;
      if crowded then
        spent_names := spent_names || (item.client || ' ' || item.nonce);
      end if;
      return next settled(item.n, false, item.known_fingerprint = item.fingerprint,
        item.known_status, item.known_body);
      continue;
    end if;

    refusal := null;
    instant := greatest(account_instant(holder, present), item.quoted_at);
    is_short := false;
    -- Only a partner of the sandbox can have simulations.
    if holder.simulations is not null then
      select * into item.expires_at, is_short
      from simulated_order(holder, item.quote, clock, item.expires_at);
    end if;
    if item.side is null then
      refusal := 'not_found';
      detail := 'There is no quote of yours with this quote_id.';
    elsif item.executed then
      refusal := 'quote_already_executed';
      detail := 'The quote was executed as ord_' || item.quote || '.';
    elsif item.expires_at <= clock or item.expires_at < instant then
      refusal := 'quote_expired';
      detail := 'The quote was firm until ' || instant_text(item.expires_at) || '.';
    elsif item.side = 'buy' and holder.sar_available < item.total then
      refusal := 'insufficient_funds';
      detail := 'The order needs ' || decimal_text(item.total, 0.01) || ' SAR and '
        || decimal_text(holder.sar_available, 0.01) || ' SAR are available.';
    elsif item.side = 'sell' and holder.gold < item.grams then
      refusal := 'insufficient_gold';
      detail := 'The order needs ' || decimal_text(item.grams, 0.0001) || ' g and you hold '
        || decimal_text(holder.gold, 0.0001) || ' g.';
    else
      if free is null then
        -- A stripe that no other batch holds and that covers all buys of this batch; see gather_vault().
        select v.stripe, v.free, v.list_id, false into stripe, free, list, limits_exposure from vault v
        where v.free >= item.need and v.maximum_exposure is null
        limit 1 for no key update skip locked;
        if not found then
          -- Postgres can lock a row and not return it: if the row changes while the statement reaches it,
          -- Postgres locks the new version and checks it afterwards. If this batch held such a stripe and
          -- waited for a lower one, it could deadlock with another batch. So it starts again.
          if exists (select from vault v where v.stripe > 0 and v.xmax = pg_current_xact_id()::xid) then
            raise exception 'a stripe changed while it was locked: run the statement again' using errcode = '40001';
          end if;
          select v.stripe, v.free, v.list_id, v.maximum_exposure is not null into strict stripe, free, list, limits_exposure
          from gather_vault(item.need) v;
        end if;
      end if;
      if item.side = 'buy' and (free < item.grams or is_short) then
        refusal := 'insufficient_inventory';
        detail := 'The vault does not hold ' || decimal_text(item.grams, 0.0001)
          || ' g that are free to sell.';
      end if;
    end if;

    if refusal is not null then
      limited := take_record(item.n, item.client, clock, item.request, false,
        case when crowded then (
          select count(*) from unnest(executed) e
          where e.client_id = item.client and e.id >= first_id_at(day_end(clock) - interval '24 hours')
        ) else 0 end);
      if limited.outcome is not null then
        return next limited;
        continue;
      end if;
    end if;
    spent := spent || row(holder.bucket, item.client, item.nonce, item.request)::nonce;
    if crowded then
      spent_names := spent_names || (item.client || ' ' || item.nonce);
    end if;

    if refusal is null then
      holder.event_sequence := holder.event_sequence + 1;
      holder.last_posted_at := instant;
      if item.side = 'buy' then
        holder.sar_available := holder.sar_available - item.total;
        holder.gold := holder.gold + item.grams;
        free := free - item.grams;
      else
        holder.sar_available := holder.sar_available + item.total;
        holder.gold := holder.gold - item.grams;
        free := free + item.grams;
      end if;
      accounts[item.slot] := holder;
      if crowded then
        executed_names := executed_names || (item.client || ' ' || item.quote);
      end if;
      placed := row(holder.bucket, item.client, item.side, item.quote, holder.event_sequence,
        item.grams, item.price, item.total, holder.last_posted_at,
        holder.sar_available, holder.sar_held, holder.gold, 0,
        item.reference, item.account_label, null, list);
      body := '{' || order_members(placed) || ',"balances":'
        || balances_text(holder.sar_available, holder.sar_held, holder.gold, holder.last_posted_at) || '}';
      placed.answer := answer_of(item.key, item.fingerprint, 201, item.request, body,
        item.signed_request, item.thumbprint);
      executed := executed || placed;
      answer := row(holder.bucket, item.client, 201, item.key, item.fingerprint, item.request, item.quote,
        holder.last_posted_at, 'order', body, item.signed_request, item.thumbprint);
    else
      refused := true;
      body := problem_text(refusal, detail, item.request);
      select p.status into strict item.known_status from problem p where p.code = refusal;
      answer := row(holder.bucket, item.client, item.known_status, item.key, item.fingerprint,
        item.request, null, instant, 'refusal', body, item.signed_request, item.thumbprint);
    end if;
    bound := bound || answer;
    if crowded then
      bound_names := bound_names || (item.client || ' ' || item.key);
    end if;
    return next row(item.n, 'answered', answer.status, body)::outcome;
  end loop;

  if cardinality(executed) > 0 then
    perform write_orders(executed, stripe);
    if limits_exposure then
      perform settle_exposure(executed);
    end if;
  end if;

  with spending as (
    insert into nonce select * from unnest(spent)
  )
  insert into idempotency_key select * from unnest(bound);
  if refused then
    perform keep_refusals(bound);
  end if;
end $$;

-- Writes the orders that a batch executed: for each order its row, its two transfers and its event. It is one
-- statement, because starting a statement costs more than writing one of its rows. Only book_orders calls
-- this function, so the planner settings of book_orders apply here, too.
create or replace function gold.write_orders(executed gold.orders[], stripe smallint) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
begin
  with booked as (
    insert into orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at,
      sar_available_after, sar_held_after, gold_after, reference, account_label, answer, list_id)
    select bucket, client_id, side, id, sequence, grams, price, total, executed_at,
      sar_available_after, sar_held_after, gold_after, reference, account_label, answer, list_id
    from unnest(executed)
    returning bucket, client_id, side, id, sequence, grams, total, executed_at,
      sar_available_after, sar_held_after, gold_after
  ), moved as (
    insert into transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount,
      sar_available_after, sar_held_after, gold_after, posted_at, stripe)
    select bucket, client_id, 1, sequence, case side when 'buy' then 'available' else 'house' end::book,
      case side when 'buy' then 'house' else 'available' end::book, 'SAR'::asset, total,
      sar_available_after, sar_held_after, gold_after + case side when 'buy' then -grams else grams end, executed_at, 0
    from booked
    union all
    select bucket, client_id, 2, sequence, case side when 'buy' then 'vault' else 'gold' end::book,
      case side when 'buy' then 'gold' else 'vault' end::book, 'XAU'::asset, grams,
      sar_available_after, sar_held_after, gold_after, executed_at, write_orders.stripe
    from booked
  )
  insert into event (bucket, client_id, sequence, id, subject, created_at, type, line)
  select bucket, client_id, sequence, id, id, executed_at, 'order.executed', 2 from booked;
end $$;
