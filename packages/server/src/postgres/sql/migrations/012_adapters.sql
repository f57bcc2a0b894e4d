-- What each adapter of the configuration offered when it was last there: while one is away, policies that name its
-- capabilities stay valid, and calls that wait for them keep their contract.
create table paraph.adapter (
  name text primary key,
  kind text not null,
  digest text not null,
  contracts jsonb not null,
  at timestamptz not null
);
alter table paraph.adapter enable row level security;
alter table paraph.adapter force row level security;
create policy deployment on paraph.adapter to paraph_app using (true) with check (true);
grant select, insert, update on paraph.adapter to paraph_app;
