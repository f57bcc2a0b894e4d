import type { Principal } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  connectDatabase,
  loadCallStatistics,
  PostgresStore,
  provision,
} from "../index.ts";
import { createClosingTransition, createIntentTransition, createTestCall } from "./test-call.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
const store = new PostgresStore(db.app, lease.number);
afterAll(async () => {
  await lease.end();
  await db.close();
});

const ana: Principal = { tenant: "acme", id: "ana", kind: "person" };
beforeAll(() =>
  provision(database.ownerUrl, async (p) => {
    await p.addTenant("acme");
    await p.addTenant("busy");
  }),
);

const listOutcomes = () =>
  database.query(
    "select call, kind, code, retries, spent::int as spent, whole_ms, acting_ms, tokens_in::int, tokens_out::int from paraph.outcome where tenant = 'acme' order by call",
  );

describe("closing a call", () => {
  it("writes one row with the outcome, the retries, the cost, the durations and the tokens", async () => {
    const at = Date.now();
    const call = createTestCall("acme", { createdAt: at - 60_000 });
    await store.open(call);
    await store.commit(createIntentTransition(call));
    const tried = (as: string) => createRawEvent("attempted", at, { attempt: 1, as });
    await store.commit(
      createClosingTransition(call, {
        events: [
          ...[tried("not-performed"), tried("succeeded")],
          createRawEvent("closed", at, { ms: 4_711, tokens: { input: 12, output: 3 } }),
        ],
        settle: { spent: 250 },
      }),
    );
    const [row] = await listOutcomes();
    expect(row).toMatchObject({ call: call.call, kind: "succeeded", code: "ok", retries: 1, spent: 250 });
    expect(row?.whole_ms).toBeGreaterThanOrEqual(60_000);
    // The receipt holds the same values, because both come from the `closed` event.
    expect(row).toMatchObject({ acting_ms: 4_711, tokens_in: 12, tokens_out: 3 });
  });

  it("writes one row also for a call that is already closed when it is opened", async () => {
    const call = createTestCall("acme", {
      state: "closed",
      nextAt: undefined,
      outcome: { kind: "refused", code: "no" },
    });
    await store.open(call);
    expect(await listOutcomes()).toContainEqual(
      expect.objectContaining({ call: call.call, kind: "refused", retries: 0, spent: 0 }),
    );
  });

  it("records no cost of an unknown outcome until it is resolved", async () => {
    const call = createTestCall("acme");
    await store.open(call);
    await store.commit(createIntentTransition(call));
    const outcome = { kind: "unknown", code: "lost" } as const;
    await store.commit(
      createClosingTransition(call, {
        outcome,
        endAttempt: { attempt: 1, as: "lost" },
        settle: { spent: "unknown" },
      }),
    );
    const row = async () => (await listOutcomes()).find((one) => one.call === call.call);
    expect(await row()).toMatchObject({ kind: "unknown", spent: 0 });
    const at = Date.now();
    await store.resolve({
      tenant: "acme",
      call: call.call,
      epoch: 3,
      payloads: [],
      settle: { spent: 99 },
      resolution: { finding: "happened", by: "ana", how: "person", at },
      event: createRawEvent("resolved", at),
      statement: { digest: "d", envelope: { payloadType: "t", payload: "", signatures: [] } },
    });
    expect(await row()).toMatchObject({ kind: "unknown", spent: 99 });
  });
});

describe("statistics", () => {
  const busy: Principal = { ...ana, tenant: "busy" };
  beforeAll(() =>
    // Durations are spread evenly from 1 ms to 1000 ms. Every tenth call failed, 100 more were refused, and half of the
    // performed calls are 40 days old.
    database.query(
      `insert into paraph.outcome
       select 'busy', now() - case when old then interval '40 days' else interval '1 hour' end, 'c' || n || old, 'a.' || case when n % 2 = 0 then 'even' else 'odd' end,
              'bot' || n % 3, case when n % 10 = 0 then 'failed' else 'succeeded' end, 'done', n * 2, n, n % 2, 1, n, 2
       from generate_series(1, 1000) n, unnest(array[true, false]) old
       union all select 'busy', now(), 'r' || n, 'a.even', 'bot0', 'refused', 'policy', 0, 0, 0, 0, 0, 0 from generate_series(1, 100) n`,
    ),
  );
  const read = (reader: Principal, filter: object = {}) =>
    loadCallStatistics(db.app, reader, { by: "capability", limit: 10, ...filter });

  it("cover at most a month, list the busiest group first, and exclude refusals from the success rate", async () => {
    const { groups } = await read(busy, { since: 0 });
    expect(groups.map(({ capability, calls }) => [capability, calls])).toEqual([
      ["a.even", 600],
      ["a.odd", 500],
    ]);
    expect(groups[0]).toMatchObject({
      outcomes: { succeeded: 400, failed: 100, refused: 100 },
      successRate: 0.8,
      retries: 0,
      spent: 500,
      // 2 + 4 + … + 1000
      tokens: { input: 250_500, output: 1_000 },
    });
    expect(groups[1]).toMatchObject({ successRate: 1, retries: 500, meanMs: 1_000 });
  });

  it("list why calls did not succeed, the most frequent code first, also for one session", async () => {
    const [even] = (await read(busy)).groups;
    expect(even!.codes).toEqual([
      { outcome: "refused", code: "policy", calls: 100, lastAt: expect.any(Number) },
      { outcome: "failed", code: "done", calls: 100, lastAt: expect.any(Number) },
    ]);
    expect((await read(busy, { by: "adapter" })).groups).toMatchObject([{ adapter: "a", calls: 1_100 }]);
    const call = createTestCall("busy", {
      ...{ state: "closed", nextAt: undefined, outcome: { kind: "denied", code: "returned" } },
      session: { session: "chat-1" },
    });
    await store.open(call);
    const { groups } = await read(busy, { session: "chat-1" });
    expect(groups).toMatchObject([{ calls: 1, codes: [{ outcome: "denied", code: "returned" }] }]);
    await database.query("delete from paraph.outcome where kind = 'denied' and tenant = 'busy'");
  });

  it("give percentiles of durations with an error below six per cent", async () => {
    const [odd] = (await read(busy, { capability: "a.odd" })).groups;
    expect(Math.abs(odd!.actingMs!.p50 - 500) / 500).toBeLessThan(0.06);
    expect(Math.abs(odd!.actingMs!.p95 - 950) / 950).toBeLessThan(0.06);
  });

  it("are grouped by principal or by both; people see all principals, and an agent sees only itself", async () => {
    expect((await read(busy, { by: "principal" })).groups.map(({ principal }) => principal)).toEqual([
      "bot0",
      "bot1",
      "bot2",
    ]);
    expect((await read(busy, { by: "both" })).groups).toHaveLength(6);
    const own = await read({ tenant: "busy", id: "bot1", kind: "agent" }, { by: "both" });
    expect(new Set(own.groups.map(({ principal }) => principal))).toEqual(new Set(["bot1"]));
    expect(own.errors.every(({ principal }) => principal === "bot1")).toBe(true);
    expect((await read(busy, { principal: "bot2", by: "principal" })).groups).toHaveLength(1);
    expect((await read(busy)).errors).toHaveLength(10);
    expect((await read({ ...busy, tenant: "quiet" })).groups).toEqual([]);
  });

  it("are grouped by hour, the latest first", async () => {
    const { groups } = await read(busy, { by: "hour" });
    expect(groups.map(({ calls }) => calls)).toEqual([100, 1_000]);
    expect(groups[0]!.hour! - groups[1]!.hour!).toBe(3_600_000);
    expect(groups[0]!.hour! % 3_600_000).toBe(0);
    expect(groups[0]).toMatchObject({ outcomes: { refused: 100 } });
    expect((await read(busy, { by: "hour", limit: 1 })).groups).toHaveLength(1);
  });

  it("are grouped by day (UTC), the latest first", async () => {
    const { groups } = await read(busy, { by: "day" });
    // The calls of the last hour can belong to the day before.
    expect(groups.reduce((sum, { calls }) => sum + calls, 0)).toBe(1_100);
    expect(groups.map(({ day }) => day! % 86_400_000)).toEqual(groups.map(() => 0));
    expect(groups.map(({ day }) => day)).toEqual(groups.map(({ day }) => day).sort((a, b) => b! - a!));
  });
});
