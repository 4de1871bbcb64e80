-- A partner's webhook endpoints beside the first one, which comes with the partner, and the types of all of them. A new
-- endpoint takes the events from that of its own addition on.

create or replace function gold.receiver_of(client int, number int) returns gold.receiver
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  found_receiver receiver;
begin
  select r.* into found_receiver from receiver r
  where r.partner_id = client and r.number = receiver_of.number and r.removed_at is null;
  if found_receiver.id is null then
    raise exception '% has no webhook endpoint %', public_of(client), receiver_of.number using errcode = 'GR404';
  end if;
  return found_receiver;
end $$;

-- Returns the types in order. Null for an empty list: all types.
create or replace function gold.checked_types(types text[]) returns text[]
language plpgsql stable set search_path = gold, pg_temp as $$
declare
  unknown text[] := array(select t from unnest(types) t where event_number(t) is null);
begin
  if cardinality(unknown) > 0 then
    raise exception 'there are no events of the type %', coalesce(unknown[1], 'null') using errcode = 'GR409';
  end if;
  return nullif(array(select distinct t collate "C" from unnest(types) t order by 1), '{}');
end $$;

-- Posts the event of an endpoint that this transaction added, changed or removed.
create or replace function gold.post_endpoint(given gold.receiver) returns void
language sql volatile set search_path = gold, pg_temp
begin atomic
  select gold.post_change((given).partner_id, 'webhook_endpoint.changed', c.changed_by, c.approved_by,
    webhook_url => (given).url, kid => nullif((given).number, 1)::text, valid_until => (given).removed_at)
  from gold.changer() c;
end;

create or replace function gold.add_endpoint(
  public text, url text, types text[], sealed bytea, sealing_key text, out endpoint int, out secret_id int
)
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  subject partner := partner_of(public);
  made receiver;
begin
  perform require_approval(jsonb_build_object('client_id', public, 'url', add_endpoint.url,
    'types', to_jsonb(add_endpoint.types), 'sealed', encode(add_endpoint.sealed, 'hex'),
    'sealing_key', add_endpoint.sealing_key), 'endpoint.add');
  perform begin_change(subject.id);
  perform hold_partner(public);
  if (select count(*) from receiver r where r.partner_id = subject.id and r.removed_at is null) >= 5 then
    raise exception '% has 5 webhook endpoints, which is the maximum: remove one that is no longer used', public
      using errcode = 'GR409';
  end if;
  insert into receiver (partner_id, number, url, types, added_after, typed_after)
  select subject.id, (select coalesce(max(r.number), 1) + 1 from receiver r where r.partner_id = subject.id),
    add_endpoint.url, checked_types(add_endpoint.types), a.event_sequence, a.event_sequence
  from account a where a.bucket = subject.id % 64 and a.client_id = subject.id
  returning * into made;
  insert into webhook_secret as s (partner_id, receiver_id, sealed, sealing_key, not_before)
  values (subject.id, made.id, add_endpoint.sealed, add_endpoint.sealing_key, present_millisecond())
  returning s.id into add_endpoint.secret_id;
  add_endpoint.endpoint := made.number;
  perform post_endpoint(made);
  perform post_credential(subject.id, 'credential.added', 'webhook_secret', add_endpoint.secret_id::text);
  perform note('endpoint.add', public, jsonb_build_object('endpoint', made.number, 'url', made.url,
    'types', to_jsonb(add_endpoint.types), 'after', made.added_after, 'secret_id', add_endpoint.secret_id,
    'sealed_sha256', hash_text(add_endpoint.sealed), 'sealing_key', add_endpoint.sealing_key));
  perform registry_changed();
  perform endpoint_changed(subject.id);
end $$;

-- Changes the given values; null leaves a value unchanged. An empty list means all types. The new types also hold for
-- the events that wait, and for those that are sent again.
create or replace function gold.set_endpoint(public text, endpoint int, url text, types text[]) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  subject partner := partner_of(public);
  before receiver;
  after receiver;
  wanted text[] := checked_types(set_endpoint.types);
begin
  perform begin_change(subject.id);
  before := receiver_of(subject.id, set_endpoint.endpoint);
  if set_endpoint.types is null then
    wanted := before.types;
  end if;
  -- One person may enable the endpoint again.
  if set_endpoint.url <> before.url or wanted is distinct from before.types then
    perform require_approval(jsonb_build_object('client_id', public, 'endpoint', set_endpoint.endpoint,
      'url', set_endpoint.url, 'types', to_jsonb(set_endpoint.types)), 'endpoint.set');
  end if;
  update receiver r set url = coalesce(set_endpoint.url, r.url), types = wanted,
    typed_after = case when wanted is distinct from r.types then a.event_sequence else r.typed_after end
  from account a where r.id = before.id and a.bucket = subject.id % 64 and a.client_id = subject.id
  returning r.* into after;
  delete from retry r
  where r.bucket = after.id % 64 and r.client_id = after.id and not exists (
    select from event_of_number(subject.id, r.sequence) e where takes(after.types, e.type));
  if set_endpoint.url is not null then
    perform enable_receiver(after.id);
  else
    update endpoint n set worker = null where n.bucket = after.id % 64 and n.client_id = after.id;
    perform endpoint_changed(subject.id);
  end if;
  if after is distinct from before then
    perform post_endpoint(after);
  end if;
  perform note('endpoint.set', public, jsonb_strip_nulls(jsonb_build_object('endpoint', after.number,
    'url', set_endpoint.url, 'types', to_jsonb(set_endpoint.types),
    'after', case when after.typed_after <> before.typed_after then after.typed_after end)));
  perform registry_changed();
end $$;

-- Ends the deliveries to an endpoint, also those that wait, and its secrets.
create or replace function gold.remove_endpoint(public text, endpoint int) returns void
language plpgsql volatile security definer set search_path = gold, pg_temp as $$
#variable_conflict use_column
declare
  subject partner := partner_of(public);
  gone receiver;
  secret int;
begin
  perform require_approval(
    jsonb_build_object('client_id', public, 'endpoint', remove_endpoint.endpoint), 'endpoint.remove');
  perform begin_change(subject.id);
  perform hold_partner(public);
  gone := receiver_of(subject.id, remove_endpoint.endpoint);
  if gone.number = 1 then
    raise exception 'the first webhook endpoint cannot be removed: set another URL, or other types'
      using errcode = 'GR409';
  end if;
  update receiver r set removed_at = present_millisecond() where r.id = gone.id returning r.* into gone;
  delete from endpoint n where n.bucket = gone.id % 64 and n.client_id = gone.id;
  delete from retry r where r.bucket = gone.id % 64 and r.client_id = gone.id;
  for secret in
    update webhook_secret s set retire_at = gone.removed_at
    where s.receiver_id = gone.id and (s.retire_at is null or s.retire_at > gone.removed_at) returning s.id
  loop
    perform post_credential(subject.id, 'credential.ended', 'webhook_secret', secret::text);
  end loop;
  perform post_endpoint(gone);
  perform note('endpoint.remove', public, jsonb_build_object('endpoint', gone.number, 'removed_at', gone.removed_at));
  perform registry_changed();
  perform endpoint_changed(subject.id);
end $$;
