import { describe, expect, it } from "vitest";
import { createPlanFixture, putStep, toPlanJson } from "../../../../test/support/plan-fixture.ts";
import { createPerson, testAgent } from "../../../../test/support/test-pipeline.ts";
import type { Json } from "../json.ts";
import { edit } from "../pipeline/admission/edit.ts";
import { withdrawCall } from "../pipeline/approval/withdraw.ts";

describe("a plan", () => {
  it("[P13] performs its steps in order, each as a call with its own receipt that the plan's receipt names", async () => {
    const { place, world, children, verified } = await createPlanFixture();
    const call = await place(
      "plan.apply",
      toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2"), putStep("c", "x", "3")]),
    );
    expect(call.outcome).toEqual({ kind: "succeeded", code: "done" });
    expect(world.log).toEqual(["x=1", "y=2", "x=3"]);
    const steps = await children(call);
    const { story } = await verified(call.call);
    expect(story.children).toEqual(
      steps.map(({ step, call: id, outcome, receipt }) => ({ step, call: id, outcome, receipt })),
    );
    for (const step of steps)
      expect((await verified(step.call)).story.parent).toEqual({ call: call.call, step: step.step });
  });

  it("[P13] passes values of earlier outputs to later steps", async () => {
    const { place, world } = await createPlanFixture();
    const call = await place(
      "plan.apply",
      toPlanJson([
        putStep("a", "x", "1"),
        putStep("b", "y", { $from: "a", path: "/box" }),
        putStep("c", "z", "3", { after: [] }),
      ]),
    );
    expect(call.outcome?.kind).toBe("succeeded");
    expect(world.boxes.get("y")).toBe("x");
  });

  it("[P13] asks approvers once, and its steps inherit the approval as they were previewed", async () => {
    const { place, vote, world, children, load } = await createPlanFixture({ "box.put": { ask: 1 } });
    const call = await place("plan.apply", toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2")]));
    expect(call.state).toBe("asking");
    expect(call.approval?.guards).toMatchObject([{ id: "box.put", steps: ["a", "b"] }]);
    const done = await vote(call, "approve");
    expect(done.outcome?.kind).toBe("succeeded");
    expect(world.log).toEqual(["x=1", "y=2"]);
    const [first] = await children(call);
    expect((await load(first!.call)).events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["accepted", "approval-inherited", "intended", "closed"]),
    );
  });

  it("[P13] partial approval performs exactly the approved steps whose inputs exist", async () => {
    const { place, vote, world } = await createPlanFixture({ "box.put": { ask: 1 } });
    const steps = [
      putStep("a", "x", "1"),
      putStep("b", "y", "2"),
      putStep("c", "z", { $from: "b", path: "/box" }),
      putStep("d", "w", "4"),
    ];
    const done = await vote(await place("plan.apply", toPlanJson(steps)), "approve", ["b"]);
    expect(world.log).toEqual(["x=1", "w=4"]);
    expect(done.payloads.output?.value).toMatchObject({ declined: ["b"], skipped: ["c"] });
  });

  it("[P13] asks again about a step that takes an earlier output, once the value is known", async () => {
    const { place, vote, world, children, load } = await createPlanFixture({ "box.put": { ask: 1 } });
    const call = await place(
      "plan.apply",
      toPlanJson([putStep("a", "x", "1"), putStep("b", "y", { $from: "a", path: "/box" })]),
    );
    const after = await vote(call, "approve");
    expect(after.state).toBe("composing");
    expect(world.log).toEqual(["x=1"]);
    const second = (await children(call))[1]!;
    await vote(await load(second.call), "approve");
    expect(world.log).toEqual(["x=1", "y=x"]);
    expect((await load(call.call)).outcome?.kind).toBe("succeeded");
  });

  it("[P5] asks again about the whole plan if a step's basis changed before the plan began", async () => {
    const { place, vote, world } = await createPlanFixture({ "box.put": { ask: 1 } });
    const call = await place("plan.apply", toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2")]));
    world.boxes.set("y", "moved");
    const again = await vote(call, "approve");
    expect(again).toMatchObject({ state: "asking", approval: { round: 2 } });
    expect(world.log).toEqual([]);
    expect((await vote(again, "approve")).outcome?.kind).toBe("succeeded");
  });

  it("[P13] has no effect if it is denied, or if policy blocks one of its steps", async () => {
    const { place, vote, world, children } = await createPlanFixture({
      "box.put": { ask: 1 },
      "box.clear": "block",
    });
    const denied = await vote(await place("plan.apply", toPlanJson([putStep("a", "x", "1")])), "deny");
    expect(denied.outcome?.kind).toBe("denied");
    const blocked = await place(
      "plan.apply",
      toPlanJson([putStep("a", "x", "1"), { id: "b", capability: "box.clear", input: { box: "x" } }]),
    );
    expect(blocked.outcome).toEqual({ kind: "refused", code: "forbidden" });
    expect(world.log).toEqual([]);
    expect(await children(blocked)).toEqual([]);
  });

  it.each([
    { onFailure: "stop", log: ["a=1"], code: "step-failed" },
    { onFailure: "continue", log: ["a=1", "c=3"], code: "step-failed" },
    { onFailure: "compensate", log: ["a=1", "a!"], code: "compensated" },
  ] as const)("[P13] on failure: $onFailure", async ({ onFailure, log, code }) => {
    const { place, world } = await createPlanFixture();
    world.broken.add("b");
    const call = await place(
      "plan.apply",
      toPlanJson([putStep("1", "a", "1"), putStep("2", "b", "2"), putStep("3", "c", "3")], onFailure),
    );
    expect(world.log).toEqual(log);
    expect(call.outcome).toEqual({ kind: "failed", code });
  });

  it("[P7] has an unknown outcome if a step has one", async () => {
    const { place, world } = await createPlanFixture();
    world.lost.add("b");
    const call = await place("plan.apply", toPlanJson([putStep("1", "a", "1"), putStep("2", "b", "2")]));
    expect(call.outcome).toEqual({ kind: "unknown", code: "step-unknown" });
  });

  it("[P13] is undone by another plan, in reverse order of completion", async () => {
    const { place, world } = await createPlanFixture();
    world.boxes.set("x", "0");
    const call = await place(
      "plan.apply",
      toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2"), putStep("c", "x", "3")]),
    );
    const { capability, input } = call.payloads.undo!.value as { capability: string; input: Json };
    const undone = await place(capability, input);
    expect(undone.outcome?.kind).toBe("succeeded");
    expect([...world.boxes]).toEqual([["x", "0"]]);
    expect(world.log.slice(3)).toEqual(["x=1", "y!", "x=0"]);
  });

  it("can be withdrawn between steps, which also cancels its waiting step", async () => {
    const { place, ports, settle, children, load, world } = await createPlanFixture({
      "box.clear": { ask: 1, when: ({ preview }) => preview !== undefined },
    });
    const steps = [
      putStep("a", "x", "1"),
      { id: "b", capability: "box.clear", input: { box: { $from: "a", path: "/box" } } },
    ];
    const call = await place("plan.apply", toPlanJson([...steps, putStep("c", "y", "2")]));
    expect(call.state).toBe("composing");
    const { wakes } = await withdrawCall({ call: call.call, by: testAgent }, ports);
    await settle(wakes);
    expect((await load(call.call)).outcome).toEqual({ kind: "cancelled", code: "withdrawn" });
    expect((await children(call)).map(({ outcome }) => outcome?.kind)).toEqual(["succeeded", "cancelled"]);
    expect(world.log).toEqual(["x=1"]);
  });

  it("[P6] continues with the edited step in place of the original step", async () => {
    const { place, ports, settle, children, load, vote, world } = await createPlanFixture({
      "box.clear": { ask: 1 },
    });
    const steps = [
      putStep("a", "x", "1"),
      { id: "b", capability: "box.clear", input: { box: { $from: "a", path: "/box" } } },
    ];
    const call = await place("plan.apply", toPlanJson(steps));
    const waiting = await load((await children(call))[1]!.call);
    const { id, digest } = waiting.approval!;
    const edited = await edit(
      { approval: id, digest, editor: createPerson("ana"), input: { box: "y" } },
      ports,
    );
    await settle(edited.wakes);
    await vote(await load(edited.call.call), "approve", [], createPerson("bo"));
    expect(world.log).toEqual(["x=1", "y!"]);
    expect((await load(call.call)).outcome?.kind).toBe("succeeded");
  });

  it("[P11] is rejected at once if it is invalid, with an error about the step", async () => {
    const { place } = await createPlanFixture();
    await expect(place("plan.apply", toPlanJson([putStep("a", "x", 7)]))).rejects.toThrow("Step `a`");
    await expect(
      place("plan.apply", toPlanJson([{ id: "a", capability: "no.such", input: {} }])),
    ).rejects.toThrow("Step `a`");
    await expect(place("plan.apply", toPlanJson([putStep("a", "x", { $from: "b" })]))).rejects.toThrow(
      "not an earlier step",
    );
    await expect(
      place("plan.apply", toPlanJson([putStep("a", "x", "1"), putStep("a", "y", "1")])),
    ).rejects.toThrow("another step");
  });
});
