import { Client } from "pg";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { withTenant } from "../database.ts";
import {
  beginProcessLease,
  connectDatabase,
  PostgresStore,
  provision,
  sweepMisdatedCalls,
} from "../index.ts";
import { createIntentWrites, createTestCall } from "./test-call.ts";

const database = await createTestDatabase();
await database.query(
  "do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$",
);
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

const tenant = "acme";
await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
});
const store = new PostgresStore(db.app, lease.number);

/** Counts the sessions that wait for a lock. Sessions of other databases belong to other tests. */
const countLockWaits = async () =>
  (
    await database.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).length;

it("[P7] commits are synchronous, even if the database's default is asynchronous", async () => {
  for (const pool of [db.app, db.sweeper])
    expect((await pool.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "on" }]);
});

it("[P8] the sweeper wakes a retry dated a day ahead, but not one that waits an hour for its Retry-After", async () => {
  const calls = [createTestCall(tenant), createTestCall(tenant)];
  for (const call of calls) await store.open(call);
  const put = (index: number, minutes: number) =>
    database.query(
      "update paraph.call set state = 'delayed', next_at = paraph.now() + make_interval(mins => $2) where id = $1",
      [calls[index]!.call, minutes],
    );
  await put(0, 60);
  await put(1, 24 * 60);
  expect((await sweepMisdatedCalls(db.sweeper)).map(({ call }) => call)).toEqual([calls[1]!.call]);
});

it("[locks] a call that loses its fence while it waits for its lock keys leaves no lock rows behind", async () => {
  const newCall = createTestCall(tenant, { lockKeys: ["a", "b"] });
  await store.open(newCall);
  const other = await db.app.connect();
  await other.query("begin");
  await other.query("select set_config('paraph.tenant', $1, true)", [tenant]);
  await other.query("update paraph.call set epoch = epoch + 1 where id = $1", [newCall.call]);
  const times = { queuedNextAt: Date.now() + 60_000, heldNextAt: Date.now() + 60_000 };
  const locking = store.lock({ tenant, call: newCall.call, epoch: 1, ...times });
  await expect.poll(countLockWaits).toBe(1);
  await other.query("commit");
  other.release();
  expect(await locking).toEqual({ kind: "lost" });
  expect(await database.query("select key from paraph.lock")).toEqual([]);
});

it("a connection that breaks between two statements fails its transaction, but does not end the process", async () => {
  const transaction = withTenant(db.app, tenant, async (query) => {
    const [backend] = await query("select pg_backend_pid() as pid");
    await database.query("select pg_terminate_backend($1)", [backend?.pid]);
    const alive = () => database.query("select from pg_stat_activity where pid = $1", [backend?.pid]);
    await expect.poll(alive).toEqual([]);
    await query("select 1");
  });
  // Without a listener, vitest would report the connection's error as an uncaught exception.
  await expect(transaction).rejects.toThrow(/terminat|not queryable/);
});

it("a call that PostgreSQL rolls back because of a deadlock is written again", async () => {
  const migration = new Client({ connectionString: database.ownerUrl });
  await migration.connect();
  // PostgreSQL ends the session that looks for a deadlock first, which is then that of the call.
  await migration.query("set deadlock_timeout = '1min'");
  await migration.query("begin");
  await migration.query("lock table paraph.intent in access exclusive mode");
  const opening = store.open(createTestCall(tenant, createIntentWrites()));
  await expect.poll(countLockWaits).toBe(1);
  await migration.query("lock table paraph.call in access exclusive mode");
  await migration.query("rollback");
  await migration.end();
  await expect(opening).resolves.toEqual({ kind: "opened" });
});
