import { createRawEvent } from "@paraph/core/testing";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { withTenant } from "./database.ts";
import {
  beginProcessLease,
  connectDatabase,
  createFreezeStore,
  PostgresStore,
  provision,
  recordRestore,
} from "./index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());
const tenant = "restored";
await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
});
const reason = "disk lost";

it("[P7] a restore is recorded once no process runs, freezes every tenant, and every loaded call shows it", async () => {
  const lease = await beginProcessLease(database.url);
  const store = new PostgresStore(db.app, lease.number);
  const now = Date.now();
  await store.open({
    tenant,
    call: "call_old",
    principal: { tenant, id: "bot", kind: "agent" },
    key: "k",
    capability: "a.b",
    version: 1,
    contractDigest: "c",
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: [],
    requirements: [],
    createdAt: now,
    state: "ready",
    nextAt: now + 60_000,
    events: [createRawEvent("accepted", now)],
    payloads: [{ name: "input", salt: "s", value: 1 }],
  });
  const to = new Date(now);
  const load = () => store.load({ tenant, call: "call_old" });
  expect((await load())?.restoredAt).toBe(undefined);
  await expect(recordRestore(database.ownerUrl, { to, reason })).rejects.toThrow("Stop every Paraph process");
  await lease.end();

  const earlier = new Date(now - 1_000);
  await expect(recordRestore(database.ownerUrl, { to: earlier, reason })).rejects.toThrow(
    new Date(now).toISOString(),
  );
  await recordRestore(database.ownerUrl, { to, reason, dryRun: true });
  expect(await createFreezeStore(db.app).list(tenant)).toEqual([]);

  const { at, tenants } = await recordRestore(database.ownerUrl, { to, reason });
  const own = tenants.find((one) => one.tenant === tenant);
  expect(own).toMatchObject({ openCalls: 1 });
  expect((await load())?.restoredAt).toBe(at);
  expect(await createFreezeStore(db.app).list(tenant)).toMatchObject([
    { id: own?.freeze, kind: "tenant", subject: tenant, by: "operator" },
  ]);
});

it("[TRUST 32] the application's login can neither add, change nor delete a restore", async () => {
  for (const text of [
    "insert into paraph.restore values (now(), now(), 'x')",
    "update paraph.restore set at = 'epoch'",
    "delete from paraph.restore",
    "truncate paraph.restore",
  ])
    await expect(withTenant(db.app, tenant, (query) => query(text))).rejects.toThrow("permission denied");
});
