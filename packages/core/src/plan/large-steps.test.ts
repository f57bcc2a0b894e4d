import { expect, it } from "vitest";
import { createPlanFixture, putStep, toPlanJson } from "../../../../test/support/plan-fixture.ts";
import { createPerson } from "../../../../test/support/test-pipeline.ts";

it("[P13] [TRUST 29] a plan whose combined step outputs are too large to load fails and begins no further step", async () => {
  const { place, children, load, vote, store, world } = await createPlanFixture({ "box.clear": { ask: 1 } });
  const clear = { id: "b", capability: "box.clear", input: { box: { $from: "a", path: "/box" } } };
  const call = await place("plan.apply", toPlanJson([putStep("a", "x", "1"), clear, putStep("c", "y", "2")]));
  const listed = store.children.bind(store);
  store.children = async (ref) =>
    (await listed(ref)).map(({ output: _, undo: __, ...child }) => ({ ...child, withheld: true }));
  const waiting = await load((await children(call))[1]!.call);
  await vote(waiting, "approve", [], createPerson("ana"));
  expect((await load(call.call)).outcome).toEqual({ kind: "failed", code: "steps-too-large" });
  expect(world.log).toEqual(["x=1", "x!"]);
});
