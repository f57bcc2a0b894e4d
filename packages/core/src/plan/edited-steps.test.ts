import { expect, it } from "vitest";
import { createPlanFixture, putStep, toPlanJson } from "../../../../test/support/plan-fixture.ts";
import { createPerson, testAgent } from "../../../../test/support/test-pipeline.ts";
import { edit } from "../pipeline/admission/edit.ts";
import type { Policy, Question } from "../policy/policy.ts";
import type { Principal } from "../principal.ts";

const ana: Principal = { ...createPerson("ana"), groups: ["staff"] };
const createSteps = (box: string) => [
  putStep("a", box, "1"),
  { id: "b", capability: "box.clear", input: { box: { $from: "a", path: "/box" } } },
];

/** Creates an agent's plan whose second step takes its input from the first. Ana edits it and Bo approves it. */
async function editPlan(
  given: Parameters<typeof createPlanFixture>[0],
  over: (policy: Policy) => Policy = (one) => one,
) {
  const bench = await createPlanFixture({ "plan.apply": { ask: 1 }, ...given });
  const ports = { ...bench.ports, policy: over(bench.ports.policy) };
  Object.assign(bench.ports, ports);
  const call = await bench.place("plan.apply", toPlanJson(createSteps("x")));
  const { id, digest } = call.approval!;
  const { call: next } = await edit(
    { approval: id, digest, editor: ana, input: toPlanJson(createSteps("vault")) },
    bench.ports,
  );
  const whole = await bench.vote(await bench.load(next.call), "approve", [], createPerson("bo"));
  return { ...bench, whole, second: (await bench.children(whole))[1] };
}

const isAnaInStaff = ({ principal }: Question) =>
  principal.id === "ana" && (principal.groups ?? []).includes("staff");

it("[TRUST 28] a step whose input is known later needs approval if policy asks only because of its editor", async () => {
  const { second, load, world, vote } = await editPlan({ "box.clear": { ask: 1, when: isAnaInStaff } });
  expect(world.log).toEqual(["vault=1"]);
  expect(second?.state).toBe("asking");
  const step = await load(second!.call);
  // The editor's vote does not count for a step of the edited plan either.
  await expect(vote(step, "approve", [], ana)).rejects.toThrow();
  await vote(step, "approve", [], createPerson("bo"));
  expect(world.log).toEqual(["vault=1", "vault!"]);
});

it("[TRUST 28] a step whose input is known later is refused if policy blocks its editor", async () => {
  const { whole, second, world } = await editPlan({}, (policy) => ({
    ...policy,
    current: (tenant) => {
      const set = policy.current(tenant);
      const evaluate: typeof set.evaluate = (question) =>
        question.contract.name === "box.clear" && isAnaInStaff(question)
          ? { decision: "deny", policies: ["not-staff"], errors: [] }
          : set.evaluate(question);
      return { ...set, evaluate };
    },
  }));
  expect(world.log).toEqual(["vault=1"]);
  expect(second?.outcome).toMatchObject({ kind: "refused" });
  expect(whole.outcome?.kind).toBe("failed");
});

it("a plan without edits is ruled for its requester only", async () => {
  const { place, world } = await createPlanFixture({ "box.clear": { ask: 1, when: isAnaInStaff } });
  const call = await place("plan.apply", toPlanJson(createSteps("x")));
  expect([call.principal.id, call.outcome?.kind, world.log]).toEqual([
    testAgent.id,
    "succeeded",
    ["x=1", "x!"],
  ]);
});
