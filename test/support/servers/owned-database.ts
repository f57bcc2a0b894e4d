import { randomBytes } from "node:crypto";
import { roles, type Sealer, type Signer } from "@paraph/core";
import { Client } from "pg";
import { afterAll, inject } from "vitest";
import {
  RandomWalk,
  walkPeople,
  walkTenant,
} from "../../../packages/server/src/postgres/calls/test-replay-walk.ts";
import {
  beginProcessLease,
  connectDatabase,
  migrateDatabase,
  PostgresStore,
  provision,
} from "../../../packages/server/src/postgres/index.ts";

/**
 * Creates a database whose owner is no superuser, so that row-level security applies to the owner as in production.
 */
export async function createOwnedDatabase() {
  const server = inject("postgres");
  const name = `owned_${randomBytes(6).toString("hex")}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create role ${name} login createrole password 'owner'`);
  await admin.query(`create database ${name} owner ${name}`);
  const url = (username: string, password: string) =>
    Object.assign(new URL(server), { pathname: `/${name}`, username, password }).href;
  const ownerUrl = url(name, "owner");
  await migrateDatabase(ownerUrl);
  const superuser = new Client({ connectionString: server.replace(/\/postgres$/, `/${name}`) });
  await superuser.connect();
  afterAll(async () => {
    await superuser.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  });
  return {
    ownerUrl,
    url: url("paraph", "paraph"),
    owner: name,
    query: async (text: string, values?: unknown[]) => (await superuser.query(text, values)).rows,
  };
}

/** Fills the database with calls of every kind, in every state, by a random walk. */
export async function fillByWalk(
  database: Awaited<ReturnType<typeof createOwnedDatabase>>,
  signer: Signer & Sealer,
  steps: number,
) {
  const db = await connectDatabase(database.url);
  const lease = await beginProcessLease(database.url);
  afterAll(async () => {
    await lease.end();
    await db.close();
  });
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(walkTenant);
    for (const id of walkPeople)
      await p.addPrincipal({ tenant: walkTenant, id, kind: "person", groups: [roles.admins] });
    await p.addPrincipal({ tenant: walkTenant, id: "agent", kind: "agent", owner: "owner" });
  });
  await database.query("create table public.moment (at timestamptz not null)");
  await database.query("insert into public.moment values (now())");
  await database.query("grant select on public.moment to public");
  await database.query(
    "create or replace function paraph.now() returns timestamptz language sql volatile as 'select at from public.moment'",
  );
  const walk = new RandomWalk("retention", {
    app: db.app,
    store: new PostgresStore(db.app, lease.number),
    signer,
    setTime: async (at) =>
      void (await database.query("update public.moment set at = to_timestamp($1::bigint / 1000.0)", [at])),
  });
  await walk.run(steps);
  await walk.leaveOneOfEach();
  return db;
}
