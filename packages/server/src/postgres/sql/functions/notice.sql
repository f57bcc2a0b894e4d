-- Returns people whom a channel can reach, with their groups, the people they represent, their address and their
-- preferences. It selects members of the groups and their delegates, or everyone if `p_groups` is null, and the people in
-- `p_ids`. It leaves out people who are frozen or disabled, never signed in, have no address or turned the channel off.
-- The people who signed in last come first.
create or replace function paraph.notice_people(p_tenant text, p_channel text, p_groups text[], p_ids text[], p_limit int) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    with candidate as (
      select p.id, p.signed_in_at from principal p
      where p.tenant = p_tenant and p.kind = 'person' and p.disabled_at is null and p.signed_in_at is not null
        and (p.id = any (p_ids) or (p_ids = '{}' and p_groups is null)
          or exists (select from group_member m where m.tenant = p_tenant and m.principal = p.id and m.grp = any (p_groups))
          or exists (select from delegation d join group_member m on m.tenant = p_tenant and m.principal = d.person
                     where d.tenant = p_tenant and d.delegate = p.id and d.revoked_at is null and d.until_at > paraph.now() and m.grp = any (p_groups)))
    ), reachable as (
      select c.id, k.address, f.channels, f.quiet_from, f.quiet_until, f.time_zone, f.pierce
      from candidate c
        join reachable k on k.tenant = p_tenant and k.person = c.id and k.channel = p_channel
        left join notification_preference f on f.tenant = p_tenant and f.person = c.id
      where (f.channels is null or p_channel = any (f.channels)) and paraph.barred(p_tenant, c.id) is null
      order by c.signed_in_at desc, c.id limit p_limit
    )
    select coalesce(json_agg(json_build_object('principal', paraph.principal_of(p_tenant, r.id), 'delegations', paraph.delegators_of(p_tenant, r.id), 'address', r.address,
      'quiet', case when r.quiet_from is not null then json_build_object('from', r.quiet_from, 'until', r.quiet_until, 'timeZone', r.time_zone, 'pierce', coalesce(r.pierce, 'high')) end)
      order by r.id), '[]')
    from reachable r
  );
end $$;

-- Returns the new events of these calls: the range of their numbers, the people who were told of the call, and the call
-- itself if one of the events is of a kind in `p_kinds`. About a call that never needed an approval, no one is told, so
-- the function does not read it.
create or replace function paraph.notice_events(p_tenant text, p_endpoint text, p_channel text, p_calls text[], p_kinds text[]) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select coalesce(json_agg(json_build_object('call', d.call, 'after', d.delivered, 'until', d.wanted, 'told', r.told, 'document', r.document) order by given.place), '[]')
    from unnest(p_calls) with ordinality as given(call, place)
    cross join lateral (
      select call, delivered, wanted from webhook_delivery where tenant = p_tenant and endpoint = p_endpoint and call = given.call and delivered < wanted offset 0
    ) d
    left join lateral (
      select paraph.notice_told(p_tenant, p_channel, d.call) as told, paraph.load(p_tenant, d.call) as document
      where exists (select from approval a where a.tenant = p_tenant and a.call = d.call)
        and exists (select from event e where e.tenant = p_tenant and e.call = d.call and e.seq > d.delivered and e.seq <= d.wanted and e.kind = any (p_kinds))
    ) r on true
  );
end $$;

-- Writes the notices of the new events of many calls, and marks the events as handled, in one transaction. It also
-- decides which calls belong to a flood. It skips calls whose outbox row is locked, because it must not wait for a
-- transaction that waits for another of its rows. Such a call stays due. The loop and `offset 0` make PostgreSQL find rows
-- by their keys. At the beginning of a flood its statistics still describe a small table, for which it would read all.
create or replace function paraph.plan_notices(p_tenant text, p_endpoint text, p_channel text, p_plans jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz := paraph.now();
  v_plan record;
  v_asking text[] := '{}';
  v_notices jsonb[] := '{}';
begin
  perform set_config('paraph.tenant', p_tenant, true);
  for v_plan in select * from jsonb_to_recordset(p_plans) as p(call text, seq int, notices jsonb) loop
    perform from webhook_delivery where tenant = p_tenant and endpoint = p_endpoint and call = v_plan.call and delivered < v_plan.seq for update skip locked;
    if not found then continue; end if;
    update webhook_delivery set delivered = v_plan.seq, attempts = 0, failing_since = null, next_at = v_now, code = null
    where tenant = p_tenant and endpoint = p_endpoint and call = v_plan.call;
    v_notices := v_notices || array(select n || jsonb_build_object('call', v_plan.call) from jsonb_array_elements(v_plan.notices) n);
    if v_plan.notices @? '$[*] ? (@.kind != "outcome")' then v_asking := v_asking || v_plan.call; end if;
  end loop;
  perform paraph.choose_noticed(p_tenant, p_endpoint, v_asking);
  insert into notice (tenant, id, channel, kind, recipient, call, approval, seq, urgency, flood, at, next_at)
  select p_tenant, n.id, p_channel, n.kind, n.recipient, n.call, n.approval, n.seq, n.urgency, n.kind <> 'outcome' and d.noticed is false, v_now, v_now
  from jsonb_to_recordset(to_jsonb(v_notices)) as n(id text, kind text, recipient text, call text, approval text, seq int, urgency int)
  cross join lateral (select noticed from webhook_delivery where tenant = p_tenant and endpoint = p_endpoint and call = n.call offset 0) d
  on conflict do nothing;
  -- A newer notice says all that an older one would have said, if that one was not sent yet.
  for v_plan in
    select o.id from jsonb_to_recordset(to_jsonb(v_notices)) as n(recipient text, call text, seq int)
    cross join lateral (select * from notice where tenant = p_tenant and call = n.call and recipient = n.recipient offset 0) o
    where o.channel = p_channel and o.seq < n.seq and o.state = 'waiting' and o.attempts = 0
  loop
    update notice set state = 'dropped', code = 'replaced' where tenant = p_tenant and id = v_plan.id;
  end loop;
end $$;

-- Whether the recipient has the message, or may have it because a process died after it sent the message and before it
-- recorded that. Such a notice can be dropped later, for example because the request was decided.
create or replace function paraph.may_have_arrived(n paraph.notice) returns boolean
language sql immutable set search_path = paraph, pg_temp as $$
  select n.attempts > n.failures
$$;

-- Returns the people who were told about a call, each with the kinds of their notices.
create or replace function paraph.notice_told(p_tenant text, p_channel text, p_call text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select coalesce(json_agg(json_build_object('recipient', t.recipient, 'kinds', t.kinds) order by t.recipient), '[]')
          from (select n.recipient, jsonb_agg(distinct n.kind) as kinds from notice n
                where n.tenant = p_tenant and n.call = p_call and n.channel = p_channel group by n.recipient
                having bool_or(n.kind <> 'outcome' and paraph.may_have_arrived(n))) t);
end $$;

-- Returns the due notices for one recipient, and how many messages the recipient got within the last minute. The most
-- urgent come first, then those that failed least, then the oldest. A flood comes last, so that it hides no other notice. `thread` is the first notice about the same call that the channel sent.
create or replace function paraph.notice_batch(p_tenant text, p_channel text, p_recipient text, p_limit int) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.now();
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return json_build_object(
    'recent', (select count(*) from notice where tenant = p_tenant and channel = p_channel and recipient = p_recipient and attempted_at > v_now - interval '1 minute'),
    'summaryAt', (select paraph.millis(max(attempted_at)) from notice where tenant = p_tenant and channel = p_channel and recipient = p_recipient
                    and attempted_at > v_now - interval '1 minute' and kind = 'summary'),
    'due', (select coalesce(json_agg(json_build_object('tenant', p_tenant, 'recipient', p_recipient, 'id', d.id, 'kind', d.kind, 'call', d.call, 'approval', d.approval,
              'seq', d.seq, 'urgency', d.urgency, 'flood', d.flood, 'at', paraph.millis(d.at), 'attempts', d.attempts, 'failingSince', paraph.millis(d.failing_since),
              'thread', (select json_build_object('id', t.id, 'at', paraph.millis(t.at), 'providerId', t.provider_id) from notice t where t.tenant = p_tenant and t.call = d.call
                           and t.recipient = p_recipient and t.channel = p_channel and paraph.may_have_arrived(t) and t.seq < d.seq order by t.seq limit 1))
              order by d.flood, d.urgency desc, d.attempts, d.at, d.seq), '[]')
            from (select * from notice where tenant = p_tenant and channel = p_channel and recipient = p_recipient and state = 'waiting' and next_at <= v_now
                  order by flood, urgency desc, attempts, at, seq limit p_limit) d));
end $$;

-- Lets a summary count the due notices of a recipient that are not in `p_except`. A summary that certainly was not sent
-- counts them too. Otherwise the function writes a new one under `p_id`.
create or replace function paraph.coalesce_notices(p_tenant text, p_channel text, p_recipient text, p_id text, p_except text[]) returns void
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz := paraph.now();
  v_summary text;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select id into v_summary from notice where tenant = p_tenant and channel = p_channel and recipient = p_recipient and kind = 'summary' and state = 'waiting'
    and attempts = failures order by at limit 1;
  if not found then
    insert into notice (tenant, id, channel, kind, recipient, urgency, at, next_at) values (p_tenant, p_id, p_channel, 'summary', p_recipient, 0, v_now, v_now)
    on conflict do nothing;
    v_summary := p_id;
  end if;
  update notice set state = 'coalesced', summary = v_summary
  where tenant = p_tenant and channel = p_channel and recipient = p_recipient and state = 'waiting' and next_at <= v_now and kind <> 'summary' and id <> all (p_except);
end $$;

-- Delays the due notices of a recipient that are not in `p_except`, because the recipient got a summary just now.
create or replace function paraph.postpone_notices(p_tenant text, p_channel text, p_recipient text, p_until timestamptz, p_except text[]) returns void
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.now();
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update notice set next_at = p_until
  where tenant = p_tenant and channel = p_channel and recipient = p_recipient and state = 'waiting' and next_at <= v_now and id <> all (p_except);
end $$;

-- Returns what a summary counts now: requests that still wait for a decision, and requests that ended.
create or replace function paraph.notice_counts(p_tenant text, p_summary text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select json_build_object(
            'waiting', count(distinct n.approval) filter (where n.kind <> 'outcome' and a.status = 'open' and a.expires_at > paraph.now()),
            'ended', count(distinct n.call) filter (where n.kind = 'outcome'))
          from notice n left join approval a on a.tenant = p_tenant and a.id = n.approval where n.tenant = p_tenant and n.summary = p_summary);
end $$;

-- Records that an attempt begins, so that it counts towards the limits even if the process dies. Returns false if the
-- notice no longer waits.
create or replace function paraph.notice_attempt(p_tenant text, p_id text) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update notice set attempts = attempts + 1, attempted_at = paraph.now() where tenant = p_tenant and id = p_id and state = 'waiting';
  return found;
end $$;

-- Records how an attempt ended. `waiting` means that it failed and is repeated after `p_wait_ms`.
create or replace function paraph.notice_ended(p_tenant text, p_id text, p_state text, p_code text, p_provider_id text, p_wait_ms bigint) returns void
language plpgsql set search_path = paraph, pg_temp as $$
declare v_now timestamptz := paraph.now();
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update notice set state = p_state, code = p_code, provider_id = coalesce(p_provider_id, provider_id),
    sent_at = case when p_state = 'sent' then v_now else sent_at end,
    failing_since = case when p_state = 'waiting' then coalesce(failing_since, v_now) end,
    failures = failures + (p_state in ('waiting', 'given-up'))::int,
    next_at = case when p_state = 'waiting' then v_now + p_wait_ms * interval '1 ms' else next_at end
  where tenant = p_tenant and id = p_id and state = 'waiting';
end $$;

-- Keeps a notice until a later time, without counting that as a failure.
create or replace function paraph.notice_held(p_tenant text, p_id text, p_until timestamptz) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update notice set next_at = p_until where tenant = p_tenant and id = p_id and state = 'waiting';
end $$;

-- Sets or, with a null address, removes where a channel reaches a person. The issuer never replaces an address that an
-- administrator set.
create or replace function paraph.contact_set(p_tenant text, p_person text, p_channel text, p_address text, p_source text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  if not exists (select from principal where tenant = p_tenant and id = p_person and kind = 'person') then return 'unknown'; end if;
  if p_address is null then
    delete from contact where tenant = p_tenant and person = p_person and channel = p_channel;
  else
    insert into contact (tenant, person, channel, address, source, at) values (p_tenant, p_person, p_channel, p_address, p_source, paraph.now())
    on conflict (tenant, person, channel) do update set address = excluded.address, source = excluded.source, at = excluded.at
    where (contact.address, contact.source) is distinct from (excluded.address, excluded.source) and (p_source = 'administration' or contact.source = 'issuer');
  end if;
  return case when found then 'done' else 'already' end;
end $$;
