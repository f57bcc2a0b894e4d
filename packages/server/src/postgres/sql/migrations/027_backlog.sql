-- Metrics count the work that waits, of all tenants. The role sees ids, states and times for that, never whose work it is
-- about or what a lock protects.
grant select (outcome, stuck) on paraph.call to paraph_sweeper;
create policy sweeping on paraph.approval for select to paraph_sweeper using (true);
grant select (id, status) on paraph.approval to paraph_sweeper;
create policy sweeping on paraph.lock for select to paraph_sweeper using (true);
grant select (holder) on paraph.lock to paraph_sweeper;
create policy sweeping on paraph.resolution for select to paraph_sweeper using (true);
grant select (tenant, call) on paraph.resolution to paraph_sweeper;
create policy sweeping on paraph.webhook_endpoint for select to paraph_sweeper using (true);
grant select (id, active) on paraph.webhook_endpoint to paraph_sweeper;
grant select (failing_since) on paraph.webhook_delivery to paraph_sweeper;
