import { admit, Catalog } from "@paraph/core";
import { createPlainPolicy, ExternalSystem, externalRules } from "@paraph/core/testing";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { createTestPipeline, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import {
  announceWorker,
  beginProcessLease,
  connectDatabase,
  listenForWakes,
  PostgresStore,
  provision,
  sweepDueCalls,
} from "../../postgres/index.ts";
import { createPostgresEngine } from "./index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());
await provision(database.ownerUrl, async (p) => {
  await p.addTenant(testTenant);
  await p.addPrincipal({ tenant: testTenant, id: "owner", kind: "person" });
  await p.addPrincipal(testAgent);
});

/** Creates an engine with its own lease, as each process has one. */
async function createEngine() {
  const lease = await beginProcessLease(database.url);
  onTestFinished(() => lease.end());
  const engine = createPostgresEngine({
    database: db,
    databaseUrl: database.url,
    now: () => Date.now(),
    announce: (address) => announceWorker(db.app, lease, address),
    onProblem: () => {},
    onSegmentFailure: () => {},
  });
  return { engine, lease };
}

/** Starts a worker whose segments the test can await. Its segments last until `release`. */
async function startTestWorker({ holds = false } = {}) {
  const { engine, lease } = await createEngine();
  const gate = Promise.withResolvers<void>();
  if (!holds) gate.resolve();
  const runs: string[] = [];
  const server = await engine.serve(async ({ call }) => {
    runs.push(call);
    await gate.promise;
    return [];
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    gate.resolve();
    await server.leave();
    await server.stop();
  };
  onTestFinished(stop);
  return { engine, lease, server, runs, release: gate.resolve, stop };
}

/** Returns the backends that listen for messages in a database. */
const listListeners = async (where = database) =>
  (
    await where.query(
      "select pid from pg_stat_activity where application_name = 'paraph_wakes' and datname = current_database() order by pid",
    )
  ).map((row) => row.pid as number);

const toWake = (call: string) => ({ tenant: testTenant, call, epoch: 1 });

it("a process without the role of a worker notifies one live worker, and not the one that left", async () => {
  const [gone, live, sender] = [await startTestWorker(), await startTestWorker(), await createEngine()];
  await gone.stop();
  for (let n = 0; n < 300; n += 1) await sender.engine.send(toWake(`call_${n % 100}`));
  await expect.poll(() => new Set(live.runs).size).toBe(100);
  expect(gone.runs).toEqual([]);
});

it("a message goes to no worker that lost its lease, although it is not declared dead yet", async () => {
  const [killed, live] = [await startTestWorker(), await startTestWorker()];
  await killed.lease.end({ acting: true });
  const sender = await createEngine();
  for (let n = 0; n < 60; n += 1) await sender.engine.send(toWake(`call_${n}`));
  await expect.poll(() => live.runs.length).toBe(60);
  expect(killed.runs).toEqual([]);
});

it("a message goes to one of several workers, and many messages go to all of them", async () => {
  const [first, second, sender] = [await startTestWorker(), await startTestWorker(), await createEngine()];
  for (let n = 0; n < 60; n += 1) await sender.engine.send(toWake(`call_${n}`));
  await expect.poll(() => first.runs.length + second.runs.length).toBe(60);
  expect(Math.min(first.runs.length, second.runs.length)).toBeGreaterThan(0);
});

it("a worker runs its own messages, and hands over what it has not started when it stops", async () => {
  const [first, second] = [await startTestWorker({ holds: true }), await startTestWorker()];
  const count = 400;
  for (let n = 0; n < count; n += 1) await first.engine.send(toWake(`call_${n}`));
  expect(first.runs.length).toBeGreaterThan(0);
  expect(second.runs).toEqual([]);
  first.server.retire();
  await expect.poll(() => first.runs.length + second.runs.length).toBe(count);
  expect(new Set([...first.runs, ...second.runs]).size).toBe(count);
});

it("[P12] a call stays with its worker for as long as its segment runs, so no sweeper takes it", async () => {
  const pipeline = await createTestPipeline("engine");
  const outside = new ExternalSystem(pipeline.clock).createCapabilities({
    gate: async () => {},
    alive: () => true,
  });
  const ports = pipeline.ports({
    store: new PostgresStore(db.app, 1),
    policy: createPlainPolicy(externalRules),
    catalog: new Catalog(outside),
  });
  const request = { principal: testAgent, input: { target: "t" } };
  const open = async (capability: string) =>
    (await admit({ ...request, capability }, ports, () => false)).call.call;
  const [ready, asked] = [await open("natural.allowed"), await open("natural.asked")];
  await database.query("update paraph.call set next_at = paraph.now() + interval '4 seconds'");
  const readDue = async (call: string) =>
    (await database.query("select next_at from paraph.call where id = $1", [call]))[0]!.next_at as Date;
  const [readyDue, askedDue] = [await readDue(ready), await readDue(asked)];
  const worker = await startTestWorker({ holds: true });
  for (const call of [ready, asked]) await worker.engine.send(toWake(call));
  await expect.poll(async () => (await readDue(ready)).getTime()).toBeGreaterThan(readyDue.getTime());
  // A person may decide at any time, so the time of an approval does not move.
  expect(await readDue(asked)).toEqual(askedDue);
  await database.query("update paraph.call set next_at = paraph.now() - interval '1 second' where id = $1", [
    asked,
  ]);
  expect((await sweepDueCalls(db.sweeper)).map(({ call }) => call)).toEqual([asked]);
});

it("a worker whose listening connection was lost listens again", async () => {
  const [worker, sender] = [await startTestWorker(), await createEngine()];
  // The sessions of the workers of earlier tests may still be ending.
  await expect.poll(async () => (await listListeners()).length).toBe(1);
  const [pid] = await listListeners();
  await database.query("select pg_terminate_backend($1)", [pid]);
  await expect.poll(async () => (await listListeners()).filter((each) => each !== pid).length).toBe(1);
  await expect
    .poll(async () => {
      await sender.engine.send(toWake("call_1"));
      return worker.runs.length;
    })
    .toBeGreaterThan(0);
});

it("a connection that receives nothing is replaced, such as one to the old primary after a failover", async () => {
  const other = await createTestDatabase();
  const heard: unknown[] = [];
  const listener = await listenForWakes(other.url, "paraph_worker_test", (wake) => heard.push(wake), {
    maxSilenceMs: 200,
  });
  onTestFinished(() => listener.stop());
  const [first] = await listListeners(other);
  // Channels belong to a database, so this connection hears nothing of what goes through the pool.
  await expect
    .poll(async () => {
      await listener.check(db.app);
      return (await listListeners(other)).filter((pid) => pid !== first).length;
    })
    .toBe(1);
});
