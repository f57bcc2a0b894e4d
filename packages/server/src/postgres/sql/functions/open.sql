-- [P1] A new call with all that its opening records, or nothing where the key is taken. One statement, because each costs
-- about as much as the rows it writes.
create or replace function paraph.open(p_tenant text, p_life int, p jsonb) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
declare v_opened boolean;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  with opened as (
    insert into call (tenant, id, principal, key, capability, version, contract_digest, request_digest, session, thread, trace,
                      lock_keys, state, epoch, next_at, deadline, outcome, outcome_code, created_at, closed_at)
    values (p_tenant, p->>'call', p->>'principal', p->>'key', p->>'capability', (p->>'version')::int, p->>'contractDigest',
            p->>'requestDigest', p->>'session', p->>'thread', p->>'trace',
            array(select jsonb_array_elements_text(p->'lockKeys')), p->>'state', 1, paraph.instant(p->'nextAt'), paraph.instant(p->'deadline'),
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
    insert into intent (tenant, call, attempt, life, at, deadline)
    select p_tenant, id, (i->>'attempt')::int, p_life, paraph.instant(i->'at'), paraph.instant(i->'deadline')
    from opened, (select p->'intent' as i) x where i is not null
  ), signed as (
    insert into receipt (tenant, call, digest, envelope)
    select p_tenant, id, r->>'digest', r->>'envelope' from opened, (select p->'receipt' as r) x where r is not null
  )
  select count(*) > 0 into v_opened from opened;
  return v_opened;
end $$;
