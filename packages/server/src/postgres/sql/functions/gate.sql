-- Everything that a batch of openings or moves will wait for, before it touches any call: first its place among those
-- who freeze, publish and revoke, then the rows of limits and grants, in one order. Whoever waits inside a batch
-- therefore holds nothing that those it waits for could want. The time returned decides windows for the whole batch.
create or replace function paraph.enter(p_gated text[], p_claims jsonb) returns timestamptz
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz;
  v_claim jsonb;
begin
  if cardinality(p_gated) > 0 then
    perform pg_advisory_xact_lock_shared(7414, 0);
    perform pg_advisory_xact_lock_shared(7413, hashtext(t)) from unnest(p_gated) t;
  end if;
  v_now := paraph.now();
  for v_claim in select c from jsonb_array_elements(p_claims) c loop
    perform paraph.claim(v_claim, v_now);
  end loop;
  return v_now;
end $$;

-- The other side: alone with a tenant's gates until the end of the transaction.
create or replace function paraph.shut(p_tenant text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform pg_advisory_xact_lock(7413, hashtext(p_tenant));
end $$;

-- Windows are fixed; what has none is kept in one row for ever. Simple enough to be inlined.
create or replace function paraph.window_start(p_at timestamptz, p_ms bigint) returns timestamptz
language sql stable as $$
  select to_timestamp(case when p_ms > 0 then (floor(extract(epoch from p_at) * 1000 / p_ms) * p_ms / 1000)::float8 else 0 end)
$$;

-- Locks the rows of one tenant's limits and grants in key order. A window's row is made by whoever needs it first,
-- who also clears away what is long over.
create or replace function paraph.claim(p jsonb, p_now timestamptz) returns void
language plpgsql set search_path = paraph, pg_temp as $$
declare v_tenant text := p->>'tenant';
begin
  perform set_config('paraph.tenant', v_tenant, true);
  with wanted as (
    select w.key, w."windowMs" as ms, paraph.window_start(p_now, w."windowMs") as start
    from jsonb_to_recordset(p->'usage') as w (key text, "windowMs" bigint)
  ), made as (
    insert into usage (tenant, key, window_start)
    select v_tenant, w.key, w.start from wanted w
    where not exists (select from usage u where u.tenant = v_tenant and u.key = w.key and u.window_start = w.start)
    order by w.key
    on conflict do nothing
    returning key
  ), over as (
    select u.key, u.window_start
    from made join wanted w on w.key = made.key and w.ms > 0
    join usage u on u.tenant = v_tenant and u.key = w.key and u.window_start < w.start - w.ms * interval '2 milliseconds'
    for update of u skip locked
  )
  delete from usage u using over where u.tenant = v_tenant and u.key = over.key and u.window_start = over.window_start;

  perform from usage u
  where u.tenant = v_tenant and (u.key, u.window_start) in (
    select w.key, paraph.window_start(p_now, w."windowMs") from jsonb_to_recordset(p->'usage') as w (key text, "windowMs" bigint)
    union select r.key, r.window_start from jsonb_array_elements_text(p->'settling') s join reservation r on r.tenant = v_tenant and r.call = s)
  order by u.key, u.window_start for update;

  perform from standing_grant g
  where g.tenant = v_tenant and g.id in (
    select jsonb_array_elements_text(p->'grants')
    union select i.standing_grant from jsonb_array_elements_text(p->'returning') s join intent i on i.tenant = v_tenant and i.call = s)
  order by g.id for update;
end $$;

-- Why this may not be accepted, or not be begun; null if it may. Its rows are locked, and each look is a statement of
-- its own: what was committed before the locks were granted is seen.
create or replace function paraph.stop(p_tenant text, p_call text, p_principal text, p_capability text, p jsonb, p_accepts boolean, p_now timestamptz)
returns jsonb language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_gate jsonb := p->'gate';
  v_freeze jsonb;
  v_version text;
  v_full jsonb;
begin
  select (select jsonb_build_object('id', f.id, 'kind', f.kind) from paraph.freezes_on(p_tenant, p_principal, p_capability, v_gate->>'adapter') f order by f.at, f.id limit 1),
         coalesce((select version from policy_active where tenant = p_tenant), (select version from policy_configured))
  into v_freeze, v_version;
  if v_freeze is not null then return jsonb_build_object('reason', 'frozen', 'freeze', v_freeze); end if;
  if v_gate->>'policy' <> v_version then return jsonb_build_object('reason', 'policy-changed'); end if;

  if p ? 'intent' and v_gate ? 'grant' then
    perform from standing_grant where tenant = p_tenant and id = v_gate->'grant'->>'id' and revoked_at is null and expires_at > paraph.now()
      and count_left >= 1 and (amount_left is null or amount_left >= (v_gate->'grant'->>'amount')::bigint);
    if not found then return jsonb_build_object('reason', 'grant-spent', 'grant', v_gate->'grant'->>'id'); end if;
  end if;

  if jsonb_array_length(v_gate->'limits') = 0 then return null; end if;
  select jsonb_build_object('reason', 'limit-reached', 'limit', l.id, 'kind', l.kind)
         || case when l.ms > 0 then jsonb_build_object('resetAt', paraph.millis(l.start) + l.ms) else '{}' end into v_full
  from paraph.limits_on(p_tenant, p_call, p, p_accepts, p_now) l
  left join usage u on u.tenant = p_tenant and u.key = l.key and u.window_start = l.start
  where coalesce(u.used, 0) + l.amount > l.most
  order by l.n limit 1;
  return v_full;
end $$;

-- The limits that this counts towards: calls where it is accepted, the rest with its first intent.
create or replace function paraph.limits_on(p_tenant text, p_call text, p jsonb, p_accepts boolean, p_now timestamptz)
returns table (n bigint, id text, kind text, key text, ms bigint, start timestamptz, amount bigint, most numeric) language sql stable as $$
  select x.n, x.l->>'id', x.l->>'kind', x.l->>'key', (x.l->>'windowMs')::bigint, paraph.window_start(p_now, (x.l->>'windowMs')::bigint),
         (x.l->>'amount')::bigint, (x.l->>'most')::numeric
  from jsonb_array_elements(p->'gate'->'limits') with ordinality as x (l, n)
  where case when x.l->>'kind' = 'calls' then p_accepts
             else p ? 'intent' and not exists (select from paraph.reservation r where r.tenant = p_tenant and r.call = p_call and r.key = x.l->>'key') end
$$;

-- Takes what `stop` found to be there; nothing can have changed in between, for the rows are locked.
create or replace function paraph.take(p_tenant text, p_call text, p jsonb, p_accepts boolean, p_now timestamptz) returns void
language plpgsql set search_path = paraph, pg_temp as $$
declare v_gate jsonb := p->'gate';
begin
  if p ? 'intent' and v_gate ? 'grant' then
    update standing_grant set count_left = count_left - 1, amount_left = amount_left - (v_gate->'grant'->>'amount')::bigint
    where tenant = p_tenant and id = v_gate->'grant'->>'id';
  end if;
  if jsonb_array_length(v_gate->'limits') = 0 then return; end if;
  with taken as materialized (
    select key, start, kind, max(amount) as amount from paraph.limits_on(p_tenant, p_call, p, p_accepts, p_now) group by key, start, kind
  ), reserved as (
    insert into reservation (tenant, call, key, kind, window_start, amount)
    select p_tenant, p_call, key, kind, start, amount from taken where kind <> 'calls'
  )
  update usage u set used = u.used + t.amount from taken t where u.tenant = p_tenant and u.key = t.key and u.window_start = t.start;
end $$;

-- Ends what a call reserved: so much was spent. Null: nobody knows, so the money stays reserved and only the place is
-- free. The caller has locked the rows (`settling` of paraph.enter). A window that is over has nothing left to count.
create or replace function paraph.settle(p_tenant text, p_call text, p_spent bigint) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  with freed as (
    delete from reservation where tenant = p_tenant and call = p_call and (p_spent is not null or kind = 'concurrency')
    returning key, kind, window_start, amount
  )
  update usage u set used = greatest(0, u.used - f.amount + case f.kind when 'money' then p_spent else 0 end)
  from freed f where u.tenant = p_tenant and u.key = f.key and u.window_start = f.window_start;
end $$;

-- What a principal has used lately, for policies that look at it. Beyond ten thousand nobody counts.
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
      'spentToday', coalesce((select used from usage where tenant = p_tenant and key = 'spent:' || p_principal and window_start = paraph.window_start(v_now, 86400000)), 0))
  );
end $$;
