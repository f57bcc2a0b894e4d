-- Lists of the calls of one thread.
create index concurrently call_of_thread on paraph.call (tenant, thread, id) where thread is not null
