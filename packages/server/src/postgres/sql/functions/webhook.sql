-- Marks new events for every active endpoint, in the transaction that writes them. The check comes first, because most
-- deployments have no endpoint. The check costs 9 µs, and the insert below would cost 26 µs even with nothing to do.
create or replace function paraph.want_webhooks() returns trigger
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform from webhook_endpoint where active;
  if not found then return null; end if;
  insert into webhook_delivery (tenant, endpoint, call, wanted, delivered, next_at)
  select n.tenant, e.id, n.call, max(greatest(n.seq, (n.accepted).seq, (n.ruled).seq, (n.attempted).seq, (n.round_closed).seq)),
         min(least(n.seq, (n.accepted).seq, (n.ruled).seq, (n.attempted).seq, (n.round_closed).seq)) - 1, paraph.now()
  from written n cross join webhook_endpoint e where e.active group by n.tenant, e.id, n.call
  on conflict (tenant, endpoint, call) do update set wanted = excluded.wanted,
    -- A delivery with nothing left to send becomes due immediately. A delivery that is being retried keeps its time.
    next_at = case when webhook_delivery.delivered = webhook_delivery.wanted then excluded.next_at else webhook_delivery.next_at end;
  return null;
end $$;

-- Replacing a trigger locks its table. A migration that holds another lock could then deadlock with running calls.
do $$
begin
  if exists (select from pg_trigger where tgrelid = 'paraph.event_row'::regclass and tgname = 'want_webhooks') then return; end if;
  create trigger want_webhooks after insert on paraph.event_row referencing new table as written
  for each statement execute function paraph.want_webhooks();
end $$;

-- Makes exactly these endpoints receive events from now on. Those in `p_observing` also receive observations.
create or replace function paraph.configure_webhooks(p_endpoints text[], p_observing text[] default '{}') returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  update webhook_endpoint set active = id = any (p_endpoints), observing = id = any (p_observing)
  where active <> (id = any (p_endpoints)) or observing <> (id = any (p_observing));
  insert into webhook_endpoint (id, active, observing)
  select id, true, id = any (p_observing) from unnest(p_endpoints) as given(id) on conflict do nothing;
end $$;

-- Returns the events of a call that an endpoint has not received, in order, with the requester. For a tenant's
-- observations it returns only the adapter and kind of each, never the content.
create or replace function paraph.webhook_events(p_tenant text, p_endpoint text, p_call text, p_limit int) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare
  d webhook_delivery;
  v_events json;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select * into d from webhook_delivery where tenant = p_tenant and endpoint = p_endpoint and call = p_call;
  if not found then return null; end if;
  if p_call = paraph.observations_of(p_tenant) then
    select json_agg(json_build_object('seq', o.seq, 'kind', 'observation', 'at', paraph.millis(o.observed_at), 'data', json_build_object('adapter', o.adapter, 'kind', o.kind)) order by o.seq)
    into v_events from (select * from observation where tenant = p_tenant and seq > d.delivered order by seq limit p_limit) o;
    -- Observations that have been deleted can no longer be delivered.
    if v_events is null then
      update webhook_delivery set delivered = d.wanted where tenant = p_tenant and endpoint = p_endpoint and call = p_call and delivered < d.wanted;
    end if;
  else
    select json_agg(json_build_object('seq', e.seq, 'kind', e.kind, 'at', paraph.millis(e.at), 'data', e.data) order by e.seq)
    into v_events from (select * from event where tenant = p_tenant and call = p_call and seq > d.delivered order by seq limit p_limit) e;
  end if;
  return json_build_object(
    'principal', (select c.principal from call c where c.tenant = p_tenant and c.id = p_call), 'attempts', d.attempts,
    'failingSince', paraph.millis(d.failing_since), 'events', coalesce(v_events, '[]'));
end $$;

-- [TRUST 19] Decides for which of these calls an endpoint that notifies people receives the request: at most five
-- requests of one principal for one capability within a minute. The decision is made once per call and stored.
-- Neither the order in which calls are written nor a second check then lets a sixth through, and a reminder follows
-- only a request that was sent. Only the newest 500 deliveries are read, so that the cost stays bounded. `offset 0` makes
-- PostgreSQL read rows by their keys. During a flood it would otherwise read all calls of the capability for each delivery.
create or replace function paraph.choose_noticed(p_tenant text, p_endpoint text, p_calls text[]) returns void
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_group record;
  v_times timestamptz[];
  v_noticed boolean;
begin
  perform pg_advisory_xact_lock(7416, hashtext(p_tenant || '/' || p_endpoint));
  for v_group in
    with undecided as materialized (
      select d.call from unnest(p_calls) as given(call)
      cross join lateral (select call, noticed from webhook_delivery where tenant = p_tenant and endpoint = p_endpoint and call = given.call offset 0) d
      where d.noticed is null
    ), newest as materialized (
      select d.call from webhook_delivery d where d.tenant = p_tenant and d.endpoint = p_endpoint and d.noticed order by d.call desc limit 500
    ), recent as materialized (
      select c.principal, c.capability, c.created_at from newest
      cross join lateral (select principal, capability, created_at from call where tenant = p_tenant and id = newest.call offset 0) c
    )
    select array_agg(c.id order by c.created_at, c.id) as calls, array_agg(c.created_at order by c.created_at, c.id) as times,
      (select coalesce(array_agg(r.created_at), '{}') from recent r where r.principal = c.principal and r.capability = c.capability) as noticed
    from undecided
    cross join lateral (select id, principal, capability, created_at from call where tenant = p_tenant and id = undecided.call offset 0) c
    group by c.principal, c.capability
  loop
    v_times := v_group.noticed;
    for n in 1 .. cardinality(v_group.calls) loop
      select count(*) < 5 into v_noticed from unnest(v_times) t
      where t between v_group.times[n] - interval '1 minute' and v_group.times[n] + interval '1 minute';
      if v_noticed then v_times := v_times || v_group.times[n]; end if;
      update webhook_delivery set noticed = v_noticed where tenant = p_tenant and endpoint = p_endpoint and call = v_group.calls[n];
    end loop;
  end loop;
end $$;

-- Whether the request of this call is one too many for an endpoint that notifies people.
create or replace function paraph.is_flood(p_tenant text, p_endpoint text, p_call text) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform paraph.choose_noticed(p_tenant, p_endpoint, array[p_call]);
  return (select not noticed from webhook_delivery where tenant = p_tenant and endpoint = p_endpoint and call = p_call);
end $$;

-- Records that an event was delivered or given up. Returns false if another worker was faster.
create or replace function paraph.webhook_delivered(p_tenant text, p_endpoint text, p_call text, p_seq int, p_given_up boolean) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update webhook_delivery set delivered = p_seq, attempts = 0, failing_since = null, next_at = paraph.now(), code = null,
    given_up = given_up + p_given_up::int
  where tenant = p_tenant and endpoint = p_endpoint and call = p_call and delivered < p_seq;
  return found;
end $$;

create or replace function paraph.webhook_failed(p_tenant text, p_endpoint text, p_call text, p_wait interval, p_code text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update webhook_delivery set attempts = attempts + 1, failing_since = coalesce(failing_since, paraph.now()),
    next_at = paraph.now() + p_wait, code = p_code
  where tenant = p_tenant and endpoint = p_endpoint and call = p_call;
end $$;
