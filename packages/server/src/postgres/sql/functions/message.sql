-- Appends a message to a call. The lock on the call's row gives the messages one order. The same id again is the same
-- message, but for another call or author the id is taken. While approvers are asked about the call, an event records
-- the message's id in the same transaction. In other states an event would raise the epoch and fence off the segment
-- that advances the call.
create or replace function paraph.append_message(p_tenant text, p jsonb) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_message message;
  v_state text;
  v_added boolean := false;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select state into v_state from call where tenant = p_tenant and id = p->>'call' for no key update;
  if not found then return json_build_object('changed', 'unknown'); end if;
  select * into v_message from message where tenant = p_tenant and id = p->>'id';
  if not found then
    insert into message (tenant, call, seq, id, by, kind, at, salt, body)
    select p_tenant, p->>'call', 1 + coalesce(max(m.seq), 0), p->>'id', p->>'by', p->>'kind', paraph.now(), p->>'salt', p->>'body'
    from message m where m.tenant = p_tenant and m.call = p->>'call'
    on conflict do nothing
    returning * into v_message;
    v_added := found;
  end if;
  -- `by` is quoted, because it is a keyword of PL/pgSQL.
  if v_message.id is null or v_message.call <> p->>'call' or v_message."by" <> p->>'by' then return json_build_object('changed', 'taken'); end if;
  if v_added and v_state = 'asking' then
    update call set epoch = epoch + 1 where tenant = p_tenant and id = v_message.call;
    perform paraph.record(p_tenant, v_message.call, jsonb_build_object('events', jsonb_build_array(
      jsonb_build_object('kind', 'commented', 'at', paraph.millis(v_message.at), 'data', jsonb_build_object('message', v_message.id, 'by', v_message."by", 'as', v_message.kind))), 'payloads', '[]'::jsonb));
  end if;
  return json_build_object('changed', case when v_added then 'done' else 'already' end, 'message', paraph.message_json(v_message));
end $$;

create or replace function paraph.list_messages(p_tenant text, p_call text, p_after int, p_limit int) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (
    select coalesce(json_agg(paraph.message_json(page.m) order by (page.m).seq), '[]')
    from (select m from message m where m.tenant = p_tenant and m.call = p_call and m.seq > p_after order by m.seq limit p_limit) page
  );
end $$;

create or replace function paraph.message_json(m paraph.message) returns json
language sql stable as $$
  select json_build_object('id', m.id, 'seq', m.seq, 'by', m.by, 'kind', m.kind, 'at', paraph.millis(m.at), 'body', m.body)
$$;
