-- Returns milliseconds with the microseconds as a fraction. A time that was written in milliseconds gives a whole
-- number.
create or replace function paraph.exact_millis(t timestamptz) returns numeric
language sql stable as $$ select extract(epoch from t) * 1000 $$;

-- Returns the rows of these calls, one object per row, in the form that `paraph replay --check` rebuilds from events.
-- It leaves out values that no event records: when the sweeper runs the call next, which process wrote, the database's
-- time of closing, the rest of limits and grants, and payloads, which may be erased.
create or replace function paraph.projections(p_tenant text, p_calls text[]) returns table (call text, relation text, key text, found jsonb)
language sql stable set search_path = paraph, pg_temp as $$
  select c.id, 'call', '', jsonb_build_object(
    'principal', c.principal, 'onBehalfOf', c.on_behalf_of, 'capability', c.capability, 'version', c.version,
    'createdAt', paraph.exact_millis(c.created_at), 'supersedes', c.supersedes, 'editedBy', c.edited_by,
    'parent', c.parent, 'step', c.step, 'depth', c.depth, 'state', c.state, 'epoch', c.epoch, 'deadline', paraph.exact_millis(c.deadline), 'outcome', c.outcome, 'outcomeCode', c.outcome_code)
  from call c where c.tenant = p_tenant and c.id = any (p_calls)
  union all
  select a.call, 'approval', 'round ' || a.round, jsonb_build_object(
    'id', a.id, 'digest', a.digest, 'status', a.status, 'guards', a.guards, 'expiresAt', paraph.exact_millis(a.expires_at))
  from approval a where a.tenant = p_tenant and a.call = any (p_calls)
  union all
  select a.call, 'vote', 'round ' || a.round || ', ' || v.voter, jsonb_build_object(
    'decision', v.decision, 'standing', v.standing, 'at', paraph.exact_millis(v.at), 'groups', v.groups)
  from approval a join vote v on v.tenant = a.tenant and v.approval = a.id where a.tenant = p_tenant and a.call = any (p_calls)
  union all
  select i.call, 'intent', 'attempt ' || i.attempt, jsonb_build_object(
    'at', paraph.exact_millis(i.at), 'deadline', paraph.exact_millis(i.deadline), 'grant', i.standing_grant, 'ended', i.ended)
  from intent i where i.tenant = p_tenant and i.call = any (p_calls)
  union all
  select l.holder, 'lock', '', jsonb_build_object('keys', count(*))
  from lock l where l.tenant = p_tenant and l.holder = any (p_calls) group by l.holder
  union all
  select w.call, 'lock_waiter', '', jsonb_build_object('keys', count(*), 'position', min(w.position), 'last', max(w.position))
  from lock_waiter w where w.tenant = p_tenant and w.call = any (p_calls) group by w.call
  union all
  -- Reservations of a running call are not compared. A call with a known outcome must have none left.
  select r.call, 'reservation', r.key, '{}'
  from reservation r join call c on c.tenant = r.tenant and c.id = r.call left join resolution s on s.tenant = r.tenant and s.call = r.call
  where r.tenant = p_tenant and r.call = any (p_calls) and c.state = 'closed' and (c.outcome <> 'unknown' or s.call is not null)
  union all
  select m.call, 'message', m.id, jsonb_build_object('by', m.by, 'kind', m.kind)
  from message m where m.tenant = p_tenant and m.call = any (p_calls)
    and exists (select from event e where e.tenant = m.tenant and e.call = m.call and e.kind = 'commented' and e.data->>'message' = m.id)
  union all
  select s.call, 'resolution', '', jsonb_build_object(
    'finding', s.finding, 'by', s.by, 'how', s.how, 'at', paraph.exact_millis(s.at), 'digest', s.digest, 'envelope', paraph.text_digest(s.envelope))
  from resolution s where s.tenant = p_tenant and s.call = any (p_calls)
$$;

create or replace function paraph.text_digest(p_text text) returns text
language sql immutable as $$ select encode(sha256(convert_to(p_text, 'UTF8')), 'hex') $$;
