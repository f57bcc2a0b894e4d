import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, bench, checkGuard, guarded } from "../../../../test/support/governance-bench.ts";
import { createPerson, testAgent, testTenant } from "../../../../test/support/test-pipeline.ts";
import { defineCapability } from "../capability/capability.ts";
import { lastEvent } from "../event.ts";
import type { Policy, Question } from "../policy/policy.ts";
import { verifyReceipt } from "../receipts/verify.ts";
import { admit } from "./admission/admit.ts";

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
    const envelope = store.envelope(call)!;
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

  it.each<[string, unknown]>([
    ["a text instead of a verdict", { passed: "no", findings: [] }],
    ["no verdict", { findings: [] }],
    ["a score that does not exist", { passed: true, score: 101 }],
    ["a text that has no canonical form", { passed: true, findings: [{ code: "a", sentence: "\ud83d" }] }],
    ["no object", "passed"],
  ])("[P11] that returns %s counts as failed, although its own contract allows it", async (_what, result) => {
    const any = defineCapability({
      name: "tool.any",
      version: 1,
      summary: "Reads something",
      effect: "read",
      idempotency: "natural",
      input: z.unknown(),
      output: z.unknown(),
      apply: async () => result,
    });
    const { ask, advance, ports, world } = await bench(guarded([checkGuard({ checks: ["tool.any"] })]));
    ports.catalog.add(any);
    expect(await advance(await ask())).toMatchObject({ outcome: { kind: "refused", code: "check-error" } });
    expect(world.effects).toBe(0);
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
