-- The epoch that an event's transaction raised its call to: it tells which events were one move, and with them a call's
-- rows can be rebuilt and compared (`paraph replay --check`). Unknown of events that were written before.
alter table paraph.event add column epoch bigint;
