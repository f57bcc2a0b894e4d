-- The trunk: one call from request to receipt. Every table carries its tenant in every key, and row-level
-- security holds for everyone, the owner included. Money, people and files are at stake: rows are facts.
create schema paraph;

do $$
begin
  if not exists (select from pg_roles where rolname = 'paraph_app') then create role paraph_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'paraph_sweeper') then create role paraph_sweeper nologin; end if;
end $$;
grant usage on schema paraph to paraph_app, paraph_sweeper;

-- The one source of time for every wait. The laboratory replaces this function to move the clock.
create function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp()';

create table paraph.tenant (
  id text primary key check (id ~ '^[a-z][a-z0-9]{1,30}$'),
  created_at timestamptz not null default paraph.now()
);

create table paraph.principal (
  tenant text not null references paraph.tenant,
  id text not null check (length(id) between 1 and 255 and id !~ '[[:cntrl:]]'),
  kind text not null check (kind in ('agent', 'person', 'service')),
  owner text,
  created_at timestamptz not null default paraph.now(),
  primary key (tenant, id),
  foreign key (tenant, owner) references paraph.principal
);

-- Only the hash of a key is kept. The key names its tenant, so that the row is found under row-level security.
create table paraph.api_key (
  tenant text not null,
  id text not null,
  principal text not null,
  hash text not null,
  created_at timestamptz not null default paraph.now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant, id),
  foreign key (tenant, principal) references paraph.principal
);

-- No foreign keys from here on: every row below is written by the functions that move a call, in the same
-- transaction as the call's own row, and these tables carry the load.
create table paraph.call (
  tenant text not null,
  id text not null,
  principal text not null,
  key text not null,
  capability text not null,
  version int not null,
  contract_digest text not null,
  request_digest text not null,
  session text,
  thread text,
  trace text,
  lock_keys text[] not null,
  state text not null check (state in ('previewing', 'asking', 'ready', 'queued', 'performing', 'delayed', 'closed')),
  epoch bigint not null check (epoch > 0),
  next_at timestamptz,
  deadline timestamptz,
  outcome text check (outcome in ('succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled', 'superseded', 'unknown')),
  outcome_code text,
  created_at timestamptz not null,
  closed_at timestamptz,
  primary key (tenant, id),
  unique (tenant, principal, key),
  check ((state = 'closed') = (outcome is not null)),
  check ((state = 'closed') = (next_at is null))
) with (fillfactor = 70);
create index call_due on paraph.call (next_at) where next_at is not null;
create index call_of_principal on paraph.call (tenant, principal, id);

-- Append-only: ids, codes, numbers and commitments. Kept for ever.
create table paraph.event (
  tenant text not null,
  call text not null,
  seq int not null,
  kind text not null,
  at timestamptz not null,
  data jsonb not null,
  primary key (tenant, call, seq)
);

-- What may be sensitive, with the salt of its commitment; deleting a row keeps every proof. `body` is the
-- canonical JSON as text, because jsonb would refuse some of what RFC 8785 allows.
create table paraph.payload (
  tenant text not null,
  call text not null,
  name text not null,
  version int not null,
  salt text not null,
  body text not null,
  primary key (tenant, call, name, version)
);

create table paraph.approval (
  tenant text not null,
  id text not null,
  call text not null,
  round int not null,
  digest text not null,
  status text not null default 'open' check (status in ('open', 'approved', 'denied', 'expired', 'void')),
  guards jsonb not null,
  expires_at timestamptz not null,
  primary key (tenant, id),
  unique (tenant, call, round)
);
create index approval_open on paraph.approval (tenant, id) where status = 'open';

create table paraph.vote (
  tenant text not null,
  approval text not null,
  voter text not null,
  decision text not null check (decision in ('approve', 'deny')),
  standing text not null check (standing in ('approver', 'confirmation')),
  at timestamptz not null,
  primary key (tenant, approval, voter)
);

-- "About to act", written before an effect. `written_at` is the server's real time, whatever paraph.now() says:
-- it is compared with the server's own start.
create table paraph.intent (
  tenant text not null,
  call text not null,
  attempt int not null,
  life int not null,
  at timestamptz not null,
  deadline timestamptz not null,
  written_at timestamptz not null default clock_timestamp(),
  ended text,
  primary key (tenant, call, attempt)
);
create index intent_open on paraph.intent (life) where ended is null;
create sequence paraph.life as int minvalue 1 cycle;

create table paraph.lock (
  tenant text not null,
  key text not null,
  holder text,
  primary key (tenant, key)
);

create table paraph.lock_waiter (
  tenant text not null,
  key text not null,
  call text not null,
  position bigint not null,
  primary key (tenant, key, position),
  unique (tenant, call, key)
);
create sequence paraph.lock_position;

create table paraph.receipt (
  tenant text not null,
  call text not null,
  digest text not null,
  envelope text not null,
  primary key (tenant, call)
);

do $$
declare t text;
begin
  foreach t in array array['principal', 'api_key', 'call', 'event', 'payload', 'approval', 'vote', 'intent', 'lock', 'lock_waiter', 'receipt'] loop
    execute format('alter table paraph.%I enable row level security', t);
    execute format('alter table paraph.%I force row level security', t);
    execute format('create policy own_tenant on paraph.%I to paraph_app using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
end $$;
alter table paraph.tenant enable row level security;
alter table paraph.tenant force row level security;
create policy own_tenant on paraph.tenant to paraph_app using (id = current_setting('paraph.tenant', true));

-- The owner provisions tenants, principals and keys (bootstrapping); what a call wrote is not its to change.
do $$
declare t text;
begin
  foreach t in array array['tenant', 'principal', 'api_key'] loop
    execute format('create policy provisioning on paraph.%I to current_user using (true) with check (true)', t);
  end loop;
end $$;

grant select on paraph.tenant, paraph.principal, paraph.api_key to paraph_app;
grant select, insert on paraph.event, paraph.payload, paraph.receipt to paraph_app;
grant select, insert, update on paraph.call, paraph.approval, paraph.vote, paraph.intent to paraph_app;
grant select, insert, update, delete on paraph.lock, paraph.lock_waiter to paraph_app;
grant usage on sequence paraph.life, paraph.lock_position to paraph_app;

-- The sweeper sees, of every tenant, which calls are due, how far they are, and which process was acting for them.
create policy sweeping on paraph.call for select to paraph_sweeper using (true);
create policy pushing on paraph.call for update to paraph_sweeper using (true) with check (true);
grant select (tenant, id, epoch, state, next_at) on paraph.call to paraph_sweeper;
grant update (next_at) on paraph.call to paraph_sweeper;
create policy sweeping on paraph.intent for select to paraph_sweeper using (true);
grant select (tenant, call, life, ended, written_at) on paraph.intent to paraph_sweeper;
