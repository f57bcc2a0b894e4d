-- Marks the results of these calls as delivered. Results that stayed undelivered for a day are deleted too.
create or replace function paraph.mark_delivered(p_tenant text, p_calls text[]) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  delete from undelivered where tenant = p_tenant and (call = any(p_calls) or at < paraph.now() - interval '1 day');
end $$;
