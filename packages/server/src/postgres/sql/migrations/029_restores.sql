-- One row per restore of this database from a backup. A call that was accepted before the last restore may have acted
-- without a record. Only the owner of the database writes here. The application's role can neither add nor delete a row.
create table paraph.restore (
  at timestamptz primary key,
  restored_to timestamptz not null check (restored_to <= at),
  reason text not null check (length(reason) between 1 and 2000)
);
grant select on paraph.restore to paraph_app;

-- The owner freezes every tenant in the transaction that records the restore, and finds out which calls are open and how
-- new the newest one is. The rows of calls hold ids, codes and times, and no payloads.
create policy restoring on paraph.freeze for insert to current_user with check (kind = 'tenant');
create policy restoring on paraph.call for select to current_user using (true);
