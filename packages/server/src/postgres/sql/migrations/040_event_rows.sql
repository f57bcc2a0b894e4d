-- A row of `event_row` holds several events of one write, so that a call has fewer rows and index entries (decision 38).
-- The columns `kind`, `at` and `data` hold one event of any kind. Four further columns hold events of the kinds that most
-- writes contain besides it. Older rows hold one event each, and stay as they are.
alter table paraph.event rename to event_row;
create type paraph.further_event as (seq int, at timestamptz, data jsonb);
alter table paraph.event_row
  add column accepted paraph.further_event,
  add column ruled paraph.further_event,
  add column attempted paraph.further_event,
  add column round_closed paraph.further_event;

-- One row per event. Each branch names its kind, so PostgreSQL reads only the branches of the kinds that a query asks for.
-- The condition is outside the branches, because PostgreSQL uses no index for joins with a branch that has its own.
create view paraph.event with (security_invoker) as
select * from (
  select tenant, call, seq, kind, at, data, epoch from paraph.event_row
  union all select tenant, call, (accepted).seq, 'accepted', (accepted).at, (accepted).data, epoch from paraph.event_row
  union all select tenant, call, (ruled).seq, 'ruled', (ruled).at, (ruled).data, epoch from paraph.event_row
  union all select tenant, call, (attempted).seq, 'attempted', (attempted).at, (attempted).data, epoch from paraph.event_row
  union all select tenant, call, (round_closed).seq, 'round-closed', (round_closed).at, (round_closed).data, epoch from paraph.event_row
) e where seq is not null;
grant select on paraph.event to paraph_app;
