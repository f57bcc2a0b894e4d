-- Every set that a configuration put in force, in the order in which they were first seen. A process that starts with an earlier
-- set than the one in force has an old configuration.
create table paraph.policy_configuration (
  version text primary key,
  position bigint generated always as identity
);
insert into paraph.policy_configuration (version) select version from paraph.policy_configured;
alter table paraph.policy_configuration enable row level security;
alter table paraph.policy_configuration force row level security;
create policy deployment on paraph.policy_configuration to paraph_app using (true) with check (true);
grant select, insert, delete on paraph.policy_configuration to paraph_app;
