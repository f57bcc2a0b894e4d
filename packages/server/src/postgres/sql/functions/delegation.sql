-- Creates a delegation between two people of the tenant. The same id again changes nothing.
create or replace function paraph.create_delegation(p_tenant text, p jsonb, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform from delegation where tenant = p_tenant and id = p->>'id';
  if found then return 'already'; end if;
  if (select count(*) from principal where tenant = p_tenant and kind = 'person' and id in (p->>'person', p->>'delegate')) < 2 then return 'unknown'; end if;
  insert into delegation (tenant, id, person, delegate, from_at, until_at, by, at)
  values (p_tenant, p->>'id', p->>'person', p->>'delegate', paraph.instant(p->'from'), paraph.instant(p->'until'), p_by, paraph.now())
  on conflict do nothing;
  return case when found then 'done' else 'already' end;
end $$;

create or replace function paraph.revoke_delegation(p_tenant text, p_id text, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update delegation set revoked_by = p_by, revoked_at = paraph.now() where tenant = p_tenant and id = p_id and revoked_at is null;
  if found then return 'done'; end if;
  return case when exists (select from delegation where tenant = p_tenant and id = p_id) then 'already' else 'unknown' end;
end $$;

-- Lists the current and future delegations, the one that ends first at the start.
create or replace function paraph.list_delegations(p_tenant text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.now();
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select coalesce(json_agg(json_build_object('id', d.id, 'person', d.person, 'delegate', d.delegate, 'from', paraph.millis(d.from_at), 'until', paraph.millis(d.until_at),
                                               'by', d.by, 'at', paraph.millis(d.at)) order by d.until_at, d.id), '[]')
    from delegation d where d.tenant = p_tenant and d.revoked_at is null and d.until_at > v_now
  );
end $$;

-- Returns the people whom this person votes in place of now, each once, with their groups.
create or replace function paraph.delegators_of(p_tenant text, p_person text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.now();
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select coalesce(json_agg(json_build_object('person', a.person,
             'groups', (select coalesce(json_agg(m.grp order by m.grp), '[]') from group_member m where m.tenant = p_tenant and m.principal = a.person)) order by a.person), '[]')
    from (select distinct d.person from delegation d
          where d.tenant = p_tenant and d.delegate = p_person and d.revoked_at is null and d.from_at <= v_now and d.until_at > v_now
            and paraph.barred(p_tenant, d.person) is null) a
  );
end $$;
