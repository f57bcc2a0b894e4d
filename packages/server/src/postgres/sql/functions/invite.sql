-- Records the first time that a person signs in, by any method.
create or replace function paraph.note_signed_in(p_tenant text, p_principal text) returns void
language sql set search_path = paraph, pg_temp as $$
  update principal set signed_in_at = paraph.now()
  where tenant = p_tenant and id = p_principal and kind = 'person' and signed_in_at is null
$$;

-- Creates a person and their login link, or neither. A person who never signed in can be invited again. For a person
-- who has signed in, a link would let its holder act as that person.
create or replace function paraph.person_invite(p_tenant text, p_id text, p_hash text, p_lasting_ms bigint) returns text
language plpgsql set search_path = paraph, pg_temp as $$
declare v_person principal;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if exists (select from login_link where tenant = p_tenant and hash = p_hash and principal = p_id) then return 'already'; end if;
  insert into principal (tenant, id, kind) values (p_tenant, p_id, 'person') on conflict do nothing;
  select * into v_person from principal where tenant = p_tenant and id = p_id for update;
  if v_person.kind <> 'person' or v_person.signed_in_at is not null then return 'taken'; end if;
  delete from login_link where tenant = p_tenant and principal = p_id and used_at is null;
  insert into login_link (tenant, hash, principal, expires_at)
  values (p_tenant, p_hash, p_id, paraph.now() + make_interval(secs => p_lasting_ms / 1000.0));
  return 'done';
end $$;
