-- Writes what openings and transitions have in common: events, payloads, rounds and receipts. The calls' rows must
-- already have these epochs. If `p_epochs` is null, the calls are new: they have no earlier events and payloads.
create or replace function paraph.record(p_tenant text, p_calls text[], p_epochs bigint[], p_documents jsonb[]) returns void
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  p jsonb;
  v_asks boolean := false;
  v_signs boolean := false;
begin
  foreach p in array p_documents loop
    v_asks := v_asks or p ? 'ask';
    v_signs := v_signs or p ? 'receipt';
  end loop;

  insert into event (tenant, call, seq, kind, at, data, epoch)
  select p_tenant, call, earlier + n, e->>'kind', paraph.instant(e->'at'), e->'data', coalesce(epoch, 1)
  from (select unnest(p_calls) as call, unnest(p_epochs) as epoch, unnest(p_documents) as d) x
  cross join lateral (select case when p_epochs is null then 0 else (select coalesce(max(o.seq), 0) from event o where o.tenant = p_tenant and o.call = x.call) end as earlier offset 0) y,
    jsonb_array_elements(d->'events') with ordinality as z (e, n);

  insert into payload (tenant, call, name, version, salt, body)
  select p_tenant, call, e->>'name',
         1 + case when p_epochs is null then 0 else (select count(*) from payload o where o.tenant = p_tenant and o.call = x.call and o.name = e->>'name') end,
         e->>'salt', e->>'body'
  from (select unnest(p_calls) as call, unnest(p_documents) as d) x, jsonb_array_elements(d->'payloads') as z (e);

  if v_asks then
    insert into approval (tenant, id, call, round, digest, guards, expires_at)
    select p_tenant, a->>'id', call, (a->>'round')::int, a->>'digest', a->'guards', paraph.instant(a->'expiresAt')
    from (select call, d->'ask' as a from (select unnest(p_calls) as call, unnest(p_documents) as d) x) y where a is not null;
  end if;

  if v_signs then
    -- A process of an older version gives the whole envelope.
    insert into receipt (tenant, call, digest, envelope, story, key_id, signature)
    select p_tenant, call, r->>'digest', r->>'envelope', r->>'story', r->'signature'->>'keyid', r->'signature'->>'sig'
    from (select call, d->'receipt' as r from (select unnest(p_calls) as call, unnest(p_documents) as d) x) y where r is not null;
  end if;
end $$;

-- Writes the same for a call that exists.
create or replace function paraph.record(p_tenant text, p_call text, p jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.record(p_tenant, array[p_call], array[(select epoch from call where tenant = p_tenant and id = p_call)], array[p]);
end $$;
