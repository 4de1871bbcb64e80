-- Simulations of what the operator's people and the calendar do to a partner beside its money. They make the
-- rows and the events of real changes. The events name the two logins of simulations.

create or replace function gold.post_simulated(
  client int, type text, secret int default null, iban text default null, webhook_url text default null
) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
begin
  perform post_change(client, type, 'gold_simulation_maker', 'gold_simulation_checker', c.kind, c.credential, c.kid, c.valid_from, c.valid_until,
    iban, webhook_url)
  from (select) one left join credentials_of(client) c on c.kind = 'client_secret' and c.credential = secret::text;
end $$;

-- A simulated credential is a client secret that nobody knows, because only a random hash exists. The first
-- bytes of this hash tell it from a real one.
create or replace function gold.simulated_mark() returns bytea
language sql immutable parallel safe
return convert_to('simulated', 'UTF8');

create or replace function gold.add_simulated_secret(client int, lasts interval, out id int)
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  hash bytea := simulated_mark() || substr(sha256(uuid_send(gen_random_uuid())), length(simulated_mark()) + 1);
  ends timestamptz := present_millisecond() + lasts;
begin
  insert into client_secret (partner_id, hash, not_before, retire_at) values (client, hash, present_millisecond(), ends)
  returning client_secret.id into id;
  perform post_simulated(client, 'credential.added', secret => id);
  perform note_as('gold_simulation_maker', 'client_secret.simulate', public_of(client), jsonb_build_object('secret_id', id,
    'secret_sha256', hash_text(hash), 'retire_at', instant_text(ends)));
end $$;

-- At most one simulated secret is active, so that the partner has room for its own.
create or replace function gold.simulate_credential(client int, type text) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  active int := (select s.id from client_secret s
    where s.partner_id = client and substr(s.hash, 1, length(simulated_mark())) = simulated_mark() and s.retire_at > clock_timestamp());
begin
  if type = 'credential.ended' and active is null then
    active := add_simulated_secret(client, interval '90 days');
  end if;
  if active is not null then
    update client_secret s set retire_at = present_millisecond() where s.id = active;
    perform post_simulated(client, 'credential.ended', secret => active);
    perform note_as('gold_simulation_checker', 'client_secret.retire', public_of(client), jsonb_build_object('secret_id', active,
      'last_used_at', null));
  end if;
  if type = 'credential.added' then
    perform add_simulated_secret(client, interval '90 days');
  elsif type = 'credential.expiring' then
    active := add_simulated_secret(client, interval '1 day');
    perform post_expiry_notice(client, d.kind, d.credential, d.expires_at, d.days_ahead) from due_notices(clock_timestamp()) d
    where d.client_id = client and d.kind = 'client_secret' and d.credential = active::text;
  end if;
  perform registry_changed();
end $$;

-- Closes the client's days that have ended and have activity. If there are none, closes the newest past day
-- that is open. Nothing can be added to it, because a record never gets an instant of a past day.
create or replace function gold.simulate_day_end(client int, clock timestamptz) returns void
language plpgsql volatile set search_path = gold, pg_temp as $$
#variable_conflict use_variable
declare
  day date := unclosed_day(client);
begin
  if day is null then
    day := day_of(clock) - 1;
    while quotes_end(client, day) + close_delay() > clock
      or exists (select from closed_day c where c.bucket = client % 64 and c.client_id = client and c.day = day)
    loop
      day := day - 1;
    end loop;
    perform post_day(client, day);
    return;
  end if;
  while day is not null loop
    perform post_day(client, day);
    day := unclosed_day(client);
  end loop;
end $$;

-- Makes an event of this type, and returns it without its data.
create or replace function gold.simulate_event(
  holder gold.account, parameters jsonb, clock timestamptz, out refusal text, out detail text, out body text
)
language plpgsql volatile set search_path = gold, pg_temp as $$
declare
  type text := parameters->>'type';
  subject partner := (select p from partner p where p.id = holder.client_id);
  first_url text := (select r.url from receiver r where r.id = holder.client_id);
begin
  case type
    when 'day.closed' then
      perform simulate_day_end(holder.client_id, clock);
    -- The registered IBAN and URL stay. A new IBAN would hold the partner's payouts for a day.
    when 'settlement.changed' then
      perform post_simulated(holder.client_id, type, iban => subject.iban);
    when 'webhook_endpoint.changed' then
      if first_url is null then
        refusal := 'not_found';
        detail := 'You have no webhook endpoint.';
        return;
      end if;
      perform post_simulated(holder.client_id, type, webhook_url => first_url);
      perform enable_receiver(holder.client_id);
    else
      perform simulate_credential(holder.client_id, type);
  end case;
  select '{"id":"evt_' || e.id || '","type":"' || e.type || '","sequence":' || e.sequence || ',"created_at":"' || instant_text(e.created_at) || '"}'
  into strict body
  from event e
  where e.bucket = holder.bucket and e.client_id = holder.client_id and e.sequence > holder.event_sequence and e.type = parameters->>'type'
  order by e.sequence desc limit 1;
end $$;
