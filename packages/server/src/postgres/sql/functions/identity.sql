-- Returns the principal of an issuer's subject, or null. `p_create` is the id of the person to create if the subject is
-- new. An existing principal with this id is never linked, because users who choose their subject at the issuer must
-- not choose a principal in Paraph.
create or replace function paraph.external_principal(
  p_tenant text, p_issuer text, p_subject text, p_groups text[], p_groups_at timestamptz, p_create text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_identity external_identity;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select * into v_identity from external_identity where tenant = p_tenant and issuer = p_issuer and subject = p_subject;
  if not found and p_create is not null then
    insert into principal (tenant, id, kind) values (p_tenant, p_create, 'person') on conflict do nothing;
    if found then
      insert into external_identity (tenant, issuer, subject, principal) values (p_tenant, p_issuer, p_subject, p_create);
    end if;
    -- If two first logins run at the same time, the rows of the other one exist by now.
    select * into v_identity from external_identity where tenant = p_tenant and issuer = p_issuer and subject = p_subject;
  end if;
  if v_identity.principal is null then return null; end if;
  -- A token that is not newer than the last one brings no new groups.
  if p_groups is not null and (v_identity.groups_at is null or v_identity.groups_at < p_groups_at) then
    perform paraph.take_over_groups(p_tenant, v_identity.principal, p_groups);
    update external_identity set groups_at = p_groups_at where tenant = p_tenant and issuer = p_issuer and subject = p_subject;
  end if;
  perform paraph.note_signed_in(p_tenant, v_identity.principal);
  return paraph.principal_of(p_tenant, v_identity.principal);
end $$;

-- Replaces the groups that the issuer assigned to a person. Groups that were given in Paraph stay, and roles come only
-- from Paraph.
create or replace function paraph.take_over_groups(p_tenant text, p_principal text, p_groups text[]) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  if not exists (select from principal where tenant = p_tenant and id = p_principal and kind = 'person') then return; end if;
  delete from group_member m using claimed_group c
  where c.tenant = p_tenant and c.principal = p_principal and c.grp <> all (p_groups)
    and m.tenant = c.tenant and m.principal = c.principal and m.grp = c.grp;
  delete from claimed_group where tenant = p_tenant and principal = p_principal and grp <> all (p_groups);
  with new as (
    insert into group_member (tenant, grp, principal)
    select distinct p_tenant, g, p_principal from unnest(p_groups) g where g not like 'paraph:%'
    on conflict do nothing returning grp
  )
  insert into claimed_group (tenant, principal, grp) select p_tenant, p_principal, grp from new on conflict do nothing;
end $$;

create or replace function paraph.identity_link(p_tenant text, p_issuer text, p_subject text, p_principal text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if not exists (select from principal where tenant = p_tenant and id = p_principal) then return 'unknown'; end if;
  insert into external_identity (tenant, issuer, subject, principal) values (p_tenant, p_issuer, p_subject, p_principal) on conflict do nothing;
  if found then return 'done'; end if;
  return case when exists (select from external_identity where tenant = p_tenant and issuer = p_issuer and subject = p_subject and principal = p_principal)
    then 'already' else 'taken' end;
end $$;

create or replace function paraph.identity_unlink(p_tenant text, p_issuer text, p_subject text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
declare v_principal text;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  delete from external_identity where tenant = p_tenant and issuer = p_issuer and subject = p_subject returning principal into v_principal;
  if v_principal is null then return 'already'; end if;
  -- The issuer no longer identifies this principal, so its sessions end.
  delete from session where tenant = p_tenant and principal = v_principal;
  return 'done';
end $$;
