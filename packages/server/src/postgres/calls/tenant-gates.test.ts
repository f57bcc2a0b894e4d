import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { beginProcessLease, connectDatabase, createFreezeStore, PostgresStore, provision } from "../index.ts";
import { createTestCall } from "./test-call.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
const rows = await connectDatabase(database.url);
afterAll(async () => {
  await lease.end();
  await rows.close();
  await db.close();
});

const [quiet, noisy] = ["acme", "noisy"] as const;
await provision(database.ownerUrl, async (p) => {
  for (const tenant of [quiet, noisy]) {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
  }
});

it("the shut gates of one tenant do not delay the calls of other tenants", async () => {
  const store = new PostgresStore(db.app, lease.number);
  const gate = { adapter: "bench", limits: [] };
  const shut = await rows.app.connect();
  await shut.query("begin");
  await shut.query("select paraph.shut($1)", [noisy]);
  try {
    // The first two calls fill the concurrent batches, and the third waits for the next batch.
    const held = Array.from({ length: 3 }, () => store.open(createTestCall(noisy, { gate })));
    const others = Array.from({ length: 3 }, () => store.open(createTestCall(quiet, { gate })));
    // A call that waits behind the shut gates would fail with the database's lock timeout.
    const opened = await Promise.allSettled(others);
    expect(opened.map(({ status }) => status)).toEqual(others.map(() => "fulfilled"));
    await shut.query("commit");
    expect(await Promise.all(held)).toEqual(held.map(() => ({ kind: "opened" })));
  } finally {
    shut.release(true);
  }
});

it("a thaw wakes parked calls in batches, and does not wait for a locked call under the tenant's shut gates", async () => {
  const freezes = createFreezeStore(db.app);
  await freezes.freeze(noisy, { id: "freeze_1", kind: "capability", subject: "fast.other", by: "bot" });
  await database.query(
    `insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys, state, epoch, next_at, created_at)
     select 'noisy', 'call_zz' || lpad(n::text, 6, '0'), 'bot', 'p' || n, 'fast.other', 1, '', '', '{}', 'parked', 2, now() + interval '10 minutes', now() from generate_series(1, 1201) n`,
  );
  const other = await rows.app.connect();
  await other.query("begin");
  await other.query("select set_config('paraph.tenant', 'noisy', true)");
  await other.query("select from paraph.call where id = 'call_zz000007' for update");
  // Another transaction holds this call's row. A thaw that waited for it would block the whole tenant.
  const { changed, wakes } = await freezes.thaw(noisy, "freeze_1", "bot");
  expect([changed, wakes.length, new Set(wakes.map(({ call }) => call)).size]).toEqual([
    "done",
    1_200,
    1_200,
  ]);
  await other.query("commit");
  other.release();
  const [due] = await database.query(
    "select count(*)::int as n from paraph.call where tenant = 'noisy' and state = 'parked' and next_at <= now()",
  );
  expect(due?.n).toBe(1_200);
});
