-- Ids start with their creation time in milliseconds, in base 32, so a later call has a greater id. The function
-- subtracts an hour, because the clocks of processes may differ. `created_at` decides exactly.
create or replace function paraph.id_before(p_prefix text, p_at timestamptz) returns text
language sql immutable as $$
  select p_prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((ms >> (5 * place)) & 31)::int, 1), '' order by place desc)
  from (select greatest(0, (extract(epoch from p_at) * 1000)::bigint - 3600000) as ms) x, generate_series(0, 9) as place
$$;

-- Returns a page of calls, oldest first, each with its first policy request, the ruling and the payloads of that time.
-- The time and the outcome of the call are added to the ruling.
create or replace function paraph.past_calls(p_tenant text, p_since timestamptz, p_until timestamptz, p_after text, p_limit int)
returns table (call text, capability text, contract_digest text, requirements jsonb, ruled jsonb, input text, preview text, request text)
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return query
  select c.id, c.capability, c.contract_digest, c.requirements, r.data || coalesce(v_covered.data, '{}') || coalesce(v_asked.data, '{}')
    || jsonb_build_object('openedAt', (extract(epoch from c.created_at) * 1000)::bigint, 'outcome', c.outcome), i.body, v.body, q.body
  from call c
  cross join lateral (select e.data from event e where e.tenant = c.tenant and e.call = c.id and e.kind = 'ruled' order by e.seq limit 1) r
  -- For a step of a plan, the votes that it inherited from the plan are added to the ruling.
  left join lateral (select jsonb_build_object('coveredBy', e.data->'votes') as data from event e
                     where c.parent is not null and e.tenant = c.tenant and e.call = c.id and e.kind = 'approval-inherited' order by e.seq limit 1) v_covered on true
  -- If policy asked, the guards of the first round are added to the ruling.
  left join lateral (select jsonb_build_object('guards', e.data->'guards') as data from event e
                     where r.data->>'ruling' = 'ask' and e.tenant = c.tenant and e.call = c.id and e.kind = 'asked' order by e.seq limit 1) v_asked on true
  left join payload i on i.tenant = c.tenant and i.call = c.id and i.name = 'input' and i.version = 1
  left join payload v on v.tenant = c.tenant and v.call = c.id and v.name = 'preview' and v.version = 1
  left join payload q on q.tenant = c.tenant and q.call = c.id and q.name = 'request' and q.version = 1
  where c.tenant = p_tenant and c.id > coalesce(p_after, paraph.id_before('call', p_since)) and c.created_at >= p_since and c.created_at < p_until
  order by c.id limit p_limit;
end $$;

create or replace function paraph.count_calls(p_tenant text, p_since timestamptz, p_until timestamptz) returns bigint
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select count(*) from call c
          where c.tenant = p_tenant and c.id > paraph.id_before('call', p_since) and c.created_at >= p_since and c.created_at < p_until);
end $$;

-- Counts each call once by the strictest ruling it received. In observe mode that is the ruling that policy would have
-- made.
create or replace function paraph.policy_report(p_tenant text, p_since timestamptz, p_until timestamptz) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    with ruling as (
      select c.id as call, c.capability, e.seq,
             e.data->>'ruling' as made,
             coalesce(e.data->'observed'->>'kind', e.data->>'ruling') as said,
             coalesce(e.data->'observed'->'policies', e.data->'policies') as said_by,
             e.data->'shadow'->>'kind' as shadow,
             e.data->'shadow'->'policies' as shadow_by
      from call c join event e on e.tenant = c.tenant and e.call = c.id and e.kind = 'ruled'
      where c.tenant = p_tenant and c.id > paraph.id_before('call', p_since) and c.created_at >= p_since and c.created_at < p_until
    ), said as (
      select distinct on (call) call, capability, said, said_by, bool_or(made <> 'allow') over (partition by call) as enforced
      from ruling order by call, array_position(array['block', 'ask', 'check', 'allow'], said), seq
    ), shadow as (
      select distinct on (call) call, shadow, shadow_by
      from ruling where shadow is not null order by call, array_position(array['block', 'ask', 'check', 'allow'], shadow), seq
    )
    select jsonb_build_object(
      'calls', (select count(*) from said),
      'enforced', (select count(*) from said where enforced),
      'rulings', (select coalesce(jsonb_object_agg(said, n), '{}') from (select said, count(*) as n from said group by 1) x),
      'byPolicy', (select coalesce(jsonb_agg(jsonb_build_object('policy', policy, 'ruling', said, 'calls', n) order by n desc, policy), '[]')
                   from (select policy, said, count(*) as n from said, jsonb_array_elements_text(said_by) as policy where said <> 'allow' group by 1, 2) x),
      'byCapability', (select coalesce(jsonb_agg(jsonb_build_object('capability', capability, 'ruling', said, 'calls', n) order by n desc, capability), '[]')
                       from (select capability, said, count(*) as n from said where said <> 'allow' group by 1, 2) x),
      'shadow', jsonb_build_object(
        'calls', (select count(*) from shadow),
        'byPolicy', (select coalesce(jsonb_agg(jsonb_build_object('policy', policy, 'ruling', shadow, 'calls', n) order by n desc, policy), '[]')
                     from (select policy, shadow, count(*) as n from shadow, jsonb_array_elements_text(shadow_by) as policy group by 1, 2) x))
    )
  );
end $$;

-- Returns every policy request of one call, oldest first. Each `ruled` event holds the commitment of its own request.
create or replace function paraph.requests(p_tenant text, p_call text) returns table (salt text, body text)
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return query
  select q.salt, q.body from payload q where q.tenant = p_tenant and q.call = p_call and q.name = 'request' order by q.version;
end $$;
