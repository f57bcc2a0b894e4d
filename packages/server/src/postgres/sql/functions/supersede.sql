-- [P6] Closes one call and opens its successor, or neither. All locks that either needs are acquired before both, as in
-- every batch. The closing is written first, because a lost fence or a closed round takes precedence over any gate. If
-- the successor may not be opened, the exception block rolls back the closing too.
create or replace function paraph.supersede(p_tenant text, p_life int, p_ending jsonb, p_successor jsonb, p_gated text[], p_claims jsonb) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz;
  v_here jsonb;
  v_ended jsonb;
  v_opened jsonb;
begin
  select e.at, e.here into v_now, v_here from paraph.enter(p_gated, p_claims) e;
  begin
    v_ended := paraph.commit(p_tenant, p_life, p_ending, v_now, v_here->p_tenant);
    if v_ended->>'kind' <> 'done' then return v_ended; end if;
    if v_ended->'used' <> 'null' then v_here := jsonb_set(v_here, array[p_tenant, 'used'], v_ended->'used'); end if;
    v_opened := paraph.open(p_tenant, p_life, p_successor, v_now, v_here->p_tenant);
    if v_opened->>'kind' <> 'opened' then raise sqlstate 'PA001'; end if;
  exception when sqlstate 'PA001' then
    if v_opened->>'kind' = 'stopped' then return v_opened; end if;
    raise exception 'the successor''s key or id is taken' using errcode = 'unique_violation';
  end;
  if v_opened->'used' <> 'null' then v_here := jsonb_set(v_here, array[p_tenant, 'used'], v_opened->'used'); end if;
  if jsonb_array_length(p_claims) > 0 then perform paraph.leave(p_claims, v_here); end if;
  return v_ended - 'used';
end $$;
