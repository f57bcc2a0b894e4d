-- The sweeper looks for steps that ended lately, so that their plans continue even if a message was lost.
grant select (parent, closed_at) on paraph.call to paraph_sweeper;
