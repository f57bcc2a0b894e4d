-- One row per request by mail. It holds the words and the plan only until the plan is requested, or the request expires.
create table paraph.mail_request (
  tenant text not null,
  -- Derives from the mail, so that a mail that arrives twice is one request.
  id text not null,
  person text not null,
  -- `received`: Paraph has to understand the words. `question` and `plan`: the person has to reply. `submitted`: the plan
  -- is a call. `closed`: nothing follows.
  state text not null check (state in ('received', 'question', 'plan', 'submitted', 'closed')),
  -- The number of the answer mail. Each answer of the person to questions begins a new round.
  round int not null default 1,
  -- The reply that began the round. Null for the first mail.
  reply text,
  -- Why the request closed without a plan.
  code text,
  call text,
  -- The mail that answers refer to. Null once the request is closed.
  message_id text,
  subject text,
  words text,
  answers jsonb,
  -- The questions or the plan that Paraph found in the words.
  result jsonb,
  at timestamptz not null,
  expires_at timestamptz not null,
  -- When Paraph next sends a mail or closes the request. Null if nothing is left to do.
  due_at timestamptz,
  attempts int not null default 0,
  primary key (tenant, id)
);
create index mail_request_of_person on paraph.mail_request (tenant, person, at);
create index mail_request_of_call on paraph.mail_request (tenant, call) where call is not null;
create index mail_request_due on paraph.mail_request (due_at) where due_at is not null;

alter table paraph.mail_request enable row level security;
alter table paraph.mail_request force row level security;
create policy own_tenant on paraph.mail_request to paraph_app using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
create policy retention on paraph.mail_request to current_user using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
grant select, insert, update on paraph.mail_request to paraph_app;

-- The process that sends the answers finds the due ones, of every tenant.
create policy sweeping on paraph.mail_request for select to paraph_sweeper using (true);
grant select (tenant, id, state, call, due_at) on paraph.mail_request to paraph_sweeper;

-- A token belongs either to an approval, or to a request by mail. `round_digest` is then the digest of the plan.
alter table paraph.reply_token alter column call drop not null, alter column approval drop not null, add column request text,
  add check ((call is null) = (approval is null) and (call is null) = (request is not null));
alter table paraph.reply alter column call drop not null, add column request text, add check ((call is null) = (request is not null));
