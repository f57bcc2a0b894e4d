-- What people do about a call besides voting: edit it, find out what became of it, stand in for one another, talk about it.
alter table paraph.call add column supersedes text, add column edited_by text;
-- [P6] A call has one successor at most, whoever edits it at the same time.
create unique index call_successor on paraph.call (tenant, supersedes) where supersedes is not null;
create index call_twin on paraph.call (tenant, principal, session, request_digest, id) where state <> 'closed' and session is not null;
create index approval_soonest on paraph.approval (tenant, expires_at, id) where status = 'open';
create index call_unknown on paraph.call (tenant, id) where outcome = 'unknown';
create index call_denied on paraph.call (tenant, principal, closed_at) where outcome = 'denied';

-- What was found out about an unknown outcome: once, signed, never changed.
create table paraph.resolution (
  tenant text not null,
  call text not null,
  finding text not null check (finding in ('happened', 'not-happened')),
  by text not null,
  how text not null check (how in ('person', 'probe')),
  at timestamptz not null,
  digest text not null,
  envelope text not null,
  primary key (tenant, call)
);

create table paraph.delegation (
  tenant text not null,
  id text not null,
  person text not null,
  stand_in text not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  by text not null,
  at timestamptz not null,
  revoked_by text,
  revoked_at timestamptz,
  primary key (tenant, id),
  check (person <> stand_in),
  check (from_at < until_at)
);
create index delegation_of_stand_in on paraph.delegation (tenant, stand_in, until_at) where revoked_at is null;
create index delegation_open on paraph.delegation (tenant, until_at, id) where revoked_at is null;

-- The thread of a call. What was said may be sensitive: salt and body go when they are erased, the rest stays.
create table paraph.message (
  tenant text not null,
  call text not null,
  seq int not null,
  id text not null,
  by text not null,
  kind text not null check (kind in ('comment', 'question', 'answer')),
  at timestamptz not null,
  salt text,
  body text,
  primary key (tenant, call, seq),
  unique (tenant, id),
  check ((salt is null) = (body is null))
);

do $$
declare t text;
begin
  foreach t in array array['resolution', 'delegation', 'message'] loop
    execute format('alter table paraph.%I enable row level security', t);
    execute format('alter table paraph.%I force row level security', t);
    execute format('create policy own_tenant on paraph.%I to paraph_app using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
end $$;

grant select, insert on paraph.resolution, paraph.delegation, paraph.message to paraph_app;
grant update (revoked_by, revoked_at) on paraph.delegation to paraph_app;
