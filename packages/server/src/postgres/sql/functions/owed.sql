-- Where a person edited what was asked for, the call that took its place is owed under the old request.
create or replace function paraph.keep_owed(p_tenant text, p_principal text, p_session text, p_digest text, p_call text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  -- What nobody came back for in time goes with the next one.
  delete from owed where tenant = p_tenant and principal = p_principal and at < paraph.now() - interval '1 day';
  insert into owed (tenant, principal, session, request_digest, call, at) values (p_tenant, p_principal, p_session, p_digest, p_call, paraph.now())
  on conflict (tenant, principal, session, request_digest) do update set call = excluded.call, at = excluded.at
  where owed.call <> excluded.call;
end $$;

create or replace function paraph.settle_owed(p_tenant text, p_calls text[]) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  delete from owed where tenant = p_tenant and call = any(p_calls);
end $$;
