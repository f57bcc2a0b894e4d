-- Starts a session. Only people have sessions. A login replaces the session that the browser had.
create or replace function paraph.session_begin(
  p_tenant text, p_principal text, p_hash text, p_replaced text, p_idle_ms bigint, p_lasting_ms bigint) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if not exists (select from principal where tenant = p_tenant and id = p_principal and kind = 'person') then return false; end if;
  if paraph.barred(p_tenant, p_principal) is not null then return false; end if;
  perform paraph.note_signed_in(p_tenant, p_principal);
  delete from session where tenant = p_tenant and hash = p_replaced;
  delete from session where tenant = p_tenant and principal = p_principal and least(expires_at, seen_at + idle) <= paraph.now();
  insert into session (tenant, hash, principal, idle, seen_at, expires_at)
  values (p_tenant, p_hash, p_principal, make_interval(secs => p_idle_ms / 1000.0), paraph.now(), paraph.now() + make_interval(secs => p_lasting_ms / 1000.0));
  return true;
end $$;

create or replace function paraph.session_find(p_tenant text, p_hash text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_session session;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select * into v_session from session where tenant = p_tenant and hash = p_hash and least(expires_at, seen_at + idle) > paraph.now();
  if not found then return null; end if;
  if v_session.seen_at < paraph.now() - interval '1 minute' then
    update session set seen_at = paraph.now() where tenant = p_tenant and hash = p_hash;
  end if;
  return json_build_object('principal', paraph.principal_of(p_tenant, v_session.principal), 'expiresAt', paraph.millis(v_session.expires_at));
end $$;

create or replace function paraph.session_end(p_tenant text, p_hash text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  delete from session where tenant = p_tenant and hash = p_hash;
end $$;

-- Creates a login link that works once until it expires. It also deletes the tenant's used and expired links.
create or replace function paraph.login_link_make(p_tenant text, p_principal text, p_hash text, p_lasting_ms bigint) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if not exists (select from principal where tenant = p_tenant and id = p_principal and kind = 'person') then return false; end if;
  delete from login_link where tenant = p_tenant and (used_at is not null or expires_at <= paraph.now());
  insert into login_link (tenant, hash, principal, expires_at)
  values (p_tenant, p_hash, p_principal, paraph.now() + make_interval(secs => p_lasting_ms / 1000.0));
  return true;
end $$;

-- Uses up the link and starts the session, or neither. If two requests use the link at the same time, only one gets a
-- session.
create or replace function paraph.session_by_link(
  p_tenant text, p_link text, p_hash text, p_replaced text, p_idle_ms bigint, p_lasting_ms bigint) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
declare v_principal text;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update login_link set used_at = paraph.now() where tenant = p_tenant and hash = p_link and used_at is null and expires_at > paraph.now()
  returning principal into v_principal;
  if v_principal is null then return false; end if;
  return paraph.session_begin(p_tenant, v_principal, p_hash, p_replaced, p_idle_ms, p_lasting_ms);
end $$;
