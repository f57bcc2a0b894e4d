-- Lists of the calls of one trace. Its id is the correlation id of the calls.
create index concurrently call_of_correlation on paraph.call (tenant, correlation, id) where correlation is not null
