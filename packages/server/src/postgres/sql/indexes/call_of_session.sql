-- Lists of the calls of one agent session.
create index concurrently call_of_session on paraph.call (tenant, session, id) where session is not null
