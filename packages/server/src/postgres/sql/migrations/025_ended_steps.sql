-- The sweeper looks for steps that ended lately, so that their plans continue even if a message was lost.
create index call_ended_steps on paraph.call (closed_at) where parent is not null and closed_at is not null;
grant select (parent, closed_at) on paraph.call to paraph_sweeper;
