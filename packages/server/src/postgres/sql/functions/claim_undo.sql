-- Returns a call with its steps and their steps, but without the plan that compensates for them.
create or replace function paraph.with_steps(p_tenant text, p_call text) returns table (id text, outcome text, finding text)
language sql stable set search_path = paraph, pg_temp as $$
  with recursive whole as (
    select c.id, c.outcome from call c where c.tenant = p_tenant and c.id = p_call
    union all
    select c.id, c.outcome from whole w join call c on c.tenant = p_tenant and c.parent = w.id and c.step <> '$compensation'
  )
  select w.id, w.outcome, (select e.data->>'finding' from event e where e.tenant = p_tenant and e.call = w.id and e.kind = 'resolved' limit 1)
  from whole w
$$;

-- Whether a call that undoes another call is over and undid nothing, neither itself nor through one of its steps.
create or replace function paraph.undid_nothing(p_tenant text, p_call text) returns boolean
language sql stable set search_path = paraph, pg_temp as $$
  select not exists (
    select from paraph.with_steps(p_tenant, p_call) w
    where w.outcome is null or w.outcome = 'succeeded' or (w.outcome = 'unknown' and w.finding is distinct from 'not-happened')
  )
$$;

-- [TRUST 34] Claims the calls that this call undoes. If another call holds one of the claims, the function returns that
-- call and claims nothing. If two calls claim at the same time, the primary key makes one wait until it finds the
-- other.
create or replace function paraph.claim_undo(p_tenant text, p_undoes text, p_by text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_by text;
begin
  begin
    insert into undo_claim (tenant, call, by)
    select p_tenant, w.id, p_by from paraph.with_steps(p_tenant, p_undoes) w order by w.id
    on conflict (tenant, call) do update set by = excluded.by where paraph.undid_nothing(p_tenant, undo_claim.by);
    select c.by into v_by from paraph.with_steps(p_tenant, p_undoes) w join undo_claim c on c.tenant = p_tenant and c.call = w.id
    where c.by <> p_by order by w.id limit 1;
    -- An undo from before claims existed is recorded only in the `accepted` event of the call that undid.
    if v_by is null then
      select e.call into v_by from paraph.with_steps(p_tenant, p_undoes) w
        join event_row e on e.tenant = p_tenant and e.kind = 'accepted' and e.data ? 'undoes' and e.data->>'undoes' = w.id
      where e.call <> p_by and not paraph.undid_nothing(p_tenant, e.call) order by e.call limit 1;
    end if;
    if v_by is not null then raise sqlstate 'PA002'; end if;
  exception when sqlstate 'PA002' then
    return v_by;
  end;
  return null;
end $$;
