-- Returns a principal's recent use of one capability: the input sizes of successful calls, and the number of calls in
-- each past hour. It reads at most the principal's newest 5,000 calls, so that the cost does not grow with the ledger.
create or replace function paraph.history(p_tenant text, p_principal text, p_capability text, p_call text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.now();
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    with newest as (
      select c.id, c.capability, c.outcome, floor(extract(epoch from v_now - c.created_at) / 3600)::int as hour
      from call c where c.tenant = p_tenant and c.principal = p_principal and c.id <> p_call
      order by c.id desc limit 5000
    ), reach as materialized (
      -- If there are more calls than the maximum, the oldest hour is incomplete and is left out. `materialized` makes
      -- PostgreSQL compute this once and not for every hour.
      select least(14 * 24, case when count(*) = 5000 then max(hour) end) as hours from newest
    ), hours as (
      select greatest(hour, 0) as hour, count(*)::int as calls from newest
      where capability = p_capability group by 1
    )
    select json_build_object(
      'sizes', (select coalesce(json_agg(octet_length(y.body)), '[]')
                from (select id from newest where capability = p_capability and outcome = 'succeeded' order by id desc limit 200) n
                join payload y on y.tenant = p_tenant and y.call = n.id and y.name = 'input' and y.version = 1),
      'thisHour', 1 + coalesce((select calls from hours where hour = 0), 0),
      'earlierHours', (select coalesce(json_agg(calls order by hour), '[]') from hours, reach where hour > 0 and hour < reach.hours)
    )
  );
end $$;
