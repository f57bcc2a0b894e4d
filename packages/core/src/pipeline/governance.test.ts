import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createPerson,
  createTestPipeline,
  testAgent,
  testTenant,
} from "../../../../test/support/test-pipeline.ts";
import type { Call } from "../call.ts";
import { defineCapability } from "../capability/capability.ts";
import { Catalog } from "../capability/catalog.ts";
import { lastEvent } from "../event.ts";
import type { Grant } from "../grant.ts";
import type { Json } from "../json.ts";
import type { Limit } from "../limit.ts";
import { checkInput, checkResult } from "../policy/check.ts";
import type { Guard, Policy, PolicySet, Question } from "../policy/policy.ts";
import type { Ports } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { sealGrant } from "../receipts/sealed-grant.ts";
import { verifyReceipt } from "../receipts/verify.ts";
import { admit } from "./admission/admit.ts";
import { advance } from "./advance.ts";
import { decide } from "./approval/decide.ts";
import type { CallRequest } from "./ruling/draft.ts";

/** Returns a policy whose guards apply to every call until evidence satisfies them. */
function guarded(
  guards: readonly Guard[],
  policySet: Partial<PolicySet> = {},
): Policy & { become(set: PolicySet): void } {
  const set = (version: string): PolicySet => ({
    version,
    guards: new Map(guards.map((guard) => [guard.id, guard])),
    unattended: new Set(["permitted"]),
    readsEnvironment: () => false,
    evaluate({ discharged }) {
      const left = guards.filter(({ id }) => !discharged.includes(id)).map(({ id }) => id);
      return left.length > 0
        ? { decision: "deny", policies: left, errors: [] }
        : { decision: "allow", policies: ["permitted"], errors: [] };
    },
    ...policySet,
  });
  let current = set("v1");
  return {
    current: () => current,
    refresh: async () => {
      current = set("v2");
    },
    become: (next) => {
      current = next;
    },
  };
}

const ask = (given: Partial<Guard> = {}): Guard => ({
  id: "asked",
  ruling: "ask",
  quorum: 1,
  urgency: "normal",
  sentence: "Somebody should look.",
  ...given,
});
const checkGuard = (given: Partial<Guard> = {}): Guard =>
  ask({ id: "checked", ruling: "check", checks: ["check.words"], onFail: "refuse", ...given });

async function bench(
  policy: Policy,
  given: { settings?: Partial<Ports["settings"]> } & Partial<Omit<Ports, "settings">> = {},
) {
  const pipeline = await createTestPipeline("governance");
  const world = {
    basis: 1,
    effects: 0,
    checks: 0,
    checksFail: false,
    hold: undefined as Promise<void> | undefined,
  };
  const { settings, ...own } = given;
  const spend = defineCapability({
    name: "billing.pay",
    version: 1,
    summary: "Pays",
    effect: "write",
    idempotency: "natural",
    input: z.object({ words: z.string().default(""), cents: z.int().default(0) }),
    output: z.object({ paid: z.int() }),
    preview: async () => ({ changes: [], basis: { is: world.basis } }),
    apply: async ({ cents }) => {
      await world.hold;
      world.effects += 1;
      return { paid: cents };
    },
    cost: ({ cents }) => cents,
    spent: (_, { paid }) => paid,
  });
  const words = defineCapability({
    name: "check.words",
    version: 1,
    summary: "Looks at the words",
    effect: "read",
    idempotency: "natural",
    input: checkInput,
    output: checkResult,
    apply: async ({ input }) => {
      world.checks += 1;
      if (world.checksFail) throw new Error("the checker is away");
      const bad = (input as { words: string }).words.includes("bad");
      return {
        passed: !bad,
        score: bad ? 10 : 90,
        findings: bad ? [{ code: "bad-word", sentence: "A bad word." }] : [],
      };
    },
  });
  const read = defineCapability({
    name: "billing.list",
    version: 1,
    summary: "Lists",
    effect: "read",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => {
      world.effects += 1;
      return {};
    },
  });
  const catalog = new Catalog([spend, words, read]);
  const plain = pipeline.ports({ policy, catalog, ...own });
  const ports: Ports = { ...plain, settings: { ...plain.settings, ...settings } };
  const load = async ({ call }: Pick<Call, "call">) =>
    (await pipeline.store.load({ tenant: testTenant, call }))!;
  return {
    ...pipeline,
    ports,
    world,
    load,
    ask: async (input: Record<string, Json> = {}, more: Partial<CallRequest> = {}) =>
      (await admit({ principal: testAgent, capability: "billing.pay", input, ...more }, ports)).call,
    async advance(call: Pick<Call, "call">) {
      await advance({ tenant: testTenant, call: call.call }, ports);
      return load(call);
    },
    async approve(call: Call, voter: Principal = createPerson("ana")) {
      const { id, digest } = call.approval!;
      return (await decide({ approval: id, decision: "approve", voter, digest }, ports)).call;
    },
    kinds: async (call: Pick<Call, "call">) => (await load(call)).events.map(({ kind }) => kind),
  };
}

describe("a check", () => {
  it("runs before the effect, and the receipt includes its results", async () => {
    const { ask, advance, kinds, world, store, signer } = await bench(guarded([checkGuard()]));
    const call = await ask({ words: "good" });
    expect(call).toMatchObject({ state: "checking" });
    const done = await advance(call);
    expect(done.outcome).toEqual({ kind: "succeeded", code: "done" });
    expect(await kinds(call)).toEqual([
      "accepted",
      "ruled",
      "checked",
      "ruled",
      "intended",
      "attempted",
      "closed",
    ]);
    expect(done.payloads.checks?.value).toMatchObject({
      results: [{ check: "check.words", passed: true, score: 90 }],
    });
    expect(world).toMatchObject({ effects: 1, checks: 1 });
    const { envelope } = store.receipt(call)!;
    const bundle = {
      mediaType: "application/vnd.paraph.receipt.v1+json",
      envelope,
      disclosures: done.payloads,
    };
    expect((await verifyReceipt(bundle, [signer.publicKey])).disclosed).toContain("checks");
  });

  it("that fails refuses the call or asks approvers, as its guard specifies", async () => {
    const refusing = await bench(guarded([checkGuard()]));
    expect(await refusing.advance(await refusing.ask({ words: "bad" }))).toMatchObject({
      outcome: { kind: "refused", code: "check-failed" },
    });
    const asking = await bench(guarded([checkGuard({ onFail: "ask" })]));
    const call = await asking.advance(await asking.ask({ words: "bad" }));
    expect(call).toMatchObject({ state: "asking", approval: { guards: [{ id: "checked" }] } });
    expect(await asking.advance(await asking.approve(call))).toMatchObject({
      outcome: { kind: "succeeded" },
    });
    expect([refusing.world.effects, asking.world.effects]).toEqual([0, 1]);
  });

  it("[P11] that cannot run refuses the call, whatever its guard specifies", async () => {
    for (const onFail of ["refuse", "ask"] as const) {
      const { ask, advance, world } = await bench(guarded([checkGuard({ onFail })]));
      world.checksFail = true;
      expect(await advance(await ask())).toMatchObject({ outcome: { kind: "refused", code: "check-error" } });
    }
    const absent = await bench(guarded([checkGuard({ checks: ["check.nothing"] })]));
    expect(await absent.advance(await absent.ask())).toMatchObject({ outcome: { code: "check-error" } });
    const writes = await bench(guarded([checkGuard({ checks: ["billing.pay"] })]));
    expect(await writes.advance(await writes.ask())).toMatchObject({ outcome: { code: "check-error" } });
    expect(writes.world.effects).toBe(0);
  });

  it("runs before approvers are asked, and runs again when the basis changed", async () => {
    const { ask: request, advance, approve, world, kinds } = await bench(guarded([checkGuard(), ask()]));
    const asked = await advance(await request({ words: "good" }));
    expect(asked).toMatchObject({ state: "asking", approval: { round: 1 } });
    world.basis = 2;
    const moved = await advance(await approve(asked));
    expect(moved).toMatchObject({ state: "checking", approval: { status: "void" } });
    const again = await advance(moved);
    expect(again).toMatchObject({ state: "asking", approval: { round: 2 } });
    expect(await advance(await approve(again))).toMatchObject({ outcome: { kind: "succeeded" } });
    expect(world).toMatchObject({ checks: 2, effects: 1 });
    expect((await kinds(asked)).filter((kind) => kind === "checked")).toHaveLength(2);
  });
});

describe("a caller's own requirements", () => {
  it("add approvals and checks that policy does not demand", async () => {
    const { ask, advance, approve } = await bench(guarded([]));
    const call = await ask({ words: "good" }, { requirements: { people: 1, checks: ["check.words"] } });
    expect(call.state).toBe("checking");
    const asked = await advance(call);
    expect(asked).toMatchObject({ state: "asking", approval: { guards: [{ id: "caller:ask" }] } });
    expect(await advance(await approve(asked))).toMatchObject({ outcome: { kind: "succeeded" } });
  });

  it("never reduce the quorum that policy demands", async () => {
    const { ask: request } = await bench(guarded([ask({ quorum: 2 })]));
    const call = await request({}, { requirements: { people: 1 } });
    expect(call.approval?.guards.map(({ id, quorum }) => [id, quorum])).toEqual([
      ["asked", 2],
      ["caller:ask", 1],
    ]);
  });
});

describe("a group", () => {
  it("[TRUST 12] only members can satisfy the guard that names the group", async () => {
    const { ask: request, approve, advance } = await bench(guarded([ask({ group: "dba" })]));
    const call = await request();
    await expect(approve(call)).rejects.toMatchObject({ code: "approver-not-allowed" });
    const yes = await approve(call, { ...createPerson("ana"), groups: ["dba", "chess"] });
    expect(yes.approval?.votes).toMatchObject([{ by: "ana", groups: ["dba"] }]);
    expect(await advance(yes)).toMatchObject({ outcome: { kind: "succeeded" } });
  });

  it("[TRUST 12] the person whom an agent acts for cannot approve the agent's request", async () => {
    const { ask: request, approve, store } = await bench(guarded([ask()]));
    store.addPrincipal(createPerson("bo"));
    const call = await request({}, { principal: { ...testAgent, onBehalfOf: "ana" } });
    await expect(approve(call)).rejects.toMatchObject({ code: "approver-not-allowed" });
  });
});

describe("features.executor_confirm", () => {
  const silent = (): Policy => guarded([], { unattended: new Set() });

  it("refuses an agent's change that is neither approved nor permitted for unattended use", async () => {
    const { ask, ports } = await bench(silent());
    expect(await ask()).toMatchObject({ outcome: { kind: "refused", code: "not-confirmed" } });
    const by = { principal: createPerson("ana"), capability: "billing.pay", input: {} };
    expect((await admit(by, ports)).call.state).toBe("ready");
    const read = { principal: testAgent, capability: "billing.list", input: {} };
    expect((await admit(read, ports)).call.outcome).toMatchObject({ kind: "succeeded" });
  });

  it("can be turned off", async () => {
    const { ask } = await bench(silent(), { settings: { enforcement: { mode: "enforce", confirm: false } } });
    expect(await ask()).toMatchObject({ state: "ready" });
  });
});

describe("observe mode", () => {
  it("blocks no call, and records the ruling that enforcement would have applied", async () => {
    const enforcement = { mode: "observe", confirm: true } as const;
    const { ask: request, advance } = await bench(guarded([ask()]), { settings: { enforcement } });
    const call = await advance(await request());
    expect(call.outcome).toMatchObject({ kind: "succeeded" });
    expect(call.events[1]).toMatchObject({
      kind: "ruled",
      data: { ruling: "allow", observed: { kind: "ask", policies: ["asked"] } },
    });
  });

  it("shadow policies are evaluated and recorded, but not applied", async () => {
    const withShadows = guarded([ask({ id: "shadow" })]).current(testTenant);
    const { ask: request } = await bench(guarded([], { withShadows }));
    const call = await request();
    expect(call.state).toBe("ready");
    expect(lastEvent(call.events, "ruled")?.data.shadow).toEqual({ kind: "ask", policies: ["shadow"] });
  });
});

describe("a freeze", () => {
  const freeze = { id: "f1", kind: "principal", subject: "agent", by: "owner" } as const;

  it("[TRUST 25] rejects the calls of a frozen principal, and performs no read for it", async () => {
    const { store, ask, ports, world } = await bench(guarded([]));
    store.freeze(testTenant, freeze);
    await expect(ask()).rejects.toMatchObject({ code: "frozen" });
    expect(store.calls()).toEqual([]);
    const known: Ports = { ...ports, freezes: { inForce: () => ({ id: "f1", kind: "principal" }) } };
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
        if (!loadable) throw new Error("the policy set in force cannot be loaded here");
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

it("Paraph records the policy request, so that it can be evaluated again with the input and preview", async () => {
  const seen: Question[] = [];
  const policy = guarded([ask()]);
  const set = policy.current(testTenant);
  policy.become({
    ...set,
    readsEnvironment: () => true,
    evaluate: (question) => {
      seen.push(question);
      return set.evaluate(question);
    },
  });
  const { ask: request } = await bench(policy);
  const call = await request({}, { principal: { ...testAgent, groups: ["bots"] } });
  expect(call.payloads.request?.value).toMatchObject({
    version: "v1",
    principal: { id: "agent", kind: "agent", owner: "owner", groups: ["bots"] },
    preview: true,
    discharged: [],
    env: seen[0]!.env,
  });
  expect(call.events[1]).toMatchObject({ kind: "ruled", data: { sentence: "Somebody should look." } });
});
