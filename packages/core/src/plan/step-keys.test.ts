import { expect, it } from "vitest";
import { createPlanFixture, putStep, toPlanJson } from "../../../../test/support/plan-fixture.ts";
import { testAgent } from "../../../../test/support/test-pipeline.ts";
import { admit } from "../pipeline/admission/admit.ts";

const request = { principal: testAgent, capability: "box.put", input: { box: "x", value: "1" } };

it("[TRUST 34] [P13] a caller cannot use the keys of steps, undos and retries, even of unknown calls", async () => {
  const { ports, place } = await createPlanFixture({ "plan.apply": { ask: 1 } });
  const call = await place("plan.apply", toPlanJson([putStep("backup", "x", "1")]));
  const attempt = (key: string) => admit({ ...request, key }, ports);
  for (const key of [
    ...[`${call.call}/backup`, `${call.call}/$compensation`, "call_unknown/a"],
    ...[`undo:${call.call}`, `undo:${call.call}:2`, `retry:${call.call}`],
  ])
    await expect(attempt(key), key).rejects.toMatchObject({ code: "key-reserved" });
  for (const key of ["backup", "call/backup", "retry:mine", `x${call.call}/backup`])
    expect((await attempt(key)).known).toBe(false);
});

it("[TRUST 34] [P13] a plan does not accept a call that has a step's key but was not opened as that step", async () => {
  const { ports, place, settle, vote, world, verified } = await createPlanFixture({
    "plan.apply": { ask: 1 },
  });
  const call = await place(
    "plan.apply",
    toPlanJson([putStep("backup", "x", "1"), putStep("after", "y", "2")]),
  );
  // The test creates a row like those of an older version, in which callers could choose such a key.
  const early = await admit({ ...request, key: `${call.call}/backup`, repeats: call }, ports);
  await settle(early.wakes);
  world.boxes.set("x", "overwritten since");
  let done = await vote(call, "approve");
  if (done.state === "asking") done = await vote(done, "approve");
  expect(done.outcome).toMatchObject({ kind: "failed" });
  expect(world.log).toEqual(["x=1"]);
  expect((await verified(call.call)).story.children).toEqual([]);
});
