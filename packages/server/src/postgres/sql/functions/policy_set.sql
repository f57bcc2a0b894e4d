create or replace function paraph.put_policy_set(p_tenant text, p_version text, p_document jsonb, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into policy_set (tenant, version, document, by, at) values (p_tenant, p_version, p_document, p_by, paraph.now()) on conflict do nothing;
  return case when found then 'done' else 'already' end;
end $$;

-- Puts a stored set in force: once this has answered, nothing is accepted or begun under another. The same id
-- again is no new activation, whatever has been put in force since.
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

-- The set in force. Its document is left out where its version is the one the asker has.
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

-- Whether the first set was in force before the second was first seen.
create or replace function paraph.is_earlier_configuration(p_version text, p_than text) returns boolean
language sql stable set search_path = paraph, pg_temp as $$
  select exists (select from policy_configuration a, policy_configuration b
    where a.version = p_version and b.version = p_than and a.position < b.position)
$$;

-- What the configuration names, for every tenant: its own lock, which every gate holds as well. Refused ('superseded') where a
-- newer version of Paraph has configured it, where another process has since `p_expected` was in force, and where a process
-- starts with an earlier configuration beside others that run. `p_downgrade`: the operator goes back on purpose.
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
  -- After a downgrade on purpose the row is of a later generation than the schema.
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

-- Called by versions of Paraph that do not name their process.
create or replace function paraph.configure_policy_set(p_version text, p_document jsonb, p_generation int, p_expected text) returns text
language sql set search_path = paraph, pg_temp as $$
  select paraph.configure_policy_set(p_version, p_document, p_generation, p_expected, null, false)
$$;

-- As versions without a generation call it.
create or replace function paraph.configure_policy_set(p_version text, p_document jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.configure_policy_set(p_version, p_document, 0, null);
end $$;
