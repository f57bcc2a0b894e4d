import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createMailbox } from "../../../../test/support/mailbox.ts";
import { createPlanFixture, putStep, toPlanJson } from "../../../../test/support/plan-fixture.ts";
import { testAgent, testTenant } from "../../../../test/support/test-pipeline.ts";
import { advance } from "./advance.ts";
import { withdrawCall } from "./approval/withdraw.ts";

describe("[P2] a message changes nothing if its call", () => {
  it("does not exist", async () => {
    const { ports } = await createMailbox();
    expect(await advance({ tenant: testTenant, call: "call_none" }, ports)).toEqual({
      call: undefined,
      wakes: [],
    });
  });

  it("is closed, or still waits for people", async () => {
    const { ask, decide, ports, load } = await createMailbox();
    const call = await ask();
    expect((await advance(call, ports)).call?.epoch).toBe((await load(call)).epoch);
    await decide(call, "deny");
    const closed = await load(call);
    await advance(call, ports);
    expect((await load(call)).events).toEqual(closed.events);
  });
});

it("[P9] an undo that cannot be computed is not offered, and the call has succeeded", async () => {
  const odd = {
    name: "box.odd",
    version: 1,
    summary: "Odd",
    effect: "write",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => ({}),
    undo: () => {
      throw new Error("bug");
    },
  } as const;
  const { place } = await createPlanFixture({ "box.odd": "allow" }, [odd]);
  const call = await place("box.odd", {});
  expect(call.outcome).toEqual({ kind: "succeeded", code: "done" });
  expect(call.payloads.undo).toBeUndefined();
});

describe("a plan that has begun", () => {
  it("is withdrawn once, and its waiting step with it", async () => {
    const { place, ports, settle, children, load, world } = await createPlanFixture({
      "box.put": { ask: 1, when: ({ input }) => (input as { box: string }).box === "x" },
    });
    const waits = await place(
      "plan.apply",
      toPlanJson([putStep("a", "y", "1"), putStep("b", "x", { $from: "a", path: "/box" })]),
    );
    expect(waits.state).toBe("composing");
    const { wakes } = await withdrawCall({ call: waits.call, by: testAgent }, ports);
    await expect(withdrawCall({ call: waits.call, by: testAgent }, ports)).rejects.toMatchObject({
      code: "call-acting",
    });
    await settle(wakes);
    expect((await load(waits.call)).outcome?.kind).toBe("cancelled");
    expect((await children(waits)).map(({ outcome }) => outcome?.kind)).toEqual(["succeeded", "cancelled"]);
    expect(world.log).toEqual(["y=1"]);
  });
});

it("[P13] a step that requires a confirmation is asked about, even if policy allows it", async () => {
  const { place } = await createPlanFixture();
  const steps = [putStep("a", "x", "1"), putStep("b", "y", "2", { requires_confirmation: true })];
  const call = await place("plan.apply", toPlanJson(steps));
  expect(call).toMatchObject({ state: "asking", approval: { guards: [{ id: "caller:ask", steps: ["b"] }] } });
});
