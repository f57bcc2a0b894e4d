-- Lists of open calls.
create index concurrently call_open on paraph.call (tenant, id) where state <> 'closed'
