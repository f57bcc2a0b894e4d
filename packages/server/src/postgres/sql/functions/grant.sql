-- Returns a grant in the form of the core. `bounds` is the original text.
create or replace function paraph.grant_json(g paraph.standing_grant) returns json
language sql stable as $$
  select json_build_object(
    'id', g.id, 'capability', g.capability, 'principal', g.principal, 'bounds', g.bounds, 'people', (select coalesce(jsonb_agg(x order by n), '[]') from jsonb_array_elements(g.people) with ordinality as y (x, n) where paraph.barred(g.tenant, x->>'by') is null), 'countLeft', g.count_left, 'amountLeft', g.amount_left,
    'expiresAt', paraph.millis(g.expires_at), 'destroy', nullif(g.destroy, false), 'breakGlass', nullif(g.break_glass, false), 'given', g.given)
$$;

create or replace function paraph.create_grant(p_tenant text, p jsonb, p_bounds text, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into standing_grant (tenant, id, capability, principal, bounds, people, count_left, amount_left, expires_at, destroy, break_glass, by, at, given)
  values (p_tenant, p->>'id', p->>'capability', p->>'principal', p_bounds, p->'people', (p->>'countLeft')::int, (p->>'amountLeft')::bigint,
          paraph.instant(p->'expiresAt'), coalesce((p->>'destroy')::boolean, false), coalesce((p->>'breakGlass')::boolean, false), p_by, paraph.now(), p->'given')
  on conflict do nothing;
  return case when found then 'done' else 'already' end;
end $$;

-- Revokes a grant behind shut gates. Once the function returns, no new intent depends on the grant.
create or replace function paraph.revoke_grant(p_tenant text, p_id text, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.shut(p_tenant);
  update standing_grant set revoked_by = p_by, revoked_at = paraph.now() where tenant = p_tenant and id = p_id and revoked_at is null;
  if found then return 'done'; end if;
  return case when exists (select from standing_grant where tenant = p_tenant and id = p_id) then 'already' else 'unknown' end;
end $$;

-- Lists the grants in force, the one that ends first at the start. It lists those for one principal's calls of one
-- capability, or all of the tenant.
create or replace function paraph.list_grants(p_tenant text, p_principal text, p_capability text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.now();
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select coalesce(json_agg(paraph.grant_json(g) order by g.expires_at, g.id), '[]')
    from standing_grant g
    where g.tenant = p_tenant and g.revoked_at is null and g.expires_at > v_now and g.count_left > 0
      and (p_capability is null or (g.capability = p_capability and (g.principal is null or g.principal = p_principal)))
  );
end $$;
