-- Everything about one order or quote, for operators: the quote with the price that it was made from, the order
-- with the request that placed it, its postings, its event with the deliveries, and its link in the partner's chain.
-- A part that does not exist is null, or an empty list. Returns null if no partner has a quote with this id.
create or replace function gold.trace_order(id uuid) returns json
language plpgsql stable security definer set search_path = gold, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set jit = off as $$
#variable_conflict use_column
declare
  given quote;
  placed orders;
  subject partner;
  history price_history;
  link chain_link;
  traced json;
begin
  -- One look-up for each partner.
  select q.* into given from partner p
  cross join lateral (
    select * from quote q where q.bucket = p.id % 64 and q.client_id = p.id and q.id = trace_order.id offset 0) q;
  if given.id is null then
    return null;
  end if;
  select p.* into subject from partner p where p.id = given.client_id;
  select o.* into placed from orders o
  where o.bucket = given.bucket and o.client_id = given.client_id and o.id = given.id;
  select h.* into history from price_history h where h.id = given.price_id;
  select l.* into link from chain_link l
  where l.bucket = given.bucket and l.client_id = given.client_id and l.sequence = placed.sequence;
  traced := (select trace_event(e.id) from event e
    where e.bucket = given.bucket and e.client_id = given.client_id and e.sequence = placed.sequence);
  return json_build_object(
    'client_id', subject.public_id, 'name', subject.name,
    'quote', member_texts(quote_text(given, quote_status(given))),
    'price', case when history.id is not null then json_build_object(
      'price_id', history.id::text, 'source', history.source,
      'mid', decimal_text(history.mid, 0.0001), 'buy', decimal_text(history.buy, 0.0001),
      'sell', decimal_text(history.sell, 0.0001),
      'spread_basis_points', history.spread_basis_points::text, 'as_of', instant_text(history.as_of)) end,
    'order', case when placed.id is not null then member_texts(order_text(placed)) end,
    'request', case when placed.id is not null
      then request_of(given.client_id, 'order', placed.id, placed.executed_at) end,
    'postings', (
      select coalesce(json_agg(l.line), '[]')
      from list_postings(given.client_id, placed.sequence - 1, placed.sequence) l (line)),
    'event', traced -> 'event',
    'deliveries', coalesce(traced -> 'deliveries', '[]'),
    'attempts', coalesce(traced -> 'attempts', '[]'),
    'chain', case when link.hash is not null
      then json_build_object('sequence', link.sequence::text, 'hash', encode(link.hash, 'hex')) end
  );
end $$;
