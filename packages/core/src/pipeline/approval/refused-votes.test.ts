import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createPlanFixture, putStep, toPlanJson } from "../../../../../test/support/plan-fixture.ts";
import { createPerson } from "../../../../../test/support/test-pipeline.ts";
import { type Decision, decide, findPasskeySubject } from "./decide.ts";

const choose = {
  name: "pay.choose",
  version: 1,
  summary: "Pays",
  effect: "write",
  idempotency: "none",
  input: z.object({}),
  output: z.object({}),
  answer: () => z.object({ cents: z.int() }),
  apply: async () => ({}),
} as const;

/** Places a plan of two steps, each of which two people must approve, and a payment that needs an answer. */
async function place() {
  const fixture = await createPlanFixture({ "box.put": { ask: 2 }, "pay.choose": { ask: 1 } }, [choose]);
  const plan = await fixture.place(
    "plan.apply",
    toPlanJson([putStep("a", "x", "1"), putStep("b", "y", "2")]),
  );
  const payment = await fixture.place("pay.choose", {});
  const vote = (call: typeof plan, change: Partial<Decision>) => {
    const { id: approval, digest } = call.approval!;
    const decision = {
      approval,
      digest,
      decision: "approve",
      voter: createPerson("ana"),
      ...change,
    } as const;
    return decide(decision, fixture.ports);
  };
  return { ...fixture, plan, payment, decide: vote };
}

describe("a vote is refused, and changes nothing,", () => {
  it.each<[string, "plan" | "payment", Partial<Decision>, string, string]>([
    ["for an unknown approval", "plan", { approval: "apr_none" }, "approval-unknown", "no such approval"],
    ["with an answer that is not asked for", "plan", { answer: 1 }, "input-invalid", "takes no answer"],
    [
      "with an answer to a denial",
      "payment",
      { decision: "deny", answer: { cents: 1 } },
      "input-invalid",
      "takes no answer",
    ],
    [
      "with an invalid answer",
      "payment",
      { answer: { cents: "1" } },
      "input-invalid",
      "The answer is not valid: cents",
    ],
    ["without the answer that is asked for", "payment", {}, "input-invalid", "The answer is not valid"],
    ["without a step that does not exist", "plan", { declined: ["c"] }, "input-invalid", "has no step `c`"],
    [
      "without steps of a call that has none",
      "payment",
      { answer: { cents: 1 }, declined: ["a"] },
      "input-invalid",
      "has no step `a`",
    ],
    ["without every step", "plan", { declined: ["a", "b"] }, "input-invalid", "left out every step"],
    [
      "as a denial of some steps",
      "plan",
      { decision: "deny", declined: ["a"] },
      "input-invalid",
      "Only an approval",
    ],
  ])("%s", async (_what, which, change, code, message) => {
    const world = await place();
    const call = world[which];
    const refused = { code, message: expect.stringContaining(message) };
    await expect(world.decide(call, change)).rejects.toMatchObject(refused);
    expect((await world.load(call.call)).events).toEqual(call.events);
  });

  it("if the voters together leave out every step", async () => {
    const { plan, decide, load } = await place();
    await decide(plan, { declined: ["a"] });
    const given = { declined: ["b"], voter: createPerson("bo") };
    await expect(decide(plan, given)).rejects.toMatchObject({ code: "approval-changed" });
    expect((await load(plan.call)).approval?.votes).toHaveLength(1);
  });
});

it("a vote records the channel through which it came", async () => {
  const { plan, decide } = await place();
  const { call } = await decide(plan, { via: "mail" } as Partial<Decision>);
  expect(call.events.at(-1)).toMatchObject({ kind: "voted", data: { by: "ana", via: "mail" } });
});

it("[TRUST 27] a passkey signs the steps that the vote leaves out, and nothing for an unknown approval", async () => {
  const { plan, ports } = await place();
  const { id: approval, digest } = plan.approval!;
  const decision = { approval, digest, decision: "approve", voter: createPerson("ana") } as const;
  expect(await findPasskeySubject({ ...decision, declined: ["b"] }, ports)).toMatchObject({
    ...{ tenant: "acme", call: plan.call, round: 1, digest, by: "ana" },
    declined: ["b"],
  });
  await expect(findPasskeySubject({ ...decision, approval: "apr_none" }, ports)).rejects.toMatchObject({
    code: "approval-unknown",
  });
});
