-- Writes what openings and transitions have in common: events, payloads, a round and a receipt. The call's row must
-- already have its new epoch.
create or replace function paraph.record(p_tenant text, p_call text, p_events_before int, p jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  insert into event (tenant, call, seq, kind, at, data, epoch)
  select p_tenant, p_call, p_events_before + ordinality, e->>'kind', paraph.instant(e->'at'), e->'data',
         (select epoch from call where tenant = p_tenant and id = p_call)
  from jsonb_array_elements(p->'events') with ordinality as x(e, ordinality);

  insert into payload (tenant, call, name, version, salt, body)
  select p_tenant, p_call, e->>'name', 1 + (select count(*) from payload o where o.tenant = p_tenant and o.call = p_call and o.name = e->>'name'),
         e->>'salt', e->>'body'
  from jsonb_array_elements(p->'payloads') as x(e);

  if p ? 'ask' then
    insert into approval (tenant, id, call, round, digest, guards, expires_at)
    values (p_tenant, p->'ask'->>'id', p_call, (p->'ask'->>'round')::int, p->'ask'->>'digest', p->'ask'->'guards', paraph.instant(p->'ask'->'expiresAt'));
  end if;

  if p ? 'receipt' then
    insert into receipt (tenant, call, digest, envelope) values (p_tenant, p_call, p->'receipt'->>'digest', p->'receipt'->>'envelope');
  end if;
end $$;
