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

-- Versions of Paraph have an order. What an older one writes here would put its older functions back in force.
create function paraph.refuse_older() returns trigger
language plpgsql as $$
declare
  v_here int := coalesce(nullif(current_setting('paraph.generation', true), '')::int, 0);
  v_there int := coalesce((select hash::int from public.paraph_migration where name = 'generation'), 0);
begin
  if v_here < v_there and current_setting('paraph.downgrade', true) is distinct from 'on' then
    raise exception 'The database was migrated by a newer version of Paraph (generation %, this version has %).', v_there, v_here
      using hint = 'Start the newer version. To go back on purpose, stop every newer process and set PARAPH_ALLOW_DOWNGRADE=1.';
  end if;
  return new;
end $$;
create trigger refuse_older before insert or update on public.paraph_migration for each row execute function paraph.refuse_older();

-- The generation of the version whose configuration is in force.
alter table paraph.policy_configured add column generation int not null default 0;
