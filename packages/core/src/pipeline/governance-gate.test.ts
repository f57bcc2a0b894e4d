import { describe, expect, it } from "vitest";
import { ask, bench, guarded } from "../../../../test/support/governance-bench.ts";
import { testAgent, testTenant } from "../../../../test/support/test-pipeline.ts";
import { lastEvent } from "../event.ts";
import type { Grant } from "../grant.ts";
import type { Json } from "../json.ts";
import type { Limit } from "../limit.ts";
import type { Policy } from "../policy/policy.ts";
import type { Ports } from "../ports.ts";
import { sealGrant } from "../receipts/sealed-grant.ts";
import { admit } from "./admission/admit.ts";

describe("a freeze", () => {
  const freeze = { id: "f1", kind: "principal", subject: "agent", by: "owner" } as const;

  it("[TRUST 25] rejects the calls of a frozen principal, and performs no read for it", async () => {
    const { store, ask, ports, world } = await bench(guarded([]));
    store.freeze(testTenant, freeze);
    await expect(ask()).rejects.toMatchObject({ code: "frozen" });
    expect(store.calls()).toEqual([]);
    const known: Ports = { ...ports, freezes: { inForce: async () => ({ id: "f1", kind: "principal" }) } };
    await expect(
      admit({ principal: testAgent, capability: "billing.list", input: {} }, known),
    ).rejects.toMatchObject({ code: "frozen" });
    expect(world.effects).toBe(0);
  });

  it("[TRUST 25] parks an approved call, which runs after the thaw", async () => {
    const { store, ask: request, approve, advance, world, kinds } = await bench(guarded([ask()]));
    const call = await approve(await request());
    store.freeze(testTenant, freeze);
    expect(await advance(call)).toMatchObject({ state: "parked" });
    expect(await advance(call)).toMatchObject({ state: "parked" });
    expect((await kinds(call)).filter((kind) => kind === "parked")).toHaveLength(1);
    expect(world.effects).toBe(0);
    expect(store.thaw(testTenant, "f1")).toMatchObject([{ call: call.call }]);
    expect(await advance(call)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(world.effects).toBe(1);
  });
});

describe("a new policy set", () => {
  it("[P5] that takes effect between admission and the intent is evaluated before the effect", async () => {
    const policy = guarded([]);
    const { store, ask, advance, load } = await bench(policy);
    const call = await ask();
    store.getGates(testTenant).activate("v2");
    const done = await advance(call);
    expect(done.outcome).toMatchObject({ kind: "succeeded" });
    expect(lastEvent((await load(call)).events, "intended")?.data.version).toBe("v2");
  });

  it("[P11] that a process cannot load makes the process reject calls", async () => {
    const policy = { ...guarded([]), refresh: async () => {} };
    const { store, ask } = await bench(policy);
    store.getGates(testTenant).activate("v2");
    await expect(ask()).rejects.toMatchObject({ code: "policy-unsettled" });
    expect(store.calls()).toEqual([]);
  });

  it("[P11] is fetched before Paraph refuses a call because no policy set could be loaded", async () => {
    const good = guarded([]);
    let loadable = false;
    const policy: Policy = {
      current: (of) => {
        if (!loadable) throw new Error("this process cannot load the policy set in force");
        return good.current(of);
      },
      refresh: async () => {
        loadable = true;
      },
    };
    const { ask, advance } = await bench(policy);
    expect((await advance(await ask())).outcome).toMatchObject({ kind: "succeeded" });
  });
});

describe("a limit", () => {
  const limit = (given: Partial<Limit>): Limit => ({
    id: "l",
    kind: "calls",
    key: "k",
    windowMs: 3_600_000,
    max: 1,
    amount: 1,
    ...given,
  });
  const under = (limits: (cost: number) => Limit[]) => ({
    settings: { limits: (_: unknown, __: unknown, cost: number) => limits(cost) },
  });

  it("on calls rejects the call that exceeds it, and returns the time of its reset", async () => {
    const { ask, clock, store } = await bench(
      guarded([]),
      under(() => [limit({ max: 2 })]),
    );
    await ask();
    await ask();
    const resetAt = Math.ceil((clock.now() + 1) / 3_600_000) * 3_600_000;
    await expect(ask()).rejects.toMatchObject({ code: "limit-reached", retryAt: resetAt });
    expect(store.calls()).toHaveLength(2);
  });

  it("on money reserves the cost before the effect, settles it afterwards, and refuses calls that exceed it", async () => {
    const money = (cost: number) => [limit({ kind: "money", max: 100, amount: cost })];
    const { ask, advance, store, clock } = await bench(guarded([]), under(money));
    expect(await advance(await ask({ cents: 70 }))).toMatchObject({ outcome: { kind: "succeeded" } });
    const over = await advance(await ask({ cents: 40 }));
    expect(over).toMatchObject({ outcome: { kind: "refused", code: "limit-reached" } });
    expect(lastEvent(over.events, "closed")?.data.limit).toBe("l");
    expect(await advance(await ask({ cents: 30 }))).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(store.getGates(testTenant).getSpentToday("agent", clock.now())).toBe(100);
  });

  it("on concurrency delays a call until a slot is free, and the call then succeeds [P12]", async () => {
    const place = () => [limit({ kind: "concurrency", windowMs: 0, max: 1 })];
    const { ask, advance, load, world, clock } = await bench(guarded([]), under(place));
    let go = () => {};
    world.hold = new Promise((resolve) => {
      go = resolve;
    });
    const [first, second] = [await ask(), await ask()];
    const acting = advance({ ...first, tenant: testTenant } as never);
    while ((await load(first)).state !== "performing") await new Promise((resolve) => setImmediate(resolve));
    expect(await advance(second)).toMatchObject({ state: "delayed" });
    go();
    await acting;
    clock.advance(1_000);
    expect(await advance(second)).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(world.effects).toBe(2);
  });
});

it("a call that could run inline is accepted despite a full concurrency limit, and waits [P12]", async () => {
  const place = { id: "l", kind: "concurrency", key: "k", windowMs: 0, max: 0, amount: 1 } as const;
  const { ports } = await bench(guarded([]), { settings: { limits: () => [place] } });
  const request = { principal: testAgent, capability: "billing.pay", input: {} };
  expect((await admit(request, ports, () => true)).call.state).toBe("ready");
});

describe("a grant", () => {
  const grant = (given: Partial<Grant> = {}): Grant => ({
    id: "g1",
    capability: "billing.pay",
    bounds: { cents: { atMost: 100 } },
    people: [{ by: "ana", groups: [] }],
    countLeft: 2,
    expiresAt: Number.MAX_SAFE_INTEGER,
    ...given,
  });

  it("[TRUST 15] satisfies a guard within its bounds, and each intent uses one count and names the grant", async () => {
    const { store, signer, ask: request, advance } = await bench(guarded([ask()]));
    store.getGates(testTenant).grant(sealGrant(testTenant, grant(), signer));
    for (const cents of [50, 100]) {
      const call = await advance(await request({ cents }));
      expect(call.outcome).toMatchObject({ kind: "succeeded" });
      expect(lastEvent(call.events, "intended")?.data.grant).toBe("g1");
    }
    expect(await request({ cents: 50 })).toMatchObject({ state: "asking" });
  });

  it.each<[string, Partial<Grant>, Record<string, Json>]>([
    ["outside its bounds", {}, { cents: 101 }],
    ["with an argument it bounds missing", { bounds: { other: { is: 1 } } }, { cents: 1 }],
    ["of another principal", { principal: "somebody" }, { cents: 1 }],
    ["for more than it has left", { amountLeft: 10 }, { cents: 11 }],
    ["once it has ended", { expiresAt: 1 }, { cents: 1 }],
    ["where only who asks stands behind it", { people: [{ by: "owner", groups: [] }] }, { cents: 1 }],
  ])("[TRUST 15] does not replace the approval of a call %s", async (_, given, input) => {
    const { store, signer, ask: request } = await bench(guarded([ask()]));
    store.getGates(testTenant).grant(sealGrant(testTenant, grant(given), signer));
    expect(await request(input)).toMatchObject({ state: "asking" });
  });

  it("[TRUST 15] that is revoked after admission is not used, and Paraph asks people instead", async () => {
    const { store, signer, ask: request, advance } = await bench(guarded([ask()]));
    store.getGates(testTenant).grant(sealGrant(testTenant, grant(), signer));
    const call = await request({ cents: 1 });
    expect(call.state).toBe("ready");
    store.getGates(testTenant).revoke("g1");
    expect(await advance(call)).toMatchObject({ state: "asking" });
  });
});
