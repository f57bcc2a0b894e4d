-- Writes everything that a transition of a call records, or nothing. It locks rows in the same order as `paraph.lock`:
-- first the rows of limits and grants (`paraph.enter`), then lock rows, then call rows. This order prevents deadlocks
-- between transitions.
create or replace function paraph.commit(p_tenant text, p_life int, p jsonb, p_now timestamptz, p_here jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_call text := p->>'call';
  v_unlock boolean := coalesce((p->>'unlock')::boolean, false);
  v_keys text[];
  v_principal text;
  v_person text;
  v_capability text;
  v_next timestamptz := paraph.instant(p->'nextAt');
  v_thawed boolean;
  v_stop jsonb;
  v_used jsonb := p_here->'used';
  v_grant text;
  v_amount bigint;
  v_epoch bigint;
  v_events int;
  v_wake jsonb := '[]';
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if v_unlock then
    select lock_keys into v_keys from call where tenant = p_tenant and id = v_call;
    v_unlock := cardinality(v_keys) > 0;
    perform from lock where tenant = p_tenant and key = any (v_keys) order by key for update;
  end if;
  select principal, on_behalf_of, capability into v_principal, v_person, v_capability from call where tenant = p_tenant and id = v_call and epoch = (p->>'epoch')::bigint and state <> 'closed' for update;
  if not found then return jsonb_build_object('kind', 'lost'); end if;
  if p->'outcome'->>'code' = 'approval-mismatch' and not p ? 'knowsHeadlines' and paraph.covers_headline(p_tenant, v_call) then
    return jsonb_build_object('kind', 'lost');
  end if;
  if not paraph.timely(p_tenant, p) then return jsonb_build_object('kind', 'untimely'); end if;
  if p ? 'gate' then
    v_stop := paraph.stop(p_tenant, v_call, v_principal, v_capability, p, false, p_now, p_here);
    if v_stop is not null then return jsonb_build_object('kind', 'stopped', 'stop', v_stop); end if;
  end if;
  if p->>'state' = 'parked' then
    -- If the freeze was lifted after the call was stopped, only this transition can wake the call.
    v_thawed := not exists (select from paraph.freezes_on(p_tenant, array[v_principal, v_person], v_capability, split_part(v_capability, '.', 1)));
    if v_thawed then v_next := least(v_next, paraph.now()); end if;
  end if;

  update call set
    state = p->>'state', epoch = epoch + 1, next_at = v_next,
    deadline = coalesce(paraph.instant(p->'deadline'), deadline),
    outcome = p->'outcome'->>'kind', outcome_code = p->'outcome'->>'code',
    closed_at = case when p->>'state' = 'closed' then paraph.now() end,
    runner = case when p->>'segment' = 'runs' then paraph.life_held(p_life) end,
    deaths = case when p ? 'segment' then deaths else 0 end,
    stuck = p->>'stuck',
    place = p->'waitFor'->>'key',
    place_since = case when p ? 'waitFor' then case when place = p->'waitFor'->>'key' then place_since else paraph.now() end end
  where tenant = p_tenant and id = v_call
  returning epoch into v_epoch;

  if p ? 'vote' then
    insert into vote (tenant, approval, voter, decision, standing, at, groups)
    values (p_tenant, p->'vote'->>'approval', p->'vote'->'vote'->>'by', p->'vote'->'vote'->>'decision', p->'vote'->'vote'->>'as', paraph.instant(p->'vote'->'vote'->'at'),
            case when p->'vote'->'vote' ? 'groups' then array(select jsonb_array_elements_text(p->'vote'->'vote'->'groups')) end)
    on conflict (tenant, approval, voter) do update set decision = excluded.decision, standing = excluded.standing, at = excluded.at, groups = excluded.groups;
  end if;
  if p ? 'closeRound' then
    update approval set status = p->'closeRound'->>'status' where tenant = p_tenant and id = p->'closeRound'->>'approval';
  end if;
  if p ? 'endAttempt' then
    update intent set ended = p->'endAttempt'->>'as' where tenant = p_tenant and call = v_call and attempt = (p->'endAttempt'->>'attempt')::int
    returning standing_grant, amount into v_grant, v_amount;
    -- An attempt that was certainly not performed has used nothing. The next attempt claims the grant again.
    if v_grant is not null and p->'endAttempt'->>'as' = 'not-performed' then
      update standing_grant set count_left = count_left + 1, amount_left = amount_left + v_amount where tenant = p_tenant and id = v_grant;
    end if;
  end if;
  if p ? 'intent' then
    insert into intent (tenant, call, attempt, life, at, deadline, standing_grant, amount, token)
    values (p_tenant, v_call, (p->'intent'->>'attempt')::int, case when p->'intent'->>'performer' is null then paraph.life_held(p_life) end, paraph.instant(p->'intent'->'at'), paraph.instant(p->'intent'->'deadline'),
            p->'gate'->'grant'->>'id', (p->'gate'->'grant'->>'amount')::bigint, (p->'intent'->>'token')::uuid);
  end if;
  if p ? 'gate' and v_used is not null then v_used := paraph.take(p_tenant, v_call, p, false, p_now, v_used); end if;
  if p ? 'settle' then v_wake := paraph.next_for_places(p_tenant, v_call); end if;
  if p ? 'settle' then v_used := paraph.settle(p_tenant, v_call, nullif(p->'settle'->>'spent', 'unknown')::bigint, v_used); end if;

  select coalesce(max(seq), 0) into v_events from event where tenant = p_tenant and call = v_call;
  perform paraph.record(p_tenant, v_call, v_events, p);
  if p->>'state' = 'closed' then perform paraph.ended(p_tenant, v_call, p->'settle'); end if;
  if v_unlock then v_wake := v_wake || paraph.release(p_tenant, v_call, v_keys); end if;
  -- If a place became free after the call was stopped, only this transition can wake the call. It holds the lock on the
  -- limit's row, as every call does that frees a place.
  if p ? 'waitFor' and (v_used->>paraph.slot(p->'waitFor'->>'key', paraph.window_start(p_now, 0)))::bigint + (p->'waitFor'->>'amount')::bigint <= (p->'waitFor'->>'max')::numeric then
    update call set next_at = paraph.now() where tenant = p_tenant and id = v_call;
    v_wake := v_wake || jsonb_build_object('call', v_call, 'epoch', v_epoch);
  end if;
  if v_thawed then v_wake := v_wake || jsonb_build_object('call', v_call, 'epoch', v_epoch); end if;
  return jsonb_build_object('kind', 'done', 'epoch', v_epoch, 'wake', v_wake) || case when v_used is null then '{}' else jsonb_build_object('used', v_used) end;
end $$;

-- Commits many transitions, in the given order, that claim limits or grants. It carries the counts from one to the
-- next.
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
    v_answer := paraph.commit(v_one.tenant, p_life, v_one.document, v_now, v_here->v_one.tenant);
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
  v_round approval;
  v_expired boolean;
begin
  if p ? 'timely' and not (paraph.now() >= coalesce(paraph.instant(p->'timely'->'from'), '-infinity') and paraph.now() < coalesce(paraph.instant(p->'timely'->'before'), 'infinity')) then return false; end if;
  if not (p ? 'vote' or p ? 'closeRound') then return true; end if;
  select * into v_round from approval where tenant = p_tenant and id = coalesce(p->'vote'->>'approval', p->'closeRound'->>'approval');
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
