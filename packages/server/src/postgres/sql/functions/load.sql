-- Returns everything that the rows hold about a call, as the one document that a segment starts from.
create or replace function paraph.load(p_tenant text, p_call text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select json_build_object(
      'tenant', c.tenant, 'call', c.id, 'epoch', c.epoch, 'state', c.state, 'key', c.key,
      'capability', c.capability, 'version', c.version, 'contractDigest', c.contract_digest, 'requestDigest', c.request_digest,
      'session', c.session, 'thread', c.thread, 'trace', c.trace, 'lockKeys', c.lock_keys, 'requirements', c.requirements,
      'createdAt', paraph.millis(c.created_at), 'nextAt', paraph.millis(c.next_at), 'deadline', paraph.millis(c.deadline),
      'outcome', c.outcome, 'outcomeCode', c.outcome_code, 'supersedes', c.supersedes, 'editedBy', c.edited_by,
      'deaths', nullif(c.deaths, 0), 'stuck', c.stuck, 'restoredAt', (select paraph.millis(max(r.at)) from restore r),
      'parent', case when c.parent is not null then json_build_object('call', c.parent, 'step', c.step, 'depth', c.depth) end,
      'resolution', case when c.outcome = 'unknown' then
                      (select json_build_object('finding', r.finding, 'by', r.by, 'how', r.how, 'at', paraph.millis(r.at))
                       from resolution r where r.tenant = c.tenant and r.call = c.id) end,
      'principal', (select json_build_object('tenant', p.tenant, 'id', p.id, 'kind', p.kind, 'owner', p.owner, 'onBehalfOf', c.on_behalf_of,
                      'groups', (select json_agg(m.grp order by m.grp) from group_member m where m.tenant = p.tenant and m.principal = p.id))
                    from principal p where p.tenant = c.tenant and p.id = c.principal),
      'events', (select coalesce(json_agg(json_build_object('seq', e.seq, 'kind', e.kind, 'at', paraph.millis(e.at), 'data', e.data) order by e.seq), '[]')
                 from event e where e.tenant = c.tenant and e.call = c.id),
      'payloads', (select coalesce(json_agg(json_build_object('name', n.name, 'salt', n.salt, 'body', n.body)), '[]')
                   from (select distinct on (name) name, salt, body from payload y where y.tenant = c.tenant and y.call = c.id order by name, version desc) n),
      'approval', (select json_build_object('id', a.id, 'round', a.round, 'digest', a.digest, 'status', a.status, 'guards', a.guards, 'expiresAt', paraph.millis(a.expires_at),
                     'votes', (select coalesce(json_agg(json_build_object('by', v.voter, 'decision', v.decision, 'as', v.standing, 'at', paraph.millis(v.at), 'groups', v.groups) order by v.at, v.voter), '[]')
                               from vote v where v.tenant = a.tenant and v.approval = a.id))
                   from approval a where a.tenant = c.tenant and a.call = c.id order by a.round desc limit 1),
      'barredVoters', (select json_agg(distinct x.by) from (
                         select v.voter as by, null::jsonb as in_place_of from approval a join vote v on v.tenant = a.tenant and v.approval = a.id where a.tenant = c.tenant and a.call = c.id
                         union all select e.data->>'by', e.data->'inPlaceOf' from event e where e.tenant = c.tenant and e.call = c.id and e.kind in ('voted', 'reassigned')
                         union all select y->>'by', y->'inPlaceOf' from event e, jsonb_array_elements(e.data->'votes') y where e.tenant = c.tenant and e.call = c.id and e.kind = 'approval-inherited'
                       ) x where paraph.barred(c.tenant, x.by) is not null
                           or exists (select from jsonb_array_elements_text(x.in_place_of) z where paraph.barred(c.tenant, z) is not null)),
      'attempts', (select coalesce(json_agg(json_build_object('number', i.attempt, 'at', paraph.millis(i.at), 'deadline', paraph.millis(i.deadline), 'ended', i.ended,
                     'writerGone', i.ended is null and paraph.is_gone(i.life)) order by i.attempt), '[]')
                   from intent i where i.tenant = c.tenant and i.call = c.id)
    )
    from call c where c.tenant = p_tenant and c.id = p_call
  );
end $$;

create or replace function paraph.load_by_key(p_tenant text, p_principal text, p_key text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select paraph.load(p_tenant, c.id) from call c where c.tenant = p_tenant and c.principal = p_principal and c.key = p_key);
end $$;

-- Returns the first open call of this principal and session for the same request, or a closed one whose result is
-- undelivered. After a day the same request counts as a new one.
create or replace function paraph.load_duplicate(p_tenant text, p_principal text, p_session text, p_digest text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select paraph.load(p_tenant, t.id)
    from (select coalesce(
      (select c.id from call c
       where c.tenant = p_tenant and c.principal = p_principal and c.session = p_session and c.request_digest = p_digest and c.state <> 'closed'
       order by c.id limit 1),
      (select o.call from undelivered o
       where o.tenant = p_tenant and o.principal = p_principal and o.session = p_session and o.request_digest = p_digest
         and o.at > paraph.now() - interval '1 day')) as id) t
    where t.id is not null
  );
end $$;

create or replace function paraph.load_by_approval(p_tenant text, p_approval text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select paraph.load(p_tenant, a.call) from approval a where a.tenant = p_tenant and a.id = p_approval);
end $$;
