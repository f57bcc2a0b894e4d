-- Lists of calls that did not succeed.
create index concurrently call_of_outcome on paraph.call (tenant, outcome, id) where outcome <> 'succeeded'
