import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, guarded } from "../../../../../test/support/governance-bench.ts";
import { putStep, toPlanJson } from "../../../../../test/support/plan-fixture.ts";
import { testAgent } from "../../../../../test/support/test-pipeline.ts";
import { type Capability, defineCapability } from "../../capability/capability.ts";
import { planApplyCapability } from "../../plan/plan-capability.ts";
import type { Guard, PolicySet, Question } from "../../policy/policy.ts";
import { type PastQuestion, ruleAgain } from "./rule-again.ts";

const put = defineCapability({
  name: "box.put",
  version: 1,
  summary: "Puts",
  effect: "write",
  idempotency: "natural",
  input: z.object({ box: z.string(), value: z.string() }),
  output: z.object({}),
  apply: async () => ({}),
  cost: ({ value }) => value.length,
});
const past: PastQuestion = {
  principal: testAgent,
  input: { box: "b", value: "1" },
  requirements: [],
  preview: undefined,
  votes: [],
};

function rule(set: PolicySet, question: Partial<PastQuestion> = {}, about: Capability = put) {
  const capability = (name: string) =>
    [put, planApplyCapability].find(({ contract }) => contract.name === name);
  return ruleAgain({ ...past, ...question }, about, { set, confirm: true, capability });
}

const setOf = (guards: readonly Guard[], more: Partial<PolicySet> = {}) =>
  guarded(guards, more).current("acme");

describe("another policy set rules on an earlier call", () => {
  it("as it would have, with the requirements and the votes of that time", async () => {
    expect(await rule(setOf([]))).toMatchObject({ kind: "allow" });
    expect(await rule(setOf([ask({ quorum: 2 })]))).toMatchObject({ kind: "ask", guards: [{ quorum: 2 }] });
    expect(await rule(setOf([]), { requirements: [ask({ id: "caller:ask" })] })).toMatchObject({
      kind: "ask",
      guards: [{ id: "caller:ask" }],
    });
    const votes = [{ by: "ana", decision: "approve", as: "approver" } as const];
    expect(await rule(setOf([ask()]), { votes })).toMatchObject({ kind: "allow" });
  });

  it("with the steps of a plan, and says if a step does not exist any more", async () => {
    const plan = toPlanJson([putStep("a", "b", "1"), putStep("b", "b", "2")]);
    const guard = ask({ id: "steps" });
    const evaluate = ({ contract, discharged }: Question) =>
      contract.name === "box.put" && !discharged.includes("steps")
        ? ({ decision: "deny", policies: ["steps"], errors: [] } as const)
        : ({ decision: "allow", policies: ["permitted"], errors: [] } as const);
    expect(await rule(setOf([guard], { evaluate }), { input: plan }, planApplyCapability)).toMatchObject({
      kind: "ask",
      guards: [{ id: "steps", steps: ["a", "b"] }],
    });
    const gone = toPlanJson([{ id: "a", capability: "box.gone", input: {} }]);
    expect(await rule(setOf([]), { input: gone }, planApplyCapability)).toBe("contract-changed");
  });

  it("with exactly the environment that was recorded, or not at all", async () => {
    const seen: unknown[] = [];
    const readsEnvironment = () => true;
    const evaluate = ({ env }: Question) => {
      seen.push(env);
      return { decision: "allow", policies: ["permitted"], errors: [] } as const;
    };
    const set = setOf([], { readsEnvironment, evaluate });
    const env = { at: 1_000, spentToday: 5 } as never;
    expect(await rule(set, { env })).toMatchObject({ kind: "allow" });
    expect(seen).toMatchObject([{ at: 1_000, spentToday: 5 }]);
    const plan = toPlanJson([putStep("a", "b", "1")]);
    expect(await rule(set, { input: plan }, planApplyCapability)).toBe("environment-not-recorded");
  });
});
