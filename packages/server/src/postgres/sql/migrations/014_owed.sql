-- Calls whose results may not have reached who asked: a client that lost its answer asks for the same again, under another name.
-- One of each session and request, written with the call; gone once its result was handed over.
create table paraph.owed (
  tenant text not null,
  principal text not null,
  session text not null,
  request_digest text not null,
  call text not null,
  at timestamptz not null,
  primary key (tenant, principal, session, request_digest)
);
create index owed_call on paraph.owed (tenant, call);
create index owed_at on paraph.owed (tenant, at);

alter table paraph.owed enable row level security;
alter table paraph.owed force row level security;
create policy own_tenant on paraph.owed to paraph_app using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
grant select, insert, update, delete on paraph.owed to paraph_app;
