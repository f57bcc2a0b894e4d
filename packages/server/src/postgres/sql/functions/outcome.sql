-- Records how calls ended, for statistics, and deletes their progress. It skips calls that have not ended. It runs in the
-- transaction that closes the calls. The closing event, and so the receipt, holds the duration of the attempts and the
-- tokens used. `p_spent` holds the settled costs. The cost of an unknown outcome is not known yet.
create or replace function paraph.ended(p_tenant text, p_calls text[], p_spent text[]) returns void
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  with recorded as (
    insert into outcome (tenant, at, call, capability, principal, kind, code, whole_ms, acting_ms, retries, spent, tokens_in, tokens_out)
    select p_tenant, c.closed_at, x.call, c.capability, c.principal, c.outcome, coalesce(c.outcome_code, ''),
           paraph.span_ms(c.created_at, c.closed_at),
           least(coalesce((e.data->>'ms')::bigint, 0), 2147483647)::int,
           greatest(0, (select count(*) from event a where a.tenant = p_tenant and a.call = x.call and a.kind = 'attempted') - 1),
           coalesce(nullif(x.spent, 'unknown')::bigint, 0),
           coalesce((e.data->'tokens'->>'input')::bigint, 0), coalesce((e.data->'tokens'->>'output')::bigint, 0)
    from (select unnest(p_calls) as call, unnest(p_spent) as spent) x
    cross join lateral (select * from call c where c.tenant = p_tenant and c.id = x.call and c.state = 'closed' offset 0) c
    left join lateral (select data from event where tenant = p_tenant and call = x.call and kind = 'closed' order by seq desc limit 1) e on true
    returning call
  )
  delete from progress p using recorded r where p.tenant = p_tenant and p.call = r.call and p.call = any (p_calls);
end $$;

-- Processes stamp the start and the database stamps the end, so a short duration could be negative. The function
-- returns at least 0.
create or replace function paraph.span_ms(p_from timestamptz, p_to timestamptz) returns int
language sql immutable as $$ select least(greatest(0, extract(epoch from p_to - p_from) * 1000), 2147483647)::int $$;
