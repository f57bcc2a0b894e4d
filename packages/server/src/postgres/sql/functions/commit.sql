-- Writes everything that transitions of calls record. A transition that is rejected writes nothing. Each table is written
-- in one statement for all calls, as in `paraph.open_set`. Transitions of the same call do not come together, nor do
-- transitions that free locks or claim limits or grants (`paraph.commit_all`). The function locks rows in the same order
-- as `paraph.lock`: first the rows of limits and grants (`paraph.enter`), then lock rows, then call rows. This order
-- prevents deadlocks between transitions. Returns one answer for each transition, in order.
create or replace function paraph.commit_set(p_tenant text, p_life int, p_documents jsonb[], p_now timestamptz, p_here jsonb) returns jsonb[]
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  p jsonb;
  v_locked record;
  v_answers jsonb[] := array_fill(jsonb_build_object('kind', 'lost'), array[cardinality(p_documents)]);
  v_numbers int[] := '{}';
  v_calls text[] := '{}';
  v_documents jsonb[] := '{}';
  v_epochs bigint[] := '{}';
  v_thawed text[] := '{}';
  v_acts boolean := false;
  v_closes boolean := false;
  v_decides boolean := false;
  v_settles boolean := false;
  v_ends boolean := false;
  v_returns boolean := false;
  v_life int;
  v_call text;
  v_keys text[];
  v_stop jsonb;
  v_used jsonb := p_here->'used';
  v_wake jsonb;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if (p_documents[1]->>'unlock')::boolean then
    select lock_keys into v_keys from call where tenant = p_tenant and id = p_documents[1]->>'call';
    perform from lock where tenant = p_tenant and key = any (v_keys) order by key for update;
  end if;

  -- [fence] The lateral query locks the calls one by one, in the given order.
  for v_locked in
    select n, c.* from unnest(p_documents) with ordinality as x (d, n)
    cross join lateral (select principal, on_behalf_of, capability from call where tenant = p_tenant and id = d->>'call' and epoch = (d->>'epoch')::bigint and state <> 'closed' for update) c
  loop
    p := p_documents[v_locked.n];
    v_call := p->>'call';
    if p ?| array['timely', 'vote', 'closeRound', 'gate', 'settle'] or p->>'state' = 'parked' or p->'outcome'->>'code' = 'approval-mismatch' then
      if p->'outcome'->>'code' = 'approval-mismatch' and not p ? 'knowsHeadlines' and paraph.covers_headline(p_tenant, v_call) then continue; end if;
      if not paraph.timely(p_tenant, p) then
        v_answers[v_locked.n] := jsonb_build_object('kind', 'untimely');
        continue;
      end if;
      if p ? 'gate' then
        v_stop := paraph.stop(p_tenant, v_call, v_locked.principal, v_locked.capability, p, false, p_now, p_here);
        if v_stop is not null then
          v_answers[v_locked.n] := jsonb_build_object('kind', 'stopped', 'stop', v_stop);
          continue;
        end if;
      end if;
      -- If the freeze was lifted after the call was stopped, only this transition can wake the call.
      if p->>'state' = 'parked' and not exists (select from paraph.freezes_on(p_tenant, array[v_locked.principal, v_locked.on_behalf_of], v_locked.capability, split_part(v_locked.capability, '.', 1))) then
        v_thawed := array_append(v_thawed, v_call);
      end if;
      v_decides := v_decides or p ?| array['vote', 'closeRound'];
      v_settles := v_settles or p ? 'settle';
    end if;
    -- Both transitions would have the same epoch, so only the first may be written.
    if v_call = any (v_calls) then raise exception 'two transitions of one call in a set' using errcode = 'cardinality_violation'; end if;
    v_numbers := array_append(v_numbers, v_locked.n::int);
    v_calls := array_append(v_calls, v_call);
    v_documents := array_append(v_documents, p);
    v_epochs := array_append(v_epochs, (p->>'epoch')::bigint + 1);
    v_acts := v_acts or p ?| array['intent', 'segment'];
    v_closes := v_closes or p->>'state' = 'closed';
    if p ? 'endAttempt' then
      v_ends := true;
      v_returns := v_returns or p->'endAttempt'->>'as' = 'not-performed';
    end if;
  end loop;
  if cardinality(v_calls) = 0 then return v_answers; end if;
  if v_acts then v_life := paraph.life_held(p_life); end if;

  -- `any` bounds the rows that are read, whatever plan PostgreSQL chooses.
  update call c set
    state = d->>'state', epoch = x.epoch,
    next_at = case when x.call = any (v_thawed) then least(paraph.instant(d->'nextAt'), paraph.now()) else paraph.instant(d->'nextAt') end,
    deadline = coalesce(paraph.instant(d->'deadline'), c.deadline),
    outcome = d->'outcome'->>'kind', outcome_code = d->'outcome'->>'code',
    closed_at = case when d->>'state' = 'closed' then paraph.now() end,
    runner = case when d->>'segment' = 'runs' then v_life end,
    deaths = case when d ? 'segment' then c.deaths else 0 end,
    stuck = d->>'stuck',
    place = d->'waitFor'->>'key',
    place_since = case when d ? 'waitFor' then case when c.place = d->'waitFor'->>'key' then c.place_since else paraph.now() end end
  from (select unnest(v_calls) as call, unnest(v_epochs) as epoch, unnest(v_documents) as d) x
  where c.tenant = p_tenant and c.id = x.call and c.id = any (v_calls);

  if v_decides then
    insert into vote (tenant, approval, voter, decision, standing, at, groups)
    select p_tenant, v->>'approval', v->'vote'->>'by', v->'vote'->>'decision', v->'vote'->>'as', paraph.instant(v->'vote'->'at'),
           case when v->'vote' ? 'groups' then array(select jsonb_array_elements_text(v->'vote'->'groups')) end
    from (select d->'vote' as v from (select unnest(v_documents) as d) x) y where v is not null
    on conflict (tenant, approval, voter) do update set decision = excluded.decision, standing = excluded.standing, at = excluded.at, groups = excluded.groups;

    foreach p in array v_documents loop
      if p ? 'closeRound' then
        update approval set status = p->'closeRound'->>'status' where tenant = p_tenant and id = p->'closeRound'->>'approval';
      end if;
    end loop;
  end if;
  if v_ends then
    update intent i set ended = e->>'as' from (select call, d->'endAttempt' as e from (select unnest(v_calls) as call, unnest(v_documents) as d) y) x
    where i.tenant = p_tenant and i.call = x.call and i.call = any (v_calls) and i.attempt = (e->>'attempt')::int;
  end if;
  -- An attempt that was certainly not performed has used nothing. The next attempt claims the grant again.
  if v_returns then
    update standing_grant g set count_left = g.count_left + 1, amount_left = g.amount_left + i.amount
    from intent i where i.tenant = p_tenant and i.call = v_calls[1] and i.attempt = (v_documents[1]->'endAttempt'->>'attempt')::int
      and g.tenant = p_tenant and g.id = i.standing_grant;
  end if;
  if v_acts then
    insert into intent (tenant, call, attempt, life, at, deadline, standing_grant, amount, token)
    select p_tenant, call, (i->>'attempt')::int, case when i->>'performer' is null then v_life end, paraph.instant(i->'at'), paraph.instant(i->'deadline'),
           g->>'id', (g->>'amount')::bigint, (i->>'token')::uuid
    from (select call, d->'intent' as i, d->'gate'->'grant' as g from (select unnest(v_calls) as call, unnest(v_documents) as d) x) y where i is not null;
  end if;

  perform paraph.record(p_tenant, v_calls, v_epochs, v_documents);
  if v_closes then perform paraph.ended(p_tenant, v_calls, array(select d->'settle'->>'spent' from unnest(v_documents) as x (d))); end if;

  for v_n in 1..cardinality(v_calls) loop
    v_answers[v_numbers[v_n]] := jsonb_build_object('kind', 'done', 'epoch', v_epochs[v_n], 'wake', jsonb_build_array());
  end loop;
  if v_used is null and v_keys is null and v_thawed = '{}' and not v_settles then return v_answers; end if;

  for v_n in 1..cardinality(v_calls) loop
    v_call := v_calls[v_n];
    p := v_documents[v_n];
    v_wake := '[]';
    if p ? 'gate' and v_used is not null then v_used := paraph.take(p_tenant, v_call, p, false, p_now, v_used); end if;
    if p ? 'settle' then v_wake := paraph.next_for_places(p_tenant, v_call); end if;
    if p ? 'settle' then v_used := paraph.settle(p_tenant, v_call, nullif(p->'settle'->>'spent', 'unknown')::bigint, v_used); end if;
    if cardinality(v_keys) > 0 then v_wake := v_wake || paraph.release(p_tenant, v_call, v_keys); end if;
    -- If a place became free after the call was stopped, only this transition can wake the call. It holds the lock on the
    -- limit's row, as every call does that frees a place.
    if p ? 'waitFor' and (v_used->>paraph.slot(p->'waitFor'->>'key', paraph.window_start(p_now, 0)))::bigint + (p->'waitFor'->>'amount')::bigint <= (p->'waitFor'->>'max')::numeric then
      update call set next_at = paraph.now() where tenant = p_tenant and id = v_call;
      v_wake := v_wake || jsonb_build_object('call', v_call, 'epoch', v_epochs[v_n]);
    end if;
    if v_call = any (v_thawed) then v_wake := v_wake || jsonb_build_object('call', v_call, 'epoch', v_epochs[v_n]); end if;
    v_answers[v_numbers[v_n]] := v_answers[v_numbers[v_n]] || jsonb_build_object('wake', v_wake) || case when v_used is null then '{}' else jsonb_build_object('used', v_used) end;
  end loop;
  return v_answers;
end $$;

-- Commits one transition.
create or replace function paraph.commit(p_tenant text, p_life int, p jsonb, p_now timestamptz, p_here jsonb) returns jsonb
language sql set search_path = paraph, pg_temp as $$ select (paraph.commit_set(p_tenant, p_life, array[p], p_now, p_here))[1] $$;

-- Commits many transitions one by one, in the given order, because some are of the same call or claim limits or grants.
-- It carries the counts from one to the next.
create or replace function paraph.commit_all(p_life int, p_tenants text[], p_documents jsonb[], p_gated text[], p_claims jsonb) returns setof jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz;
  v_here jsonb;
  v_one record;
  v_answer jsonb;
begin
  select e.at, e.here into v_now, v_here from paraph.enter(p_gated, p_claims) e;
  for v_one in select x.tenant, x.document from unnest(p_tenants, p_documents) with ordinality as x (tenant, document, n) order by n loop
    v_answer := (paraph.commit_set(v_one.tenant, p_life, array[v_one.document], v_now, v_here->v_one.tenant))[1];
    if v_answer ? 'used' then v_here := jsonb_set(v_here, array[v_one.tenant, 'used'], v_answer->'used'); end if;
    return next v_answer - 'used';
  end loop;
  perform paraph.leave(p_claims, v_here);
end $$;

-- Whether the last round's digest covers a headline. A process of a version without headlines computes another digest for
-- such a round, and would refuse the call. For 15 minutes, as long as a deployment takes, it leaves the call to a newer
-- process instead.
create or replace function paraph.covers_headline(p_tenant text, p_call text) returns boolean
language sql stable set search_path = paraph, pg_temp as $$
  select coalesce((select e.data ? 'headline' from event e where e.tenant = p_tenant and e.call = p_call and e.kind = 'asked' order by e.seq desc limit 1), false)
    and exists (select from event e where e.tenant = p_tenant and e.call = p_call and e.at > paraph.now() - interval '15 minutes')
$$;

-- [P15] Only the database's clock decides whether a vote, the end of a round or a time-bound transition is in time. The
-- clock of the sending process does not matter.
create or replace function paraph.timely(p_tenant text, p jsonb) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_end text := p->'closeRound'->>'status';
  -- PostgreSQL does not look up an index by `coalesce` on a table with row-level security.
  v_id text := coalesce(p->'vote'->>'approval', p->'closeRound'->>'approval');
  v_round approval;
  v_expired boolean;
begin
  if p ? 'timely' and not (paraph.now() >= coalesce(paraph.instant(p->'timely'->'from'), '-infinity') and paraph.now() < coalesce(paraph.instant(p->'timely'->'before'), 'infinity')) then return false; end if;
  if not (p ? 'vote' or p ? 'closeRound') then return true; end if;
  select * into v_round from approval where tenant = p_tenant and id = v_id;
  if not found then return false; end if;
  if v_end = 'void' then return v_round.status in ('open', 'approved'); end if;
  v_expired := v_round.expires_at <= paraph.now();
  return v_round.status = 'open' and v_expired = (v_end is not distinct from 'expired');
end $$;

-- Whether an earlier write with this token was committed and the call has not changed since. A process that was declared
-- dead must not act any more, because another process may have taken over the attempt.
create or replace function paraph.has_intent(p_tenant text, p_call text, p_epoch bigint, p_token uuid) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return exists (
    select from call c join intent i on i.tenant = c.tenant and i.call = c.id
    where c.tenant = p_tenant and c.id = p_call and c.epoch = p_epoch and i.token = p_token and i.ended is null and not paraph.is_gone(i.life)
  );
end $$;
