import type { CommitResult, FencedTransition, NewCall } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import type { Pool } from "pg";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { beginProcessLease, connectDatabase, createFreezeStore, PostgresStore, provision } from "../index.ts";
import { createTestCall } from "./test-call.ts";

const database = await createTestDatabase();
const [here, there] = [await connectDatabase(database.url), await connectDatabase(database.url)];
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await here.close();
  await there.close();
});
await provision(database.ownerUrl, async (p) => {
  await p.addTenant("red");
  await p.addPrincipal({ tenant: "red", id: "bot", kind: "agent" });
});
const stores = [here, there].map(({ app }) => new PostgresStore(app, lease.number));
const store = stores[0]!;

const gate = {
  adapter: "bench",
  limits: [{ id: "l", kind: "calls", key: "all", windowMs: 86_400_000, max: 10_000, amount: 1 } as const],
};

function createEnding({ tenant, call }: NewCall, epoch: number): FencedTransition {
  return {
    tenant,
    call,
    epoch,
    state: "closed",
    nextAt: undefined,
    unlock: true,
    outcome: { kind: "superseded", code: "edited" },
    events: [createRawEvent("closed", Date.now())],
    receipt: { digest: "d", story: "{}", signature: { keyid: "k", sig: "s" } },
  };
}

/** Opens calls that hold or wait for the same lock keys. */
async function openContendingCalls(size: number): Promise<NewCall[]> {
  const openings = Array.from({ length: size }, (_, index) =>
    createTestCall("red", { lockKeys: [...new Set([`k${index % 5}`, `k${(index * 3 + 1) % 5}`])].sort() }),
  );
  for (const opening of openings) {
    await store.open(opening);
    const nextAt = Date.now() + 60_000;
    const { tenant, call } = opening;
    await store.lock({ tenant, call, epoch: 1, heldNextAt: nextAt, queuedNextAt: nextAt });
  }
  return openings;
}

/** Ends a call. Repeats a lost transition while the call is open, because the queue gave the call its keys meanwhile. */
async function endCall(
  opening: NewCall,
  end: (ending: FencedTransition) => Promise<CommitResult>,
): Promise<CommitResult> {
  for (;;) {
    const { epoch } = (await store.load(opening))!;
    const result = await end(createEnding(opening, epoch));
    if (result.kind !== "lost" || (await store.load(opening))?.state === "closed") return result;
  }
}

it("[P6] 60 concurrent edits with shared locks, a shared limit and competing closings finish without deadlock", async () => {
  const calls = await openContendingCalls(60);
  const successors = calls.map(({ call }) => createTestCall("red", { supersedes: call, gate }));
  const results = await Promise.all(
    calls.flatMap((opening, index) => [
      endCall(opening, (ending) => stores[index % 2]!.supersede(ending, successors[index]!)),
      endCall(opening, (ending) => stores[(index + 1) % 2]!.commit(ending)),
      stores[index % 2]!.open(createTestCall("red", { gate })),
    ]),
  );
  const kinds = results.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "done").length).toBe(60);
  expect(kinds.filter((kind) => kind === "lost").length).toBe(60);
  const [{ successors: there, closed } = {}] = await database.query(
    `select count(*) filter (where supersedes is not null)::int as successors,
            count(*) filter (where outcome = 'superseded')::int as closed from paraph.call`,
  );
  const edits = results.filter(({ kind }, index) => index % 3 === 0 && kind === "done").length;
  expect([there, closed]).toEqual([edits, 60]);
  const [{ used } = {}] = await database.query(
    "select used::int from paraph.usage where key = 'calls:86400000:all'",
  );
  expect(used).toBe(edits + 60);
});

it("[TRUST 25] an edit either commits before a freeze, or is stopped by it and changes nothing", async () => {
  const calls = await openContendingCalls(40);
  const successors = calls.map(({ call }) => createTestCall("red", { supersedes: call, gate }));
  const edits = calls.map((opening, index) =>
    endCall(opening, (ending) => stores[index % 2]!.supersede(ending, successors[index]!)),
  );
  await createFreezeStore(here.app).freeze("red", { id: "f1", kind: "principal", subject: "bot", by: "ana" });
  const before = await database.query(
    "select count(*)::int as n from paraph.call where supersedes is not null",
  );
  const results = await Promise.all(edits);
  expect(
    await database.query("select count(*)::int as n from paraph.call where supersedes is not null"),
  ).toEqual(before);
  for (const [index, { kind }] of results.entries()) {
    const old = await store.load(calls[index]!);
    const next = await store.load(successors[index]!);
    if (kind === "done") expect([old?.state, next?.supersedes]).toEqual(["closed", old?.call]);
    else expect([kind, old?.outcome, next]).toEqual(["stopped", undefined, undefined]);
  }
});

it("[TRUST 25] a freeze returns only after a concurrent edit has committed", async () => {
  await createFreezeStore(here.app).thaw("red", "f1", "ana");
  const [opening = createTestCall("red")] = await openContendingCalls(1);
  const { epoch } = (await store.load(opening))!;
  const client = await here.app.connect();
  await client.query("begin");
  const underWay = new PostgresStore(client as unknown as Pool, lease.number);
  const next = createTestCall("red", { supersedes: opening.call, gate });
  expect(await underWay.supersede(createEnding(opening, epoch), next)).toMatchObject({ kind: "done" });
  let answered = false;
  const freezing = createFreezeStore(there.app)
    .freeze("red", { id: "f2", kind: "principal", subject: "bot", by: "ana" })
    .then(() => {
      answered = true;
    });
  while (!answered && !(await isFreezeWaiting())) await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  await client.query("commit");
  client.release();
  await freezing;
  expect((await store.load(next))?.supersedes).toBe(opening.call);
});

async function isFreezeWaiting(): Promise<boolean> {
  const waiting = await database.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%paraph.freeze(%'`,
  );
  return waiting.length > 0;
}
