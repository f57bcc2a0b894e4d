-- One row per Paraph process. The process holds its number as a session lock. A free lock alone does not prove that the
-- process died: a failover, a restart or a terminated session frees it too. Only `dead_at` says so, and it is final.
create table paraph.process_lease (
  life int primary key,
  -- A random id of the process. A failover can lose the last numbers and hand them out again.
  holder text not null,
  -- Grows each time the process takes its lock again, so that an observer notices what happened between two looks.
  taken int not null default 1,
  dead_at timestamptz
);
create index process_lease_dead on paraph.process_lease (dead_at) where dead_at is not null;
grant select, insert, update (taken, dead_at) on paraph.process_lease to paraph_app;
grant select, delete, update (dead_at) on paraph.process_lease to paraph_sweeper;
drop function if exists paraph.is_gone(int, timestamptz);
