-- In the transaction that closes a call: how it ended, for statistics, and an end to its progress. What it cost is not known
-- yet where its end is not.
create or replace function paraph.ended(p_tenant text, p_call text, p_settle jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  insert into outcome (tenant, at, call, capability, principal, kind, code, whole_ms, acting_ms, retries, spent)
  select c.tenant, c.closed_at, c.id, c.capability, c.principal, c.outcome, coalesce(c.outcome_code, ''),
         paraph.span_ms(c.created_at, c.closed_at),
         paraph.span_ms(coalesce((select max(i.at) from intent i where i.tenant = p_tenant and i.call = p_call), c.created_at), c.closed_at),
         greatest(0, (select count(*) from event e where e.tenant = p_tenant and e.call = p_call and e.kind = 'attempted') - 1),
         coalesce(nullif(p_settle->>'spent', 'unknown')::bigint, 0)
  from call c where c.tenant = p_tenant and c.id = p_call;
  delete from progress where tenant = p_tenant and call = p_call;
end $$;

-- Beginnings are stamped by processes, ends by the database: what took no time may seem to have taken less.
create or replace function paraph.span_ms(p_from timestamptz, p_to timestamptz) returns int
language sql immutable as $$ select least(greatest(0, extract(epoch from p_to - p_from) * 1000), 2147483647)::int $$;
