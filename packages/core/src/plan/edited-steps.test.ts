import { expect, it } from "vitest";
import { agent, person } from "../../../../test/pipeline.ts";
import { planBench, planned, put } from "../../../../test/plan-bench.ts";
import { edit } from "../pipeline/approval/edit.ts";
import type { Policy, Question } from "../policy/policy.ts";
import type { Principal } from "../principal.ts";

const ana: Principal = { ...person("ana"), groups: ["staff"] };
const steps = (box: string) => [
  put("a", box, "1"),
  { id: "b", capability: "box.clear", input: { box: { $from: "a", path: "/box" } } },
];

/** A plan of the agent whose second step takes its input from the first, edited by Ana and approved by Bo. */
async function edited(
  given: Parameters<typeof planBench>[0],
  over: (policy: Policy) => Policy = (one) => one,
) {
  const bench = await planBench({ "plan.apply": { ask: 1 }, ...given });
  const ports = { ...bench.ports, policy: over(bench.ports.policy) };
  Object.assign(bench.ports, ports);
  const call = await bench.place("plan.apply", planned(steps("x")));
  const { id, digest } = call.approval!;
  const { call: next } = await edit(
    { approval: id, digest, editor: ana, input: planned(steps("vault")) },
    bench.ports,
  );
  const whole = await bench.vote(await bench.load(next.call), "approve", [], person("bo"));
  return { ...bench, whole, second: (await bench.children(whole))[1] };
}

const ofAna = ({ principal }: Question) =>
  principal.id === "ana" && (principal.groups ?? []).includes("staff");

it("[TRUST 28] a step whose input is known later is asked about if policy asks its editor, though not its requester", async () => {
  const { second, load, world, vote } = await edited({ "box.clear": { ask: 1, when: ofAna } });
  expect(world.log).toEqual(["vault=1"]);
  expect(second?.state).toBe("asking");
  const step = await load(second!.call);
  // Nor does the editor count.
  await expect(vote(step, "approve", [], ana)).rejects.toThrow();
  await vote(step, "approve", [], person("bo"));
  expect(world.log).toEqual(["vault=1", "vault!"]);
});

it("[TRUST 28] a step whose input is known later is refused if policy blocks its editor", async () => {
  const { whole, second, world } = await edited({}, (policy) => ({
    ...policy,
    current: (tenant) => {
      const set = policy.current(tenant);
      const evaluate: typeof set.evaluate = (question) =>
        question.contract.name === "box.clear" && ofAna(question)
          ? { decision: "deny", policies: ["not-staff"], errors: [] }
          : set.evaluate(question);
      return { ...set, evaluate };
    },
  }));
  expect(world.log).toEqual(["vault=1"]);
  expect(second?.outcome).toMatchObject({ kind: "refused" });
  expect(whole.outcome?.kind).toBe("failed");
});

it("a plan that nobody edited goes on as its requester may", async () => {
  const { place, world } = await planBench({ "box.clear": { ask: 1, when: ofAna } });
  const call = await place("plan.apply", planned(steps("x")));
  expect([call.principal.id, call.outcome?.kind, world.log]).toEqual([agent.id, "succeeded", ["x=1", "x!"]]);
});
