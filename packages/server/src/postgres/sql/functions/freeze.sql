drop function if exists paraph.freezes_on(text, text, text, text);

-- Returns the freezes that cover a call of these principals: the requester and the person it acts for. Only the freeze
-- of a principal stops administrative calls. The person who froze a tenant must be able to thaw it, and a frozen person
-- must not administer. The function is simple enough that PostgreSQL inlines it, so that it uses the snapshot of the
-- calling statement.
create or replace function paraph.freezes_on(p_tenant text, p_principals text[], p_capability text, p_adapter text) returns setof paraph.freeze
language sql stable as $$
  select * from paraph.freeze f
  where f.tenant = p_tenant and f.thawed_at is null
    and case when f.kind = 'principal' then f.subject = any (p_principals)
             when p_adapter = 'admin' then false
             when f.kind = 'tenant' then true
             when f.kind = 'capability' then f.subject = p_capability else f.subject = p_adapter end
$$;

-- Freezes, and lists the attempts that started before. The list is complete, because once the gates are shut, every
-- transaction that read "not frozen" has ended. The same id again freezes nothing new and returns a fresh list.
create or replace function paraph.freeze(p_tenant text, p_id text, p_kind text, p_subject text, p_by text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.shut(p_tenant);
  insert into paraph.freeze (tenant, id, kind, subject, by, at) values (p_tenant, p_id, p_kind, p_subject, p_by, paraph.now()) on conflict do nothing;
  return (
    select coalesce(json_agg(json_build_object('call', c.id, 'capability', c.capability, 'attempt', i.attempt, 'at', paraph.millis(i.at)) order by i.at, c.id), '[]')
    from intent i join call c on c.tenant = i.tenant and c.id = i.call
    where i.tenant = p_tenant and i.ended is null and c.state <> 'closed'
      and exists (select from paraph.freezes_on(p_tenant, array[c.principal, c.on_behalf_of], c.capability, split_part(c.capability, '.', 1)) f where f.id = p_id)
  );
end $$;

-- Thaws. The gates stay shut only during this statement. The caller then wakes the parked calls in batches.
create or replace function paraph.thaw(p_tenant text, p_id text, p_by text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.shut(p_tenant);
  update paraph.freeze set thawed_by = p_by, thawed_at = paraph.now() where tenant = p_tenant and id = p_id and thawed_at is null;
  return json_build_object('changed', case when found then 'done' when exists (select from paraph.freeze where tenant = p_tenant and id = p_id) then 'already' else 'unknown' end);
end $$;

-- Makes the next `p_limit` parked calls after `p_after` due if no freeze covers them any more. `last` is the last call
-- that was checked, or null if there are no more. The function shuts no gate and waits for no row. A transaction that
-- holds a call's row either advances the call or parks it after the thaw, and then `commit` wakes it.
create or replace function paraph.wake_thawed(p_tenant text, p_after text, p_limit int) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_wake json;
  v_last text;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select max(id) into v_last from (select id from call where tenant = p_tenant and state = 'parked' and id > p_after order by id limit p_limit) page;
  with due as (
    select c.id from call c
    where c.tenant = p_tenant and c.state = 'parked' and c.id > p_after and c.id <= v_last
      and not exists (select from paraph.freezes_on(p_tenant, array[c.principal, c.on_behalf_of], c.capability, split_part(c.capability, '.', 1)))
    order by c.id for update skip locked
  ), woken as (
    update call c set next_at = least(c.next_at, paraph.now()) from due where c.tenant = p_tenant and c.id = due.id returning c.id, c.epoch
  )
  select coalesce(json_agg(json_build_object('call', id, 'epoch', epoch) order by id), '[]') into v_wake from woken;
  return json_build_object('wake', v_wake, 'last', v_last);
end $$;

create or replace function paraph.list_freezes(p_tenant text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select coalesce(json_agg(json_build_object('id', f.id, 'kind', f.kind, 'subject', f.subject, 'by', f.by, 'at', paraph.millis(f.at)) order by f.at, f.id), '[]')
    from paraph.freeze f where f.tenant = p_tenant and f.thawed_at is null
  );
end $$;
