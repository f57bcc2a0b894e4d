create or replace function paraph.put_policy_set(p_tenant text, p_version text, p_document jsonb, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into policy_set (tenant, version, document, by, at) values (p_tenant, p_version, p_document, p_by, paraph.now()) on conflict do nothing;
  return case when found then 'done' else 'already' end;
end $$;

-- Activates a stored policy set. Once the function returns, no call is accepted or started under another set. The same
-- id again is not a new activation, even if another set has been activated since.
create or replace function paraph.activate_policy_set(p_tenant text, p_id text, p_version text, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.shut(p_tenant);
  perform from policy_activation where tenant = p_tenant and id = p_id;
  if found then return 'already'; end if;
  perform from policy_set where tenant = p_tenant and version = p_version;
  if not found then return 'unknown'; end if;
  insert into policy_activation (tenant, id, version, by, at) values (p_tenant, p_id, p_version, p_by, paraph.now());
  insert into policy_active (tenant, version, at) values (p_tenant, p_version, paraph.now())
  on conflict (tenant) do update set version = excluded.version, at = excluded.at;
  return 'done';
end $$;

-- Returns the active policy set. It leaves out the document if the caller already has this version.
create or replace function paraph.policy_in_force(p_tenant text, p_known text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return coalesce(
    (select json_build_object('version', s.version, 'document', case when s.version is distinct from p_known then s.document end)
     from policy_active a join policy_set s on s.tenant = a.tenant and s.version = a.version where a.tenant = p_tenant),
    (select json_build_object('version', version, 'document', case when version is distinct from p_known then document end) from policy_configured));
end $$;

create or replace function paraph.policy_in_force(p_tenant text) returns json
language sql set search_path = paraph, pg_temp as $$
  select paraph.policy_in_force(p_tenant, null)
$$;

-- Returns whether the tenant has activated a set of its own, and the version of the configuration's set.
create or replace function paraph.policy_origin(p_tenant text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return json_build_object(
    'isPublished', exists (select from policy_active where tenant = p_tenant),
    'configured', (select version from policy_configured));
end $$;

-- Whether the first set was configured before the second one was first seen.
create or replace function paraph.is_earlier_configuration(p_version text, p_than text) returns boolean
language sql stable set search_path = paraph, pg_temp as $$
  select exists (select from policy_configuration a, policy_configuration b
    where a.version = p_version and b.version = p_than and a.position < b.position)
$$;

-- Sets the policy set of the configuration for every tenant, under a lock that every gate also holds. Returns
-- 'superseded' in three cases: a newer version of Paraph has configured it, another process has changed it since
-- `p_expected`, or a starting process has an earlier configuration while others run. `p_downgrade` means that the
-- operator goes back on purpose.
create or replace function paraph.configure_policy_set(
  p_version text, p_document jsonb, p_generation int, p_expected text, p_life int, p_downgrade boolean
) returns text
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v policy_configured;
begin
  perform from policy_configured where version = p_version and generation >= p_generation;
  if found then return 'done'; end if;
  perform pg_advisory_xact_lock(7414, 0);
  select * into v from policy_configured;
  -- After an intended downgrade, the row has a later generation than the schema.
  if least(v.generation, (select g.generation from paraph.schema_generation() g)) > p_generation or v.version not in (p_expected, p_version) then return 'superseded'; end if;
  if p_downgrade then
    delete from policy_configuration where version = p_version;
  elsif p_expected is null and paraph.is_earlier_configuration(p_version, v.version) and paraph.others_run(p_life) then
    return 'superseded';
  end if;
  insert into policy_configuration (version) values (p_version) on conflict do nothing;
  insert into policy_configured (version, document, generation, at) values (p_version, p_document, p_generation, paraph.now())
  on conflict (sole) do update set version = excluded.version, document = excluded.document, generation = excluded.generation, at = excluded.at;
  return 'done';
end $$;

-- Versions of Paraph that do not name their process call this form.
create or replace function paraph.configure_policy_set(p_version text, p_document jsonb, p_generation int, p_expected text) returns text
language sql set search_path = paraph, pg_temp as $$
  select paraph.configure_policy_set(p_version, p_document, p_generation, p_expected, null, false)
$$;

-- Versions of Paraph without a generation call this form.
create or replace function paraph.configure_policy_set(p_version text, p_document jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.configure_policy_set(p_version, p_document, 0, null);
end $$;
