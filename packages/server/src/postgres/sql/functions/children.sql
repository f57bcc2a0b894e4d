-- Returns the calls of a composite in the order in which they were opened, with the results that its code receives. A
-- PostgreSQL value holds at most 1 GB, and a process much less. If outputs and undo inputs exceed 16 MiB in total, they
-- are withheld for all steps. Otherwise the order in which steps end would decide which of them the composite receives.
create or replace function paraph.children(p_tenant text, p_call text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_withheld boolean;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select coalesce(sum(octet_length(y.body)), 0) > 16777216 into v_withheld
  from call c
  join lateral (select distinct on (y.name) y.body from payload y
                where y.tenant = c.tenant and y.call = c.id and y.name in ('output', 'undo') order by y.name, y.version desc) y on true
  where c.tenant = p_tenant and c.parent = p_call;
  return (
    select coalesce(json_agg(json_build_object(
      'call', c.id, 'step', c.step, 'state', c.state, 'capability', c.capability, 'requestDigest', c.request_digest, 'lockKeys', c.lock_keys,
      'supersedes', c.supersedes, 'outcome', c.outcome, 'outcomeCode', c.outcome_code, 'closedAt', paraph.millis(e.at),
      'receipt', r.digest, 'output', o.body, 'undo', u.body, 'withheld', v_withheld) order by c.created_at, c.id), '[]')
    from call c
    left join event e on e.tenant = c.tenant and e.call = c.id and e.kind = 'closed'
    left join receipt r on r.tenant = c.tenant and r.call = c.id
    left join lateral (select y.body from payload y where not v_withheld and y.tenant = c.tenant and y.call = c.id and y.name = 'output' order by y.version desc limit 1) o on true
    left join lateral (select y.body from payload y where not v_withheld and y.tenant = c.tenant and y.call = c.id and y.name = 'undo' order by y.version desc limit 1) u on true
    where c.tenant = p_tenant and c.parent = p_call
  );
end $$;
