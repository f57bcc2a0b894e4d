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
      file: corePath("pipeline/execution/revalidate.ts"),
      find: "(moved ? [] : inheritedVotes(call, capability, current, ports))",
      replace: "inheritedVotes(call, capability, lastPreview(call), ports)",
      caughtBy: planPromisesTest(
        "[P5] [P13] does not cover a step whose basis changed, and Paraph asks about that step separately",
      ),
      quick: true,
    },
    {
      name: "cover for ever",
      file: corePath("pipeline/approval/inherited-approval.ts"),
      find: "return ports.clock.now() - decidedAt <= capability.contract.applyWithinMs ? votes : [];",
      replace: "return decidedAt > 0 ? votes : [];",
      caughtBy: planPromisesTest(
        "[P5] [P13] expires, and Paraph asks separately about a step that starts two hours later",
      ),
    },
    {
      name: "cover what nobody was shown",
      file: corePath("pipeline/approval/inherited-approval.ts"),
      find: "if (!covered || covered.data.digest !== digestForApproval(call, capability, preview)) return [];",
      replace: "if (!covered) return [];",
      caughtBy: planPromisesTest(
        "[P5] [P13] [TRUST 1] does not cover a step whose stored preview was changed, and Paraph asks about that step",
      ),
    },
    {
      name: "drop a guard with a step",
      file: corePath("pipeline/approval/decide.ts"),
      find: "!steps?.every((step) => declined.has(step))",
      replace: "!steps?.some((step) => declined.has(step))",
      caughtBy: planPromisesTest(
        "[P13] keeps a guard of a declined step if another step needs the same guard",
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
        "[fence] opening a step requires the current epoch of a composing parent, and raises that epoch",
      ),
    },
    {
      name: "go on with what was withdrawn",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'if (isWithdrawn(call)) return abandonSteps(call, children, { kind: "cancelled", code: "withdrawn" }, ports);',
      replace: "",
      caughtBy: plansTest("can be withdrawn between steps, which also cancels its waiting step"),
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
          "[P2] continues after the database was unavailable during a step, and its code sees no failure of the step",
      },
    },
    {
      name: "end before a step has",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'const isOver = came.kind !== "waiting" && latestChildren(now).every(({ state }) => state === "closed");',
      replace: 'const isOver = came.kind !== "waiting";',
      caughtBy: planPromisesTest(
        "[P13] closes only after all its steps have closed, even if its code fails earlier",
      ),
    },
    {
      name: "claim that nothing is unknown",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'outcome: { kind: isUnknown ? "unknown" : "failed", code },',
      replace: 'outcome: { kind: "failed", code },',
      caughtBy: plansTest("[P7] has an unknown outcome if a step has one"),
    },
    {
      name: "undo in the order it was done",
      file: corePath("plan/undo-plan.ts"),
      find: ".sort((a, b) => b.closedAt - a.closedAt || b.index - a.index)",
      replace: ".sort((a, b) => a.closedAt - b.closedAt || a.index - b.index)",
      caughtBy: {
        file: corePath("plan/undo-plan.test.ts"),
        title: "[P13] Paraph undoes the last completed step first",
      },
    },
    {
      name: "name no receipts of steps",
      file: corePath("pipeline/composite/compose.ts"),
      find: 'receipt: receipt ?? "",',
      replace: 'receipt: "",',
      caughtBy: plansTest(
        "[P13] performs its steps in order, each as a call with its own receipt that the plan's receipt names",
      ),
    },
  ];
}
