-- One row per recipient and channel for each request, reminder, escalation and outcome, and for each summary that counts
-- several of them. A row holds ids, codes and times. It never holds the content of a message.
create table paraph.notice (
  tenant text not null,
  id text not null,
  channel text not null,
  kind text not null check (kind in ('request', 'reminder', 'escalation', 'outcome', 'summary')),
  recipient text not null,
  -- The call, its approval and the event that the notice is about. All are null for a summary.
  call text,
  approval text,
  seq int,
  urgency int not null,
  -- Whether the notice belongs to a flood, so that only a summary counts it.
  flood boolean not null default false,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'coalesced', 'dropped', 'given-up')),
  at timestamptz not null,
  next_at timestamptz not null,
  attempts int not null default 0,
  -- The attempts that certainly failed. If there are fewer of them than attempts, the recipient may have the message.
  failures int not null default 0,
  attempted_at timestamptz,
  failing_since timestamptz,
  -- Why the last attempt failed, or why the notice was dropped.
  code text,
  sent_at timestamptz,
  provider_id text,
  opened_at timestamptz,
  -- The summary that counts this notice.
  summary text,
  primary key (tenant, id),
  check ((kind = 'summary') = (call is null))
);
create index notice_due on paraph.notice (channel, next_at) where state = 'waiting';
create index notice_of_recipient on paraph.notice (tenant, channel, recipient, next_at) where state = 'waiting';
create index notice_attempted on paraph.notice (channel, attempted_at) where attempted_at is not null;
create index notice_rate on paraph.notice (tenant, channel, recipient, attempted_at) where attempted_at is not null;
create index notice_of_call on paraph.notice (tenant, call, recipient);
create index notice_of_summary on paraph.notice (tenant, summary) where summary is not null;

-- Where a channel reaches a person. `source` says who vouches for the address: the OpenID issuer, or an administrator.
create table paraph.contact (
  tenant text not null,
  person text not null,
  channel text not null,
  address text not null,
  source text not null check (source in ('issuer', 'administration')),
  at timestamptz not null,
  primary key (tenant, person, channel)
);

-- A person's own choices. A missing row or value means the default.
create table paraph.notification_preference (
  tenant text not null,
  person text not null,
  -- The channels that the person uses (default: all).
  channels text[],
  -- Minutes after midnight in `time_zone`. Both or neither are set.
  quiet_from int check (quiet_from between 0 and 1439),
  quiet_until int check (quiet_until between 0 and 1439),
  time_zone text,
  -- The lowest urgency that reaches the person during quiet hours.
  pierce text check (pierce in ('high', 'critical', 'none')),
  at timestamptz not null,
  primary key (tenant, person),
  check ((quiet_from is null) = (quiet_until is null) and (quiet_from is null) = (time_zone is null))
);

do $$
declare t text;
begin
  foreach t in array array['notice', 'contact', 'notification_preference'] loop
    execute format('alter table paraph.%I enable row level security', t);
    execute format('alter table paraph.%I force row level security', t);
    execute format('create policy own_tenant on paraph.%I to paraph_app using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
end $$;
create policy retention on paraph.notice to current_user using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));

grant select, insert, update on paraph.notice, paraph.notification_preference to paraph_app;
grant select, insert, update, delete on paraph.contact to paraph_app;

-- The sending process finds the recipients with due notices, of every tenant, and counts what a channel sent.
create policy sweeping on paraph.notice for select to paraph_sweeper using (true);
grant select (tenant, channel, recipient, state, next_at, attempted_at, failing_since) on paraph.notice to paraph_sweeper;
