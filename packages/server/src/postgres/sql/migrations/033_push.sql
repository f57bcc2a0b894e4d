-- The browsers in which a person turned on push notifications. `id` derives from the endpoint, so a browser has one row,
-- which belongs to the person who turned push on last.
create table paraph.push_device (
  tenant text not null,
  id text not null,
  person text not null,
  -- The browser and the system, such as "Chrome on Android".
  name text not null,
  -- Where the browser's push service accepts messages, and the browser's keys, with which Paraph encrypts them.
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  added_at timestamptz not null,
  -- When the push service last accepted a message.
  used_at timestamptz,
  primary key (tenant, id)
);
create index push_device_of_person on paraph.push_device (tenant, person);

alter table paraph.push_device enable row level security;
alter table paraph.push_device force row level security;
create policy own_tenant on paraph.push_device to paraph_app using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
grant select, insert, update, delete on paraph.push_device to paraph_app;

-- Where channels reach people. A person with devices is the address of the channel `push`.
create view paraph.reachable with (security_invoker = true) as
  select tenant, person, channel, address from paraph.contact
  union all
  select distinct tenant, person, 'push', person from paraph.push_device;
grant select on paraph.reachable to paraph_app;
