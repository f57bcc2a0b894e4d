import { createRawEvent } from "@paraph/core/testing";
import { afterAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { withTenant } from "./database.ts";
import {
  beginProcessLease,
  connectDatabase,
  createFreezeStore,
  createGrantStore,
  createPolicySetStore,
  DatabaseError,
  PostgresStore,
  provision,
  recoverTenant,
} from "./index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

const all = (
  await database.query("select tablename from pg_tables where schemaname = 'paraph' order by 1")
).map(({ tablename }) => String(tablename));
/** These tables hold the deployment's configuration, which is the same for every tenant and belongs to none. */
const shared = [
  ...["adapter", "mail_place", "policy_configuration", "policy_configured", "process_lease", "restore"],
  "webhook_endpoint",
];
const tables = all.filter((table) => !shared.includes(table));
await createPolicySetStore(db.app).configure({ version: "configured", document: {} }, { leaseNumber: 1 });
await db.app.query("select paraph.configure_webhooks('{endpoint}')");

/** Creates one call with a row in every table, for two tenants that must never see each other's rows. */
for (const tenant of ["red", "blue"]) {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
    await p.createKey(tenant, "bot");
  });
  await recoverTenant(database.ownerUrl, { tenant, person: "ops", reason: "locked" });
  const store = new PostgresStore(db.app, lease.number);
  const call = `call_${tenant}`;
  const now = Date.now();
  await store.open({
    tenant,
    call,
    principal: { tenant, id: "bot", kind: "agent" },
    key: "k",
    capability: "a.b",
    version: 1,
    contractDigest: "c",
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: ["door"],
    requirements: [],
    createdAt: now,
    state: "asking",
    nextAt: now + 60_000,
    events: [createRawEvent("accepted", now)],
    payloads: [{ name: "input", salt: "s", value: 1 }],
    ask: { id: `ask_${tenant}`, round: 1, digest: "d", guards: [], expiresAt: now + 60_000 },
  });
  await createGrantStore(db.app).create(
    tenant,
    { id: "grant", capability: "a.b", bounds: {}, people: [], countLeft: 5, expiresAt: now + 60_000 },
    "ana",
  );
  await createFreezeStore(db.app).freeze(tenant, {
    id: "freeze",
    kind: "principal",
    subject: "other",
    by: "ana",
  });
  await createPolicySetStore(db.app).put(tenant, { version: "own", document: {} }, "ana");
  await createPolicySetStore(db.app).activate(tenant, { id: "publishing", version: "own", by: "ana" });
  await store.commit({
    tenant,
    call,
    epoch: 1,
    state: "asking",
    nextAt: now + 60_000,
    events: [],
    vote: { approval: `ask_${tenant}`, vote: { by: "ana", decision: "approve", as: "approver", at: now } },
    intent: { attempt: 1, at: now, deadline: now },
    gate: { adapter: "a", limits: [], spend: { principal: "bot", amount: 5 } },
    receipt: { digest: "d", story: "{}", signature: { keyid: "k", sig: "s" } },
  });
  await store.lock({ tenant, call, epoch: 2, heldNextAt: now + 60_000, queuedNextAt: now + 60_000 });
  await database.query(
    "insert into paraph.lock_waiter (tenant, key, call, position) values ($1, 'window', $2, 0)",
    [tenant, call],
  );
  await database.query(
    `with member as (insert into paraph.group_member (tenant, grp, principal) values ($1, 'ops', 'bot')),
          claimed as (insert into paraph.claimed_group (tenant, principal, grp) values ($1, 'bot', 'ops')),
          identity as (insert into paraph.external_identity (tenant, issuer, subject, principal) values ($1, 'i', 's', 'bot')),
          resolution as (insert into paraph.resolution (tenant, call, finding, by, how, at, digest, envelope)
                         values ($1, 'call', 'happened', 'ana', 'person', now(), 'd', '{}')),
          delegation as (insert into paraph.delegation (tenant, id, person, delegate, from_at, until_at, by, at)
                         values ($1, 'd', 'ana', 'bo', now(), now() + interval '1 h', 'ana', now())),
          message as (insert into paraph.message (tenant, call, seq, id, by, kind, at) values ($1, 'call', 1, 'm', 'ana', 'comment', now())),
          poll as (insert into paraph.poll (tenant, adapter, next_at) values ($1, 'a', now())),
          observation as (insert into paraph.observation (tenant, adapter, id, seq, kind, subject, observed_at) values ($1, 'a', 'o', 1, 'k', 's', now())),
          head as (insert into paraph.observation_head (tenant, seq) values ($1, 1)),
          progress as (insert into paraph.progress (tenant, call, attempt, revision, output, put_out) values ($1, 'call', 1, 1, 'o', 1)),
          undo_claim as (insert into paraph.undo_claim values ($1, 'call', 'other')),
          undelivered as (insert into paraph.undelivered values ($1, 'bot', 's', 'd', 'call', now())),
          outcome as (insert into paraph.outcome values ($1, now(), 'call', 'a.b', 'bot', 'failed', 'c', 1, 1, 0, 0)),
          notice as (insert into paraph.notice (tenant, id, channel, kind, recipient, urgency, at, next_at) values ($1, 'n', 'mail', 'summary', 'ana', 0, now(), now())),
          reply_token as (insert into paraph.reply_token values ($1, 'd' || $1, 'n', 'ana', 'call', 'ask', 'd', true, now(), now())),
          reply as (insert into paraph.reply (tenant, id, token, call, wish, at) values ($1, 'r', 'd', 'call', 'deny', now())),
          mail_request as (insert into paraph.mail_request (tenant, id, person, state, at, expires_at) values ($1, 'm', 'ana', 'received', now(), now())),
          contact as (insert into paraph.contact values ($1, 'ana', 'mail', 'ana@example.com', 'administration', now())),
          device as (insert into paraph.push_device values ($1, 'd', 'ana', 'Firefox', 'https://push.example.com/d', 'k', 'a', now())),
          preference as (insert into paraph.notification_preference (tenant, person, at) values ($1, 'ana', now())),
          slack as (insert into paraph.slack_account values ($1, 'T', 'U', 'ops', 'Acme', 'Ops', 's', now())),
          passkey as (insert into paraph.passkey (tenant, credential, person, public_key, label, seal) values ($1, 'c', 'ops', 'k', 'l', 's')),
          archive as (insert into paraph.archive (tenant, name, calls, envelope) values ($1, 'a', 1, '{}')),
          link as (insert into paraph.login_link (tenant, hash, principal, expires_at) values ($1, 'h', 'bot', now()))
     insert into paraph.session (tenant, hash, principal, idle, seen_at, expires_at) values ($1, 'h', 'bot', '1 h', now(), now())`,
    [tenant],
  );
}

const tenantColumn = (table: string) => (table === "tenant" ? "id" : "tenant");

describe.each(tables)("[TRUST 10] table %s", (table) => {
  const column = tenantColumn(table);

  it("shows a tenant only its own rows", async () => {
    const count = (as: string, of: string) =>
      withTenant(db.app, as, (query) => query(`select from paraph.${table} where ${column} = $1`, [of])).then(
        (rows) => rows.length,
      );
    expect(await count("red", "red")).toBeGreaterThan(0);
    expect(await count("red", "blue")).toBe(0);
    expect(await count("", "blue")).toBe(0);
  });

  it("refuses to insert, update or delete another tenant's rows", async () => {
    const rows = await database.query(`select * from paraph.${table} where ${column} = 'blue'`);
    const [copy] = await database.query(
      `select to_jsonb(t) as row from paraph.${table} t where ${column} = 'blue'`,
    );
    const insert = `insert into paraph.${table} select (jsonb_populate_record(null::paraph.${table}, $1)).*`;
    await expect(withTenant(db.app, "red", (query) => query(insert, [copy?.row]))).rejects.toThrow(
      /row-level security|permission denied/,
    );
    for (const verb of [`update paraph.${table} set ${column} = ${column}`, `delete from paraph.${table}`]) {
      const attempt = withTenant(db.app, "red", (query) =>
        query(`${verb} where ${column} = 'blue' returning 1`),
      );
      expect(await attempt.catch((error) => String(error.message))).toSatisfy((result: unknown) =>
        Array.isArray(result) ? result.length === 0 : /permission denied/.test(String(result)),
      );
    }
    const move = withTenant(db.app, "red", (query) =>
      query(`update paraph.${table} set ${column} = 'blue' where ${column} = 'red' returning 1`),
    );
    await expect(move).rejects.toThrow(/row-level security|permission denied|foreign key|unique/);
    expect(await database.query(`select * from paraph.${table} where ${column} = 'blue'`)).toEqual(rows);
  });

  it("enforces row-level security and has the tenant in every unique key", async () => {
    const [flags] = await database.query(
      "select relrowsecurity, relforcerowsecurity from pg_class where oid = $1::regclass",
      [`paraph.${table}`],
    );
    expect(flags).toEqual({ relrowsecurity: true, relforcerowsecurity: true });
    const keys = await database.query(
      `select array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any (indkey)) as columns
       from pg_index where indrelid = $1::regclass and indisunique`,
      [`paraph.${table}`],
    );
    for (const key of keys) expect(key.columns).toContain(column);
  });
});

describe("[TRUST 10] roles", () => {
  it("no function runs with its owner's rights", async () => {
    expect(
      await database.query(
        "select proname from pg_proc where pronamespace = 'paraph'::regnamespace and prosecdef",
      ),
    ).toEqual([]);
  });

  it("only the deployment's adapters, mailboxes, policy set, process leases and webhooks are shared and have no tenant", async () => {
    const without = await database.query(
      `select t.tablename from pg_tables t where schemaname = 'paraph' and tablename <> 'tenant'
         and not exists (select from pg_attribute where attrelid = format('paraph.%I', t.tablename)::regclass and attname = 'tenant')
       order by 1`,
    );
    expect(without).toEqual(shared.map((tablename) => ({ tablename })));
    expect(
      await withTenant(db.app, "red", (query) => query("select version from paraph.policy_configured")),
    ).toEqual([{ version: "configured" }]);
    await expect(
      withTenant(db.app, "red", (query) => query("delete from paraph.policy_configured")),
    ).rejects.toThrow(/permission denied/);
  });

  it("[TRUST 20] events, payloads, receipts, resolutions and messages cannot be updated, deleted or truncated", async () => {
    for (const table of ["event_row", "payload", "receipt", "resolution", "message"]) {
      for (const verb of [
        `update paraph.${table} set tenant = tenant`,
        `delete from paraph.${table}`,
        `truncate paraph.${table}`,
      ]) {
        await expect(withTenant(db.app, "red", (query) => query(verb))).rejects.toThrow(/permission denied/);
      }
    }
  });

  it("[O5] observations and the kind of a recorded outcome cannot be updated", async () => {
    await expect(
      withTenant(db.app, "red", (query) => query("update paraph.observation set body = '{}'")),
    ).rejects.toThrow(/permission denied/);
    await expect(
      withTenant(db.app, "red", (query) => query("update paraph.outcome set kind = 'succeeded'")),
    ).rejects.toThrow(/permission denied/);
  });

  it("the sweeper sees which work waits, and not whose it is or what it is about", async () => {
    const { rows } = await db.sweeper.query(
      "select tenant, id, epoch, state, next_at from paraph.call order by tenant",
    );
    expect(rows.map(({ tenant }) => tenant)).toEqual(["blue", "red"]);
    for (const table of tables) {
      const rest = table === "call" ? "select principal from paraph.call" : `select * from paraph.${table}`;
      await expect(db.sweeper.query(rest)).rejects.toThrow(/permission denied/);
    }
    for (const rest of ["key from paraph.lock", "guards from paraph.approval", "by from paraph.resolution"])
      await expect(db.sweeper.query(`select ${rest}`)).rejects.toThrow(/permission denied/);
    await expect(db.sweeper.query("update paraph.call set state = 'closed'")).rejects.toThrow(
      /permission denied/,
    );
  });

  it("the server refuses to connect as a superuser or as the owner of the tables", async () => {
    await expect(connectDatabase(database.ownerUrl)).rejects.toThrow(DatabaseError);
    await expect(connectDatabase(database.ownerUrl)).rejects.toMatchObject({ code: "too-powerful" });
  });
});
