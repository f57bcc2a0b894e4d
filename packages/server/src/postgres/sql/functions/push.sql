-- Adds a device of a person, or replaces what is known about it. Returns false if the person has `p_max` other devices.
create or replace function paraph.push_device_add(p_tenant text, p_person text, p_id text, p_name text, p_endpoint text, p_p256dh text, p_auth text, p_max int) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  -- Two browsers at once cannot exceed the maximum.
  perform pg_advisory_xact_lock(7419, hashtext(p_tenant || '/' || p_person));
  if (select count(*) from push_device where tenant = p_tenant and person = p_person and id <> p_id) >= p_max then return false; end if;
  insert into push_device (tenant, id, person, name, endpoint, p256dh, auth, added_at)
  values (p_tenant, p_id, p_person, p_name, p_endpoint, p_p256dh, p_auth, paraph.now())
  on conflict (tenant, id) do update set person = excluded.person, name = excluded.name, p256dh = excluded.p256dh, auth = excluded.auth,
    added_at = excluded.added_at, used_at = null;
  return true;
end $$;
