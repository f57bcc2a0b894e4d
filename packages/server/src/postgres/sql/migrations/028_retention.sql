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
