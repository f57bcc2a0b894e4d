import type { PlanRequest } from "@paraph/core";
import type { Begun, Story } from "./story.ts";

type Step = PlanRequest["steps"][number];

/**
 * Plans, in each way they go: steps of all kinds under locks that two of them want; approved but for one step; failing and
 * undone; with a step that takes a value and asks by itself, answered or taken back while it waits; and undone afterwards.
 */
export function plans(story: Story): Promise<unknown>[] {
  const { name, client, end, decide } = story;
  const step = (id: string, capability: string, more: Partial<Step> = {}): Step => ({
    ...{ id, capability, input: { name: name(`${id}-${capability.replace(".", "-")}`) } },
    ...more,
  });
  const locked = (id: string, capability: string, more: Partial<Step> = {}) =>
    step(id, capability, { input: { name: name(`${id}-locked`), lock: name("shed") }, ...more });
  const begin = (what: string, steps: readonly Step[], onFailure: PlanRequest["onFailure"] = "stop") =>
    story.plan(what, { version: 1, onFailure, steps: [...steps] });
  /** Reads a name, and asks about what it says. */
  const asking = (what: string): readonly Step[] => [
    step("read", "free.read", { input: { name: name(what) } }),
    step("ask", "asked.keyed", { input: { name: { $from: "read", path: "/name" } } }),
  ];
  return [
    begun(
      begin("kinds", [
        locked("natural", "free.natural"),
        locked("keyed", "free.keyed"),
        locked("probe", "free.probe", { after: [] }),
        step("none", "free.none", { after: [] }),
        step("checked", "checked.keyed", { after: ["none"] }),
      ]),
      end,
    ),
    begun(
      begin("parted", [
        step("first", "asked.keyed"),
        step("not-this", "asked.none"),
        step("last", "asked.probe"),
        step("both", "paired.keyed"),
      ]),
      async (plan) => {
        await decide(plan, "approve", "approver", ["not-this"]);
        await decide(plan, "approve", "second");
        await story.approve(plan, "approver", "second");
      },
    ),
    begun(
      begin(
        "failing",
        [
          locked("one", "reversible.keyed", { after: [] }),
          step("two", "reversible.none", { after: [] }),
          step("three", "reversible.probe", { after: [] }),
          step("broken", "free.keyed", {
            ...{ input: { name: `undoable-${name("broken")}` }, after: ["one", "two", "three"] },
          }),
        ],
        "compensate",
      ),
      end,
    ),
    begun(begin("taking", asking("taking")), async (plan) => {
      const step = await asked(plan, story);
      if (step) await story.approve(step, "approver");
      await end(plan);
    }),
    begun(begin("abandoned", asking("abandoned")), async (plan) => {
      await asked(plan, story);
      await client.act("agent", { kind: "withdraw", call: plan.call });
      await end(plan);
    }),
    begun(
      begin("undone", [step("one", "reversible.natural"), step("two", "reversible.keyed")]),
      async (plan) => {
        await end(plan);
        const { body } = await client.act("agent", { kind: "undo", call: plan.call });
        const { call } = plan;
        if (body.call !== undefined)
          await end({ key: `undo:${call}`, capability: plan.capability, call: body.call });
      },
    ),
  ];
}

/** The plan's second step, once people are asked about it; undefined where the plan has ended without. */
async function asked(plan: Begun, story: Story): Promise<Begun | undefined> {
  for (;;) {
    const step = (await story.client.steps(plan.call)).find(({ step }) => step === "ask");
    if (step?.call !== undefined && step.state === "asking")
      return { key: `${plan.call}/ask`, capability: step.capability, call: step.call };
    const { state } = await story.look(plan, 1);
    if (state === "closed") return undefined;
  }
}

const begun = async (plan: Promise<Begun>, go: (plan: Begun) => Promise<unknown>) => go(await plan);
