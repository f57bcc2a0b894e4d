import { afterAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { createIntentWrites, createTestCall } from "../calls/test-call.ts";
import {
  beginProcessLease,
  connectDatabase,
  createFreezeStore,
  createGrantStore,
  createPolicySetStore,
  PostgresStore,
  provision,
} from "../index.ts";

const database = await createTestDatabase();
const pools = [await connectDatabase(database.url), await connectDatabase(database.url)] as const;
const lease = await beginProcessLease(database.url);
const stores = pools.map(({ app }) => new PostgresStore(app, lease.number));
afterAll(async () => {
  await lease.end();
  for (const pool of pools) await pool.close();
});

const freezes = createFreezeStore(pools[0].app);
const policies = createPolicySetStore(pools[0].app);
const grants = createGrantStore(pools[0].app);
const callers = 64;

async function createTenant(tenant: string): Promise<string> {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
  });
  return tenant;
}

const listIntents = async (tenant: string) =>
  (await database.query("select call from paraph.intent where tenant = $1 order by call", [tenant])).map(
    ({ call }) => String(call),
  );

/**
 * Runs `act` while 64 callers over two pools accept and start calls for as long as they can. Returns the intents at the
 * time when `act` resolved, the intents at the end, and the reason why each caller stopped.
 */
async function actAmidCallers<T>(
  tenant: string,
  gate: { policy?: string; grant?: { id: string; amount: number } },
  act: () => Promise<T>,
) {
  let begunSoFar = 0;
  let enough = () => {};
  const underWay = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const caller = async (store: PostgresStore) => {
    for (;;) {
      const given = { ...createIntentWrites(), gate: { adapter: "bench", limits: [], ...gate } };
      const opened = await store.open(createTestCall(tenant, given));
      if (opened.kind === "stopped") return opened.stop.reason;
      if (++begunSoFar === callers * 3) enough();
    }
  };
  const all = Array.from({ length: callers }, (_, index) => caller(stores[index % 2]!));
  await underWay;
  const answer = await act();
  const then = await listIntents(tenant);
  const reasons = new Set(await Promise.all(all));
  return { answer, then, reasons: [...reasons], after: await listIntents(tenant) };
}

describe("[TRUST 25] with 64 concurrent callers over two pools", () => {
  it.each(["tenant", "principal", "capability", "adapter"] as const)(
    "no intent is written after the freeze of a %s returns, and its list of intents in flight is complete",
    async (kind) => {
      const tenant = await createTenant(`frozen${kind}`);
      const subject = { tenant, principal: "bot", capability: "bench.act", adapter: "bench" }[kind];
      const freeze = { id: "f1", kind, subject, by: "ana" } as const;
      const { answer, then, reasons, after } = await actAmidCallers(tenant, {}, () =>
        freezes.freeze(tenant, freeze),
      );
      expect(reasons).toEqual(["frozen"]);
      expect(after).toEqual(then);
      expect(answer.map(({ call }) => call).sort()).toEqual(then);
      expect(answer[0]).toMatchObject({ capability: "bench.act", attempt: 1 });
      expect(await freezes.list(tenant)).toMatchObject([freeze]);
    },
  );

  it("no intent is written under the old policy set after another is activated", async () => {
    const tenant = await createTenant("published");
    await policies.put(tenant, { version: "two", document: { text: "…" } }, "ana");
    const activation = { id: "a1", version: "two", by: "ana" };
    const { then, reasons, after } = await actAmidCallers(tenant, { policy: "one" }, () =>
      policies.activate(tenant, activation),
    );
    expect(reasons).toEqual(["policy-changed"]);
    expect(after).toEqual(then);
  });

  it("no intent is written on a grant after it is revoked", async () => {
    const tenant = await createTenant("revoked");
    const grant = { id: "g1", capability: "bench.act", bounds: {}, people: [], countLeft: 1_000_000 };
    await grants.create(tenant, { ...grant, expiresAt: Date.now() + 600_000 }, "ana");
    const { then, reasons, after } = await actAmidCallers(tenant, { grant: { id: "g1", amount: 0 } }, () =>
      grants.revoke(tenant, "g1", "ana"),
    );
    expect(reasons).toEqual(["grant-spent"]);
    expect(after).toEqual(then);
  });

  it("no intent is written under the deployment's old policy set after another is configured", async () => {
    const tenant = await createTenant("configured");
    await policies.configure({ version: "old", document: {} }, { leaseNumber: lease.number });
    const { then, reasons, after } = await actAmidCallers(tenant, { policy: "old" }, () =>
      policies.configure({ version: "new", document: { text: "…" } }, { leaseNumber: lease.number }),
    );
    expect(reasons).toEqual(["policy-changed"]);
    expect(after).toEqual(then);
  });
});

describe("repeated administrative changes", () => {
  it("report the existing state and undo no later change", async () => {
    const tenant = await createTenant("twice");
    const freeze = { id: "f1", kind: "principal", subject: "bot", by: "ana" } as const;
    expect(await freezes.freeze(tenant, freeze)).toEqual([]);
    expect(await freezes.freeze(tenant, { ...freeze, by: "bo" })).toEqual([]);
    expect(await freezes.list(tenant)).toMatchObject([freeze]);
    expect(await freezes.thaw(tenant, "f1", "ana")).toEqual({ changed: "done", wakes: [] });
    expect(await freezes.thaw(tenant, "f1", "ana")).toEqual({ changed: "already", wakes: [] });
    expect(await freezes.thaw(tenant, "f2", "ana")).toEqual({ changed: "unknown", wakes: [] });
    expect(await freezes.list(tenant)).toEqual([]);

    for (const version of ["one", "two"])
      await policies.put(tenant, { version, document: { version } }, "ana");
    expect(await policies.put(tenant, { version: "one", document: {} }, "bo")).toBe("already");
    const first = { id: "a1", version: "one", by: "ana" };
    expect(await policies.activate(tenant, first)).toBe("done");
    expect(await policies.activate(tenant, { id: "a2", version: "two", by: "ana" })).toBe("done");
    expect(await policies.activate(tenant, first)).toBe("already");
    expect(await policies.activate(tenant, { id: "a3", version: "three", by: "ana" })).toBe("unknown");
    expect(await policies.findActive(tenant)).toEqual({ version: "two", document: { version: "two" } });

    const grant = { id: "g1", capability: "bench.act", bounds: {}, people: [], countLeft: 5 };
    const lasting = { ...grant, expiresAt: Date.now() + 60_000 };
    expect(await grants.create(tenant, lasting, "ana")).toBe("done");
    expect(await grants.create(tenant, { ...lasting, countLeft: 50 }, "ana")).toBe("already");
    expect(await grants.list(tenant)).toEqual([lasting]);
    expect(await grants.revoke(tenant, "g1", "ana")).toBe("done");
    expect(await grants.revoke(tenant, "g1", "ana")).toBe("already");
    expect(await grants.revoke(tenant, "g2", "ana")).toBe("unknown");
    expect(await grants.list(tenant)).toEqual([]);
  });

  it("a tenant without its own policy set has the deployment's, if there is one", async () => {
    const tenant = await createTenant("plain");
    await policies.configure({ version: "newest", document: { a: 1 } }, { leaseNumber: lease.number });
    expect(await policies.findActive(tenant)).toEqual({ version: "newest", document: { a: 1 } });
    await database.query("delete from paraph.policy_configured");
    expect(await policies.findActive(tenant)).toBe(undefined);
  });
});
