-- [P1] A new call, or nothing where the key is taken.
create or replace function paraph.open(p_tenant text, p jsonb) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into call (tenant, id, principal, key, capability, version, contract_digest, request_digest, session, thread, trace,
                    lock_keys, state, epoch, next_at, deadline, outcome, outcome_code, created_at, closed_at)
  values (p_tenant, p->>'call', p->>'principal', p->>'key', p->>'capability', (p->>'version')::int, p->>'contractDigest',
          p->>'requestDigest', p->>'session', p->>'thread', p->>'trace',
          array(select jsonb_array_elements_text(p->'lockKeys')), p->>'state', 1, paraph.instant(p->'nextAt'), paraph.instant(p->'deadline'),
          p->'outcome'->>'kind', p->'outcome'->>'code', paraph.instant(p->'createdAt'),
          case when p->>'state' = 'closed' then paraph.now() end)
  on conflict do nothing;
  if not found then return false; end if;
  perform paraph.record(p_tenant, p->>'call', 0, p);
  return true;
end $$;
