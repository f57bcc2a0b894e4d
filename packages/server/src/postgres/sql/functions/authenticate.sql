-- Returns the principal of an API key, or null. Unknown, expired and revoked keys give the same answer.
create or replace function paraph.authenticate(p_tenant text, p_id text, p_hash text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_key api_key;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select * into v_key from api_key
  where tenant = p_tenant and id = p_id and hash = p_hash
    and revoked_at is null and (expires_at is null or expires_at > paraph.now());
  if not found then return null; end if;
  -- `last_used` is accurate to the minute, so that a busy key does not cause a write with every request.
  if v_key.last_used is null or v_key.last_used < paraph.now() - interval '1 minute' then
    update api_key set last_used = paraph.now() where tenant = p_tenant and id = p_id;
    perform paraph.note_signed_in(p_tenant, v_key.principal);
  end if;
  return json_build_object(
    'principal', paraph.principal_of(p_tenant, v_key.principal), 'scopes', v_key.scopes, 'expiresAt', paraph.millis(v_key.expires_at));
end $$;
