-- Loads a call for a segment and records that this process runs it. If the previous process of the call is dead, the
-- function counts one more death, once. A live process that performs an attempt stays the runner of the call, and other
-- processes only check whether it is alive. The write is not flushed, because after a crash of PostgreSQL no process is
-- known to be dead anyway.
create or replace function paraph.begin(p_tenant text, p_life int, p_call text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_call call;
  v_dead boolean;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform set_config('synchronous_commit', 'off', true);
  select * into v_call from call where tenant = p_tenant and id = p_call and state <> 'closed' and stuck is null;
  if found then
    v_dead := paraph.is_gone(v_call.runner);
    if v_dead or v_call.runner is null or (v_call.runner <> p_life and v_call.state <> 'performing') then
      update call set runner = paraph.life_held(p_life), deaths = deaths + v_dead::int
      where tenant = p_tenant and id = p_call and epoch = v_call.epoch and runner is not distinct from v_call.runner;
    end if;
  end if;
  return paraph.load(p_tenant, p_call);
end $$;
