-- The checks of the books. Each function is one rule, and returns one row per defect.

-- Each account's balances are the sums of its transfers.
create or replace function gold.check_balance_is_sum() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || a.client_id,
    format('holds %s/%s/%s, transfers sum to %s/%s/%s', a.sar_available, a.sar_held, a.gold,
      coalesce(s.available, 0), coalesce(s.held, 0), coalesce(s.gold, 0))
  from account a
  left join (
    select client_id,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount else 0 end) as available,
      sum(case when credit = 'held' then amount when debit = 'held' then -amount else 0 end) as held,
      sum(case when credit = 'gold' then amount when debit = 'gold' then -amount else 0 end) as gold
    from transfer group by client_id
  ) s on s.client_id = a.client_id
  where (a.sar_available, a.sar_held, a.gold) is distinct from
    (coalesce(s.available, 0), coalesce(s.held, 0), coalesce(s.gold, 0))
$$;

-- Each transfer's stated balances follow from the balances of the transfer before it, and its instant is not
-- earlier.
create or replace function gold.check_running_balance() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || t.client_id || ' sequence ' || t.sequence || ' leg ' || t.leg,
    'the stated balances do not follow from the transfer before'
  from (
    select *, lag(sar_available_after, 1, 0::bigint) over w as available_before, lag(sar_held_after, 1, 0::bigint) over w as held_before,
      lag(gold_after, 1, 0::bigint) over w as gold_before, lag(posted_at, 1, 'epoch'::timestamptz) over w as posted_before
    from transfer window w as (partition by client_id order by sequence, leg)
  ) t
  where sar_available_after <> available_before
      + case when credit = 'available' then amount when debit = 'available' then -amount else 0 end
    or sar_held_after <> held_before + case when credit = 'held' then amount when debit = 'held' then -amount else 0 end
    or gold_after <> gold_before + case when credit = 'gold' then amount when debit = 'gold' then -amount else 0 end
    or posted_at < posted_before
$$;

-- The gold of all clients plus the free gold in the vault equals the gold of the bars in the vault. It also
-- equals the gold of the list in force.
create or replace function gold.check_gold_is_backed() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'vault', format('clients hold %s, the vault has %s free, the bars hold %s, the list in force has %s', c.held, v.free, b.fine, l.fine)
  from (select coalesce(sum(gold), 0) as held from account) c, (select coalesce(sum(free), 0) as free from vault) v,
    (select coalesce(sum(fine), 0) as fine from bar where removed_at is null) b,
    (select (select fine from bar_list order by id desc limit 1) as fine) l
  where (c.held + v.free, b.fine) is distinct from (b.fine, l.fine)
$$;

-- The lists of bars are numbered without a gap, and the newest list is in force. The number of bars, the
-- weight and the hash of each list are computed from its bars and from the hash of the list before it.
create or replace function gold.check_bar_list_is_whole() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'list ' || l.id, 'its number, bars, weight or hash differs from its bars or from the list before it'
  from (select b as given, b.*, row_number() over (order by id) as n from bar_list b) l,
    lateral (select count(*) as bars, coalesce(sum(fine), 0) as fine from listed_bars(l.id)) b
  where l.id <> l.n or (l.bars, l.fine) <> (b.bars, b.fine) or l.sha256 <> sha256(convert_to(bar_list_text(l.given), 'UTF8'))
  union all
  select 'list ' || v.list_id, 'the vault names it, but the newest list is ' || coalesce(l.id::text, 'missing')
  from vault v, (select max(id) as id from bar_list) l
  where v.list_id is distinct from l.id
  union all
  select 'bar ' || serial, 'it was removed, but is in the list in force'
  from bar where (removed_at is null) <> (removed_list is null) and added_list is not null or removed_at is null and added_list is null
$$;

-- An order names the list that was in force when it was executed. The order and the list get their instants
-- under the same lock of the vault. But the two instants come from different accounts, so they may differ by
-- the tolerance.
create or replace function gold.check_order_names_list() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'order ' || o.id, 'its list of bars was not in force when it was executed'
  from orders o
  left join (select id, created_at, lead(created_at) over (order by id) as ended_at from bar_list) l on l.id = o.list_id
  where o.list_id is not null
    and (l.id is null or o.executed_at not between l.created_at - clock_tolerance() and coalesce(l.ended_at, 'infinity') + clock_tolerance())
$$;

-- The history of prices has no gap. Each hash follows from its row and from the hash of the row before it.
-- The current price is the newest row.
create or replace function gold.check_price_is_kept() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'price ' || h.id, 'its number or hash does not follow from the row before it'
  from (
    select p as given, p.id, p.hash, row_number() over w as n, lag(hash, 1, decode(repeat('00', 32), 'hex')) over w as before
    from price_history p window w as (order by id)
  ) h
  where h.id <> h.n or h.hash <> sha256(h.before || convert_to(price_line(h.given), 'UTF8'))
  union all
  select 'price ' || p.id, 'the current price differs from the newest row of the history'
  from price p left join price_history h on h.id = (select max(id) from price_history)
  where (p.id, p.source, p.mid, p.buy, p.sell, p.spread_basis_points, p.stale_after_seconds, p.quote_ttl_seconds, p.as_of, p.stored_at)
    is distinct from (h.id, h.source, h.mid, h.buy, h.sell, h.spread_basis_points, h.stale_after_seconds, h.quote_ttl_seconds, h.as_of, h.stored_at)
$$;

-- A quote has the price and the lifetime of the row that it names. When the quote was made, that row was the
-- newest and was not stale. The quote's instant may be ahead of the clock by the tolerance. A newer price may
-- be committed up to the tolerance after its `stored_at`. If the next row was stored earlier than this one,
-- the clock stepped back between the two, and the end of this row is unknown. A simulation of the sandbox may
-- change the price by a percentage, which it stores. Quotes of versions before 0.4.0 name no row.
create or replace function gold.check_quote_is_priced() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'quote ' || q.id, 'its price, total or end does not follow from the price that it names, or that price was not in force'
  from quote q
  left join (
    select *, lead(stored_at) over (order by id) as ended_at, case source when 'fixed' then 'infinity'
      else as_of + make_interval(secs => stale_after_seconds) end as stale_at
    from price_history
  ) h on h.id = q.price_id
  left join simulated_price s on s.bucket = q.bucket and s.client_id = q.client_id and s.quote_id = q.id
  where q.price_id is not null and (
    q.total <> case q.side when 'buy' then (q.grams * q.price + 999999) / 1000000 else q.grams * q.price / 1000000 end
    or (q.price, q.expires_at) is distinct from (
      case q.side
        when 'buy' then (h.buy * (100 + coalesce(s.percent, 0)) + 99) / 100
        else greatest(h.sell * (100 + coalesce(s.percent, 0)) / 100, 1) end,
      q.created_at + make_interval(secs => h.quote_ttl_seconds))
    or q.created_at < h.stored_at - clock_tolerance()
    or q.created_at >= h.stale_at + clock_tolerance()
    or h.ended_at >= h.stored_at and q.created_at > h.ended_at + 2 * clock_tolerance())
$$;

create or replace function gold.check_bar_is_booked() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'bar ' || b.serial, 'its transfer is missing or has another weight'
  from bar b
  left join transfer i on i.bucket = 0 and i.client_id = 0 and i.sequence = b.added_sequence and i.debit = 'bars' and i.amount = b.fine
  left join transfer o on o.bucket = 0 and o.client_id = 0 and o.sequence = b.removed_sequence and o.credit = 'bars' and o.amount = b.fine
  where i.amount is null or (b.removed_at is not null and o.amount is null)
$$;

-- Each order has two transfers, which move exactly its total and its grams.
create or replace function gold.check_order_is_booked() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'order ' || o.id, 'its two transfers are missing or differ from it'
  from orders o
  left join transfer s on s.bucket = o.bucket and s.client_id = o.client_id and s.sequence = o.sequence and s.leg = 1
  left join transfer g on g.bucket = o.bucket and g.client_id = o.client_id and g.sequence = o.sequence and g.leg = 2
  where (s.asset, s.debit, s.credit, s.amount, g.asset, g.debit, g.credit, g.amount, g.posted_at,
      g.sar_available_after, g.sar_held_after, g.gold_after)
    is distinct from ('SAR'::asset, case o.side when 'buy' then 'available' else 'house' end::book,
      case o.side when 'buy' then 'house' else 'available' end::book, o.total, 'XAU'::asset,
      case o.side when 'buy' then 'vault' else 'gold' end::book, case o.side when 'buy' then 'gold' else 'vault' end::book, o.grams,
      o.executed_at, o.sar_available_after, o.sar_held_after, o.gold_after)
$$;

create or replace function gold.check_order_is_quoted() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'order ' || o.id, 'it differs from its quote, or was executed before the quote was made or after its end'
  from orders o
  left join quote q on q.bucket = o.bucket and q.client_id = o.client_id and q.id = o.id
  where (q.side, q.grams, q.price, q.total) is distinct from (o.side, o.grams, o.price, o.total) or o.executed_at not between q.created_at and q.expires_at
$$;

create or replace function gold.check_funding_is_booked() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'funding ' || f.id, 'its transfer is missing or differs from it'
  from funding f
  left join transfer t on t.bucket = f.bucket and t.client_id = f.client_id and t.sequence = f.sequence
    and (t.leg, t.debit, t.credit, t.amount, t.posted_at) = (1, 'bank'::book, 'available'::book, f.amount, f.created_at)
  where t.amount is null
$$;

-- An approved deposit has a funding. If it was reversed after the approval, a transfer took the money out
-- again.
create or replace function gold.check_deposit_is_booked() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'deposit ' || d.id, 'its funding or the transfer of its reversal is missing or differs from it'
  from deposit d
  left join funding f on f.bucket = d.bucket and f.client_id = d.client_id and f.id = d.id and f.amount = d.amount and f.created_at = d.approved_at
  left join transfer t on t.bucket = d.bucket and t.client_id = d.client_id and t.sequence = d.reversed_sequence
    and (t.leg, t.debit, t.credit, t.amount, t.posted_at) = (1, 'available'::book, 'bank'::book, d.amount, d.reversed_at)
  where (d.approved_at is not null) <> (f.id is not null)
    or (d.approved_at is not null and d.reversed_at is not null) <> (t.amount is not null)
$$;

-- The logins that recorded, approved and reversed a deposit, its bank reference and its amount match the
-- audit.
create or replace function gold.check_deposit_is_noted() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'deposit ' || d.id, 'its amount, bank reference or logins differ from the audit'
  from deposit d
  left join audit r on r.action = 'deposit.record' and r.detail->>'deposit' = 'dep_' || d.id
  left join audit y on y.action = 'deposit.approve' and y.detail->>'deposit' = 'dep_' || d.id
  left join audit z on z.action = 'deposit.reverse' and z.detail->>'deposit' = 'dep_' || d.id
  where (r.login, r.detail->>'bank_reference', (r.detail->>'amount')::bigint, y.login, z.login) is distinct from
    (d.recorded_by, d.bank_reference, d.amount, d.approved_by, d.reversed_by)
$$;

-- Each step of a withdrawal has its event and its transfer. The first step holds the money, approval and
-- submission move none, and the later steps pay it or give it back.
create or replace function gold.check_withdrawal_is_booked() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'withdrawal ' || w.id || ' ' || coalesce(s.status::text, ''), 'its transfer or event is missing or differs from it'
  from withdrawal w
  left join withdrawal_step s on s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id
  left join transfer t on t.bucket = s.bucket and t.client_id = s.client_id and t.sequence = s.sequence
  left join event e on e.bucket = s.bucket and e.client_id = s.client_id and e.sequence = s.sequence
  where (t.leg, t.debit::text, t.credit::text, t.amount) is distinct from (
      case when s.status not in ('approved', 'submitted') then 1 end,
      case when s.status = 'pending_approval' then 'available' when s.previous = 'paid' then 'bank' when s.status not in ('approved', 'submitted') then 'held' end,
      case when s.status = 'pending_approval' then 'held' when s.status = 'paid' then 'bank' when s.status not in ('approved', 'submitted') then 'available' end,
      case when s.status not in ('approved', 'submitted') then w.amount end)
    or s.previous is null and (s.sequence, s.at) is distinct from (w.sequence, w.created_at)
    or (e.subject, e.created_at, e.type) is distinct from
      (w.id, s.at, 'withdrawal.' || case s.status when 'pending_approval' then 'created' else s.status::text end)
$$;

-- A client's held SAR equal the sum of its withdrawals that are not decided, or on their way to the bank.
create or replace function gold.check_held_is_withdrawals() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || a.client_id, format('%s is held, the open withdrawals sum to %s', a.sar_held, coalesce(w.waiting, 0))
  from account a
  left join (
    select w.client_id, sum(w.amount) as waiting from withdrawal w
    where not exists (
      select from withdrawal_step s where s.bucket = w.bucket and s.client_id = w.client_id and s.withdrawal_id = w.id
        and s.status not in ('pending_approval', 'approved', 'submitted'))
    group by w.client_id
  ) w on w.client_id = a.client_id
  where a.sar_held <> coalesce(w.waiting, 0)
$$;

-- An order has two transfers. A funding, its reversal, and a withdrawal's step that moves money have one
-- transfer each. Every other event has none. The balance checks accept a surplus transfer whose stated
-- balances are right, so this check counts the transfers.
create or replace function gold.check_record_has_its_legs() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || r.client_id || ' sequence ' || r.sequence, r.type || ' has ' || r.legs || ' transfer(s)'
  from (
    select e.client_id, e.sequence, e.type, count(t.leg) as legs
    from event e left join transfer t on t.bucket = e.bucket and t.client_id = e.client_id and t.sequence = e.sequence
    group by e.client_id, e.sequence, e.type
  ) r
  where r.legs <> case r.type when 'order.executed' then 2 when 'funding.completed' then 1 when 'funding.reversed' then 1
    when 'withdrawal.created' then 1 when 'withdrawal.paid' then 1 when 'withdrawal.rejected' then 1 when 'withdrawal.returned' then 1
    when 'withdrawal.cancelled' then 1 else 0 end
$$;

create or replace function gold.check_transfer_has_record() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || t.client_id || ' sequence ' || t.sequence, 'no event belongs to this transfer'
  from transfer t
  left join event e on e.bucket = t.bucket and e.client_id = t.client_id and e.sequence = t.sequence
  where t.client_id <> 0 and (e.sequence is null or e.created_at <> t.posted_at)
$$;

-- The rules of this function, check_execution_has_key, check_events_without_gap, check_execution_has_event
-- and check_event_has_execution: each order, funding and withdrawal has one event. Each order, withdrawal,
-- cancellation and requested change has exactly one idempotency key; a funding has one key or one approved
-- deposit. No key and no event names a record that does not exist. The sequence numbers of a client's events
-- have no gap.
create or replace function gold.check_result_is_bound() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select k.result_kind || ' ' || k.result_id, 'the key''s result does not exist'
  from idempotency_key k
  left join orders o on k.result_kind = 'order' and o.bucket = k.bucket and o.client_id = k.client_id and o.id = k.result_id
  left join funding f on k.result_kind = 'funding' and f.bucket = k.bucket and f.client_id = k.client_id and f.id = k.result_id
  left join quote q on k.result_kind = 'quote' and q.bucket = k.bucket and q.client_id = k.client_id and q.id = k.result_id
  left join withdrawal w on k.result_kind = 'withdrawal' and w.bucket = k.bucket and w.client_id = k.client_id and w.id = k.result_id
  left join event e on k.result_kind = 'event' and e.bucket = k.bucket and e.client_id = k.client_id and e.id = k.result_id
  left join withdrawal_step s on k.result_kind = 'cancellation' and s.bucket = k.bucket and s.client_id = k.client_id
    and s.withdrawal_id = k.result_id and s.status::text = 'cancelled'
  left join change_request c on k.result_kind = 'change' and c.bucket = k.bucket and c.client_id = k.client_id
    and c.id = k.result_id
  where k.result_kind not in ('refusal', 'simulation')
    and coalesce(o.id, f.id, q.id, w.id, e.id, s.withdrawal_id, c.id) is null
$$;

create or replace function gold.check_execution_has_key() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select r.kind || ' ' || r.id, 'it is bound to ' || r.keys || ' keys'
  from (
    select 'order' as kind, o.id, count(k.key) as keys
    from orders o left join idempotency_key k on k.bucket = o.bucket and k.client_id = o.client_id and k.result_id = o.id and k.result_kind = 'order'
    group by o.id
    union all
    -- A funding without a key comes from an approved deposit.
    select 'funding', f.id, count(k.key) + count(d.id)
    from funding f
    left join idempotency_key k on k.bucket = f.bucket and k.client_id = f.client_id and k.result_id = f.id and k.result_kind = 'funding'
    left join deposit d on d.client_id = f.client_id and d.id = f.id and d.approved_at is not null
    group by f.id
    union all
    select 'withdrawal', w.id, count(k.key)
    from withdrawal w left join idempotency_key k on k.bucket = w.bucket and k.client_id = w.client_id and k.result_id = w.id and k.result_kind = 'withdrawal'
    group by w.id
    union all
    select 'cancellation', s.withdrawal_id, count(k.key)
    from withdrawal_step s left join idempotency_key k on k.bucket = s.bucket and k.client_id = s.client_id and k.result_id = s.withdrawal_id and k.result_kind = 'cancellation'
    where s.status::text = 'cancelled' group by s.withdrawal_id
    union all
    select 'change', c.id, count(k.key)
    from change_request c left join idempotency_key k on k.bucket = c.bucket and k.client_id = c.client_id
      and k.result_id = c.id and k.result_kind = 'change'
    group by c.id
  ) r
  where r.keys <> 1
$$;

-- A record that was made with an idempotency key, and whose line in the hash chain has version 2, stores the
-- answer_of() of that key. Every other record stores no answer.
create or replace function gold.check_answer_is_bound() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select r.kind || ' ' || r.id, 'its stored answer differs from the reply, status, fingerprint, key or request that is stored with its key'
  from (
    select 'order' as kind, o.bucket, o.client_id, o.id, o.sequence, o.answer from orders o
    union all
    select 'funding', f.bucket, f.client_id, f.id, f.sequence, f.answer from funding f
    union all
    select 'withdrawal', w.bucket, w.client_id, w.id, w.sequence, w.answer from withdrawal w
    union all
    select 'cancellation', s.bucket, s.client_id, s.withdrawal_id, s.sequence, s.answer from withdrawal_step s where s.status::text = 'cancelled'
  ) r
  left join event e on e.bucket = r.bucket and e.client_id = r.client_id and e.sequence = r.sequence and e.line = 2
  left join idempotency_key k on e.sequence is not null
    and k.bucket = r.bucket and k.client_id = r.client_id and k.result_id = r.id and k.result_kind = r.kind
  where r.answer is distinct from answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body, k.request, k.signing_thumbprint)
$$;

-- Every order, withdrawal, cancellation and requested change has the request that the partner signed. The only
-- exceptions are those that a process of 0.3.0 booked: their lines have version 1, and requests_kept_since is later.
create or replace function gold.check_request_is_kept() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select k.result_kind || ' ' || k.result_id, 'its signed request is not stored'
  from idempotency_key k
  left join orders o on k.result_kind = 'order' and o.bucket = k.bucket and o.client_id = k.client_id and o.id = k.result_id
  left join withdrawal w on k.result_kind = 'withdrawal' and w.bucket = k.bucket and w.client_id = k.client_id and w.id = k.result_id
  left join event e on e.bucket = k.bucket and e.client_id = k.client_id and e.sequence = coalesce(o.sequence, w.sequence)
  where k.result_kind in ('order', 'withdrawal', 'cancellation', 'change')
    and (k.request is null or k.signing_thumbprint is null)
    and (e.line = 2 or k.created_at > coalesce((select d.requests_kept_since from deployment d), '-infinity'))
$$;

create or replace function gold.check_events_without_gap() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || a.client_id, format('the account is at %s, events: %s, last %s', a.event_sequence, e.n, e.last)
  from account a
  left join (select client_id, count(*) as n, max(sequence) as last from event group by client_id) e on e.client_id = a.client_id
  where a.client_id <> 0 and (coalesce(e.n, 0), coalesce(e.last, 0)) <> (a.event_sequence, a.event_sequence)
$$;

create or replace function gold.check_execution_has_event() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select r.kind || ' ' || r.id, 'its event is missing or belongs to something else'
  from (
    select 'order' as kind, o.bucket, o.client_id, o.id, o.sequence from orders o
    union all
    select 'funding', f.bucket, f.client_id, f.id, f.sequence from funding f
    union all
    select 'withdrawal', w.bucket, w.client_id, w.id, w.sequence from withdrawal w
  ) r
  left join event e on e.bucket = r.bucket and e.client_id = r.client_id and e.sequence = r.sequence
  where e.subject is distinct from r.id
$$;

create or replace function gold.check_event_has_execution() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || e.client_id || ' sequence ' || e.sequence, 'the record of this ' || e.type || ' event does not exist'
  from event e
  left join orders o on e.type = 'order.executed' and o.bucket = e.bucket and o.client_id = e.client_id and o.id = e.subject
    and o.sequence = e.sequence
  left join funding f on e.type = 'funding.completed' and f.bucket = e.bucket and f.client_id = e.client_id and f.id = e.subject
    and f.sequence = e.sequence
  left join withdrawal_step s on e.type like 'withdrawal.%' and s.bucket = e.bucket and s.client_id = e.client_id
    and s.withdrawal_id = e.subject and s.sequence = e.sequence
  left join deposit d on e.type = 'funding.reversed' and d.bucket = e.bucket and d.client_id = e.client_id and d.id = e.subject
    and d.reversed_sequence = e.sequence
  left join expiry_notice n on e.type = 'credential.expiring' and n.bucket = e.bucket and n.client_id = e.client_id and n.id = e.subject
  left join partner_change c on c.bucket = e.bucket and c.client_id = e.client_id and c.sequence = e.sequence and case e.type
    when 'settlement.changed' then c.iban when 'webhook_endpoint.changed' then c.webhook_url else c.kind end is not null
  left join closed_day y on e.type = 'day.closed' and y.bucket = e.bucket and y.client_id = e.client_id and y.sequence = e.sequence
  -- The subject of a webhook test, of a change and of a closed day is the event itself. A webhook test has no
  -- other row.
  where coalesce(o.id, f.id, s.withdrawal_id, d.id, n.id, case when e.type = 'webhook.test' and e.subject = e.id then e.id end,
    case when is_partner_change(e.type) and e.subject = e.id and c.sequence is not null then e.id end,
    case when e.subject = e.id and y.sequence is not null then e.id end) is null
$$;

create or replace function gold.check_change_has_event() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || c.client_id || ' sequence ' || c.sequence, 'no event belongs to this change of a credential, IBAN or webhook URL'
  from partner_change c
  left join event e on e.bucket = c.bucket and e.client_id = c.client_id and e.sequence = c.sequence and is_partner_change(e.type)
  where e.sequence is null
$$;

-- A closed day has the values that its rows give now, so nothing was added to the day later. The event of the
-- day exists.
create or replace function gold.check_day_is_closed() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'client ' || d.client_id || ' day ' || d.day, 'its event has other values than the rows of the day'
  from closed_day d, lateral (select to_jsonb(day_facts(d.client_id, d.day)) as facts) f
  where to_jsonb(d) - '{sequence,epoch}'::text[] <> f.facts - '{sequence,epoch}'::text[]
    || case when d.quotes_executed is null then '{"quotes_executed":null}' else '{}' end::jsonb
  union all
  select 'client ' || d.client_id || ' day ' || d.day, 'its event is missing'
  from closed_day d
  left join event e on e.bucket = d.bucket and e.client_id = d.client_id and e.sequence = d.sequence and e.type = 'day.closed'
  where e.sequence is null
$$;

-- The epochs are numbered without a gap. Within one cluster, each epoch has a higher timeline than the epoch
-- before it. A closed day names the epoch in which its event was posted. The event's instant may be ahead of
-- the clock by the tolerance.
create or replace function gold.check_epoch_is_whole() returns table (subject text, detail text)
language sql stable set search_path = gold, pg_temp as $$
  select 'epoch ' || p.id, 'its number or its timeline does not follow from the epoch before it'
  from (
    select e.id, row_number() over w as n, lag(e.system) over w = e.system and lag(e.timeline) over w >= e.timeline as is_back
    from epoch e window w as (order by id)
  ) p
  where p.id <> p.n or p.is_back
  union all
  select 'client ' || d.client_id || ' day ' || d.day, 'its epoch was not the current one when its event was posted'
  from closed_day d
  join event e on e.bucket = d.bucket and e.client_id = d.client_id and e.sequence = d.sequence
  left join (select id, began_at, lead(began_at, 1, 'infinity') over (order by id) as ended_at from epoch) p on p.id = d.epoch
  where p.id is null or e.created_at not between p.began_at - clock_tolerance() and p.ended_at + clock_tolerance()
$$;

-- Checks the books by recomputing them from the rows. Returns one row per defect; no rows means a clean
-- ledger.
create or replace function gold.verify_ledger() returns table (rule text, subject text, detail text)
language sql stable security definer set search_path = gold, pg_temp as $$
  select 'balance_is_sum', * from check_balance_is_sum()
  union all
  select 'running_balance', * from check_running_balance()
  union all
  select 'gold_is_backed', * from check_gold_is_backed()
  union all
  select 'bar_is_booked', * from check_bar_is_booked()
  union all
  select 'bar_list_is_whole', * from check_bar_list_is_whole()
  union all
  select 'order_names_list', * from check_order_names_list()
  union all
  select 'price_is_kept', * from check_price_is_kept()
  union all
  select 'quote_is_priced', * from check_quote_is_priced()
  union all
  select 'order_is_booked', * from check_order_is_booked()
  union all
  select 'order_is_quoted', * from check_order_is_quoted()
  union all
  select 'funding_is_booked', * from check_funding_is_booked()
  union all
  select 'deposit_is_booked', * from check_deposit_is_booked()
  union all
  select 'deposit_is_noted', * from check_deposit_is_noted()
  union all
  select 'withdrawal_is_booked', * from check_withdrawal_is_booked()
  union all
  select 'held_is_withdrawals', * from check_held_is_withdrawals()
  union all
  select 'record_has_its_legs', * from check_record_has_its_legs()
  union all
  select 'transfer_has_record', * from check_transfer_has_record()
  union all
  select 'result_is_bound', * from check_result_is_bound()
  union all
  select 'execution_has_key', * from check_execution_has_key()
  union all
  select 'answer_is_bound', * from check_answer_is_bound()
  union all
  select 'request_is_kept', * from check_request_is_kept()
  union all
  select 'events_without_gap', * from check_events_without_gap()
  union all
  select 'execution_has_event', * from check_execution_has_event()
  union all
  select 'event_has_execution', * from check_event_has_execution()
  union all
  select 'change_has_event', * from check_change_has_event()
  union all
  select 'day_is_closed', * from check_day_is_closed()
  union all
  select 'epoch_is_whole', * from check_epoch_is_whole()
  union all
  select * from verify_delivery()
$$;

-- Checks the sealed hash chain against the rows. Reports, for each client, the first link that no longer
-- matches, or a head that is not the last link. Also reports links beyond the end of their chain.
create or replace function gold.verify_chain() returns table (rule text, subject text, detail text)
language plpgsql stable security definer set search_path = gold, pg_temp as $$
declare
  tail chain_tail;
  head bytea;
  sealed bigint;
  record record;
begin
  <<chains>>
  for tail in select * from chain_tail order by client_id loop
    head := decode(repeat('00', 32), 'hex');
    sealed := 0;
    for record in
      select l.sequence, l.line, k.hash
      from chain_lines(tail.client_id, 0, null) l
      left join chain_link k on k.bucket = tail.bucket and k.client_id = tail.client_id and k.sequence = l.sequence
      where l.sequence <= tail.sequence
      order by l.sequence
    loop
      head := sha256(head || convert_to(record.line, 'UTF8'));
      sealed := sealed + 1;
      if record.sequence <> sealed or record.hash is distinct from head then
        rule := 'chain_is_whole';
        subject := 'client ' || tail.client_id || ' sequence ' || sealed;
        detail := 'the record differs from the sealed one';
        return next;
        continue chains;
      end if;
    end loop;
    if sealed <> tail.sequence or head <> tail.head then
      rule := 'chain_head';
      subject := 'client ' || tail.client_id;
      detail := format('sealed up to %s, records give %s', tail.sequence, sealed);
      return next;
    end if;
  end loop;

  return query
  select 'link_has_chain', 'client ' || l.client_id || ' sequence ' || min(l.sequence), 'it is sealed, but the chain ends before it'
  from chain_link l left join chain_tail t on t.bucket = l.bucket and t.client_id = l.client_id
  where l.sequence > coalesce(t.sequence, 0)
  group by l.client_id;
end $$;

-- The number of each client's events that are committed but not sealed yet. The chain does not protect them.
create or replace function gold.unsealed_tail() returns table (client_id int, events bigint)
language sql stable security definer set search_path = gold, pg_temp as $$
  select a.client_id, a.event_sequence - coalesce(t.sequence, 0)
  from account a left join chain_tail t on t.bucket = a.bucket and t.client_id = a.client_id
  where a.client_id <> 0 and a.event_sequence > coalesce(t.sequence, 0)
$$;
