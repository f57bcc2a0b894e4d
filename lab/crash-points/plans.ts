import type { PlanRequest } from "@paraph/core";
import type { ScenarioRun, StartedCall } from "./scenario-run.ts";

type PlanRequestStep = PlanRequest["steps"][number];

/**
 * Runs plans in every way they can go:
 * - steps of all kinds, two of which need the same lock;
 * - an approval without one of the steps;
 * - a failure with compensation;
 * - a step that takes a value and needs its own approval, which is given or withdrawn while it waits;
 * - an undo of a plan that succeeded.
 */
export function playPlans(story: ScenarioRun): Promise<unknown>[] {
  const { name, client, waitForEnd, decide } = story;
  const step = (id: string, capability: string, more: Partial<PlanRequestStep> = {}): PlanRequestStep => ({
    id,
    capability,
    input: { name: name(`${id}-${capability.replace(".", "-")}`) },
    ...more,
  });
  const locked = (id: string, capability: string, more: Partial<PlanRequestStep> = {}) =>
    step(id, capability, { input: { name: name(`${id}-locked`), lock: name("shed") }, ...more });
  const begin = (
    what: string,
    steps: readonly PlanRequestStep[],
    onFailure: PlanRequest["onFailure"] = "stop",
  ) => story.plan(what, { version: 1, onFailure, steps: [...steps] });
  /** Returns two steps: one reads a name, and the other needs an approval for it. */
  const asking = (what: string): readonly PlanRequestStep[] => [
    step("read", "free.read", { input: { name: name(what) } }),
    step("ask", "asked.keyed", { input: { name: { $from: "read", path: "/name" } } }),
  ];
  return [
    withPlan(
      begin("kinds", [
        locked("natural", "free.natural"),
        locked("keyed", "free.keyed"),
        locked("probe", "free.probe", { after: [] }),
        step("none", "free.none", { after: [] }),
        step("checked", "checked.keyed", { after: ["none"] }),
      ]),
      waitForEnd,
    ),
    withPlan(
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
    withPlan(
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
      (plan) => approveSteps(plan, story),
    ),
    withPlan(begin("taking", asking("taking")), (plan) => approveSteps(plan, story)),
    withPlan(begin("abandoned", asking("abandoned")), async (plan) => {
      while (!(await isAsked(plan, story))) await story.getCall(plan, 1);
      await client.act("agent", { kind: "withdraw", call: plan.call });
      await waitForEnd(plan);
    }),
    withPlan(
      begin("undone", [step("one", "reversible.natural"), step("two", "reversible.keyed")]),
      async (plan) => {
        await waitForEnd(plan);
        const { body } = await client.act("agent", { kind: "undo", call: plan.call });
        const { call } = plan;
        if (body.call !== undefined)
          await waitForEnd({ key: `undo:${call}`, capability: plan.capability, call: body.call });
      },
    ),
  ];
}

/** Approves every step of the plan that needs its own approval, until the plan has ended. */
async function approveSteps(plan: StartedCall, story: ScenarioRun): Promise<void> {
  for (;;) {
    for (const { call } of await listWaitingSteps(plan, story)) {
      const asked = await story.client.findApproval(call);
      if (asked) await story.client.decide(asked.id, "approve", asked.digest);
    }
    if ((await story.getCall(plan, 1)).state === "closed") return;
  }
}

/** Whether a step of the plan waits for an approval, or the plan has ended. */
async function isAsked(plan: StartedCall, story: ScenarioRun): Promise<boolean> {
  return (await listWaitingSteps(plan, story)).length > 0 || (await story.getCall(plan)).state === "closed";
}

async function listWaitingSteps(
  { call }: StartedCall,
  { client }: ScenarioRun,
): Promise<{ readonly call: string }[]> {
  const steps = await client.steps(call);
  return steps.flatMap(({ call, state }) => (call !== undefined && state === "asking" ? [{ call }] : []));
}

const withPlan = async (plan: Promise<StartedCall>, go: (plan: StartedCall) => Promise<unknown>) =>
  go(await plan);
