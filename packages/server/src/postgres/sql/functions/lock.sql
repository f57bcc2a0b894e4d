-- Takes all keys of a call together, or gives the call one position in all their queues. A key counts as busy while
-- another call waits for it ahead of this one, so a later call never overtakes.
create or replace function paraph.lock(p_tenant text, p jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_id text := p->>'call';
  v_keys text[];
  v_epoch bigint;
  v_position bigint;
  v_busy boolean;
  v_held boolean;
  v_at bigint;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select lock_keys into v_keys from call where tenant = p_tenant and id = v_id and epoch = (p->>'epoch')::bigint and state <> 'closed';
  if not found then return jsonb_build_object('kind', 'lost'); end if;
  -- `do update` locks the row before its holder is read. `do nothing` would not.
  insert into lock (tenant, key) select p_tenant, k from unnest(v_keys) k order by k
  on conflict (tenant, key) do update set key = excluded.key;

  select epoch into v_epoch from call where tenant = p_tenant and id = v_id and epoch = (p->>'epoch')::bigint and state <> 'closed' for update;
  if not found then
    -- The rows that this function inserted have no holder. They would otherwise stay until another call took and freed
    -- these keys.
    delete from lock l where tenant = p_tenant and key = any (v_keys) and holder is null
      and not exists (select from lock_waiter w where w.tenant = l.tenant and w.key = l.key);
    return jsonb_build_object('kind', 'lost');
  end if;

  -- The time is read after all keys are locked, because waiting for them may take a while.
  v_at := paraph.millis(paraph.now());
  select bool_and(holder is not distinct from v_id), bool_or(holder is not null and holder <> v_id) into v_held, v_busy
  from lock where tenant = p_tenant and key = any (v_keys);
  if v_held then return jsonb_build_object('kind', 'held', 'epoch', v_epoch, 'fresh', false); end if;

  select min(position) into v_position from lock_waiter where tenant = p_tenant and call = v_id;
  v_busy := v_busy or exists (
    select from lock_waiter where tenant = p_tenant and key = any (v_keys) and call <> v_id and (v_position is null or position < v_position));

  if v_busy then
    if v_position is not null then
      update call set next_at = paraph.instant(p->'queuedNextAt'), state = 'queued' where tenant = p_tenant and id = v_id;
      return jsonb_build_object('kind', 'queued', 'epoch', v_epoch);
    end if;
    v_position := nextval('lock_position');
    insert into lock_waiter (tenant, key, call, position) select p_tenant, k, v_id, v_position from unnest(v_keys) k;
    update call set state = 'queued', epoch = epoch + 1, next_at = paraph.instant(p->'queuedNextAt') where tenant = p_tenant and id = v_id returning epoch into v_epoch;
    perform paraph.record(p_tenant, v_id, jsonb_build_object('events', jsonb_build_array(
      jsonb_build_object('kind', 'queued', 'at', v_at, 'data', jsonb_build_object('keys', cardinality(v_keys), 'position', v_position))), 'payloads', '[]'::jsonb));
    return jsonb_build_object('kind', 'queued', 'epoch', v_epoch);
  end if;

  v_epoch := paraph.hold(p_tenant, v_id, v_keys, paraph.instant(p->'heldNextAt'), v_at);
  return jsonb_build_object('kind', 'held', 'epoch', v_epoch, 'fresh', true, 'at', v_at);
end $$;

-- Gives a call all its keys, whose rows the caller has locked and found free. Returns the new epoch of the call.
create or replace function paraph.hold(p_tenant text, p_call text, p_keys text[], p_next_at timestamptz, p_at bigint) returns bigint
language plpgsql set search_path = paraph, pg_temp as $$
declare v_epoch bigint;
begin
  update lock set holder = p_call where tenant = p_tenant and key = any (p_keys);
  delete from lock_waiter where tenant = p_tenant and call = p_call;
  update call set state = 'ready', epoch = epoch + 1, next_at = p_next_at where tenant = p_tenant and id = p_call returning epoch into v_epoch;
  perform paraph.record(p_tenant, p_call, jsonb_build_object('events', jsonb_build_array(
    jsonb_build_object('kind', 'locked', 'at', p_at, 'data', jsonb_build_object('keys', cardinality(p_keys)))), 'payloads', '[]'::jsonb));
  return v_epoch;
end $$;

-- Frees a call's keys, whose rows the caller has locked. If the first call of a queue waits only for keys that are free
-- now, and is first in each of their queues, it holds them at once, which saves it a transaction. Any other first call
-- becomes due, and takes its keys itself. Returns both to be sent a message. If that message is lost, the sweeper finds
-- the due call.
create or replace function paraph.release(p_tenant text, p_call text, p_keys text[]) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_next record;
  v_epoch bigint;
  v_wake jsonb := '[]';
begin
  update lock set holder = null where tenant = p_tenant and key = any (p_keys) and holder = p_call;
  delete from lock_waiter where tenant = p_tenant and call = p_call;
  delete from lock l where tenant = p_tenant and key = any (p_keys) and holder is null
    and not exists (select from lock_waiter w where w.tenant = l.tenant and w.key = l.key);

  -- For each key that is free now, reads only the head of its queue, however many calls wait. `offset 0` keeps the planner
  -- from reading all lock rows first.
  for v_next in
    with first as materialized (
      select head.call, array_agg(k) as heads from unnest(p_keys) k
        cross join lateral (select from lock l where l.tenant = p_tenant and l.key = k and l.holder is null offset 0) free
        cross join lateral (select w.call from lock_waiter w where w.tenant = p_tenant and w.key = k order by w.position limit 1) head
      group by head.call
    )
    select c.id, c.lock_keys, c.lock_keys <@ first.heads as is_next from first join call c on c.tenant = p_tenant and c.id = first.call
    where c.state = 'queued' order by c.id for update of c
  loop
    if v_next.is_next then
      v_epoch := paraph.hold(p_tenant, v_next.id, v_next.lock_keys, paraph.now(), paraph.millis(paraph.now()));
    else
      update call set next_at = least(next_at, paraph.now()) where tenant = p_tenant and id = v_next.id returning epoch into v_epoch;
    end if;
    v_wake := v_wake || jsonb_build_object('call', v_next.id, 'epoch', v_epoch);
  end loop;
  return v_wake;
end $$;
