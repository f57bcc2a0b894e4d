import { z } from "zod";
import { type Capability, defineCapability } from "../capability/capability.ts";
import { type ChildEnd, type Composer, type PlannedStep, StepFailed } from "../capability/composite.ts";
import type { Json } from "../json.ts";
import { outcomeKinds } from "../outcome.ts";
import type { OutcomeCode } from "../outcome-codes/outcome-codes.ts";
import { type PlanDocument, planDocument, toPlannedSteps } from "./plan-document.ts";
import {
  buildStepOrder,
  buildUndoPlan,
  compensationStep,
  listHiddenSteps,
  planCapability,
} from "./undo-plan.ts";
import { fillValues } from "./value-references.ts";

const planOutput = z.object({
  steps: z.array(
    z.object({
      step: z.string(),
      call: z.string().optional(),
      outcome: z.enum(outcomeKinds),
      code: z.string(),
    }),
  ),
  /** The steps that the approvers left out of their approval. */
  declined: z.array(z.string()),
  /** The steps that did not run, because an earlier step did not succeed or gave no value for them. */
  skipped: z.array(z.string()),
});

/**
 * [P13] The capability that performs a plan. A plan is a call like any other, and its steps are calls that it makes.
 * The plan has one approval, one digest and one receipt, and so has every step.
 */
export const planApplyCapability: Capability = defineCapability({
  name: planCapability,
  version: 1,
  summary: "Run a plan: several steps that are approved as one call",
  effect: "write",
  risk: "low",
  idempotency: "natural",
  timeout: "10m",
  input: planDocument,
  output: planOutput,
  steps: toPlannedSteps,
  compose: runPlan,
});

/** The end of one step of a plan, or undefined if the step did not run. */
type StepResult = ChildEnd | undefined;

async function runPlan(document: PlanDocument, call: Composer): Promise<z.input<typeof planOutput>> {
  const steps = toPlannedSteps(document);
  const went = new Map<string, Promise<StepResult>>();
  let stopped = document.onFailure !== "continue" && [...call.before.values()].some(hasFailed);
  for (const step of steps) {
    const result = runStep(step, went, call, () => stopped);
    went.set(
      step.id,
      result.then((end) => {
        if (end && hasFailed(end) && document.onFailure !== "continue") stopped = true;
        return end;
      }),
    );
  }
  const ends = await awaitInOrder(steps, went);
  const failures = ends.filter((end) => hasFailed(end));
  if (failures.length > 0) await failPlan(document, steps, { failures, ends }, call);
  return summarizePlan(steps, ends, call);
}

/**
 * Runs a step once the steps before it have ended, with the values that it takes from them. No step begins after the
 * plan has stopped.
 */
async function runStep(
  step: PlannedStep,
  went: ReadonlyMap<string, Promise<StepResult>>,
  call: Composer,
  isStopped: () => boolean,
): Promise<StepResult> {
  const before = new Map<string, StepResult>();
  for (const id of step.after) before.set(id, await went.get(id));
  if (call.declined.has(step.id)) return undefined;
  // The plan waits for a step that has begun, because compensation must know everything that was done.
  if (isStopped() && !call.begun.has(step.id)) return undefined;
  const filled = fillValues(step.input, (id) => before.get(id)?.output);
  if ("missing" in filled) return undefined;
  return call.ended(step.capability, filled.input, { step: step.id, requirements: step.requirements });
}

async function awaitInOrder(
  steps: readonly PlannedStep[],
  went: ReadonlyMap<string, Promise<StepResult>>,
): Promise<ChildEnd[]> {
  const all = await Promise.all(steps.map(({ id }) => went.get(id)));
  return all.filter((end) => end !== undefined);
}

function hasFailed({ outcome }: ChildEnd): boolean {
  return outcome.kind !== "succeeded";
}

/** Fails the plan with the outcome of its worst step, after compensation if the plan asks for it. */
async function failPlan(
  { onFailure }: PlanDocument,
  steps: readonly PlannedStep[],
  { failures, ends }: { readonly failures: readonly ChildEnd[]; readonly ends: readonly ChildEnd[] },
  call: Composer,
): Promise<never> {
  const unknown = failures.find(({ outcome }) => outcome.kind === "unknown");
  const worst = unknown ?? failures[0]!;
  const said = `Step \`${worst.step}\` ended as ${worst.outcome.kind} (${worst.outcome.code}).`;
  const back = onFailure === "compensate" ? await compensate(steps, ends, call) : undefined;
  const code: OutcomeCode = unknown ? "step-unknown" : (back ?? "step-failed");
  throw new StepFailed(code, said, worst.outcome);
}

/**
 * Undoes the completed steps with a separate plan. Policy rules on that plan and people approve it, as with any other
 * plan.
 */
async function compensate(
  steps: readonly PlannedStep[],
  ends: readonly ChildEnd[],
  call: Composer,
): Promise<OutcomeCode> {
  const done = ends.filter(({ outcome }) => outcome.kind === "succeeded");
  const back = buildUndoPlan(done, listHiddenSteps(steps), buildStepOrder(steps));
  if (!back) return done.length === 0 ? "step-failed" : "no-way-back";
  const end = await call.ended(planCapability, JSON.parse(JSON.stringify(back)) as Json, {
    step: compensationStep,
  });
  if (end.outcome.kind !== "succeeded") return "compensation-failed";
  return back.steps.length === done.length ? "compensated" : "compensated-in-part";
}

function summarizePlan(
  steps: readonly PlannedStep[],
  ends: readonly ChildEnd[],
  { declined }: Composer,
): z.input<typeof planOutput> {
  const taken = new Set(ends.map(({ step }) => step));
  return {
    steps: ends.map(({ step, call, outcome: { kind, code } }) => ({
      step,
      ...(call !== undefined && { call }),
      outcome: kind,
      code,
    })),
    declined: steps.map(({ id }) => id).filter((id) => declined.has(id)),
    skipped: steps.map(({ id }) => id).filter((id) => !taken.has(id) && !declined.has(id)),
  };
}
