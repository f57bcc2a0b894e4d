-- The Slack accounts with which people decide. A row exists only after the link was approved. `seal` is a MAC over tenant,
-- team, account and person with a key outside the database.
create table paraph.slack_account (
  tenant text not null,
  -- The ids of the workspace and of the account in it.
  team text not null,
  account text not null,
  person text not null,
  -- The names that Slack showed when the account was linked.
  team_name text not null,
  account_name text not null,
  seal text not null,
  at timestamptz not null,
  primary key (tenant, team, account),
  unique (tenant, person),
  foreign key (tenant, person) references paraph.principal (tenant, id)
);
alter table paraph.slack_account enable row level security;
alter table paraph.slack_account force row level security;
create policy own_tenant on paraph.slack_account to paraph_app using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
grant select, insert, delete on paraph.slack_account to paraph_app;

-- A person with a Slack account is reached there.
create or replace view paraph.reachable with (security_invoker = true) as
  select tenant, person, channel, address from paraph.contact
  union all
  select distinct tenant, person, 'push', person from paraph.push_device
  union all
  select tenant, person, 'slack', account from paraph.slack_account;

-- The process that gets a comment from Slack finds the call of its message, of every tenant.
create index notice_provider on paraph.notice (channel, provider_id) where provider_id is not null and channel = 'slack';
grant select (id, call, provider_id) on paraph.notice to paraph_sweeper;
