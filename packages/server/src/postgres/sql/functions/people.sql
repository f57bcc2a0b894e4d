-- Whether the tenant has a person besides these: without one, an owner can only confirm.
create or replace function paraph.has_other_person(p_tenant text, p_except text[]) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return exists (select from principal where tenant = p_tenant and kind = 'person' and id <> all (p_except));
end $$;
