-- [TRUST 34] What is undone, and the call that undoes it: one at a time, whoever asks. A call that undoes a composite claims
-- the composite and all of its steps, so that none of them is undone beside it.
create table paraph.undo_claim (
  tenant text not null,
  call text not null,
  by text not null,
  primary key (tenant, call)
);

alter table paraph.undo_claim enable row level security;
alter table paraph.undo_claim force row level security;
create policy own_tenant on paraph.undo_claim to paraph_app using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
grant select, insert, update on paraph.undo_claim to paraph_app;
