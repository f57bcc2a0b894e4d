import type { FencedTransition, NewCall } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  connectDatabase,
  createFreezeStore,
  type Database,
  PostgresStore,
  provision,
} from "../index.ts";
import {
  createClosingTransition,
  createIntentTransition,
  createIntentWrites,
  createTestCall,
} from "./test-call.ts";

const tenant = "acme";
const database = await createTestDatabase();
let db: Database;
let store: PostgresStore;
const lease = await beginProcessLease(database.url);

beforeAll(async () => {
  db = await connectDatabase(database.url);
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
    await p.addPrincipal({ tenant, id: "cold", kind: "agent" });
  });
  store = new PostgresStore(db.app, lease);
});
afterAll(async () => {
  await lease.end();
  await db.close();
});

/**
 * Opens the calls as one batch. Two batches of a tenant run at a time, so two further calls occupy them, and all others
 * wait for the next batch. An error stands for a call that was rejected.
 */
async function openBatch(calls: readonly NewCall[]) {
  const fillers = [createTestCall(tenant), createTestCall(tenant)];
  const results = await Promise.allSettled([...fillers, ...calls].map((call) => store.open(call)));
  return results.slice(fillers.length).map((it) => (it.status === "fulfilled" ? it.value : it.reason));
}

/** Commits the transitions as one batch, in the same way. */
async function commitBatch(transitions: readonly FencedTransition[]) {
  const fillers = [createTestCall(tenant), createTestCall(tenant)];
  for (const call of fillers) await store.open(call);
  const all = [...fillers.map((call) => createIntentTransition(call)), ...transitions];
  const results = await Promise.allSettled(all.map((transition) => store.commit(transition)));
  return results.slice(fillers.length).map((it) => (it.status === "fulfilled" ? it.value : it.reason));
}

const countTransactions = async (calls: readonly NewCall[]) =>
  (
    await database.query("select count(distinct xmin::text)::int as n from paraph.call where id = any ($1)", [
      calls.map(({ call }) => call),
    ])
  )[0]?.n;

const countRows = async (table: string, { call }: NewCall) =>
  (await database.query(`select count(*)::int as n from paraph.${table} where call = $1`, [call]))[0]?.n;

const closed = {
  state: "closed",
  nextAt: undefined,
  outcome: { kind: "succeeded", code: "done" },
  receipt: { digest: "d", story: "{}", signature: { keyid: "k", sig: "s" } },
} as const;

const createReadCall = (given: Partial<NewCall> = {}) => {
  const at = Date.now();
  const events = (["accepted", "attempted", "closed"] as const).map((kind) => createRawEvent(kind, at));
  const payloads = [{ name: "input", salt: "s", value: { n: 1 } }] as const;
  return createTestCall(tenant, { ...closed, events, payloads, ...given });
};

it("calls of one batch are written in one transaction, each with its own rows", async () => {
  const read = createReadCall();
  const write = createTestCall(tenant, createIntentWrites());
  const waiting = createTestCall(tenant);
  const calls = [waiting, read, write];
  expect(await openBatch(calls)).toEqual(calls.map(() => ({ kind: "opened" })));
  expect(await countTransactions(calls)).toBe(1);
  const count = async (call: NewCall) =>
    Promise.all(["event", "payload", "intent", "receipt", "outcome"].map((table) => countRows(table, call)));
  expect(await count(read)).toEqual([3, 1, 0, 1, 1]);
  expect(await count(write)).toEqual([1, 0, 1, 0, 0]);
  expect(await count(waiting)).toEqual([1, 0, 0, 0, 0]);
  const loaded = await store.load(read);
  expect(loaded?.events.map(({ seq, kind }) => [seq, kind])).toEqual([
    [1, "accepted"],
    [2, "attempted"],
    [3, "closed"],
  ]);
});

it("[P1] openings with one key in a batch open one call, and the others return it", async () => {
  const first = createTestCall(tenant, { key: "same" });
  const again = createTestCall(tenant, { key: "same" });
  const other = createTestCall(tenant, { key: "same", principal: { tenant, id: "cold", kind: "agent" } });
  const neighbour = createReadCall();
  const opened = await openBatch([neighbour, first, again, other]);
  const kinds = opened.map(({ kind }) => kind);
  expect(kinds[0]).toBe("opened");
  expect(kinds.slice(1, 3).sort()).toEqual(["exists", "opened"]);
  expect(kinds[3]).toBe("opened");
  expect(await store.findByKey(first.principal, "same")).toMatchObject({
    call: kinds[1] === "opened" ? first.call : again.call,
  });
});

it("[P1] an opening whose key was taken before writes nothing, and its neighbours are opened", async () => {
  const taken = createReadCall();
  await store.open(taken);
  const again = createReadCall({ key: taken.key });
  // A batch is sorted by key, so these keys put the call in the middle.
  const calls = [createReadCall({ key: "a" }), again, createReadCall({ key: "z" })];
  expect(await openBatch(calls)).toMatchObject([
    { kind: "opened" },
    { kind: "exists", call: { call: taken.call } },
    { kind: "opened" },
  ]);
  for (const table of ["event", "payload", "receipt", "outcome"])
    expect(await countRows(table, again)).toBe(0);
});

it("an opening that PostgreSQL rejects does not fail its neighbours", async () => {
  const calls = [createReadCall(), createReadCall({ version: 2 ** 40 }), createReadCall()];
  const [before, rejected, after] = await openBatch(calls);
  expect([before, after]).toEqual([{ kind: "opened" }, { kind: "opened" }]);
  expect(rejected).toMatchObject({ code: "22003" });
});

it("[TRUST 25] a gate stops one opening of a batch, and lets the others in", async () => {
  const freezes = createFreezeStore(db.app);
  await freezes.freeze(tenant, { id: "f1", kind: "principal", subject: "cold", by: "ana" });
  const gate = { adapter: "bench", limits: [] };
  const cold = createReadCall({ gate, principal: { tenant, id: "cold", kind: "agent" } });
  const calls = [createReadCall({ gate }), cold, createReadCall({ gate })];
  expect(await openBatch(calls)).toMatchObject([
    { kind: "opened" },
    { kind: "stopped", stop: { reason: "frozen" } },
    { kind: "opened" },
  ]);
  expect(await countRows("event", cold)).toBe(0);
  await freezes.thaw(tenant, "f1", "ana");
});

it("[fence] of two transitions of one call in a batch, the second is lost and writes nothing", async () => {
  const calls = [createTestCall(tenant), createTestCall(tenant), createTestCall(tenant)] as const;
  for (const call of calls) await store.open(call);
  const [left, twice, right] = calls.map((call) => createIntentTransition(call));
  const again = { ...twice!, events: [createRawEvent("intended", Date.now())] };
  const results = await commitBatch([left!, twice!, again, right!]);
  expect(results.map(({ kind }) => kind)).toEqual(["done", "done", "lost", "done"]);
  expect(await countTransactions(calls)).toBe(1);
  expect(await countRows("event", calls[1])).toBe(1);
  for (const call of calls) expect(await countRows("intent", call)).toBe(1);
});

it("transitions of one batch end their own attempts, and continue their own events", async () => {
  const [written, acting, kept, asked] = [
    createTestCall(tenant, createIntentWrites()),
    createTestCall(tenant, createIntentWrites()),
    createTestCall(tenant, createIntentWrites()),
    createTestCall(tenant),
  ];
  for (const call of [written, acting, kept, asked]) await store.open(call);
  const at = Date.now();
  const events = [createRawEvent("attempted", at), createRawEvent("closed", at)];
  const results = await commitBatch([
    createClosingTransition(written, { ...closed, epoch: 1, events }),
    { tenant, call: acting.call, epoch: 1, state: "performing", nextAt: at, events: [] },
    { tenant, call: kept.call, epoch: 7, state: "ready", nextAt: at, events },
    { tenant, call: asked.call, epoch: 1, state: "ready", nextAt: at, events: [createRawEvent("ruled", at)] },
  ]);
  const done = { kind: "done", epoch: 2, wake: [] };
  expect(results).toEqual([done, done, { kind: "lost" }, done]);
  expect(await store.load(written)).toMatchObject({
    state: "closed",
    epoch: 2,
    events: [{ kind: "accepted" }, { seq: 2, kind: "attempted" }, { seq: 3, kind: "closed" }],
    attempts: [{ ended: "succeeded" }],
  });
  expect(await countRows("outcome", written)).toBe(1);
  for (const call of [acting, kept]) {
    const [attempt] = (await store.load(call))?.attempts ?? [];
    expect(attempt?.number).toBe(1);
    expect(attempt?.ended).toBeUndefined();
  }
  expect(await countRows("event", kept)).toBe(1);
  expect((await store.load(asked))?.events.map(({ seq, kind }) => [seq, kind])).toEqual([
    [1, "accepted"],
    [2, "ruled"],
  ]);
  expect(await countRows("outcome", asked)).toBe(0);
});
