-- The sweeper finds the steps that ended lately.
create index concurrently call_ended_steps on paraph.call (closed_at) where parent is not null and closed_at is not null
