import { describe, expect, it } from "vitest";
import { ask, bench, checkGuard, guarded } from "../../../../../test/support/governance-bench.ts";
import { createPlanFixture, putStep, toPlanJson } from "../../../../../test/support/plan-fixture.ts";
import { testAgent } from "../../../../../test/support/test-pipeline.ts";
import { lastPreview } from "../../call.ts";
import { Catalog } from "../../capability/catalog.ts";
import { planApplyCapability } from "../../plan/plan-capability.ts";
import type { Guard, Question } from "../../policy/policy.ts";
import { admit } from "../admission/admit.ts";
import { rulePlan } from "./rule-plan.ts";

const pay = (id: string, words = "good") => ({ id, capability: "billing.pay", input: { words, cents: 1 } });

/** Admits a plan of two payments. `demands` says which guards hold for the plan, and which for each payment. */
async function admitPlan(
  guards: readonly Guard[],
  demands: Readonly<Record<string, readonly string[]>>,
  steps = [pay("a"), pay("b")],
) {
  const evaluate = ({ contract, discharged }: Question) => {
    const left = (demands[contract.name] ?? []).filter((id) => !discharged.includes(id));
    return left.length > 0
      ? ({ decision: "deny", policies: left, errors: [] } as const)
      : ({ decision: "allow", policies: ["permitted"], errors: [] } as const);
  };
  const world = await bench(guarded(guards, { evaluate }));
  world.ports.catalog.add(planApplyCapability);
  const request = { principal: testAgent, capability: "plan.apply", input: toPlanJson(steps) };
  return { ...world, call: (await admit(request, world.ports)).call };
}

describe("[P13] the ruling on a plan merges those on its steps", () => {
  it("into one question, with the shortest time and the highest urgency", async () => {
    const guards = [
      ask({ id: "plan", withinMs: 60_000 }),
      ask({ id: "step", withinMs: 30_000, urgency: "high" }),
    ];
    const { call, clock } = await admitPlan(guards, { "plan.apply": ["plan"], "billing.pay": ["step"] });
    expect(call.approval).toMatchObject({ guards: [{ id: "plan" }, { id: "step", steps: ["a", "b"] }] });
    expect(call.approval!.expiresAt - clock.now()).toBe(30_000);
  });

  it("and a guard for the whole plan covers its steps", async () => {
    const demands = { "plan.apply": ["asked"], "billing.pay": ["asked"] };
    const { call } = await admitPlan([ask()], demands);
    expect(call.approval?.guards).toEqual([ask()]);
  });

  it("and the checks of a step run when the step starts, not before people are asked", async () => {
    const demands = { "billing.pay": ["asked", "checked"] };
    const { call, approve, advance, ports, store, world } = await admitPlan([ask(), checkGuard()], demands, [
      pay("a"),
      pay("b", "bad"),
    ]);
    expect(call).toMatchObject({
      state: "asking",
      approval: { guards: [{ id: "asked", steps: ["a", "b"] }] },
    });
    expect(world.checks).toBe(0);
    await approve(call);
    for (let n = 0; n < 20; n += 1)
      for (const one of store.calls()) if (one.state !== "closed") await advance(one);
    expect((await ports.store.children(call)).map(({ outcome }) => outcome)).toEqual([
      { kind: "succeeded", code: "done" },
      { kind: "refused", code: "check-failed" },
    ]);
    expect(world).toMatchObject({ checks: 2, effects: 1 });
  });
});

it("[P11] a plan with a step that cannot be admitted any more is blocked, and names the step", async () => {
  const { place, ports } = await createPlanFixture({ "box.put": { ask: 1 } });
  const call = await place("plan.apply", toPlanJson([putStep("a", "x", "1")]));
  const without = { ...ports, catalog: new Catalog([planApplyCapability]) };
  const { ruling } = await rulePlan(call, planApplyCapability, { preview: lastPreview(call) }, without);
  expect(ruling).toMatchObject({
    kind: "block",
    code: "step-invalid",
    sentence: expect.stringMatching(/^Step `a`: /),
  });
});

it("[P11] a plan with a step of an unknown capability is not admitted, and the error names the step", async () => {
  const { place, store } = await createPlanFixture({ "plan.apply": { ask: 1 } });
  const plan = toPlanJson([{ id: "a", capability: "box.gone", input: {} }]);
  await expect(place("plan.apply", plan)).rejects.toThrow("Step `a`: There is no capability `box.gone`");
  expect(store.calls()).toEqual([]);
});
