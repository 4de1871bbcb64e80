-- A statement contains the postings of a range of event numbers. The range is fixed once, under the account's
-- lock. History is append-only, so later pages still match the range, however long the reader takes.

-- The days are days in Riyadh, both included. If the last day is not over yet, the statement ends now. The
-- statement contains the numbers greater than `above`, up to and including `last`.
create or replace function gold.days_range(client int, first_day date, last_day date)
returns table (above bigint, last bigint, opening bigint[], closing bigint[])
language plpgsql stable security definer set search_path = gold, pg_temp as $$
begin
  above := sequence_at(client, first_day::timestamp at time zone 'Asia/Riyadh' - interval '1 millisecond');
  last := sequence_at(client, (last_day + 1)::timestamp at time zone 'Asia/Riyadh' - interval '1 millisecond');
  return query select above, last, array[o.available, o.held, o.gold], array[c.available, c.held, c.gold]
    from balance_after(client, above) o, balance_after(client, last) c;
end $$;

-- The range for the partner, who compares it with its own orders: it waits for orders that are being booked.
create or replace function gold.statement_range(client int, first_day date, last_day date)
returns table (above bigint, last bigint, opening bigint[], closing bigint[])
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
begin
  perform settled_account(client);
  return query select * from days_range(client, first_day, last_day);
end $$;

-- One line per account that a transfer changed, oldest first, with that account's balance after the transfer.
-- The values are texts under the names of the reply's schema. The result is JSON, so a new value does not
-- change the function's type.
create or replace function gold.list_postings(client int, above bigint, last bigint) returns setof json
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set jit = off as $$
begin
  return query
    select json_strip_nulls(row_to_json(p)) from (
      select instant_text(t.posted_at) as posted_at,
        case when e.type like 'order.%' then 'ord_' when e.type like 'funding.%' then 'fnd_' else 'wd_' end || e.subject as id,
        e.type, l.account, decimal_text(l.change, l.unit) as change, decimal_text(l.after, l.unit) as balance_after,
        coalesce(o.reference, w.reference) as reference, coalesce(o.account_label, w.account_label) as account_label,
        'lst_' || o.list_id as reserves_list_id
      from (
        -- The limit makes the planner use the index by number. It omits no event, because the numbers have no
        -- gaps.
        select e.* from event e where e.bucket = client % 64 and e.client_id = client and e.sequence > above and e.sequence <= last
        order by e.sequence limit last - above
      ) e
      join transfer t on t.bucket = e.bucket and t.client_id = e.client_id and t.sequence = e.sequence
      left join orders o on o.bucket = e.bucket and o.client_id = e.client_id
        and o.id = case when e.type = 'order.executed' then e.subject end
      left join withdrawal w on w.bucket = e.bucket and w.client_id = e.client_id
        and w.id = case when e.type like 'withdrawal.%' then e.subject end
      cross join lateral (values
        (1, 'available_sar', case when t.credit = 'available' then t.amount when t.debit = 'available' then -t.amount end, t.sar_available_after, 0.01),
        (2, 'held_sar', case when t.credit = 'held' then t.amount when t.debit = 'held' then -t.amount end, t.sar_held_after, 0.01),
        (3, 'gold_grams', case when t.credit = 'gold' then t.amount when t.debit = 'gold' then -t.amount end, t.gold_after, 0.0001)
      ) l (n, account, change, after, unit)
      where l.change is not null
      order by e.sequence, t.leg, l.n
    ) p;
end $$;
