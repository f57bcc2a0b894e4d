-- The lease of a Paraph process is a number. The process holds it as a session lock for as long as it is connected.

-- Returns a new number, locked by the calling session. It skips numbers that an earlier process used.
create or replace function paraph.begin_lease(p_holder text) returns int
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_life int;
begin
  loop
    v_life := nextval('paraph.life');
    continue when not pg_try_advisory_lock(7412, v_life);
    insert into process_lease (life, holder) values (v_life, p_holder) on conflict do nothing;
    if found then return v_life; end if;
    perform pg_advisory_unlock(7412, v_life);
  end loop;
end $$;

-- Locks the number again after the session was lost. Returns 'held', 'busy' (another session tests the lock, or the old
-- session still exists), or 'gone' (the process was declared dead, or a failover lost the row). After 'gone' the
-- process needs a new number.
create or replace function paraph.renew_lease(p_life int, p_holder text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  if not pg_try_advisory_lock(7412, p_life) then return 'busy'; end if;
  update process_lease set taken = taken + 1 where life = p_life and holder = p_holder and dead_at is null;
  if found then return 'held'; end if;
  perform pg_advisory_unlock(7412, p_life);
  return 'gone';
end $$;

-- Ends the lease of a process that stops by itself.
create or replace function paraph.end_lease(p_life int, p_holder text) returns void
language sql set search_path = paraph, pg_temp as $$
  update process_lease set dead_at = clock_timestamp() where life = p_life and holder = p_holder and dead_at is null
$$;

create or replace function paraph.lease_held(p_life int) returns boolean
language sql volatile as $$
  select not pg_try_advisory_xact_lock_shared(7412, p_life)
$$;

-- Whether a process other than this one holds its lease.
create or replace function paraph.others_run(p_life int) returns boolean
language sql volatile set search_path = paraph, pg_temp as $$
  select exists (select from process_lease l where l.dead_at is null and l.life is distinct from p_life and paraph.lease_held(l.life))
$$;

-- Returns the processes that do not hold their lock now, and the incarnation of the server. A restart or a failover
-- changes `server`.
create or replace function paraph.free_leases() returns table (life int, taken int, server text)
language sql volatile set search_path = paraph, pg_temp as $$
  select l.life, l.taken, paraph.server_incarnation() from process_lease l
  where l.dead_at is null and pg_try_advisory_xact_lock_shared(7412, l.life)
$$;

-- A standby may have started before its promotion, so the timeline is part of the incarnation. Some providers hide it.
create or replace function paraph.server_incarnation() returns text
language plpgsql volatile as $$
begin
  return pg_postmaster_start_time()::text || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
exception when others then
  return pg_postmaster_start_time()::text;
end $$;

-- Declares the process dead, unless it took its lock again or one of its transactions is writing an intent.
create or replace function paraph.declare_dead(p_life int, p_taken int) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(7412, p_life) or not pg_try_advisory_xact_lock(7417, p_life) then return false; end if;
  update process_lease set dead_at = clock_timestamp() where life = p_life and taken = p_taken and dead_at is null;
  return found;
end $$;

-- Whether the process is dead. If no process is recorded, only the deadline decides: for example if the agent performs
-- the call, or if the process did not hold its lease.
create or replace function paraph.is_gone(p_life int) returns boolean
language sql stable set search_path = paraph, pg_temp as $$
  select exists (select from process_lease where life = p_life and dead_at is not null)
$$;

-- Returns the number to write into an intent, or null while the process does not hold its lease. The shared lock
-- prevents a declaration of death until the intent is committed.
create or replace function paraph.life_held(p_life int) returns int
language plpgsql volatile set search_path = paraph, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(7417, p_life);
  if exists (select from process_lease where life = p_life and dead_at is null) and paraph.lease_held(p_life) then return p_life; end if;
  return null;
end $$;

-- Deletes the leases of dead processes that have no open intent.
create or replace function paraph.forget_leases() returns void
language sql set search_path = paraph, pg_temp as $$
  delete from process_lease l where l.dead_at < clock_timestamp() - interval '1 hour'
    and not exists (select from intent i where i.life = l.life and i.ended is null)
$$;

-- Writes without changing a value, and fails if PostgreSQL accepts no writes.
create or replace function paraph.touch_lease(p_life int) returns void
language sql set search_path = paraph, pg_temp as $$
  update process_lease set taken = taken where life = p_life
$$;

-- Records the address where this process serves segments. Returns the addresses of all live processes that do.
create or replace function paraph.announce_worker(p_life int, p_url text) returns setof text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  update process_lease set worker_url = p_url where life = p_life and worker_url is distinct from p_url;
  return query select distinct l.worker_url from process_lease l where l.dead_at is null and l.worker_url is not null;
end $$;
