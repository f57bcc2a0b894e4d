-- Who asks, and how they prove it: groups, keys with bounds, identities that an issuer vouches for, sessions of people.
-- Of every secret only the hash is kept, and every secret names its tenant, so that its row is found under row-level
-- security.
alter table paraph.api_key
  -- Null: as far as the principal itself may go.
  add scopes text[],
  add label text check (length(label) <= 200),
  add created_by text,
  add last_used timestamptz;

-- Roles are groups whose names begin with `paraph:`.
create table paraph.group_member (
  tenant text not null,
  grp text not null check (length(grp) between 1 and 255 and grp !~ '[[:cntrl:]]'),
  principal text not null,
  primary key (tenant, grp, principal),
  foreign key (tenant, principal) references paraph.principal
);
create index group_of_principal on paraph.group_member (tenant, principal);

-- `groups_at`: when the newest token was issued whose groups were taken over.
create table paraph.external_identity (
  tenant text not null,
  issuer text not null,
  subject text not null,
  principal text not null,
  groups_at timestamptz,
  created_at timestamptz not null default paraph.now(),
  primary key (tenant, issuer, subject),
  foreign key (tenant, principal) references paraph.principal
);

-- Memberships that came from an issuer: only these end when a newer token no longer names them.
create table paraph.claimed_group (
  tenant text not null,
  principal text not null,
  grp text not null,
  primary key (tenant, principal, grp)
);

create table paraph.session (
  tenant text not null,
  hash text not null,
  principal text not null,
  idle interval not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant, hash),
  foreign key (tenant, principal) references paraph.principal
);
create index session_of_principal on paraph.session (tenant, principal);

create table paraph.login_link (
  tenant text not null,
  hash text not null,
  principal text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant, hash),
  foreign key (tenant, principal) references paraph.principal
);

do $$
declare t text;
begin
  foreach t in array array['group_member', 'external_identity', 'claimed_group', 'session', 'login_link'] loop
    execute format('alter table paraph.%I enable row level security', t);
    execute format('alter table paraph.%I force row level security', t);
    execute format('create policy own_tenant on paraph.%I to paraph_app using (tenant = current_setting(''paraph.tenant'', true)) with check (tenant = current_setting(''paraph.tenant'', true))', t);
  end loop;
  foreach t in array array['group_member', 'external_identity'] loop
    execute format('create policy provisioning on paraph.%I to current_user using (true) with check (true)', t);
  end loop;
end $$;

-- What administers acts as the application too, through functions that check what they are given. Principals and keys
-- are added and never rewritten: what a receipt names stays what it was.
grant insert on paraph.principal to paraph_app;
grant insert, update (revoked_at, last_used) on paraph.api_key to paraph_app;
grant select, insert, delete on paraph.group_member, paraph.claimed_group to paraph_app;
grant select, insert, delete, update (groups_at) on paraph.external_identity to paraph_app;
grant select, insert, delete, update (seen_at) on paraph.session to paraph_app;
grant select, insert, delete, update (used_at) on paraph.login_link to paraph_app;
