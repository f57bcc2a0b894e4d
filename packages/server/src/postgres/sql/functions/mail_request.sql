-- Returns the person whose registered mail address this is. Returns null if two people have it.
create or replace function paraph.mail_person(p_tenant text, p_address text) returns text
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select min(person) from contact where tenant = p_tenant and channel = 'mail' and lower(address) = lower(p_address) having count(*) = 1);
end $$;

-- Records a request that arrived by mail. A code means that the mail cannot be understood, and that Paraph answers so.
-- Returns `received` if the words have to be understood, `limited` if the person sent too many mails within an hour, and
-- `done` otherwise. Only the first mail above the limit gets an answer.
create or replace function paraph.mail_request_open(
  p_tenant text, p_id text, p_person text, p_message_id text, p_subject text, p_words text, p_code text, p_max_per_hour int, p_lasting_ms bigint) returns text
language plpgsql set search_path = paraph, pg_temp as $$
declare
  v_now timestamptz := paraph.now();
  v_state text;
  v_code text := p_code;
  v_answer boolean := true;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  perform pg_advisory_xact_lock(7421, hashtext(p_tenant || '/' || p_person));
  select state into v_state from mail_request where tenant = p_tenant and id = p_id;
  if found then return case when v_state = 'received' then 'received' else 'done' end; end if;
  if (select count(*) from mail_request where tenant = p_tenant and person = p_person and at > v_now - interval '1 hour' and code is distinct from 'rate-limited') >= p_max_per_hour then
    v_code := 'rate-limited';
    v_answer := not exists (select from mail_request where tenant = p_tenant and person = p_person and at > v_now - interval '1 hour' and code = 'rate-limited');
  end if;
  insert into mail_request (tenant, id, person, state, code, message_id, subject, words, at, expires_at, due_at)
  values (p_tenant, p_id, p_person, case when v_code is null then 'received' else 'closed' end, v_code,
    case when v_answer then p_message_id end, case when v_answer then p_subject end, case when v_code is null then p_words end,
    v_now, v_now + p_lasting_ms * interval '1 ms',
    case when v_code is null then v_now + p_lasting_ms * interval '1 ms' when v_answer then v_now end);
  return case when v_code is null then 'received' when v_code = 'rate-limited' then 'limited' else 'done' end;
end $$;

create or replace function paraph.mail_request_find(p_tenant text, p_id text) returns json
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  return (select json_build_object('tenant', tenant, 'id', id, 'person', person, 'state', state, 'round', round, 'reply', reply, 'code', code, 'call', call, 'messageId', message_id,
            'subject', subject, 'words', words, 'answers', coalesce(answers, '[]'), 'result', result, 'expiresAt', paraph.millis(expires_at))
          from mail_request where tenant = p_tenant and id = p_id);
end $$;

-- Records the meaning of the words: a question, a plan, or a reason why there is no plan. The answer mail is then due.
create or replace function paraph.mail_request_understood(p_tenant text, p_id text, p_round int, p_state text, p_code text, p_result jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update mail_request set state = p_state, code = p_code, result = p_result, due_at = paraph.now(), attempts = 0,
    words = case when p_state <> 'closed' then words end, answers = case when p_state <> 'closed' then answers end
  where tenant = p_tenant and id = p_id and state = 'received' and round = p_round;
end $$;

-- Begins the next round with the person's reply to questions. Returns false if the request is no longer in this round.
create or replace function paraph.mail_request_continue(p_tenant text, p_id text, p_round int, p_reply text, p_words text, p_answers jsonb) returns boolean
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update mail_request set state = 'received', round = round + 1, reply = p_reply, words = p_words, answers = p_answers, result = null, due_at = expires_at, attempts = 0
  where tenant = p_tenant and id = p_id and state = 'question' and round = p_round;
  return found;
end $$;

-- Records the call of a confirmed plan. Its content is now in the call, so it is deleted here.
create or replace function paraph.mail_request_submitted(p_tenant text, p_id text, p_call text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update mail_request set state = 'submitted', call = p_call, words = null, answers = null, result = null, due_at = paraph.now(), attempts = 0
  where tenant = p_tenant and id = p_id and state = 'plan';
end $$;

-- Records a reply that requested the undo of a request. The mail with its outcome is due once the undo ended.
create or replace function paraph.mail_request_undo(
  p_tenant text, p_id text, p_person text, p_message_id text, p_subject text, p_call text, p_lasting_ms bigint) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into mail_request (tenant, id, person, state, call, message_id, subject, at, expires_at, due_at)
  values (p_tenant, p_id, p_person, 'submitted', p_call, p_message_id, p_subject, paraph.now(), paraph.now() + p_lasting_ms * interval '1 ms', paraph.now())
  on conflict do nothing;
end $$;

-- Closes a request without a mail, and deletes its content.
create or replace function paraph.mail_request_close(p_tenant text, p_id text, p_code text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update mail_request set state = 'closed', code = coalesce(p_code, code), message_id = null, subject = null, words = null, answers = null, result = null, due_at = null
  where tenant = p_tenant and id = p_id;
end $$;

-- Begins an attempt to send the mail that is due, and returns the request. It closes a request that expired, and returns
-- null. The waits grow to an hour, and after thirty attempts, about a day, there is none.
create or replace function paraph.mail_request_attempt(p_tenant text, p_id text, p_wait_ms bigint) returns json
language plpgsql set search_path = paraph, pg_temp as $$
declare v_request mail_request;
begin
  perform set_config('paraph.tenant', p_tenant, true);
  select * into v_request from mail_request where tenant = p_tenant and id = p_id and due_at <= paraph.now() for update;
  if not found then return null; end if;
  if (v_request.state in ('received', 'question', 'plan') and v_request.expires_at <= paraph.now()) or v_request.attempts >= 30 then
    perform paraph.mail_request_close(p_tenant, p_id, case when v_request.attempts >= 30 then 'not-sent' else 'expired' end);
    return null;
  end if;
  update mail_request set attempts = attempts + 1, due_at = paraph.now() + least(p_wait_ms * (1::bigint << least(attempts, 20)), 3600000) * interval '1 ms'
  where tenant = p_tenant and id = p_id;
  return paraph.mail_request_find(p_tenant, p_id);
end $$;

-- Records that the mail of a round was sent. After the last mail, the content of the request is deleted.
create or replace function paraph.mail_request_sent(p_tenant text, p_id text, p_round int, p_state text) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  update mail_request set due_at = expires_at, attempts = 0
  where tenant = p_tenant and id = p_id and round = p_round and state = p_state and state in ('question', 'plan');
  if not found and p_state in ('submitted', 'closed') then perform paraph.mail_request_close(p_tenant, p_id, null); end if;
end $$;

-- Records the token in the reply address of an answer mail.
create or replace function paraph.mail_request_token(
  p_tenant text, p_digest text, p_mail text, p_person text, p_request text, p_plan_digest text, p_confirmable boolean, p_expires_at timestamptz) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform set_config('paraph.tenant', p_tenant, true);
  insert into reply_token (tenant, digest, notice, recipient, request, round_digest, complete, at, expires_at)
  values (p_tenant, p_digest, p_mail, p_person, p_request, p_plan_digest, p_confirmable, paraph.now(), p_expires_at);
end $$;
