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
    id,
    capability,
    input: { name: name(`${id}-${capability.replace(".", "-")}`) },
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
          step("two", "reversible.none", { input: { name: `wary-${name("two")}` }, after: [] }),
          step("three", "reversible.probe", { after: [] }),
          step("broken", "free.keyed", {
            input: { name: `undoable-${name("broken")}` },
            after: ["one", "two", "three"],
          }),
        ],
        "compensate",
      ),
      (plan) => answered(plan, story),
    ),
    begun(begin("taking", asking("taking")), (plan) => answered(plan, story)),
    begun(begin("abandoned", asking("abandoned")), async (plan) => {
      while (!(await isAsked(plan, story))) await story.look(plan, 1);
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

/** Says yes to whatever its steps ask by themselves, until it has ended. */
async function answered(plan: Begun, story: Story): Promise<void> {
  for (;;) {
    for (const { call } of await waiting(plan, story)) {
      const asked = await story.client.asked(call);
      if (asked) await story.client.decide(asked.id, "approve", asked.digest);
    }
    if ((await story.look(plan, 1)).state === "closed") return;
  }
}

/** Whether people are asked about one of its steps, or it has ended without. */
async function isAsked(plan: Begun, story: Story): Promise<boolean> {
  return (await waiting(plan, story)).length > 0 || (await story.look(plan)).state === "closed";
}

async function waiting({ call }: Begun, { client }: Story): Promise<{ readonly call: string }[]> {
  const steps = await client.steps(call);
  return steps.flatMap(({ call, state }) => (call !== undefined && state === "asking" ? [{ call }] : []));
}

const begun = async (plan: Promise<Begun>, go: (plan: Begun) => Promise<unknown>) => go(await plan);
