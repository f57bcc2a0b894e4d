import type { Limit, NewCall } from "@paraph/core";
import { afterAll, beforeEach, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { beginProcessLease, connectDatabase, createGrantStore, PostgresStore, provision } from "../index.ts";
import {
  createClosingTransition,
  createIntentTransition,
  createIntentWrites,
  createTestCall,
} from "./test-call.ts";

const database = await createTestDatabase();
const pools = [await connectDatabase(database.url), await connectDatabase(database.url)] as const;
const lease = await beginProcessLease(database.url);
const stores = pools.map(({ app }) => new PostgresStore(app, lease.number));
afterAll(async () => {
  await lease.end();
  for (const pool of pools) await pool.close();
});

const callers = 64;
const bots = Array.from({ length: 8 }, (_, index) => `bot${index}`);
const hour = 3_600_000;
// The clock stands still, so that a full window stays full during a test.
await database.query(
  "create or replace function paraph.now() returns timestamptz language sql volatile as $$ select timestamptz '2027-01-01 12:30Z' $$",
);

let tenant: string;
let tenants = 0;
beforeEach(async () => {
  tenant = `t${++tenants}`;
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    for (const id of bots) await p.addPrincipal({ tenant, id, kind: "agent" });
  });
});

const queryOne = async (text: string, values: unknown[]) => (await database.query(text, values))[0];
const readUsed = async (key: string) =>
  Number(
    (await queryOne("select used from paraph.usage where tenant = $1 and key like $2", [tenant, key]))?.used,
  );

const createLimit = (kind: Limit["kind"], key: string, max: number, amount = 1): Limit => ({
  id: `${kind}-${key}`,
  kind,
  key,
  max,
  amount,
  windowMs: kind === "concurrency" ? 0 : hour,
});

/** Runs every caller in its own loop, half of them through the other pool. */
async function runAllCallers<T>(
  rounds: number,
  body: (store: PostgresStore, n: number) => Promise<T>,
): Promise<T[]> {
  const results = await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const mine: T[] = [];
      for (let round = 0; round < rounds; round += 1)
        mine.push(await body(stores[caller % 2]!, round * callers + caller));
      return mine;
    }),
  );
  return results.flat();
}

const createGatedCall = (n: number, limits: readonly Limit[], newCall: Partial<NewCall> = {}) =>
  createTestCall(tenant, {
    principal: { tenant, id: bots[n % bots.length]!, kind: "agent" },
    gate: { adapter: "bench", limits },
    ...newCall,
  });

const countKind = (results: readonly { kind: string }[], kind: string) =>
  results.filter((result) => result.kind === kind).length;

it("64 concurrent callers on a limit of 300 calls open exactly 300", async () => {
  const results = await runAllCallers(8, (store, n) =>
    store.open(createGatedCall(n, [createLimit("calls", "tenant", 300)])),
  );
  expect([countKind(results, "opened"), countKind(results, "stopped")]).toEqual([300, 8 * callers - 300]);
  expect(await readUsed("calls:%")).toBe(300);
  const { n } =
    (await queryOne("select count(*)::int as n from paraph.call where tenant = $1", [tenant])) ?? {};
  expect(n).toBe(300);
});

it("64 concurrent callers on one money limit reserve and settle exact amounts and never exceed it", async () => {
  // No limit may be exceeded, not even within a transaction.
  await database.query(
    `alter table paraph.usage add constraint never_over check (used <= 1000 or tenant <> '${tenant}')`,
  );
  const limits = [createLimit("money", "purse", 1_000, 7), createLimit("concurrency", "desk", 40)];
  const results = await runAllCallers(4, async (store, n) => {
    const newCall = createGatedCall(n, []);
    await store.open(newCall);
    const answer = await store.commit(
      createIntentTransition(newCall, { gate: { adapter: "bench", limits } }),
    );
    if (answer.kind === "done")
      await store.commit(createClosingTransition(newCall, { settle: { spent: 5 } }));
    return answer;
  });
  expect(await readUsed("money:%")).toBe(5 * countKind(results, "done"));
  expect(await readUsed("concurrency:%")).toBe(0);
  expect(countKind(results, "done") + countKind(results, "stopped")).toBe(4 * callers);
  // The number of further calls that the rest of the budget covers.
  const room = Math.floor((1_000 - (await readUsed("money:%"))) / 7);
  const more = await runAllCallers(1, (store, n) =>
    store.open(createGatedCall(n, limits, createIntentWrites())),
  );
  expect(countKind(more, "opened")).toBe(Math.min(room, 40));
  expect(
    await queryOne("select count(*)::int as n from paraph.reservation where tenant = $1", [tenant]),
  ).toEqual({
    n: 2 * Math.min(room, 40),
  });
});

it("[TRUST 15] 64 concurrent callers use up one grant and never exceed it", async () => {
  const grant = { id: "g", capability: "bench.act", bounds: {}, people: [], countLeft: 100, amountLeft: 330 };
  await createGrantStore(pools[0].app).create(
    tenant,
    { ...grant, expiresAt: Date.parse("2027-01-02") },
    "ana",
  );
  const gate = { adapter: "bench", limits: [], grant: { id: "g", amount: 5 } };
  const results = await runAllCallers(4, (store, n) =>
    store.open(createGatedCall(n, [], { ...createIntentWrites(), gate })),
  );
  expect(countKind(results, "opened")).toBe(66);
  expect(
    await queryOne("select count_left, amount_left::int from paraph.standing_grant where tenant = $1", [
      tenant,
    ]),
  ).toEqual({
    count_left: 34,
    amount_left: 0,
  });
});

it("concurrent calls with limits and grants in any order never deadlock", async () => {
  for (const id of ["g0", "g1", "g2"]) {
    const grant = { id, capability: "bench.act", bounds: {}, people: [], countLeft: 10_000 };
    await createGrantStore(pools[0].app).create(
      tenant,
      { ...grant, expiresAt: Date.parse("2027-01-02") },
      "ana",
    );
  }
  const kinds = ["calls", "money", "concurrency"] as const;
  const results = await runAllCallers(6, async (store, n) => {
    const limits = kinds
      .flatMap((kind) => [0, 1, 2].map((i) => createLimit(kind, `k${(i * n) % 7}`, 10_000)))
      .toSorted(() => (n % 3) - 1);
    const gate = { adapter: "bench", limits, grant: { id: `g${n % 3}`, amount: 1 } };
    const newCall = createGatedCall(n, limits, n % 2 ? { gate } : { ...createIntentWrites(), gate });
    await store.open(newCall);
    if (n % 2) await store.commit(createIntentTransition(newCall, { gate }));
    const end = (["succeeded", "not-performed"] as const)[n % 2]!;
    const epoch = n % 2 ? 2 : 1;
    return store.commit(
      createClosingTransition(newCall, {
        epoch,
        endAttempt: { attempt: 1, as: end },
        settle: { spent: 1 },
        unlock: n % 4 < 2,
      }),
    );
  });
  expect(countKind(results, "done")).toBe(6 * callers);
  const [{ deadlocks } = {}] = await database.query(
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  expect(deadlocks).toBe(0);
});

it("the store deletes the usage of windows that ended long ago", async () => {
  for (const [at, n] of [
    ["12:30", 1],
    ["13:30", 2],
    ["15:30", 2],
    ["23:30", 1],
  ] as const) {
    await database.query(
      `create or replace function paraph.now() returns timestamptz language sql volatile as $$ select timestamptz '2027-01-01 ${at}Z' $$`,
    );
    await stores[0]!.open(
      createGatedCall(0, [createLimit("calls", "tenant", 5), createLimit("calls", "tenant", 9)]),
    );
    const rows = await database.query("select used::int from paraph.usage where tenant = $1", [tenant]);
    expect(rows).toEqual(Array.from({ length: n }, () => ({ used: 1 })));
  }
});
