-- Returns the family of a call: the calls that it is a step of, made, replaced, was replaced by, undid or was undone by.
create or replace function paraph.family(p_tenant text, p_call text) returns setof text
language sql stable set search_path = paraph, pg_temp as $$
  with recursive family (id) as (
    select p_call
    union
    select n.id from family f cross join lateral (
      select unnest(array[c.parent, c.supersedes]) as id from call c where c.tenant = p_tenant and c.id = f.id
      union all select c.id from call c where c.tenant = p_tenant and c.parent = f.id
      union all select c.id from call c where c.tenant = p_tenant and c.supersedes = f.id
      union all select e.data->>'undoes' from event e where e.tenant = p_tenant and e.call = f.id and e.kind = 'accepted'
      union all select e.call from event e where e.tenant = p_tenant and e.kind = 'accepted' and e.data ? 'undoes' and e.data->>'undoes' = f.id
    ) n where n.id is not null
  )
  select f.id from family f join call c on c.tenant = p_tenant and c.id = f.id
$$;

-- Whether a call is over and no part of Paraph needs its rows: it closed before this time, its outcome is known, and
-- every active webhook endpoint has its events.
create or replace function paraph.is_archivable(c paraph.call, p_before timestamptz) returns boolean
language sql stable set search_path = paraph, pg_temp as $$
  select c.state = 'closed' and c.closed_at < p_before
    and exists (select from receipt r where r.tenant = c.tenant and r.call = c.id)
    and (c.outcome <> 'unknown' or exists (select from resolution s where s.tenant = c.tenant and s.call = c.id))
    and not exists (select from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint and e.active
                    where d.tenant = c.tenant and d.call = c.id and d.delivered < d.wanted)
$$;

-- Returns the next families that can be archived as a whole, by their oldest call, after the given one.
create or replace function paraph.archivable(p_tenant text, p_before timestamptz, p_after text, p_limit int) returns table (family text, month text, members text[])
language sql stable set search_path = paraph, pg_temp as $$
  select c.id, to_char(c.created_at at time zone 'UTC', 'YYYY-MM'), f.members
  from call c cross join lateral (select array_agg(id order by id) as members from paraph.family(p_tenant, c.id) as id) f
  where c.tenant = p_tenant and c.id > p_after and c.state = 'closed' and c.closed_at < p_before and f.members[1] = c.id
    and not exists (select from call m where m.tenant = p_tenant and m.id = any (f.members) and not paraph.is_archivable(m, p_before))
  order by c.id limit p_limit
$$;

-- Returns all rows of a call, from which `paraph retain` makes one line of an archive.
create or replace function paraph.archive_line(p_tenant text, p_call text, p_family text, p_payloads boolean) returns text
language sql stable set search_path = paraph, pg_temp as $$
  select json_build_object(
    'call', c.id, 'family', p_family, 'epoch', c.epoch, 'row', to_json(c),
    'event', (select json_agg(json_build_object('seq', e.seq, 'kind', e.kind, 'at', paraph.exact_millis(e.at), 'data', e.data, 'epoch', e.epoch) order by e.seq)
              from event e where e.tenant = p_tenant and e.call = p_call),
    'payload', (select coalesce(json_agg(json_build_object('name', y.name, 'version', y.version, 'salt', y.salt, 'body', y.body) order by y.name, y.version), '[]')
                from payload y where p_payloads and y.tenant = p_tenant and y.call = p_call),
    'message', (select coalesce(json_agg(case when p_payloads then to_jsonb(m) else to_jsonb(m) - 'body' - 'salt' end order by m.seq), '[]')
                from message m where m.tenant = p_tenant and m.call = p_call),
    'approval', (select coalesce(json_agg(to_json(a) order by a.round), '[]') from approval a where a.tenant = p_tenant and a.call = p_call),
    'vote', (select coalesce(json_agg(to_json(v) order by v.approval, v.voter), '[]')
             from approval a join vote v on v.tenant = a.tenant and v.approval = a.id where a.tenant = p_tenant and a.call = p_call),
    'intent', (select coalesce(json_agg(to_json(i) order by i.attempt), '[]') from intent i where i.tenant = p_tenant and i.call = p_call),
    'receipt', (select paraph.read_receipt(r) from receipt r where r.tenant = p_tenant and r.call = p_call),
    'resolution', (select to_json(s) from resolution s where s.tenant = p_tenant and s.call = p_call)
  )::text || E'\n'
  from call c where c.tenant = p_tenant and c.id = p_call
$$;

-- Deletes the rows of archived calls, whole families only. A family that changed since it was archived stays. `p_calls`
-- says what the verified archive holds of each call. Returns the number of deleted calls.
create or replace function paraph.delete_archived(p_tenant text, p_archive text, p_calls jsonb) returns int
language plpgsql set search_path = paraph, pg_temp as $$
declare v_calls text[];
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform from archive where tenant = p_tenant and name = p_archive and finished_at is null;
  if not found then raise exception 'the archive % is not registered', p_archive; end if;
  perform from call where tenant = p_tenant and id = any (array(select x->>'call' from jsonb_array_elements(p_calls) x)) order by id for update;

  with archived as (
    select x->>'call' as id, x->>'family' as family, (x->>'epoch')::bigint as epoch, (x->>'messages')::int as messages from jsonb_array_elements(p_calls) x
  ), families as (
    select a.family from archived a left join call c on c.tenant = p_tenant and c.id = a.id
    group by a.family
    having bool_and(c.state = 'closed' and c.epoch = a.epoch and a.messages = (select count(*) from message m where m.tenant = p_tenant and m.call = a.id))
       and count(*) = (select count(*) from paraph.family(p_tenant, a.family))
  )
  select coalesce(array_agg(a.id), '{}') into v_calls from archived a join families f on f.family = a.family;

  delete from vote v using approval a where a.tenant = p_tenant and a.call = any (v_calls) and v.tenant = p_tenant and v.approval = a.id;
  delete from approval where tenant = p_tenant and call = any (v_calls);
  delete from payload where tenant = p_tenant and call = any (v_calls);
  delete from message where tenant = p_tenant and call = any (v_calls);
  delete from intent where tenant = p_tenant and call = any (v_calls);
  delete from resolution where tenant = p_tenant and call = any (v_calls);
  delete from receipt where tenant = p_tenant and call = any (v_calls);
  delete from undo_claim where tenant = p_tenant and call = any (v_calls);
  delete from undelivered where tenant = p_tenant and call = any (v_calls);
  delete from webhook_delivery d where tenant = p_tenant and call = any (v_calls);
  delete from notice where tenant = p_tenant and call = any (v_calls);
  delete from reply where tenant = p_tenant and call = any (v_calls);
  delete from reply_token where tenant = p_tenant and call = any (v_calls);
  delete from reply r using mail_request m where m.tenant = p_tenant and m.call = any (v_calls) and r.tenant = p_tenant and r.request = m.id;
  delete from reply_token t using mail_request m where m.tenant = p_tenant and m.call = any (v_calls) and t.tenant = p_tenant and t.request = m.id;
  delete from mail_request where tenant = p_tenant and call = any (v_calls);
  delete from event_row where tenant = p_tenant and call = any (v_calls);
  delete from call where tenant = p_tenant and id = any (v_calls);
  return cardinality(v_calls);
end $$;
