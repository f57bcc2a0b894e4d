import {
  corePath,
  type Mutation,
  planPromisesTest,
  plansTest,
  sqlFunctionPath,
  storeTest,
} from "../mutation.ts";

/** Mutations of plans: the scope of a plan's approval, the choice of its steps, its end and its compensation. */
export const planMutations: readonly Mutation[] = [
  ...listInheritedApprovalMutations(),
  ...listStepMutations(),
  ...listPlanEndMutations(),
];

function listInheritedApprovalMutations(): Mutation[] {
  return [
    {
      name: "cover what has moved",
      file: corePath("pipeline/approval/revalidate.ts"),
      find: "(moved ? [] : inheritedVotes(call, capability, current, ports))",
      replace: "inheritedVotes(call, capability, lastPreview(call), ports)",
      caughtBy: planPromisesTest(
        "[P5] [P13] does not outlive what a step rests on: one that has moved since is asked about by itself",
      ),
      quick: true,
    },
    {
      name: "cover for ever",
      file: corePath("pipeline/approval/inherited-approval.ts"),
      find: "return ports.clock.now() - decidedAt <= capability.contract.applyWithinMs ? votes : [];",
      replace: "return decidedAt > 0 ? votes : [];",
      caughtBy: planPromisesTest(
        "[P5] [P13] does not last: a step that comes to its turn too late is asked about by itself",
      ),
    },
    {
      name: "cover what nobody was shown",
      file: corePath("pipeline/approval/inherited-approval.ts"),
      find: "if (!covered || covered.data.digest !== digestForApproval(call, capability, preview)) return [];",
      replace: "if (!covered) return [];",
      caughtBy: planPromisesTest(
        "[P5] [P13] [TRUST 1] is for these bytes: a step whose stored preview was changed since is not performed on it",
      ),
    },
    {
      name: "drop a guard with a step",
      file: corePath("pipeline/approval/decide.ts"),
      find: "!steps?.every((step) => declined.has(step))",
      replace: "!steps?.some((step) => declined.has(step))",
      caughtBy: planPromisesTest(
        "[P13] a guard that another step stands behind is not dropped with the step that was declined",
      ),
    },
  ];
}

function listStepMutations(): Mutation[] {
  return [
    {
      name: "take a declined step",
      file: corePath("plan/plan-capability.ts"),
      find: "if (call.declined.has(step.id)) return undefined;",
      replace: "",
      caughtBy: plansTest("[P13] partial approval performs exactly the approved steps whose inputs exist"),
    },
    {
      name: "go on after a failure",
      file: corePath("plan/plan-capability.ts"),
      find: "if (isStopped() && !call.begun.has(step.id)) return undefined;",
      replace: "",
      caughtBy: plansTest("[P13] on failure: stop"),
    },
    {
      name: "open a step of what has ended",
      file: sqlFunctionPath("open.sql"),
      find: " and epoch = (p->>'parentEpoch')::bigint and state = 'composing';",
      replace: ";",
      caughtBy: storeTest(
        "[fence] a step is opened at its composite's epoch, which it raises, and only while that goes on",
      ),
    },
    {
      name: "go on with what was withdrawn",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'if (isWithdrawn(call)) return abandonSteps(call, children, { kind: "cancelled", code: "withdrawn" }, ports);',
      replace: "",
      caughtBy: plansTest("is cancelled between steps: those that wait are withdrawn with it"),
    },
  ];
}

function listPlanEndMutations(): Mutation[] {
  return [
    {
      name: "take a database that is away for a step that failed",
      file: corePath("pipeline/composite/composition.ts"),
      find: "this.#broken ??= { by };",
      replace: "throw by;",
      caughtBy: {
        file: corePath("plan/composite.test.ts"),
        title:
          "[P2] a database that goes away under a step is no failure of that step: the code does not see it, and goes on once it is back",
      },
    },
    {
      name: "end before a step has",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'const isOver = came.kind !== "waiting" && latestChildren(now).every(({ state }) => state === "closed");',
      replace: 'const isOver = came.kind !== "waiting";',
      caughtBy: planPromisesTest(
        "[P13] ends only once its steps have, even where its code has failed before",
      ),
    },
    {
      name: "claim that nothing is unknown",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'outcome: { kind: isUnknown ? "unknown" : "failed", code },',
      replace: 'outcome: { kind: "failed", code },',
      caughtBy: plansTest("[P7] is unknown where a step is"),
    },
    {
      name: "undo in the order it was done",
      file: corePath("plan/undo-plan.ts"),
      find: ".sort((a, b) => b.closedAt - a.closedAt || b.index - a.index)",
      replace: ".sort((a, b) => a.closedAt - b.closedAt || a.index - b.index)",
      caughtBy: {
        file: corePath("plan/undo-plan.test.ts"),
        title: "[P13] what was done last is undone first",
      },
    },
    {
      name: "name no receipts of steps",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'receipt: receipt ?? "",',
      replace: 'receipt: "",',
      caughtBy: plansTest(
        "[P13] takes its steps in order, each a call with its own receipt, named in the plan's",
      ),
    },
  ];
}
