-- [P1] Opens a call with everything that its opening records, or writes nothing if the key is taken or a gate rejects
-- it. The rows are written in one statement, because each statement costs about as much as the rows it writes.
create or replace function paraph.open(p_tenant text, p_life int, p jsonb, p_now timestamptz, p_here jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_claims boolean := coalesce(p ? 'gate' and p_here ? 'used', false);
  v_opened boolean;
  v_undelivered text;
  v_undoes text := p->'events'->0->'data'->>'undoes';
  v_undone_by text;
  v_stop jsonb;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if p ? 'gate' then
    v_stop := paraph.stop(p_tenant, p->>'call', p->>'principal', p->>'capability', p, true, p_now, p_here);
    if v_stop is not null then
      -- [P1] The call with this key was accepted earlier. It may even be the one that reached the limit.
      perform from call where tenant = p_tenant and principal = p->>'principal' and key = p->>'key';
      if found then return jsonb_build_object('kind', 'exists'); end if;
      return jsonb_build_object('kind', 'stopped', 'stop', v_stop);
    end if;
  end if;

  -- [TRUST 34] A call has at most one undo at a time, even if different principals request it.
  if v_undoes is not null then
    perform from call where tenant = p_tenant and principal = p->>'principal' and key = p->>'key';
    if found then return jsonb_build_object('kind', 'exists'); end if;
    v_undone_by := paraph.claim_undo(p_tenant, v_undoes, p->>'call');
    if v_undone_by is not null then return jsonb_build_object('kind', 'undone', 'by', v_undone_by); end if;
  end if;

  -- [fence] A step is opened only while its composite runs, and raises the composite's epoch. No other transaction can
  -- then close the composite while the step is being opened.
  if p ? 'parentEpoch' then
    perform from call where tenant = p_tenant and principal = p->>'principal' and key = p->>'key';
    if found then return jsonb_build_object('kind', 'exists'); end if;
    update call set epoch = epoch + 1, deaths = 0
    where tenant = p_tenant and id = p->'parent'->>'call' and epoch = (p->>'parentEpoch')::bigint and state = 'composing';
    if not found then return jsonb_build_object('kind', 'lost'); end if;
  end if;

  -- [TRUST 19] If two identical requests arrive at the same time, the index makes one wait until it finds the other.
  if p ? 'undelivered' and p->>'session' is not null and p->>'state' <> 'closed' then
    -- The loop repeats if the result was delivered between the insert and the select.
    while v_undelivered is null loop
      insert into undelivered (tenant, principal, session, request_digest, call, at)
      values (p_tenant, p->>'principal', p->>'session', p->>'requestDigest', p->>'call', paraph.now())
      on conflict (tenant, principal, session, request_digest) do update set call = excluded.call, at = excluded.at
        where undelivered.at <= paraph.now() - interval '1 day';
      select call into v_undelivered from undelivered
      where tenant = p_tenant and principal = p->>'principal' and session = p->>'session' and request_digest = p->>'requestDigest';
    end loop;
    if v_undelivered <> p->>'call' then return jsonb_build_object('kind', 'duplicate', 'call', v_undelivered); end if;
  end if;

  with opened as (
    insert into call (tenant, id, principal, key, capability, version, contract_digest, request_digest, session, thread, trace, correlation,
                      lock_keys, on_behalf_of, requirements, supersedes, edited_by, parent, step, depth, state, epoch, next_at, deadline, outcome, outcome_code, created_at, closed_at, runner)
    values (p_tenant, p->>'call', p->>'principal', p->>'key', p->>'capability', (p->>'version')::int, p->>'contractDigest',
            p->>'requestDigest', p->>'session', p->>'thread', p->>'trace', split_part(p->>'trace', '-', 2),
            array(select jsonb_array_elements_text(p->'lockKeys')), p->>'onBehalfOf', coalesce(p->'requirements', '[]'), p->>'supersedes', p->>'editedBy', p->'parent'->>'call', p->'parent'->>'step', (p->'parent'->>'depth')::int, p->>'state', 1, paraph.instant(p->'nextAt'), paraph.instant(p->'deadline'),
            p->'outcome'->>'kind', p->'outcome'->>'code', paraph.instant(p->'createdAt'),
            case when p->>'state' = 'closed' then paraph.now() end,
            case when p->>'segment' = 'runs' then paraph.life_held(p_life) end)
    on conflict do nothing
    returning id
  ), events as (
    insert into event (tenant, call, seq, kind, at, data, epoch)
    select p_tenant, id, ordinality, e->>'kind', paraph.instant(e->'at'), e->'data', 1
    from opened, jsonb_array_elements(p->'events') with ordinality as x(e, ordinality)
  ), payloads as (
    insert into payload (tenant, call, name, version, salt, body)
    select p_tenant, id, e->>'name', 1, e->>'salt', e->>'body' from opened, jsonb_array_elements(p->'payloads') as x(e)
  ), asked as (
    insert into approval (tenant, id, call, round, digest, guards, expires_at)
    select p_tenant, a->>'id', opened.id, (a->>'round')::int, a->>'digest', a->'guards', paraph.instant(a->'expiresAt')
    from opened, (select p->'ask' as a) x where a is not null
  ), intended as (
    insert into intent (tenant, call, attempt, life, at, deadline, standing_grant, amount, token)
    select p_tenant, id, (i->>'attempt')::int, paraph.life_held(p_life), paraph.instant(i->'at'), paraph.instant(i->'deadline'), g->>'id', (g->>'amount')::bigint, (i->>'token')::uuid
    from opened, (select p->'intent' as i, p->'gate'->'grant' as g) x where i is not null
  ), signed as (
    insert into receipt (tenant, call, digest, envelope)
    select p_tenant, id, r->>'digest', r->>'envelope' from opened, (select p->'receipt' as r) x where r is not null
  )
  select count(*) > 0 into v_opened from opened;
  if not v_opened then return jsonb_build_object('kind', 'exists'); end if;
  if p->>'state' = 'closed' then perform paraph.ended(p_tenant, p->>'call', null); end if;
  if not v_claims then return jsonb_build_object('kind', 'opened'); end if;
  return jsonb_build_object('kind', 'opened', 'used', paraph.take(p_tenant, p->>'call', p, true, p_now, p_here->'used'));
end $$;

-- Opens many calls, in the given order, that claim limits or grants. It carries the counts from one to the next.
create or replace function paraph.open_all(p_life int, p_tenants text[], p_documents jsonb[], p_gated text[], p_claims jsonb) returns setof jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz;
  v_here jsonb;
  v_one record;
  v_answer jsonb;
begin
  select e.at, e.here into v_now, v_here from paraph.enter(p_gated, p_claims) e;
  for v_one in select x.tenant, x.document from unnest(p_tenants, p_documents) with ordinality as x (tenant, document, n) order by n loop
    v_answer := paraph.open(v_one.tenant, p_life, v_one.document, v_now, v_here->v_one.tenant);
    if v_answer ? 'used' then v_here := jsonb_set(v_here, array[v_one.tenant, 'used'], v_answer->'used'); end if;
    return next v_answer - 'used';
  end loop;
  perform paraph.leave(p_claims, v_here);
end $$;
