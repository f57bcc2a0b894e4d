-- Records how a call ended, for statistics, and deletes its progress. It runs in the transaction that closes the call.
-- The closing event, and so the receipt, holds the duration of the attempts and the tokens used. The cost of an unknown
-- outcome is not known yet.
create or replace function paraph.ended(p_tenant text, p_call text, p_settle jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  insert into outcome (tenant, at, call, capability, principal, kind, code, whole_ms, acting_ms, retries, spent, tokens_in, tokens_out)
  select c.tenant, c.closed_at, c.id, c.capability, c.principal, c.outcome, coalesce(c.outcome_code, ''),
         paraph.span_ms(c.created_at, c.closed_at),
         least(coalesce((e.data->>'ms')::bigint, 0), 2147483647)::int,
         greatest(0, (select count(*) from event a where a.tenant = p_tenant and a.call = p_call and a.kind = 'attempted') - 1),
         coalesce(nullif(p_settle->>'spent', 'unknown')::bigint, 0),
         coalesce((e.data->'tokens'->>'input')::bigint, 0), coalesce((e.data->'tokens'->>'output')::bigint, 0)
  from call c
  left join lateral (select data from event where tenant = p_tenant and call = p_call and kind = 'closed' order by seq desc limit 1) e on true
  where c.tenant = p_tenant and c.id = p_call;
  delete from progress where tenant = p_tenant and call = p_call;
end $$;

-- Processes stamp the start and the database stamps the end, so a short duration could be negative. The function
-- returns at least 0.
create or replace function paraph.span_ms(p_from timestamptz, p_to timestamptz) returns int
language sql immutable as $$ select least(greatest(0, extract(epoch from p_to - p_from) * 1000), 2147483647)::int $$;
