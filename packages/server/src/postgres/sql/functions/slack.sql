-- Links a Slack account to a person. A person has one account, and a new one replaces it. Returns `taken` if another
-- person has the account.
create or replace function paraph.slack_link(p_tenant text, p_team text, p_account text, p_person text, p_team_name text, p_account_name text, p_seal text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
declare v_person text;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform pg_advisory_xact_lock(7420, hashtext(p_tenant));
  select person into v_person from slack_account where tenant = p_tenant and team = p_team and account = p_account;
  if v_person = p_person then return 'already'; end if;
  if v_person is not null then return 'taken'; end if;
  delete from slack_account where tenant = p_tenant and person = p_person;
  insert into slack_account (tenant, team, account, person, team_name, account_name, seal, at)
  values (p_tenant, p_team, p_account, p_person, p_team_name, p_account_name, p_seal, paraph.now());
  return 'done';
end $$;

create or replace function paraph.slack_unlink(p_tenant text, p_person text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  delete from slack_account where tenant = p_tenant and person = p_person;
  return case when found then 'done' else 'unknown' end;
end $$;

-- Returns the person who has a Slack account, unless the person is disabled or frozen.
create or replace function paraph.slack_person(p_tenant text, p_team text, p_account text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select json_build_object('principal', paraph.principal_of(p_tenant, s.person), 'seal', s.seal)
          from slack_account s where s.tenant = p_tenant and s.team = p_team and s.account = p_account and paraph.barred(p_tenant, s.person) is null);
end $$;
