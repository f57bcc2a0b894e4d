-- The passkeys with which people prove approvals. A row exists only after the enrolment was approved. It holds a public
-- key and no secret. `seal` is a MAC over tenant, credential, person and public key with a key outside the database.
create table paraph.passkey (
  tenant text not null,
  -- The id of the WebAuthn credential, as base64url.
  credential text not null,
  person text not null,
  -- The public key in COSE form, as base64url.
  public_key text not null,
  label text not null,
  seal text not null,
  -- The highest signature counter that the authenticator has reported.
  counter bigint not null default 0,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  primary key (tenant, credential),
  foreign key (tenant, person) references paraph.principal (tenant, id)
);
create index passkey_of_person on paraph.passkey (tenant, person);

alter table paraph.passkey enable row level security;
alter table paraph.passkey force row level security;
create policy own_tenant on paraph.passkey to paraph_app using (tenant = current_setting('paraph.tenant', true)) with check (tenant = current_setting('paraph.tenant', true));
grant select, insert, delete on paraph.passkey to paraph_app;
grant update (counter, used_at) on paraph.passkey to paraph_app;
