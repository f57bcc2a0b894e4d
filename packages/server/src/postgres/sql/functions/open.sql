-- [P1] Opens calls with everything that their openings record. An opening writes nothing if its key is taken or a gate
-- rejects it. Each table is written in one statement for all calls, because a statement costs more than the rows that it
-- writes for one call. Openings with the same key do not come together, nor do openings that claim limits or grants,
-- because each of them depends on the one before (`paraph.open_all`). Returns one answer for each opening, in order.
create or replace function paraph.open_set(p_tenant text, p_life int, p_documents jsonb[], p_now timestamptz, p_here jsonb) returns jsonb[]
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  p jsonb;
  v_n int := 0;
  v_answers jsonb[] := array_fill(jsonb_build_object('kind', 'opened'), array[cardinality(p_documents)]);
  v_numbers int[] := '{}';
  v_calls text[] := '{}';
  v_documents jsonb[] := '{}';
  v_opened text[];
  v_acts boolean := false;
  v_closes boolean := false;
  v_life int;
  v_undelivered text;
  v_undoes text;
  v_undone_by text;
  v_stop jsonb;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  foreach p in array p_documents loop
    v_n := v_n + 1;
    if p ? 'gate' then
      v_stop := paraph.stop(p_tenant, p->>'call', p->>'principal', p->>'capability', p, true, p_now, p_here);
      if v_stop is not null then
        -- [P1] The call with this key was accepted earlier. It may even be the one that reached the limit.
        perform from call where tenant = p_tenant and principal = p->>'principal' and key = p->>'key';
        v_answers[v_n] := case when found then jsonb_build_object('kind', 'exists') else jsonb_build_object('kind', 'stopped', 'stop', v_stop) end;
        continue;
      end if;
    end if;

    -- One condition covers everything that few openings have, because PostgreSQL prepares each condition again in each
    -- transaction.
    if p ?| array['parentEpoch', 'undelivered'] or p->'events'->0->'data' ? 'undoes' then
      -- [TRUST 34] A call has at most one undo at a time, even if different principals request it.
      v_undoes := p->'events'->0->'data'->>'undoes';
      if v_undoes is not null then
        perform from call where tenant = p_tenant and principal = p->>'principal' and key = p->>'key';
        if found then
          v_answers[v_n] := jsonb_build_object('kind', 'exists');
          continue;
        end if;
        v_undone_by := paraph.claim_undo(p_tenant, v_undoes, p->>'call');
        if v_undone_by is not null then
          v_answers[v_n] := jsonb_build_object('kind', 'undone', 'by', v_undone_by);
          continue;
        end if;
      end if;

      -- [fence] A step is opened only while its composite runs, and raises the composite's epoch. No other transaction can
      -- then close the composite while the step is being opened.
      if p ? 'parentEpoch' then
        perform from call where tenant = p_tenant and principal = p->>'principal' and key = p->>'key';
        if found then
          v_answers[v_n] := jsonb_build_object('kind', 'exists');
          continue;
        end if;
        update call set epoch = epoch + 1, deaths = 0
        where tenant = p_tenant and id = p->'parent'->>'call' and epoch = (p->>'parentEpoch')::bigint and state = 'composing';
        if not found then
          v_answers[v_n] := jsonb_build_object('kind', 'lost');
          continue;
        end if;
      end if;

      -- [TRUST 19] If two identical requests arrive at the same time, the index makes one wait until it finds the other.
      if p ? 'undelivered' and p->>'session' is not null and p->>'state' <> 'closed' then
        v_undelivered := null;
        -- The loop repeats if the result was delivered between the insert and the select.
        while v_undelivered is null loop
          insert into undelivered (tenant, principal, session, request_digest, call, at)
          values (p_tenant, p->>'principal', p->>'session', p->>'requestDigest', p->>'call', paraph.now())
          on conflict (tenant, principal, session, request_digest) do update set call = excluded.call, at = excluded.at
            where undelivered.at <= paraph.now() - interval '1 day';
          select call into v_undelivered from undelivered
          where tenant = p_tenant and principal = p->>'principal' and session = p->>'session' and request_digest = p->>'requestDigest';
        end loop;
        if v_undelivered <> p->>'call' then
          v_answers[v_n] := jsonb_build_object('kind', 'duplicate', 'call', v_undelivered);
          continue;
        end if;
      end if;
    end if;

    v_numbers := array_append(v_numbers, v_n);
    v_calls := array_append(v_calls, p->>'call');
    v_documents := array_append(v_documents, p);
    v_acts := v_acts or p ?| array['intent', 'segment'];
    v_closes := v_closes or p->>'state' = 'closed';
  end loop;

  if v_acts then v_life := paraph.life_held(p_life); end if;
  with opened as (
    insert into call (tenant, id, principal, key, capability, version, contract_digest, request_digest, session, thread, trace, correlation,
                      lock_keys, on_behalf_of, requirements, supersedes, edited_by, parent, step, depth, state, epoch, next_at, deadline, outcome, outcome_code, created_at, closed_at, runner)
    select p_tenant, d->>'call', d->>'principal', d->>'key', d->>'capability', (d->>'version')::int, d->>'contractDigest',
           d->>'requestDigest', d->>'session', d->>'thread', d->>'trace', split_part(d->>'trace', '-', 2),
           array(select jsonb_array_elements_text(d->'lockKeys')), d->>'onBehalfOf', coalesce(d->'requirements', '[]'), d->>'supersedes', d->>'editedBy', d->'parent'->>'call', d->'parent'->>'step', (d->'parent'->>'depth')::int, d->>'state', 1, paraph.instant(d->'nextAt'), paraph.instant(d->'deadline'),
           d->'outcome'->>'kind', d->'outcome'->>'code', paraph.instant(d->'createdAt'),
           case when d->>'state' = 'closed' then paraph.now() end,
           case when d->>'segment' = 'runs' then v_life end
    from (select unnest(v_documents) as d) x
    on conflict do nothing
    returning id
  )
  select coalesce(array_agg(id), '{}') into v_opened from opened;
  if cardinality(v_opened) < cardinality(v_calls) then
    for v_n in 1..cardinality(v_calls) loop
      if v_calls[v_n] <> all (v_opened) then v_answers[v_numbers[v_n]] := jsonb_build_object('kind', 'exists'); end if;
    end loop;
    select coalesce(array_agg(call order by n), '{}'), coalesce(array_agg(d order by n), '{}') into v_calls, v_documents
    from unnest(v_calls, v_documents) with ordinality as x (call, d, n) where call = any (v_opened);
  end if;
  if cardinality(v_calls) = 0 then return v_answers; end if;

  if v_acts then
    insert into intent (tenant, call, attempt, life, at, deadline, standing_grant, amount, token)
    select p_tenant, call, (i->>'attempt')::int, v_life, paraph.instant(i->'at'), paraph.instant(i->'deadline'), g->>'id', (g->>'amount')::bigint, (i->>'token')::uuid
    from (select call, d->'intent' as i, d->'gate'->'grant' as g from (select unnest(v_calls) as call, unnest(v_documents) as d) x) y where i is not null;
  end if;
  perform paraph.record(p_tenant, v_calls, null, v_documents);
  if v_closes then perform paraph.ended(p_tenant, v_calls, null); end if;
  -- The opening came alone.
  if p_here ? 'used' and v_documents[1] ? 'gate' then
    v_answers[1] := v_answers[1] || jsonb_build_object('used', paraph.take(p_tenant, v_calls[1], v_documents[1], true, p_now, p_here->'used'));
  end if;
  return v_answers;
end $$;

-- Opens one call.
create or replace function paraph.open(p_tenant text, p_life int, p jsonb, p_now timestamptz, p_here jsonb) returns jsonb
language sql set search_path = paraph, pg_temp as $$ select (paraph.open_set(p_tenant, p_life, array[p], p_now, p_here))[1] $$;

-- Opens many calls one by one, in the given order, because some have the same key or claim limits or grants. It carries
-- the counts from one to the next.
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
    v_answer := (paraph.open_set(v_one.tenant, p_life, array[v_one.document], v_now, v_here->v_one.tenant))[1];
    if v_answer ? 'used' then v_here := jsonb_set(v_here, array[v_one.tenant, 'used'], v_answer->'used'); end if;
    return next v_answer - 'used';
  end loop;
  perform paraph.leave(p_claims, v_here);
end $$;
