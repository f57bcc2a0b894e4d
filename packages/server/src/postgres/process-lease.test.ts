import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { openTcpProxy, toProxyUrl } from "../../../../test/support/servers/tcp-proxy.ts";
import { createIntentWrites, createTestCall } from "./calls/test-call.ts";
import {
  beginProcessLease,
  connectDatabase,
  forgetLeases,
  listOrphanedCalls,
  PostgresStore,
  provision,
  watchLeases,
} from "./index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());
await provision(database.ownerUrl, async (p) => {
  await p.addTenant("acme");
  await p.addPrincipal({ tenant: "acme", id: "bot", kind: "agent" });
});

const isLeaseHeld = async (life: number) =>
  (await db.app.query("select paraph.life_held($1) as it", [life])).rows[0].it;

/** Returns how often the process took its lock again. Others see the lock before they see this number. */
const countRenewals = async (life: number) =>
  Number((await database.query("select taken from paraph.process_lease where life = $1", [life]))[0]?.taken);

/** Creates a lease whose session the test can terminate, and whose lock stays free until the test releases it. */
async function createInterruptibleLease() {
  const proxy = await openTcpProxy(Number(new URL(database.url).port));
  const lease = await beginProcessLease(toProxyUrl(database.url, proxy));
  const backends = () =>
    database.query(
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 7412 and objid = $1 and mode = 'ExclusiveLock'",
      [lease.number],
    );
  return {
    life: lease,
    async terminate() {
      proxy.mode = "refuse";
      await expect.poll(backends).toEqual([]);
    },
    release() {
      proxy.mode = "pass";
    },
    async end() {
      await lease.end();
      await proxy.close();
    },
  };
}

async function openActingCall(life: { readonly number: number }) {
  const store = new PostgresStore(db.app, life);
  const call = createTestCall("acme", createIntentWrites());
  await store.open(call);
  return {
    call: call.call,
    writerGone: async () => (await store.load(call))?.attempts[0]?.writerGone,
  };
}

/** Checks the leases at the given times of a clock that only the test moves. */
function createWatcher() {
  let ms = 0;
  const watch = watchLeases(db.sweeper, { graceMs: 5_000, now: () => ms });
  return async (...times: number[]) => {
    for (ms of times) await watch.check();
  };
}

it("[P7] an intent gets no lease number while its process does not hold the lease, so it is not orphaned", async () => {
  const { life, terminate, release, end } = await createInterruptibleLease();
  expect(await isLeaseHeld(life.number)).toBe(life.number);
  await terminate();
  expect(await isLeaseHeld(life.number)).toBeNull();
  release();
  await expect.poll(() => isLeaseHeld(life.number)).toBe(life.number);
  await end();
  await expect.poll(() => isLeaseHeld(life.number)).toBeNull();
});

it("[P7] a live process whose session is terminated while it acts is not declared dead", async () => {
  const { life, terminate, release, end } = await createInterruptibleLease();
  const { writerGone } = await openActingCall(life);
  await terminate();
  expect([await writerGone(), await listOrphanedCalls(db.sweeper)]).toEqual([false, []]);
  const lookAt = createWatcher();
  await lookAt(0, 2_000, 4_000);
  release();
  await expect.poll(() => isLeaseHeld(life.number)).toBe(life.number);
  await lookAt(6_000, 8_000);
  expect([await writerGone(), await listOrphanedCalls(db.sweeper)]).toEqual([false, []]);
  await end();
});

it("[P7] a session that is lost again between two checks starts the grace period again", async () => {
  const { life, terminate, release, end } = await createInterruptibleLease();
  const { writerGone } = await openActingCall(life);
  const lookAt = createWatcher();
  const before = await countRenewals(life.number);
  await terminate();
  await lookAt(0, 2_000, 4_000);
  release();
  // The process may take its lock more than once, if it gives up the first connection.
  await expect.poll(() => countRenewals(life.number)).toBeGreaterThan(before);
  await terminate();
  await lookAt(6_000, 8_000, 10_000);
  expect(await writerGone()).toBe(false);
  await lookAt(11_000);
  expect(await writerGone()).toBe(true);
  release();
  await end();
});

it("[P7] an observer that did not check for a while starts the grace period again", async () => {
  const { life, terminate, release, end } = await createInterruptibleLease();
  const { writerGone } = await openActingCall(life);
  await terminate();
  const lookAt = createWatcher();
  await lookAt(0, 60_000);
  expect(await writerGone()).toBe(false);
  release();
  await end();
});

it("[P7] a process that was declared dead continues under a new lease number", async () => {
  const { life, terminate, release, end } = await createInterruptibleLease();
  const { number } = life;
  const { writerGone, call } = await openActingCall(life);
  await terminate();
  await createWatcher()(0, 2_000, 4_000, 5_000);
  expect(await writerGone()).toBe(true);
  expect(await listOrphanedCalls(db.sweeper)).toContainEqual({ tenant: "acme", call, epoch: 1 });
  release();
  await expect.poll(() => life.number).not.toBe(number);
  expect([await isLeaseHeld(number), await isLeaseHeld(life.number)]).toEqual([null, life.number]);
  expect(await (await openActingCall(life)).writerGone()).toBe(false);
  await end();
});

it("[P7] a process is not declared dead while one of its intents is being written", async () => {
  const { life, terminate, release, end } = await createInterruptibleLease();
  const writing = await db.app.connect();
  await writing.query("begin");
  expect((await writing.query("select paraph.life_held($1) as it", [life.number])).rows[0].it).toBe(
    life.number,
  );
  await terminate();
  const dead = async () =>
    (
      await database.query("select dead_at is not null as dead from paraph.process_lease where life = $1", [
        life.number,
      ])
    )[0]?.dead;
  const lookAt = createWatcher();
  await lookAt(0, 2_000, 4_000, 6_000);
  expect(await dead()).toBe(false);
  await writing.query("commit");
  writing.release();
  await lookAt(7_000);
  expect(await dead()).toBe(true);
  release();
  await end();
});

it("leases of dead processes are deleted once none of their intents is open", async () => {
  const [busy, idle] = [await beginProcessLease(database.url), await beginProcessLease(database.url)];
  await openActingCall(busy);
  for (const life of [busy, idle]) await life.end();
  await database.query("update paraph.process_lease set dead_at = dead_at - interval '2 hours'");
  await forgetLeases(db.sweeper);
  const left = await database.query("select life from paraph.process_lease where life = any($1)", [
    [busy.number, idle.number],
  ]);
  expect(left).toEqual([{ life: busy.number }]);
});
