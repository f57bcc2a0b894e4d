-- Starts the polling of this adapter for this tenant.
create or replace function paraph.begin_polling(p_tenant text, p_adapter text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into poll (tenant, adapter, next_at) values (p_tenant, p_adapter, paraph.now()) on conflict do nothing;
end $$;

-- Returns the cursor of a claimed poll, or null if another poller has claimed it since.
create or replace function paraph.poll_at(p_tenant text, p_adapter text, p_epoch bigint) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select json_build_object('cursor', cursor, 'failures', failures)
          from poll where tenant = p_tenant and adapter = p_adapter and epoch = p_epoch);
end $$;

-- Writes observations and the next cursor together, and only at this epoch. Known observations are not written again.
-- The same transaction deletes expired observations, up to a thousand at a time. Returns the number of new
-- observations, or null if the epoch was lost.
create or replace function paraph.observe(p_tenant text, p_adapter text, p_epoch bigint, p_cursor text, p_observations jsonb, p_wait interval, p_keep interval) returns int
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz := paraph.now();
  v_head bigint;
  v_new int := 0;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update poll set cursor = case when cursor = p_cursor then cursor else p_cursor end, epoch = epoch + 1,
    next_at = v_now + p_wait, polled_at = v_now, failures = 0, code = null
  where tenant = p_tenant and adapter = p_adapter and epoch = p_epoch;
  if not found then return null; end if;

  if jsonb_array_length(p_observations) > 0 then
    insert into observation_head (tenant, seq) values (p_tenant, 0) on conflict do nothing;
    select seq into v_head from observation_head where tenant = p_tenant for update;
    insert into observation (tenant, adapter, id, seq, kind, subject, at, observed_at, body)
    select p_tenant, p_adapter, f.id, v_head + row_number() over (order by f.place), f.kind, f.subject, f.at, v_now, f.body
    from (
      select distinct on (o->>'id') o->>'id' as id, o->>'kind' as kind, o->>'subject' as subject, paraph.instant(o->'at') as at, o->>'body' as body, place
      from jsonb_array_elements(p_observations) with ordinality as x (o, place)
      -- `offset 0` makes PostgreSQL look up each id. It would otherwise read all observations of the tenant.
      where not exists (select from observation k where k.tenant = p_tenant and k.adapter = p_adapter and k.id = o->>'id' offset 0)
      order by o->>'id', place) f;
    get diagnostics v_new = row_count;
  end if;
  if v_new > 0 then
    update observation_head set seq = seq + v_new where tenant = p_tenant;
    insert into webhook_delivery (tenant, endpoint, call, wanted, delivered, next_at)
    select p_tenant, id, paraph.observations_of(p_tenant), v_head + v_new, v_head, v_now from webhook_endpoint where active and observing
    on conflict (tenant, endpoint, call) do update set wanted = excluded.wanted,
      next_at = case when webhook_delivery.delivered = webhook_delivery.wanted then excluded.next_at else webhook_delivery.next_at end;
  end if;

  delete from observation where tenant = p_tenant and adapter = p_adapter and observed_at < v_now - p_keep
    and seq = any (array(select seq from observation where tenant = p_tenant and adapter = p_adapter order by seq limit 1000));
  return v_new;
end $$;

-- Records that a poll failed with this code, and postpones the next one.
create or replace function paraph.poll_failed(p_tenant text, p_adapter text, p_epoch bigint, p_wait interval, p_code text) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update poll set epoch = epoch + 1, next_at = paraph.now() + p_wait, failures = failures + 1, code = p_code
  where tenant = p_tenant and adapter = p_adapter and epoch = p_epoch;
  return found;
end $$;

-- Returns the newest sequence number of a tenant's observations.
create or replace function paraph.observation_head_of(p_tenant text) returns bigint
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return coalesce((select seq from observation_head where tenant = p_tenant), 0);
end $$;

-- Returns the name that takes the place of a call id in webhook deliveries of a tenant's observations. No call has this
-- name, because call ids start with `call_`.
create or replace function paraph.observations_of(p_tenant text) returns text
language sql immutable as $$ select 'obs_' || p_tenant $$;
