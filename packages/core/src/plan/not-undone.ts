import type { Child } from "../call.ts";
import type { Contract } from "../capability/contract.ts";
import type { Json } from "../json.ts";
import { latestChildren } from "../pipeline/composite/child-end.ts";
import { compensationStep, isUndoStep } from "./undo-plan.ts";

/** The reasons why an effect stays although the call that caused it is undone. */
export const notUndoneReasons = ["no-undo", "unknown", "plan-not-succeeded", "left-out"] as const;
type NotUndoneReason = (typeof notUndoneReasons)[number];

/** An effect that an undo does not reverse. */
export interface NotUndone {
  /** The path of the step, including the steps of the enclosing plans, such as `deploy/notify`. */
  readonly step: string;
  readonly call: string;
  readonly capability: string;
  readonly reason: NotUndoneReason;
}

/** The calls and contracts that `findNotUndone` reads. */
export interface UndoneCalls {
  steps(call: string): Promise<readonly Child[]>;
  /**
   * Returns the contract of a capability, or undefined if the capability is no longer known. `findNotUndone` then
   * assumes that its effect stays.
   */
  contractOf(capability: string): Pick<Contract, "effect" | "composite"> | undefined;
}

/**
 * [P13] Returns the effects of a call that its undo leaves in place. `undo` is the current plan of the undo, from which
 * an editor may have removed steps.
 */
export async function findNotUndone(call: string, undo: Json, calls: UndoneCalls): Promise<NotUndone[]> {
  const { steps } = (undo ?? {}) as { readonly steps?: readonly { readonly id?: string }[] };
  const ids = (steps ?? []).map(({ id }) => String(id));
  const left: NotUndone[] = [];
  for (const child of latestChildren(await calls.steps(call)).filter(isPlanned)) {
    const at = ids.findIndex((id) => isUndoStep(id, child.step));
    // Long ids of undo steps are truncated, so one id may match several steps of the plan. Each undo step therefore
    // counts for only one step.
    const isUndone = isOffered(child) && ids.splice(at, at < 0 ? 0 : 1).length > 0;
    if (isUndone || !isOffered(child)) left.push(...(await listRemaining(child, calls)));
    else left.push(...(await listAllEffects(child, "left-out", calls)));
  }
  return left;
}

/** Returns the effects of a step that stay even after Paraph performs every undo that the step offers. */
async function listRemaining(child: Child, calls: UndoneCalls): Promise<NotUndone[]> {
  const { outcome, capability } = child;
  if (outcome?.kind === "succeeded" && child.undo === undefined)
    return listAllEffects(child, "no-undo", calls);
  const steps = await listSteps(child, calls);
  if (steps.length === 0) {
    const isUnclear = outcome?.kind === "unknown" && calls.contractOf(capability)?.effect !== "read";
    return isUnclear ? [toNotUndone(child, "unknown")] : [];
  }
  const isCompensated = steps.some(
    ({ step, outcome }) => step === compensationStep && outcome?.kind === "succeeded",
  );
  return outcome?.kind === "succeeded" || isCompensated
    ? listBelow(child, steps, (one) => listRemaining(one, calls))
    : listAllEffects(child, "plan-not-succeeded", calls);
}

/** Returns every effect of a step. If the step has steps of its own, returns their effects instead. */
async function listAllEffects(
  child: Child,
  reason: NotUndoneReason,
  calls: UndoneCalls,
): Promise<NotUndone[]> {
  const steps = await listSteps(child, calls);
  if (steps.length > 0)
    return listBelow(child, steps, (one) =>
      one.outcome?.kind === "succeeded" ? listAllEffects(one, reason, calls) : listRemaining(one, calls),
    );
  return calls.contractOf(child.capability)?.effect === "read" ? [] : [toNotUndone(child, reason)];
}

async function listSteps({ call, capability }: Child, calls: UndoneCalls): Promise<Child[]> {
  const contract = calls.contractOf(capability);
  return contract && !contract.composite ? [] : latestChildren(await calls.steps(call));
}

function isPlanned({ step }: Child): boolean {
  return step !== compensationStep;
}

function isOffered({ undo, outcome }: Child): boolean {
  return undo !== undefined && outcome?.kind === "succeeded";
}

function toNotUndone({ step, call, capability }: Child, reason: NotUndoneReason): NotUndone {
  return { step, call, capability, reason };
}

async function listBelow(
  { step }: Child,
  steps: readonly Child[],
  look: (one: Child) => Promise<readonly NotUndone[]>,
): Promise<NotUndone[]> {
  const left: NotUndone[] = [];
  for (const one of steps.filter(isPlanned)) left.push(...(await look(one)));
  return left.map((one) => ({ ...one, step: `${step}/${one.step}` }));
}
