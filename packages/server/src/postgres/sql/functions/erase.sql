-- Returns whether the content of a call may be erased: `ready`, `open` if the call or a composite above it is open,
-- `unresolved` if its outcome is unknown, or `erased` if nothing is left to erase. Returns null if the call does not exist.
create or replace function paraph.erasable(p_tenant text, p_call text) returns text
language sql stable set search_path = paraph, pg_temp as $$
  with recursive above as (
    select c.id, c.parent, c.state, c.outcome from call c where c.tenant = p_tenant and c.id = p_call
    union all
    select c.id, c.parent, c.state, c.outcome from above a join call c on c.tenant = p_tenant and c.id = a.parent
  )
  select case
    when bool_or(state <> 'closed') then 'open'
    when bool_or(id = p_call and outcome = 'unknown') and not exists (select from resolution r where r.tenant = p_tenant and r.call = p_call) then 'unresolved'
    when not exists (select from payload y where y.tenant = p_tenant and y.call = p_call)
     and not exists (select from message m where m.tenant = p_tenant and m.call = p_call and m.body is not null) then 'erased'
    else 'ready'
  end from above having count(*) > 0
$$;

-- Erases the content of a closed call: its payloads with their salts, the texts of its messages, and the digests of its
-- input and locks. These digests have no salt, so a reader could confirm a guess with them. The events, the receipt and
-- the rest of the rows stay. Only the owner of the database may delete payloads, so other roles get an error here.
create or replace function paraph.erase(p_tenant text, p_call text, p_reason text) returns jsonb
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_state text;
  v_names jsonb;
  v_messages int;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform from call where tenant = p_tenant and id = p_call for update;
  v_state := paraph.erasable(p_tenant, p_call);
  if v_state is distinct from 'ready' then return jsonb_build_object('kind', v_state); end if;

  with gone as (delete from payload where tenant = p_tenant and call = p_call returning name)
  select coalesce(jsonb_agg(distinct name order by name), '[]') into v_names from gone;
  update message set salt = null, body = null where tenant = p_tenant and call = p_call and body is not null;
  get diagnostics v_messages = row_count;
  delete from undelivered where tenant = p_tenant and call = p_call;
  update call set epoch = epoch + 1, request_digest = 'erased', lock_keys = '{}' where tenant = p_tenant and id = p_call;
  perform paraph.record(p_tenant, p_call, jsonb_build_object('events', jsonb_build_array(jsonb_build_object(
    'kind', 'erased', 'at', paraph.millis(paraph.now()),
    'data', jsonb_build_object('by', session_user, 'reason', p_reason, 'payloads', v_names, 'messages', v_messages))), 'payloads', '[]'::jsonb));
  return jsonb_build_object('kind', 'done', 'payloads', v_names, 'messages', v_messages);
end $$;
