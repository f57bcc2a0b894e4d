-- Records that this database was restored from a backup, and freezes every tenant. Runs as the owner of the database.
-- `p_freezes` maps each tenant to the id of its new freeze. The function changes nothing and returns `refused` if a
-- process holds its lease, or if a call is newer than the given time or the clock.
create or replace function paraph.record_restore(p_to timestamptz, p_reason text, p_freezes jsonb) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz := paraph.now();
  v_newest timestamptz := (select max(created_at) from call);
begin
  lock table restore in exclusive mode;
  if paraph.others_run(null) then return json_build_object('refused', 'running'); end if;
  if v_newest >= v_now then return json_build_object('refused', 'clock-behind', 'newest', v_newest); end if;
  if v_newest > p_to then return json_build_object('refused', 'newer-calls', 'newest', v_newest); end if;
  insert into restore (at, restored_to, reason) values (v_now, p_to, p_reason);
  insert into paraph.freeze (tenant, id, kind, subject, by, at)
  select t.id, p_freezes->>t.id, 'tenant', t.id, 'operator', v_now from tenant t;
  return json_build_object(
    'at', paraph.millis(v_now),
    'tenants', (select coalesce(json_agg(json_build_object(
        'tenant', t.id, 'freeze', p_freezes->>t.id,
        'openCalls', (select count(*) from call c where c.tenant = t.id and c.state <> 'closed')) order by t.id), '[]')
      from tenant t));
end $$;
