-- What acceptances and intents are held against: freezes, the policy set in force, grants and limits. Rows of these
-- tables are written by administrators' calls and by the functions that move a call, nobody else.
alter table paraph.call drop constraint call_state_check;
alter table paraph.call
  add constraint call_state_check check (state in ('previewing', 'checking', 'asking', 'ready', 'queued', 'parked', 'performing', 'delayed', 'closed')),
  add column on_behalf_of text,
  add column requirements jsonb not null default '[]';
create index call_parked on paraph.call (tenant, id) where state = 'parked';

alter table paraph.vote add column groups text[];
alter table paraph.vote drop constraint vote_decision_check, add constraint vote_decision_check check (decision in ('approve', 'deny', 'return'));

-- The grant that an intent used, and how much of it: given back if the attempt turns out not to have been performed.
alter table paraph.intent add column standing_grant text, add column amount bigint;
-- By tenant first, so that a freeze finds what is in flight without reading what is long over.
drop index paraph.intent_open;
create index intent_open on paraph.intent (tenant, life) where ended is null;

create table paraph.freeze (
  tenant text not null,
  id text not null,
  kind text not null check (kind in ('principal', 'capability', 'adapter', 'tenant')),
  subject text not null,
  by text not null,
  at timestamptz not null,
  thawed_by text,
  thawed_at timestamptz,
  primary key (tenant, id)
);
create index freeze_in_force on paraph.freeze (tenant, at, id) where thawed_at is null;

-- `bounds` is JSON as text, as payloads are: it holds arguments.
create table paraph.standing_grant (
  tenant text not null,
  id text not null,
  capability text not null,
  principal text,
  bounds text not null,
  people jsonb not null,
  count_left int not null check (count_left >= 0),
  amount_left bigint check (amount_left >= 0),
  expires_at timestamptz not null,
  destroy boolean not null,
  break_glass boolean not null,
  by text not null,
  at timestamptz not null,
  revoked_by text,
  revoked_at timestamptz,
  primary key (tenant, id)
);
create index standing_grant_open on paraph.standing_grant (tenant, capability, expires_at) where revoked_at is null;

-- How much of a limit's window is used. Room in the page, because a busy limit is one row that changes all the time.
create table paraph.usage (
  tenant text not null,
  key text not null,
  window_start timestamptz not null,
  used bigint not null default 0,
  primary key (tenant, key, window_start)
) with (fillfactor = 30);

-- What a call holds from its intent to its outcome, money until that is known.
create table paraph.reservation (
  tenant text not null,
  call text not null,
  key text not null,
  kind text not null check (kind in ('money', 'concurrency')),
  window_start timestamptz not null,
  amount bigint not null,
  primary key (tenant, call, key)
);

create table paraph.policy_set (
  tenant text not null,
  version text not null,
  document jsonb not null,
  by text not null,
  at timestamptz not null,
  primary key (tenant, version)
);

-- Every activation by its id, so that one that is asked for twice does not undo a later one.
create table paraph.policy_activation (
  tenant text not null,
  id text not null,
  version text not null,
  by text not null,
  at timestamptz not null,
  primary key (tenant, id)
);

create table paraph.policy_active (
  tenant text primary key,
  version text not null,
  at timestamptz not null
);

-- The set that the deployment's configuration names, for every tenant that has published none of its own.
create table paraph.policy_configured (
  sole boolean primary key default true check (sole),
  version text not null,
  document jsonb not null,
  at timestamptz not null
);

do $$
declare t text;
begin
  foreach t in array array['freeze', 'standing_grant', 'usage', 'reservation', 'policy_set', 'policy_activation', 'policy_active'] loop
    execute format('alter table paraph.%I enable row level security', t);
    execute format('alter table paraph.%I force row level security', t);
    execute format('create policy own_tenant on paraph.%I to paraph_app using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
end $$;
alter table paraph.policy_configured enable row level security;
alter table paraph.policy_configured force row level security;
create policy deployment on paraph.policy_configured to paraph_app using (true) with check (true);

grant select, insert on paraph.freeze, paraph.standing_grant, paraph.policy_set, paraph.policy_activation to paraph_app;
grant update (thawed_by, thawed_at) on paraph.freeze to paraph_app;
grant update (count_left, amount_left, revoked_by, revoked_at) on paraph.standing_grant to paraph_app;
grant select, insert, update on paraph.policy_active, paraph.policy_configured to paraph_app;
grant select, insert, update, delete on paraph.usage to paraph_app;
grant select, insert, delete on paraph.reservation to paraph_app;

-- Their new forms stand before gates; the old ones must not be a way around them.
drop function if exists paraph.open(text, int, jsonb);
drop function if exists paraph.commit(text, int, jsonb);

-- Every process knows what is frozen, of every tenant: ids and names alone.
create policy watching on paraph.freeze for select to paraph_sweeper using (true);
grant select (tenant, id, kind, subject, thawed_at) on paraph.freeze to paraph_sweeper;
