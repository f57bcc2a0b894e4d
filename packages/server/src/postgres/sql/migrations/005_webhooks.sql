-- Outgoing webhooks. Endpoints are the deployment's, like its policy set: the same for every tenant.
create table paraph.webhook_endpoint (
  id text primary key,
  active boolean not null
);

-- How far each endpoint has been told of each call. `wanted` is the call's newest event and is raised in the transaction
-- that writes it; `delivered` the last that was taken. Two counters, so that neither writer can undo the other's.
create table paraph.webhook_delivery (
  tenant text not null,
  endpoint text not null,
  call text not null,
  wanted int not null,
  delivered int not null,
  attempts int not null default 0,
  failing_since timestamptz,
  next_at timestamptz not null,
  code text,
  given_up int not null default 0,
  primary key (tenant, endpoint, call),
  check (delivered between 0 and wanted)
);
create index webhook_delivery_due on paraph.webhook_delivery (endpoint, next_at) where delivered < wanted;

alter table paraph.webhook_endpoint enable row level security;
alter table paraph.webhook_endpoint force row level security;
create policy deployment on paraph.webhook_endpoint to paraph_app using (true) with check (true);
alter table paraph.webhook_delivery enable row level security;
alter table paraph.webhook_delivery force row level security;
create policy own_tenant on paraph.webhook_delivery to paraph_app using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));

grant select, insert, update on paraph.webhook_endpoint, paraph.webhook_delivery to paraph_app;
-- Which calls an endpoint has to be told of, of every tenant, and nothing of them.
create policy sweeping on paraph.webhook_delivery for select to paraph_sweeper using (true);
grant select (tenant, endpoint, call, wanted, delivered, next_at) on paraph.webhook_delivery to paraph_sweeper;
