-- [P1] A new call with all that its opening records; nothing where the key is taken or a gate stays shut. One statement,
-- because each costs about as much as the rows it writes.
create or replace function paraph.open(p_tenant text, p_life int, p jsonb, p_now timestamptz) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_opened boolean;
  v_stop jsonb;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if p ? 'gate' then
    v_stop := paraph.stop(p_tenant, p->>'call', p->>'principal', p->>'capability', p, true, p_now);
    if v_stop is not null then
      -- [P1] The call that has the key was accepted before: it may even be what filled the limit.
      perform from call where tenant = p_tenant and principal = p->>'principal' and key = p->>'key';
      if found then return jsonb_build_object('kind', 'exists'); end if;
      return jsonb_build_object('kind', 'stopped', 'stop', v_stop);
    end if;
  end if;

  with opened as (
    insert into call (tenant, id, principal, key, capability, version, contract_digest, request_digest, session, thread, trace,
                      lock_keys, on_behalf_of, requirements, state, epoch, next_at, deadline, outcome, outcome_code, created_at, closed_at)
    values (p_tenant, p->>'call', p->>'principal', p->>'key', p->>'capability', (p->>'version')::int, p->>'contractDigest',
            p->>'requestDigest', p->>'session', p->>'thread', p->>'trace',
            array(select jsonb_array_elements_text(p->'lockKeys')), p->>'onBehalfOf', coalesce(p->'requirements', '[]'), p->>'state', 1, paraph.instant(p->'nextAt'), paraph.instant(p->'deadline'),
            p->'outcome'->>'kind', p->'outcome'->>'code', paraph.instant(p->'createdAt'),
            case when p->>'state' = 'closed' then paraph.now() end)
    on conflict do nothing
    returning id
  ), events as (
    insert into event (tenant, call, seq, kind, at, data)
    select p_tenant, id, ordinality, e->>'kind', paraph.instant(e->'at'), e->'data'
    from opened, jsonb_array_elements(p->'events') with ordinality as x(e, ordinality)
  ), payloads as (
    insert into payload (tenant, call, name, version, salt, body)
    select p_tenant, id, e->>'name', 1, e->>'salt', e->>'body' from opened, jsonb_array_elements(p->'payloads') as x(e)
  ), asked as (
    insert into approval (tenant, id, call, round, digest, guards, expires_at)
    select p_tenant, a->>'id', opened.id, (a->>'round')::int, a->>'digest', a->'guards', paraph.instant(a->'expiresAt')
    from opened, (select p->'ask' as a) x where a is not null
  ), intended as (
    insert into intent (tenant, call, attempt, life, at, deadline, standing_grant, amount)
    select p_tenant, id, (i->>'attempt')::int, p_life, paraph.instant(i->'at'), paraph.instant(i->'deadline'), g->>'id', (g->>'amount')::bigint
    from opened, (select p->'intent' as i, p->'gate'->'grant' as g) x where i is not null
  ), signed as (
    insert into receipt (tenant, call, digest, envelope)
    select p_tenant, id, r->>'digest', r->>'envelope' from opened, (select p->'receipt' as r) x where r is not null
  )
  select count(*) > 0 into v_opened from opened;
  if not v_opened then return jsonb_build_object('kind', 'exists'); end if;
  if p ? 'gate' then perform paraph.take(p_tenant, p->>'call', p, true, p_now); end if;
  return jsonb_build_object('kind', 'opened');
end $$;

-- Many at once, in the order given; what they may have to wait for is waited for before the first of them.
create or replace function paraph.open_all(p_life int, p_tenants text[], p_documents jsonb[], p_gated text[], p_claims jsonb) returns setof jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.enter(p_gated, p_claims);
begin
  return query select paraph.open(tenant, p_life, document, v_now) from unnest(p_tenants, p_documents) with ordinality as x (tenant, document, n) order by n;
end $$;
