-- [TRUST 33] A principal that left stays, because receipts name it, and can do nothing.
alter table paraph.principal add column disabled_at timestamptz, add column disabled_by text;
grant update (disabled_at, disabled_by) on paraph.principal to paraph_app;
create index freeze_principal on paraph.freeze (tenant, subject) where kind = 'principal' and thawed_at is null;
