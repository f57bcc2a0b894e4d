-- The owner of the database erases payloads and archives old calls (`paraph erase`, `paraph retain`). These policies let it
-- see the rows of one tenant at a time, the one in `paraph.tenant`. The application's role still cannot delete any of them.
do $$
declare t text;
begin
  foreach t in array array['call', 'event', 'payload', 'approval', 'vote', 'intent', 'receipt', 'resolution', 'message', 'outcome', 'reservation',
                           'undo_claim', 'undelivered', 'observation', 'webhook_delivery', 'standing_grant'] loop
    execute format('create policy retention on paraph.%I to current_user using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
end $$;
-- The trigger on events reads which endpoints to tell about an erasure.
create policy retention on paraph.webhook_endpoint for select to current_user using (true);

-- One row per archive file. The signed manifest lists the calls in the file, so no writer of the database can add one.
-- `finished_at`: when the last of its calls was deleted from the other tables.
create table paraph.archive (
  tenant text not null,
  name text not null check (length(name) between 1 and 200),
  calls int not null,
  envelope text not null,
  at timestamptz not null default paraph.now(),
  finished_at timestamptz,
  primary key (tenant, name)
);
alter table paraph.archive enable row level security;
alter table paraph.archive force row level security;
create policy own_tenant on paraph.archive to paraph_app using (tenant = current_setting('paraph.tenant', true));
create policy retention on paraph.archive to current_user using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
grant select on paraph.archive to paraph_app;
