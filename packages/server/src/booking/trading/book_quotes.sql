-- Books a batch of quotes in one transaction; the service sends 1 to 64. Account locks, idempotency keys and
-- batches work as in book_orders, but a quote has no nonce. A quote reserves no money or gold. It uses the
-- current price and the lifetime that belongs to it, and names the row of price_history that has both. Its
-- instants come from its account (account_instant).

create or replace function gold.book_quotes(
  wait boolean, settle boolean,
  clients int[], admissions bigint[], keys text[], fingerprints bytea[], sides gold.side[],
  asked_grams bigint[], asked_amounts bigint[], minimum_grams bigint[], maximum_grams bigint[],
  ids uuid[], requests uuid[], partner_references text[], account_labels text[]
) returns setof gold.outcome
language plpgsql volatile security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  locked int[];
  accounts account[];
  holder account;
  clock timestamptz;
  present timestamptz;
  made_at timestamptz;
  firm_until timestamptz;
  horizon timestamptz;
  current price;
  open boolean;
  stale boolean;
  beyond boolean;
  unit_price bigint;
  lifetime interval;
  percent int;
  shut boolean;
  unpriced boolean;
  grams bigint;
  total bigint;
  quoted_grams bigint;
  item record;
  body text;
  detail text;
  answer idempotency_key;
  early outcome;
  held allowance;
  allowances allowance[] := '{}';
  limited boolean := false;
  limits_exposure boolean;
  house vault;
  open_buys bigint;
  open_sells bigint;
  refused boolean := false;
  reached text;
  made quote;
  is_uuid boolean;
  quoted quote[] := '{}';
  simulated simulated_price[] := '{}';
  bound idempotency_key[] := '{}';
  bound_names text[] := '{}';
begin
  select l.locked, l.accounts into locked, accounts from lock_accounts(clients, wait) l;
  clock := clock_timestamp();
  present := ceil_millisecond(clock);
  horizon := clock + clock_tolerance();
  select * into current from price;
  if current.stored_at > horizon then
    -- The clock stepped back after the price was stored. Store it again, so that the history shows that it
    -- was the current price at this instant, too.
    update price set source = source returning * into current;
  end if;
  limits_exposure := (select v.maximum_exposure is not null from vault v where v.stripe = 0);
  lifetime := make_interval(secs => current.quote_ttl_seconds);
  open := market_open(clock);
  stale := is_stale(current, clock);

  for item in
    select i.n::int as n, i.client, i.admission, i.client || ' ' || i.key as name, i.key, i.fingerprint, i.request,
      array_position(locked, i.client) as slot,
      k.status as known_status, k.fingerprint as known_fingerprint, k.request_id as known_request, k.body as known_body,
      i.id, i.side, i.grams, i.amount, i.minimum, i.maximum, i.reference, i.account_label, (l.h).client_id is not null as limited, l.h as allowance
    from unnest(clients, admissions, keys, fingerprints, sides, asked_grams, asked_amounts,
      minimum_grams, maximum_grams, ids, requests, partner_references, account_labels)
      with ordinality i (client, admission, key, fingerprint, side, grams, amount, minimum, maximum, id, request, reference, account_label, n)
    left join lateral (select * from idempotency_key k where k.bucket = i.client % 64 and k.client_id = i.client and k.key = i.key offset 0) k on true
    left join lateral (select h from allowance h where h.bucket = i.client % 64 and h.client_id = i.client offset 0) l on true
    order by i.n
  loop
    if item.slot is null then
      return next row(item.n, 'busy', null, null)::outcome;
      continue;
    end if;
    holder := accounts[item.slot];
    early := earlier_outcome(item.n, settle, item.request, null, item.known_request,
      item.known_fingerprint = item.fingerprint, item.known_status, item.known_body,
      holder.admission_version = item.admission);
    if early.outcome is not null then
      return next early;
      continue;
    end if;

    if item.known_body is null and array_position(bound_names, item.name) is not null then
      answer := bound[array_position(bound_names, item.name)];
      item.known_status := answer.status;
      item.known_fingerprint := answer.fingerprint;
      item.known_body := answer.body;
    end if;
    if item.known_body is not null then
      return next settled(item.n, false, item.known_fingerprint = item.fingerprint,
        item.known_status, item.known_body);
      continue;
    end if;

    if holder.last_posted_at > horizon then
      return next row(item.n, 'service_unavailable', null,
        seconds_behind(holder.last_posted_at, clock))::outcome;
      continue;
    end if;
    made_at := account_instant(holder, present);
    firm_until := made_at + lifetime;

    -- If the requested `grams` are outside the limits, no price changes that. Such a request is refused for
    -- its quantity, even if the market is closed or the price is missing.
    if item.limited then
      item.maximum := least(item.maximum, (item.allowance).maximum_open_grams);
    end if;
    beyond := item.grams not between item.minimum and item.maximum;
    unit_price := case item.side when 'buy' then current.buy else current.sell end;
    shut := not open;
    unpriced := current.one is null or stale;
    percent := null;
    -- Only a partner of the sandbox can have simulations.
    if holder.simulations is not null then
      select * into unit_price, shut, unpriced
      from simulated_market(holder, item.side, clock, unit_price, shut, unpriced);
      percent := armed(holder.simulations, 'prices', clock)->>'percent';
    end if;
    if shut and beyond is not true then
      return next row(item.n, 'market_closed', null, null)::outcome;
      continue;
    end if;
    if beyond is not true and unpriced then
      return next row(item.n, 'price_unavailable', null, null)::outcome;
      continue;
    end if;

    if item.amount is not null then
      grams := case item.side
        when 'buy' then item.amount * 1000000 / unit_price
        else (item.amount * 1000000 + unit_price - 1) / unit_price end;
    else
      grams := item.grams;
    end if;

    if grams between item.minimum and item.maximum then
      total := case item.side
        when 'buy' then (grams * unit_price + 999999) / 1000000
        else grams * unit_price / 1000000 end;
    else
      total := 0;
    end if;
    quoted_grams := case when total > 0 then grams end;

    if item.limited then
      held := coalesce(allowances[item.slot], item.allowance);
      if is_other_day(held.day_ends_at, clock)
        or exceeded_limit(held, quoted_grams, item.side, holder.gold, firm_until) is not null then
        held := renewed(held, clock, quoted_grams, item.side, holder.gold, firm_until);
        if held is distinct from coalesce(allowances[item.slot], item.allowance) then
          allowances[item.slot] := held;
          limited := true;
        end if;
        reached := exceeded_limit(held, quoted_grams, item.side, holder.gold, firm_until);
        if reached is not null then
          return next limit_reached(item.n, held, reached, clock, item.request,
            net_used(held, item.side, holder.gold, firm_until));
          continue;
        end if;
      end if;
    end if;
    if limits_exposure and total > 0 then
      -- The vault is locked after the accounts, as in book_orders. Every quote waits for this lock, so the
      -- limit holds for quotes that other sessions make at the same time.
      if house.stripe is null then
        house := lock_exposure(clock);
        select coalesce(sum(e.buys), 0), coalesce(sum(e.sells), 0) into open_buys, open_sells from open_exposure e where e.ends_at > clock;
      end if;
      if coarse_exposure(
          side_used(item.side, house.day_net, open_buys, open_sells, firm_until, house.day_ends_at),
          house.maximum_exposure
        ) + grams > house.maximum_exposure then
        return next exposure_reached(item.n, item.side, item.request);
        continue;
      end if;
      if item.side = 'buy' then
        open_buys := open_buys + grams;
      else
        open_sells := open_sells + grams;
      end if;
    end if;
    if item.limited then
      held.records := held.records + 1;
      if total > 0 then
        held.open_quotes := held.open_quotes + 1;
        held.open_grams := held.open_grams + grams;
        held.open_buy_grams := held.open_buy_grams + case item.side when 'buy' then grams else 0 end;
        held.open_sell_grams := held.open_sell_grams + case item.side when 'sell' then grams else 0 end;
        held.open_from := least(held.open_from, item.id);
        held.exact_until := least(held.exact_until, firm_until);
      end if;
      allowances[item.slot] := held;
      limited := true;
    end if;

    if total = 0 then
      detail := 'An order is between ' || decimal_text(item.minimum, 0.0001) || ' g and '
        || decimal_text(item.maximum, 0.0001) || ' g and moves at least 0.01 SAR'
        -- The service cuts an amount above 10,000,000,000 SAR to one halala above that maximum. The grams of
        -- the amount that the partner asked for are then not known here.
        || case when item.amount <= 1000000000000 then '; this amount comes to '
          || decimal_text(grams, 0.0001) || ' g.' else '.' end;
      refused := true;
      body := problem_text('limit_exceeded', detail, item.request);
      answer := row(item.client % 64, item.client, 422, item.key, item.fingerprint, item.request, null,
        made_at, 'refusal', body, null, null);
    else
      is_uuid := item.key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
      made := row(item.client % 64, item.client, item.side, item.id, grams, unit_price, total, made_at,
        firm_until, item.reference, item.account_label, current.id,
        case when is_uuid then item.key end, case when not is_uuid then item.key end);
      quoted := quoted || made;
      if percent is not null then
        simulated := simulated || row(made.bucket, made.client_id, made.id, percent)::simulated_price;
      end if;
      body := quote_text(made, 'open');
      answer := row(item.client % 64, item.client, 201, item.key, item.fingerprint, item.request, item.id,
        made_at, 'quote', body, null, null);
    end if;
    bound := bound || answer;
    bound_names := bound_names || item.name;
    return next row(item.n, 'answered', answer.status, body)::outcome;
  end loop;

  insert into quote select * from unnest(quoted);
  if house.stripe is not null then
    perform open_exposure(quoted);
  end if;
  if cardinality(simulated) > 0 then
    insert into simulated_price select * from unnest(simulated);
  end if;
  insert into idempotency_key select * from unnest(bound);
  if refused then
    perform keep_refusals(bound);
  end if;
  if limited then
    perform keep_allowances(allowances);
  end if;
end $$;
