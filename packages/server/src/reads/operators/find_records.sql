-- Searches the records of all partners for operators. A key or an id costs one look-up for each partner. No index
-- has the references of orders or the ends of ids, so they are found only among each partner's newest records.

create or replace function gold.find_records(wanted text)
returns table (kind text, id text, client_id text, name text)
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set jit = off as $$
#variable_conflict use_column
declare
  -- A bank's file has ids without hyphens.
  wanted_id constant uuid := case
    when wanted ~ '^([a-z]+_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then right(wanted, 36)::uuid
    when wanted ~ '^[0-9a-f]{32}$' then wanted::uuid end;
  wanted_end constant text := substring(wanted from '^(?:ord_|qt_)?…?([0-9a-f]{4,12})$');
  request json;
begin
  if wanted_id is not null then
    return query
      select r.kind, r.id, p.public_id, p.name
      from partner p
      cross join lateral (
        select case when o.id is null then 'quote' else 'order' end as kind,
          case when o.id is null then 'qt_' else 'ord_' end || q.id as id
        from quote q
        left join orders o on o.bucket = q.bucket and o.client_id = q.client_id and o.id = q.id
        where q.bucket = p.id % 64 and q.client_id = p.id and q.id = wanted_id
        union all
        select 'event', 'evt_' || e.id from event e
        where e.bucket = p.id % 64 and e.client_id = p.id and e.id = wanted_id
        union all
        select 'funding', 'fnd_' || f.id from funding f
        where f.bucket = p.id % 64 and f.client_id = p.id and f.id = wanted_id
        offset 0
      ) r
      union all
      select 'withdrawal', 'wd_' || w.id, p.public_id, p.name
      from withdrawal w join partner p on p.id = w.client_id where w.id = wanted_id
      union all
      select 'deposit', 'dep_' || d.id, p.public_id, p.name
      from deposit d join partner p on p.id = d.client_id where d.id = wanted_id
      union all
      select 'proposal', l.id::text, null, l.kind from proposal l where l.id = wanted_id
      union all
      select 'payment', b.id::text, null, 'by ' || b.login from payment_batch b where b.id = wanted_id;
    -- The look-up reads the keys of some minutes.
    if not found then
      request := find_request(wanted_id);
      return query
        select 'request', request ->> 'request_id', request ->> 'client_id', request ->> 'name' where request is not null;
    end if;
  end if;
  return query
    select 'request', 'req_' || k.request_id, p.public_id, p.name
    from partner p
    join idempotency_key k on k.bucket = p.id % 64 and k.client_id = p.id and k.key = wanted
    union all
    select 'withdrawal', 'wd_' || w.id, p.public_id, p.name
    from withdrawal w join partner p on p.id = w.client_id where w.reference = wanted
    union all
    select 'deposit', 'dep_' || d.id, p.public_id, p.name
    from deposit d join partner p on p.id = d.client_id where d.bank_reference = wanted
    union all
    select 'signing key', s.thumbprint, p.public_id, p.name
    from signing_key s join partner p on p.id = s.partner_id where wanted in (s.kid, s.thumbprint)
    union all
    select 'person', o.login, null, array_to_string(o.roles, ', ') from operator_overview o where o.login = wanted
    union all
    select 'person', k.login, null, k.fingerprint from operator_key_overview k where k.fingerprint = wanted
    union all
    select 'list of bars', 'lst_' || l.id, null, to_char(l.created_at at time zone 'Asia/Riyadh', 'YYYY-MM-DD')
    from bar_list l where 'lst_' || l.id = wanted
    union all
    select 'bar', b.serial, null, decimal_text(b.fine, 0.0001) || ' g' from bar b where b.serial = wanted
    union all
    select 'order', 'ord_' || o.id, p.public_id, p.name
    from partner p
    cross join lateral (
      select o.id, o.reference from orders o
      where o.client_id + 0 = p.id order by o.client_id + 0 desc, o.sequence desc limit 50
    ) o
    where o.reference = wanted or o.id::text like '%' || wanted_end
    union all
    select 'quote', 'qt_' || q.id, p.public_id, p.name
    from partner p
    cross join lateral (
      select q.id, q.reference from quote q
      where q.bucket = p.id % 64 and q.client_id = p.id
      order by q.bucket desc, q.client_id desc, q.id desc limit 50
    ) q
    where (q.reference = wanted or q.id::text like '%' || wanted_end)
      and not exists (select from orders o where o.bucket = p.id % 64 and o.client_id = p.id and o.id = q.id);
end $$;
