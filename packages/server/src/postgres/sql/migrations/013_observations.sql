-- What adapters perceive. `perception` is how far one adapter has looked for one tenant, and when it looks next; `epoch` is
-- its fence: raised by every claim and every write, so that whoever was thought lost can write nothing any more.
create table paraph.perception (
  tenant text not null references paraph.tenant,
  adapter text not null,
  cursor text,
  epoch bigint not null default 0,
  next_at timestamptz not null,
  looked_at timestamptz,
  failures int not null default 0,
  code text,
  primary key (tenant, adapter)
);
create index perception_due on paraph.perception (next_at);

-- `id` is the outside's own name for it: seen twice, it is one. `seq` counts a tenant's observations in the order in which
-- they were written down. `body` is JSON as text, as payloads are; null: it was too large to keep.
create table paraph.observation (
  tenant text not null,
  adapter text not null,
  id text not null,
  seq bigint not null,
  kind text not null,
  subject text not null,
  at timestamptz,
  seen_at timestamptz not null,
  body text,
  primary key (tenant, adapter, id),
  unique (tenant, seq)
);
create index observation_oldest on paraph.observation (tenant, adapter, seq);

-- The newest `seq` of each tenant. Raised in the transaction that writes observations, and locked until it ends: whoever
-- has read up to a number has missed none below it.
create table paraph.observation_head (
  tenant text primary key,
  seq bigint not null
);

-- Which endpoints are told of observations; for the others nothing is written.
alter table paraph.webhook_endpoint add column observing boolean not null default false;
drop function if exists paraph.configure_webhooks(text[]);

-- How far the attempt of a call is, while it lasts: gone with the call's end, and never part of the record. `put_out` counts
-- all that was put out so far, of which `output` is the end.
create table paraph.progress (
  tenant text not null,
  call text not null,
  attempt int not null,
  revision int not null,
  message text,
  fraction real,
  output text not null,
  put_out bigint not null,
  primary key (tenant, call)
) with (fillfactor = 50);

-- How each call ended, for statistics: ids, codes and numbers, in the order of time, so that a window of it is read in one go.
create table paraph.outcome (
  tenant text not null,
  at timestamptz not null,
  call text not null,
  capability text not null,
  principal text not null,
  kind text not null,
  code text not null,
  whole_ms int not null,
  acting_ms int not null,
  retries int not null,
  spent bigint not null,
  primary key (tenant, at, call)
);
create index outcome_error on paraph.outcome (tenant, at) where kind in ('failed', 'unknown');

do $$
declare t text;
begin
  foreach t in array array['perception', 'observation', 'observation_head', 'progress', 'outcome'] loop
    execute format('alter table paraph.%I enable row level security', t);
    execute format('alter table paraph.%I force row level security', t);
    execute format('create policy own_tenant on paraph.%I to paraph_app using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
end $$;

grant select, insert, update on paraph.perception, paraph.observation_head to paraph_app;
grant select, insert, delete on paraph.observation to paraph_app;
grant select, insert, update, delete on paraph.progress to paraph_app;
grant select, insert on paraph.outcome to paraph_app;
-- Money that an unknown outcome kept is settled when somebody has found out.
grant update (spent) on paraph.outcome to paraph_app;

-- Who looks for whom and when, of every tenant; not what was found, nor where it goes on.
create policy sweeping on paraph.perception for select to paraph_sweeper using (true);
create policy claiming on paraph.perception for update to paraph_sweeper using (true) with check (true);
grant select (tenant, adapter, epoch, next_at) on paraph.perception to paraph_sweeper;
grant update (epoch, next_at) on paraph.perception to paraph_sweeper;
create policy sweeping on paraph.tenant for select to paraph_sweeper using (true);
grant select (id) on paraph.tenant to paraph_sweeper;
