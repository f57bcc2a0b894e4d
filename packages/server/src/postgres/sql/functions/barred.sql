-- [TRUST 33] Returns why this principal may do nothing: it is disabled, or it is a person who is frozen. The gates stop
-- the calls of a frozen agent or service, which can still read them. The caller sets the tenant.
create or replace function paraph.barred(p_tenant text, p_id text) returns text
language sql stable set search_path = paraph, pg_temp as $$
  select case
    when p.disabled_at is not null then 'disabled'
    when p.kind = 'person' and exists (
      select from paraph.freeze f where f.tenant = p_tenant and f.kind = 'principal' and f.subject = p_id and f.thawed_at is null) then 'frozen' end
  from principal p where p.tenant = p_tenant and p.id = p_id
$$;

-- Disables a principal behind the tenant's shut gates, like a freeze. Once the function returns, no intent that depends
-- on this principal is written.
create or replace function paraph.principal_disable(p_tenant text, p_id text, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.shut(p_tenant);
  if not exists (select from principal where tenant = p_tenant and id = p_id) then return 'unknown'; end if;
  perform paraph.sessions_end(p_tenant, p_id);
  delete from slack_account where tenant = p_tenant and person = p_id;
  update principal set disabled_at = paraph.now(), disabled_by = p_by where tenant = p_tenant and id = p_id and disabled_at is null;
  return case when found then 'done' else 'already' end;
end $$;

create or replace function paraph.principal_enable(p_tenant text, p_id text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if not exists (select from principal where tenant = p_tenant and id = p_id) then return 'unknown'; end if;
  update principal set disabled_at = null, disabled_by = null where tenant = p_tenant and id = p_id and disabled_at is not null;
  return case when found then 'done' else 'already' end;
end $$;

-- Ends every browser session of a person and deletes the login links that could start one. Returns the number of
-- sessions.
create or replace function paraph.sessions_end(p_tenant text, p_principal text) returns int
language plpgsql set search_path = paraph, pg_temp as $$
declare v_ended int;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  delete from login_link where tenant = p_tenant and principal = p_principal;
  delete from session where tenant = p_tenant and principal = p_principal;
  get diagnostics v_ended = row_count;
  return v_ended;
end $$;
