-- One row per mail that people can reply to. The token itself is only in the mail's reply address.
create table paraph.reply_token (
  tenant text not null,
  -- The SHA-256 of the token.
  digest text not null,
  notice text not null,
  recipient text not null,
  call text not null,
  approval text not null,
  -- The digest that the mail showed. A vote by reply counts for this digest only.
  round_digest text not null,
  -- Whether the mail showed every change in full, so that a reply may approve if policy allows it.
  complete boolean not null,
  at timestamptz not null,
  expires_at timestamptz not null,
  -- The reply that approved. No other reply can approve with the same token.
  used_by text,
  primary key (tenant, digest)
);
create index reply_token_digest on paraph.reply_token (digest);
create index reply_token_of_call on paraph.reply_token (tenant, call);

-- One row per reply, written before its effect. A row holds ids, codes and times, and no text of the reply.
create table paraph.reply (
  tenant text not null,
  id text not null,
  token text not null,
  call text not null,
  -- What the reply asked for.
  wish text not null,
  state text not null default 'taken' check (state in ('taken', 'done')),
  -- Why the reply had no effect. Null if it had one.
  code text,
  at timestamptz not null,
  -- When Paraph next tries to send the answer mail. Null if there is none, or if it was sent.
  answer_at timestamptz,
  answer_attempts int not null default 0,
  primary key (tenant, id)
);
create index reply_of_token on paraph.reply (tenant, token);
create index reply_of_call on paraph.reply (tenant, call);
create index reply_answer_due on paraph.reply (answer_at) where answer_at is not null;

-- How far Paraph has read each mailbox.
create table paraph.mail_place (
  mailbox text primary key,
  uid_validity bigint not null,
  last_uid bigint not null,
  at timestamptz not null
);

do $$
declare t text;
begin
  foreach t in array array['reply_token', 'reply'] loop
    execute format('alter table paraph.%I enable row level security', t);
    execute format('alter table paraph.%I force row level security', t);
    execute format('create policy own_tenant on paraph.%I to paraph_app using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
    execute format('create policy retention on paraph.%I to current_user using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
end $$;
alter table paraph.mail_place enable row level security;
alter table paraph.mail_place force row level security;
create policy deployment on paraph.mail_place to paraph_app using (true) with check (true);

grant select, insert, update on paraph.reply_token, paraph.reply, paraph.mail_place to paraph_app;

-- The process that reads the mailbox finds the tenant of a token, and the answers that are due, of every tenant.
create policy sweeping on paraph.reply_token for select to paraph_sweeper using (true);
create policy sweeping on paraph.reply for select to paraph_sweeper using (true);
grant select (tenant, digest) on paraph.reply_token to paraph_sweeper;
grant select (tenant, id, answer_at) on paraph.reply to paraph_sweeper;
