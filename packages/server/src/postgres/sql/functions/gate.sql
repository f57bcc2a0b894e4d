-- Functions whose statements read the document force generic plans. PostgreSQL would otherwise plan with the values in
-- it, estimate a low cost, and plan again each time. That planning costs five times what it saves.

-- Acquires every lock that a batch of openings or transitions needs, before the batch touches any call. It first takes
-- the gate locks, which freezes, policy activations and revocations take exclusively, then the rows of limits and
-- grants in one order. A batch that waits therefore holds nothing that the other side could wait for. `here` holds for
-- each tenant the active policy set, whether anything is frozen, and how much of each limit is used. These values stay
-- valid until the batch is committed. `at` decides the windows of the whole batch.
create or replace function paraph.enter(p_gated text[], p_claims jsonb, out at timestamptz, out here jsonb)
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_tenant text;
  v_claim jsonb;
begin
  here := '{}';
  at := paraph.now();
  if cardinality(p_gated) > 0 then
    perform pg_advisory_xact_lock_shared(7414, 0);
    perform pg_advisory_xact_lock_shared(7413, hashtext(t)) from unnest(p_gated) t;
    -- Each tenant needs its own statement, which sees everything that was committed before the locks were granted.
    foreach v_tenant in array p_gated loop
      perform set_config('paraph.tenant', v_tenant, true);
      here := here || jsonb_build_object(v_tenant, jsonb_build_object(
        'policy', coalesce((select version from policy_active where tenant = v_tenant), (select version from policy_configured)),
        'frozen', exists (select from paraph.freeze where tenant = v_tenant and thawed_at is null)));
    end loop;
  end if;
  if jsonb_array_length(p_claims) = 0 then return; end if;
  for v_claim in select c from jsonb_array_elements(p_claims) c loop
    v_tenant := v_claim->>'tenant';
    perform set_config('paraph.tenant', v_tenant, true);
    here := here || jsonb_build_object(v_tenant, coalesce(here->v_tenant, '{}') || jsonb_build_object('used', paraph.claim(v_tenant, v_claim, at)));
  end loop;
end $$;

-- Writes how much of each limit is used, once for the batch and not once per call.
create or replace function paraph.leave(p_claims jsonb, p_here jsonb) returns void
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare v_tenant text;
begin
  for v_tenant in select c->>'tenant' from jsonb_array_elements(p_claims) c loop
    perform set_config('paraph.tenant', v_tenant, true);
    update usage u set used = s.value::bigint
    from jsonb_each(p_here->v_tenant->'used') s
    where u.tenant = v_tenant and u.window_start = paraph.instant(split_part(s.key, '@', 1)::jsonb)
      and u.key = substr(s.key, strpos(s.key, '@') + 1) and u.used <> s.value::bigint;
  end loop;
end $$;

-- Takes the gate lock of a tenant exclusively until the end of the transaction.
create or replace function paraph.shut(p_tenant text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform pg_advisory_xact_lock(7413, hashtext(p_tenant));
end $$;

-- Returns the start of the fixed window at this time. A limit without a window has one permanent row. The function is
-- simple enough that PostgreSQL inlines it.
create or replace function paraph.window_start(p_at timestamptz, p_ms bigint) returns timestamptz
language sql stable as $$
  select to_timestamp(case when p_ms > 0 then (floor(extract(epoch from p_at) * 1000 / p_ms) * p_ms / 1000)::float8 else 0 end)
$$;

-- Returns the name of one counter: the key of a limit in one of its windows.
create or replace function paraph.slot(p_key text, p_start timestamptz) returns text
language sql stable as $$ select paraph.millis(p_start) || '@' || p_key $$;

-- Locks the rows of one tenant's limits and grants in key order, and returns how much of each limit is used. The first
-- batch that needs a window creates its row and deletes rows of windows that ended long ago.
create or replace function paraph.claim(p_tenant text, p jsonb, p_now timestamptz) returns jsonb
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare v_used jsonb := '{}';
begin
  perform from jsonb_to_recordset(p->'usage') as w (key text, "windowMs" bigint)
  where not exists (select from usage u where u.tenant = p_tenant and u.key = w.key and u.window_start = paraph.window_start(p_now, w."windowMs"));
  if found then
    with wanted as (
      select w.key, w."windowMs" as ms, paraph.window_start(p_now, w."windowMs") as start
      from jsonb_to_recordset(p->'usage') as w (key text, "windowMs" bigint)
    ), made as (
      insert into usage (tenant, key, window_start)
      select p_tenant, w.key, w.start from wanted w
      where not exists (select from usage u where u.tenant = p_tenant and u.key = w.key and u.window_start = w.start)
      order by w.key
      on conflict do nothing
      returning key
    ), over as (
      select u.key, u.window_start
      from made join wanted w on w.key = made.key and w.ms > 0
      join usage u on u.tenant = p_tenant and u.key = w.key and u.window_start < w.start - w.ms * interval '2 milliseconds'
      for update of u skip locked
    )
    delete from usage u using over where u.tenant = p_tenant and u.key = over.key and u.window_start = over.window_start;
  end if;

  if jsonb_array_length(p->'usage') + jsonb_array_length(p->'settling') > 0 then
    select coalesce(jsonb_object_agg(paraph.slot(l.key, l.window_start), l.used), '{}') into v_used
    from (
      select u.key, u.window_start, u.used
      from (select w.key, paraph.window_start(p_now, w."windowMs") as start from jsonb_to_recordset(p->'usage') as w (key text, "windowMs" bigint)
            union select r.key, r.window_start from jsonb_array_elements_text(p->'settling') s join reservation r on r.tenant = p_tenant and r.call = s) x
      join usage u on u.tenant = p_tenant and u.key = x.key and u.window_start = x.start
      order by u.key, u.window_start for update of u) l;
  end if;

  if jsonb_array_length(p->'grants') + jsonb_array_length(p->'returning') > 0 then
    perform from standing_grant g
    where g.tenant = p_tenant and g.id in (
      select jsonb_array_elements_text(p->'grants')
      union select i.standing_grant from jsonb_array_elements_text(p->'returning') s join intent i on i.tenant = p_tenant and i.call = s)
    order by g.id for update;
  end if;
  return v_used;
end $$;

-- Returns why the call may not be accepted or its attempt not started, or null if it may.
create or replace function paraph.stop(
  p_tenant text, p_call text, p_principal text, p_capability text, p jsonb, p_accepts boolean, p_now timestamptz, p_here jsonb)
returns jsonb language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  v_gate jsonb := p->'gate';
  v_stop jsonb;
begin
  -- If `enter` did not read the freezes of this tenant, the function reads them itself. Missing information never
  -- counts as "not frozen".
  if p_here->'frozen' is distinct from 'false' then
    select jsonb_build_object('reason', 'frozen', 'freeze', jsonb_build_object('id', f.id, 'kind', f.kind)) into v_stop
    from paraph.freezes_on(p_tenant, array[p_principal, coalesce(p->>'onBehalfOf', (select c.on_behalf_of from call c where c.tenant = p_tenant and c.id = p_call))],
                           p_capability, v_gate->>'adapter') f order by f.at, f.id limit 1;
    if found then return v_stop; end if;
  end if;
  if v_gate->>'policy' <> p_here->>'policy' then return jsonb_build_object('reason', 'policy-changed'); end if;

  if p ? 'intent' and v_gate ? 'grant' then
    perform from standing_grant where tenant = p_tenant and id = v_gate->'grant'->>'id' and revoked_at is null and expires_at > paraph.now()
      and count_left >= 1 and (amount_left is null or amount_left >= (v_gate->'grant'->>'amount')::bigint);
    if not found then return jsonb_build_object('reason', 'grant-spent', 'grant', v_gate->'grant'->>'id'); end if;
  end if;

  if jsonb_array_length(v_gate->'limits') = 0 then return null; end if;
  select jsonb_build_object('reason', 'limit-reached', 'limit', l.id, 'kind', l.kind)
         || case when l.ms > 0 then jsonb_build_object('resetAt', paraph.millis(l.start) + l.ms) else '{}' end into v_stop
  from paraph.limits_on(p_tenant, p_call, p, p_accepts, p_now) l
  where coalesce((p_here->'used'->>paraph.slot(l.key, l.start))::bigint, l.max) + l.amount > l.max
  order by l.n limit 1;
  return v_stop;
end $$;

-- Returns the limits that this write counts towards. Limits on calls count at acceptance, all others with the first
-- intent.
create or replace function paraph.limits_on(p_tenant text, p_call text, p jsonb, p_accepts boolean, p_now timestamptz)
returns table (n bigint, id text, kind text, key text, ms bigint, start timestamptz, amount bigint, max numeric) language sql stable as $$
  select x.n, x.l->>'id', x.l->>'kind', x.l->>'key', (x.l->>'windowMs')::bigint, paraph.window_start(p_now, (x.l->>'windowMs')::bigint),
         (x.l->>'amount')::bigint, (x.l->>'max')::numeric
  from jsonb_array_elements(p->'gate'->'limits') with ordinality as x (l, n)
  where case when x.l->>'kind' = 'calls' then p_accepts
             else p ? 'intent' and (p_accepts or not exists (select from paraph.reservation r where r.tenant = p_tenant and r.call = p_call and r.key = x.l->>'key')) end
$$;

-- Takes from limits and grants what `stop` found available, and returns how much of each limit is then used. The rows
-- are locked, so nothing can change between the two.
create or replace function paraph.take(p_tenant text, p_call text, p jsonb, p_accepts boolean, p_now timestamptz, p_used jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  v_gate jsonb := p->'gate';
  v_used jsonb;
begin
  if p ? 'intent' and v_gate ? 'grant' then
    update standing_grant set count_left = count_left - 1, amount_left = amount_left - (v_gate->'grant'->>'amount')::bigint
    where tenant = p_tenant and id = v_gate->'grant'->>'id';
  end if;
  if jsonb_array_length(v_gate->'limits') = 0 then return p_used; end if;
  select jsonb_object_agg(slot, (p_used->>slot)::bigint + amount) into v_used
  from (select paraph.slot(l.key, l.start) as slot, max(l.amount) as amount from paraph.limits_on(p_tenant, p_call, p, p_accepts, p_now) l group by 1) x;
  if p ? 'intent' and v_gate @? '$.limits[*] ? (@.kind != "calls")' then
    insert into reservation (tenant, call, key, kind, window_start, amount)
    select p_tenant, p_call, l.key, l.kind, l.start, max(l.amount) from paraph.limits_on(p_tenant, p_call, p, p_accepts, p_now) l
    where l.kind <> 'calls' group by l.key, l.kind, l.start;
  end if;
  return p_used || coalesce(v_used, '{}');
end $$;

-- Ends a call's reservations with the amount spent, and returns how much of each limit is then used. If the amount is
-- null, it is unknown. The money then stays reserved, and only the concurrency place becomes free. `enter` must have
-- listed the call as `settling`. A window that ended and was deleted has no count to correct.
create or replace function paraph.settle(p_tenant text, p_call text, p_spent bigint, p_used jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare v_used jsonb;
begin
  with freed as (
    delete from reservation where tenant = p_tenant and call = p_call and (p_spent is not null or kind = 'concurrency')
    returning paraph.slot(key, window_start) as slot, case kind when 'money' then p_spent else 0 end - amount as more
  )
  select jsonb_object_agg(slot, greatest(0, (p_used->>slot)::bigint + more)) into v_used from freed where p_used ? slot;
  return p_used || coalesce(v_used, '{}');
end $$;

-- Passes the concurrency places that a call is about to leave to the calls that have waited longest. It makes those
-- calls due, so that the sweeper finds them if the following message is lost, and returns them to be sent that message.
-- It skips calls whose row another transaction holds.
create or replace function paraph.next_for_places(p_tenant text, p_call text) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare v_wake jsonb;
begin
  with first as (
    select n.id from reservation r
    cross join lateral (select c.id from call c where c.tenant = p_tenant and c.place = r.key and c.state = 'delayed'
                        order by c.place_since, c.id limit 1 for update skip locked) n
    where r.tenant = p_tenant and r.call = p_call and r.kind = 'concurrency'
  ), woken as (
    update call c set next_at = least(c.next_at, paraph.now()) from first where c.tenant = p_tenant and c.id = first.id returning c.id, c.epoch
  )
  select coalesce(jsonb_agg(jsonb_build_object('call', id, 'epoch', epoch) order by id), '[]') into v_wake from woken;
  return v_wake;
end $$;

-- Counts a principal's calls that people denied in the last hour, up to a maximum.
create or replace function paraph.count_denials(p_tenant text, p_principal text, p_max int) returns int
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select count(*) from (select from call where tenant = p_tenant and principal = p_principal and outcome = 'denied'
                          and closed_at > paraph.now() - interval '1 hour' limit p_max) denied
  );
end $$;

-- Returns a principal's recent usage for policies that depend on it. The counts stop at ten thousand.
create or replace function paraph.usage_of(p_tenant text, p_principal text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz := paraph.now();
  v_since text := paraph.id_before('call', v_now - interval '1 day');
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    with lately as (
      select created_at from call
      where tenant = p_tenant and principal = p_principal and id > v_since and created_at > v_now - interval '1 day' order by id desc limit 10000
    )
    select json_build_object(
      'callsLastHour', (select count(*) from lately where created_at > v_now - interval '1 hour'),
      'callsLastDay', (select count(*) from lately),
      'deniedLastHour', paraph.count_denials(p_tenant, p_principal, 10000),
      'spentToday', coalesce((select used from usage where tenant = p_tenant and key = 'spent:' || p_principal and window_start = paraph.window_start(v_now, 86400000)), 0))
  );
end $$;
