-- Records the resolution of an unknown outcome, once: the finding, its event and its signed statement. It settles the
-- call's reservations and frees its locks. It locks rows in the order of every transition: limits, lock rows, call
-- rows.
create or replace function paraph.resolve(p_tenant text, p jsonb, p_claims jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_call text := p->>'call';
  v_found jsonb := p->'resolution';
  v_here jsonb;
  v_keys text[];
  v_epoch bigint;
  v_used jsonb;
begin
  select e.here into v_here from paraph.enter('{}', p_claims) e;
  perform set_config('paraph.tenant', p_tenant, true);
  select lock_keys into v_keys from call where tenant = p_tenant and id = v_call;
  perform from lock where tenant = p_tenant and key = any (v_keys) order by key for update;

  update call c set epoch = epoch + 1
  where c.tenant = p_tenant and c.id = v_call and c.epoch = (p->>'epoch')::bigint and c.outcome = 'unknown'
    and not exists (select from resolution r where r.tenant = c.tenant and r.call = c.id)
  returning c.epoch into v_epoch;
  if not found then return jsonb_build_object('kind', 'lost'); end if;

  insert into resolution (tenant, call, finding, by, how, at, digest, envelope)
  values (p_tenant, v_call, v_found->>'finding', v_found->>'by', v_found->>'how', paraph.instant(v_found->'at'), p->'statement'->>'digest', p->'statement'->>'envelope');
  perform paraph.record(p_tenant, v_call, jsonb_build_object('events', jsonb_build_array(p->'event'), 'payloads', p->'payloads'));
  update outcome o set spent = (p->'settle'->>'spent')::bigint from call c
  where c.tenant = p_tenant and c.id = v_call and o.tenant = p_tenant and o.at = c.closed_at and o.call = v_call;
  v_used := paraph.settle(p_tenant, v_call, (p->'settle'->>'spent')::bigint, v_here->p_tenant->'used');
  perform paraph.leave(p_claims, jsonb_set(v_here, array[p_tenant, 'used'], v_used));
  return jsonb_build_object('kind', 'done', 'epoch', v_epoch, 'wake', paraph.release(p_tenant, v_call, v_keys));
end $$;
