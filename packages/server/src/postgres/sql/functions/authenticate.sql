-- The principal behind an API key, or nothing: unknown, expired and revoked look alike.
create or replace function paraph.authenticate(p_tenant text, p_id text, p_hash text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select json_build_object('tenant', p.tenant, 'id', p.id, 'kind', p.kind, 'owner', p.owner)
    from api_key k join principal p on p.tenant = k.tenant and p.id = k.principal
    where k.tenant = p_tenant and k.id = p_id and k.hash = p_hash
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > paraph.now())
  );
end $$;
