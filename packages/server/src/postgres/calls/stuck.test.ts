import { type Ports, type Principal, resumeStuck } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  connectDatabase,
  listCalls,
  listOrphanedCalls,
  PostgresStore,
  provision,
} from "../index.ts";
import { createTestCall } from "./test-call.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

const tenant = "acme";
const ana: Principal = { tenant, id: "ana", kind: "person" };
await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  await p.addPrincipal(ana);
  await p.addPrincipal({ tenant, id: "bot", kind: "agent", owner: "ana" });
});

it("[P2] the store lists stuck calls separately with their code, until a person resumes them", async () => {
  const store = new PostgresStore(db.app, lease.number);
  const [fine, stuck] = [createTestCall(tenant), createTestCall(tenant)];
  for (const opening of [fine, stuck]) await store.open(opening);
  const listed = async () =>
    (await listCalls(db.app, ana, { stuck: true, limit: 10 })).calls.map((c) => [c.call, c.stuck]);
  expect(await listed()).toEqual([]);
  const move = { state: "ready", nextAt: undefined, events: [], segment: "failed", stuck: "broken" } as const;
  await store.commit({ tenant, call: stuck.call, epoch: 1, ...move });
  expect(await listed()).toEqual([[stuck.call, "broken"]]);

  const ports = { store, clock: { now: () => Date.now() } } as unknown as Ports;
  const { wakes } = await resumeStuck({ call: stuck.call, by: ana }, ports);
  expect([wakes.map(({ call }) => call), await listed()]).toEqual([[stuck.call], []]);
});

it("[P2] the sweeper ignores a stuck call, even if its process died", async () => {
  const dead = await beginProcessLease(database.url);
  const store = new PostgresStore(db.app, dead.number);
  const at = Date.now();
  const acting = createTestCall(tenant, {
    state: "performing",
    segment: "runs",
    intent: { attempt: 1, at, deadline: at + 60_000 },
  });
  await store.open(acting);
  await dead.end();
  expect((await listOrphanedCalls(db.sweeper)).map(({ call }) => call)).toEqual([acting.call]);
  const move = {
    state: "performing",
    nextAt: undefined,
    events: [],
    segment: "failed",
    stuck: "broken",
  } as const;
  await store.commit({ tenant, call: acting.call, epoch: 1, ...move });
  expect(await listOrphanedCalls(db.sweeper)).toEqual([]);
});
