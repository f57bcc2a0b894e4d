-- Records the progress of an attempt while the call performs. The shared lock on the call's row orders this write and
-- the closing of the call. A write before the closing is deleted with it, and after the closing nothing is written.
-- Progress of an older attempt is ignored.
create or replace function paraph.write_progress(p_tenant text, p_call text, p_attempt int, p_message text, p_fraction real, p_output text, p_put_out bigint) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform from call where tenant = p_tenant and id = p_call and state = 'performing' for share;
  if not found then return; end if;
  insert into progress (tenant, call, attempt, revision, message, fraction, output, put_out)
  values (p_tenant, p_call, p_attempt, 1, p_message, p_fraction, p_output, p_put_out)
  on conflict (tenant, call) do update set attempt = excluded.attempt, revision = progress.revision + 1, message = excluded.message,
    fraction = excluded.fraction, output = excluded.output, put_out = excluded.put_out
  where progress.attempt <= excluded.attempt;
end $$;

-- Returns the progress of a call, and the call's epoch at the same time.
create or replace function paraph.progress_of(p_tenant text, p_call text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select json_build_object('epoch', c.epoch, 'progress', case when p.call is not null then json_build_object(
      'attempt', p.attempt, 'revision', p.revision, 'message', p.message, 'fraction', p.fraction, 'output', p.output, 'putOut', p.put_out) end)
    from call c left join progress p on p.tenant = c.tenant and p.call = c.id where c.tenant = p_tenant and c.id = p_call);
end $$;
