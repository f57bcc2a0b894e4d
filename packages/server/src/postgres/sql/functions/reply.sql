-- Records the token of a mail that people can reply to.
create or replace function paraph.reply_token_create(
  p_tenant text, p_digest text, p_notice text, p_recipient text, p_call text, p_approval text, p_round_digest text, p_complete boolean, p_expires_at timestamptz) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into reply_token (tenant, digest, notice, recipient, call, approval, round_digest, complete, at, expires_at)
  values (p_tenant, p_digest, p_notice, p_recipient, p_call, p_approval, p_round_digest, p_complete, paraph.now(), p_expires_at);
end $$;

-- Returns the notice or the request that a token belongs to, or null.
create or replace function paraph.reply_token_find(p_tenant text, p_digest text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select json_build_object('tenant', tenant, 'digest', digest, 'notice', notice, 'recipient', recipient, 'call', call, 'approval', approval, 'request', request,
            'roundDigest', round_digest, 'complete', complete, 'expiresAt', paraph.millis(expires_at))
          from reply_token where tenant = p_tenant and digest = p_digest);
end $$;

-- Takes a reply before its effect. `done` means that it was handled earlier. `again` means that a process took it and may
-- have died before the effect. `used` means that another reply already approved, confirmed or undid with this token.
create or replace function paraph.reply_take(p_tenant text, p_id text, p_token text, p_wish text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_state text;
  v_new boolean;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into reply (tenant, id, token, call, request, wish, at)
  select p_tenant, p_id, p_token, t.call, t.request, p_wish, paraph.now() from reply_token t where t.tenant = p_tenant and t.digest = p_token
  on conflict do nothing;
  v_new := found;
  select state into v_state from reply where tenant = p_tenant and id = p_id;
  if v_state = 'done' then return 'done'; end if;
  if p_wish in ('approve', 'confirm', 'undo') then
    update reply_token set used_by = p_id where tenant = p_tenant and digest = p_token and (used_by is null or used_by = p_id);
    if not found then return 'used'; end if;
  end if;
  return case when v_new then 'new' else 'again' end;
end $$;

-- Records how a reply ended. A code means that it had no effect, and that Paraph answers. One token gets at most five
-- answers, so that a sender cannot flood a person with them.
create or replace function paraph.reply_end(p_tenant text, p_id text, p_code text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update reply r set state = 'done', code = p_code,
    answer_at = case when p_code is not null
      and (select count(*) from reply o where o.tenant = p_tenant and o.token = r.token and o.state = 'done' and o.code is not null) < 5 then paraph.now() end
  where r.tenant = p_tenant and r.id = p_id and r.state = 'taken';
end $$;

-- Begins an attempt to send an answer, and returns what it is about. The next attempt is due after `p_wait_ms`, unless
-- `reply_answered` comes first. After ten attempts there is none.
create or replace function paraph.reply_answer(p_tenant text, p_id text, p_wait_ms bigint) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update reply set answer_attempts = answer_attempts + 1,
    answer_at = case when answer_attempts < 9 then paraph.now() + p_wait_ms * (1 << answer_attempts) * interval '1 ms' end
  where tenant = p_tenant and id = p_id and answer_at is not null;
  return (select json_build_object('code', r.code, 'notice', t.notice, 'recipient', t.recipient, 'approval', t.approval, 'request', t.request)
          from reply r join reply_token t on t.tenant = r.tenant and t.digest = r.token where r.tenant = p_tenant and r.id = p_id and found);
end $$;

create or replace function paraph.reply_answered(p_tenant text, p_id text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update reply set answer_at = null where tenant = p_tenant and id = p_id;
end $$;

-- Records that a mailbox was read up to this message. The place never goes back while the mailbox is the same.
create or replace function paraph.mail_place_set(p_mailbox text, p_uid_validity bigint, p_last_uid bigint) returns void
language sql set search_path = paraph, pg_temp as $$
  insert into mail_place as m (mailbox, uid_validity, last_uid, at) values (p_mailbox, p_uid_validity, p_last_uid, paraph.now())
  on conflict (mailbox) do update set uid_validity = excluded.uid_validity, at = excluded.at,
    last_uid = case when m.uid_validity = excluded.uid_validity then greatest(m.last_uid, excluded.last_uid) else excluded.last_uid end
$$;
