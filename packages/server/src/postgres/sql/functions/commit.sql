-- Moves a call on: everything that a move records, or nothing. Lock rows are always locked before call rows and
-- in key order, here and in paraph.lock: that is what keeps two moves from waiting for each other.
create or replace function paraph.commit(p_tenant text, p_life int, p jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_call text := p->>'call';
  v_unlock boolean := coalesce((p->>'unlock')::boolean, false);
  v_keys text[];
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
  perform from call where tenant = p_tenant and id = v_call and epoch = (p->>'epoch')::bigint and state <> 'closed' for update;
  if not found then return jsonb_build_object('kind', 'lost'); end if;
  if not paraph.timely(p_tenant, p) then return jsonb_build_object('kind', 'untimely'); end if;

  update call set
    state = p->>'state', epoch = epoch + 1, next_at = paraph.instant(p->'nextAt'),
    deadline = coalesce(paraph.instant(p->'deadline'), deadline),
    outcome = p->'outcome'->>'kind', outcome_code = p->'outcome'->>'code',
    closed_at = case when p->>'state' = 'closed' then paraph.now() end
  where tenant = p_tenant and id = v_call
  returning epoch into v_epoch;

  if p ? 'vote' then
    insert into vote (tenant, approval, voter, decision, standing, at)
    values (p_tenant, p->'vote'->>'approval', p->'vote'->'vote'->>'by', p->'vote'->'vote'->>'decision', p->'vote'->'vote'->>'as', paraph.instant(p->'vote'->'vote'->'at'))
    on conflict (tenant, approval, voter) do update set decision = excluded.decision, standing = excluded.standing, at = excluded.at;
  end if;
  if p ? 'closeRound' then
    update approval set status = p->'closeRound'->>'status' where tenant = p_tenant and id = p->'closeRound'->>'approval';
  end if;
  if p ? 'endAttempt' then
    update intent set ended = p->'endAttempt'->>'as' where tenant = p_tenant and call = v_call and attempt = (p->'endAttempt'->>'attempt')::int;
  end if;
  if p ? 'intent' then
    insert into intent (tenant, call, attempt, life, at, deadline)
    values (p_tenant, v_call, (p->'intent'->>'attempt')::int, p_life, paraph.instant(p->'intent'->'at'), paraph.instant(p->'intent'->'deadline'));
  end if;

  select coalesce(max(seq), 0) into v_events from event where tenant = p_tenant and call = v_call;
  perform paraph.record(p_tenant, v_call, v_events, p);
  if v_unlock then v_wake := paraph.release(p_tenant, v_call, v_keys); end if;
  return jsonb_build_object('kind', 'done', 'epoch', v_epoch, 'wake', v_wake);
end $$;

-- [P15] Votes and the ends of rounds are timely by this clock alone, whatever the process that sends them believes.
create or replace function paraph.timely(p_tenant text, p jsonb) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_end text := p->'closeRound'->>'status';
  v_round approval;
  v_expired boolean;
begin
  if not (p ? 'vote' or p ? 'closeRound') then return true; end if;
  select * into v_round from approval where tenant = p_tenant and id = coalesce(p->'vote'->>'approval', p->'closeRound'->>'approval');
  if not found then return false; end if;
  if v_end = 'void' then return v_round.status in ('open', 'approved'); end if;
  v_expired := v_round.expires_at <= paraph.now();
  return v_round.status = 'open' and v_expired = (v_end is not distinct from 'expired');
end $$;
