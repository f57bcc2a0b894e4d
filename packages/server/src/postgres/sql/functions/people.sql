-- Returns a principal in the form of the core. The caller sets the tenant.
create or replace function paraph.principal_of(p_tenant text, p_id text) returns json
language sql stable set search_path = paraph, pg_temp as $$
  select json_build_object('tenant', p.tenant, 'id', p.id, 'kind', p.kind, 'owner', p.owner, 'barred', paraph.barred(p.tenant, p.id),
    'groups', array(select m.grp from group_member m where m.tenant = p.tenant and m.principal = p.id order by m.grp))
  from principal p where p.tenant = p_tenant and p.id = p_id
$$;

-- Whether the tenant has another enabled person who has ever signed in. Without one, an owner can only confirm. A
-- frozen person counts, because otherwise a person who froze all others could approve alone. Disabling a person takes a
-- second person's approval.
create or replace function paraph.has_other_person(p_tenant text, p_except text[]) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return exists (select from principal where tenant = p_tenant and kind = 'person' and disabled_at is null
                   and signed_in_at is not null and id <> all (p_except));
end $$;

-- The following functions administer principals, groups and keys. Each returns what it found, and a repetition returns
-- 'already'. A call that is repeated after a crash therefore ends the same way.
create or replace function paraph.principal_add(p_tenant text, p_id text, p_kind text, p_owner text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if p_owner is not null and not exists (select from principal where tenant = p_tenant and id = p_owner and kind = 'person') then
    return 'owner-unknown';
  end if;
  insert into principal (tenant, id, kind, owner) values (p_tenant, p_id, p_kind, p_owner) on conflict do nothing;
  if found then return 'done'; end if;
  return case when exists (select from principal where tenant = p_tenant and id = p_id and kind = p_kind and owner is not distinct from p_owner)
    then 'already' else 'taken' end;
end $$;

create or replace function paraph.group_add(p_tenant text, p_group text, p_principal text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if not exists (select from principal where tenant = p_tenant and id = p_principal) then return 'unknown'; end if;
  -- A group that is given in Paraph can no longer be removed by the issuer.
  delete from claimed_group where tenant = p_tenant and grp = p_group and principal = p_principal;
  insert into group_member (tenant, grp, principal) values (p_tenant, p_group, p_principal) on conflict do nothing;
  return case when found then 'done' else 'already' end;
end $$;

create or replace function paraph.group_remove(p_tenant text, p_group text, p_principal text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  delete from claimed_group where tenant = p_tenant and grp = p_group and principal = p_principal;
  delete from group_member where tenant = p_tenant and grp = p_group and principal = p_principal;
  return case when found then 'done' else 'already' end;
end $$;

-- Stores only the hash of a key. The secret is created where it will be used.
create or replace function paraph.key_create(
  p_tenant text, p_id text, p_hash text, p_principal text, p_scopes text[], p_expires_at timestamptz, p_label text, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if not exists (select from principal where tenant = p_tenant and id = p_principal) then return 'unknown'; end if;
  insert into api_key (tenant, id, hash, principal, scopes, expires_at, label, created_by)
  values (p_tenant, p_id, p_hash, p_principal, p_scopes, p_expires_at, p_label, p_by) on conflict do nothing;
  if found then return 'done'; end if;
  return case when exists (select from api_key where tenant = p_tenant and id = p_id and hash = p_hash and principal = p_principal
      and scopes is not distinct from p_scopes and expires_at is not distinct from p_expires_at)
    then 'already' else 'taken' end;
end $$;

create or replace function paraph.key_revoke(p_tenant text, p_id text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update api_key set revoked_at = paraph.now() where tenant = p_tenant and id = p_id and revoked_at is null;
  if found then return 'done'; end if;
  return case when exists (select from api_key where tenant = p_tenant and id = p_id) then 'already' else 'unknown' end;
end $$;
