import {
  type Call,
  type Child,
  type JsonObject,
  latestChildren,
  listDeclinedSteps,
  type Principal,
} from "@paraph/core";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { PlanView, StepView } from "../schemas/plan.ts";
import { toCallView } from "./call-view.ts";

/** Returns a plan or composite, with what this reader may see of each step. */
export async function toPlanView(call: Call, reader: Principal, service: ParaphService): Promise<PlanView> {
  const view = await toCallView(call, reader, service);
  return { ...view, steps: toStepViews(call, view, await service.listSteps(call)) };
}

type VisiblePlan = Pick<PlanView, "input" | "preview">;

/** Returns the planned steps in order, then the steps that became known only during execution. */
export function toStepViews(call: Call, shown: VisiblePlan, made: readonly Child[]): StepView[] {
  const children = latestChildren(made);
  const declined = listDeclinedSteps(call, call.approval);
  const taken = new Map(children.map((child) => [child.step, child]));
  const planned = listPlannedSteps(shown).map((step) => ({
    ...step,
    ...toStepPreview(step.step, shown),
    ...toStepGuards(step.step, call),
    ...toStepStatus(step.step, call, taken.get(step.step), declined),
  }));
  const plannedIds = new Set(planned.map(({ step }) => step));
  const others = children
    .filter(({ step }) => !plannedIds.has(step))
    .map((child) => ({
      step: child.step,
      capability: child.capability,
      ...toStepStatus(child.step, call, child, declined),
    }));
  return [...planned, ...others];
}

/**
 * Returns the steps from the plan's input. If the input is erased or masked, it returns the steps that the preview
 * names.
 */
function listPlannedSteps({
  input,
  preview,
}: VisiblePlan): Pick<StepView, "step" | "capability" | "input" | "after">[] {
  const { steps } = (typeof input === "object" ? (input ?? {}) : {}) as { readonly steps?: unknown };
  if (!Array.isArray(steps))
    return (preview?.steps ?? []).map(({ id, capability }) => ({ step: id, capability }));
  return (steps as JsonObject[]).map(({ id, capability, input, after }) => ({
    step: String(id),
    capability: String(capability),
    input,
    ...(Array.isArray(after) && { after: after as string[] }),
  }));
}

function toStepPreview(step: string, { preview }: VisiblePlan): Partial<StepView> {
  const steps = preview?.steps ?? [];
  const index = steps.findIndex(({ id }) => id === step);
  const own = steps[index];
  if (!preview || !own) return {};
  const from = steps.slice(0, index).reduce((sum, { changes }) => sum + changes, 0);
  const { version, effect, risk, cost, inputKnown, previewed, dependsOn, visibility, headline } = own;
  return {
    version,
    effect,
    risk,
    cost,
    inputKnown,
    previewed,
    dependsOn: [...dependsOn],
    visibility,
    ...(headline !== undefined && { headline }),
    changes: preview.changes.slice(from, from + own.changes),
  };
}

function toStepGuards(step: string, { approval }: Call): Pick<StepView, "asks"> {
  const asks = (approval?.guards ?? []).filter(({ steps }) => steps?.includes(step)).map(({ id }) => id);
  return asks.length > 0 ? { asks } : {};
}

function toStepStatus(
  step: string,
  call: Call,
  child: Child | undefined,
  declined: ReadonlySet<string>,
): Pick<StepView, "status" | "call" | "state" | "outcome"> {
  if (child)
    return {
      status: child.state === "closed" ? "closed" : "open",
      call: child.call,
      state: child.state,
      ...(child.outcome && { outcome: child.outcome }),
    };
  if (declined.has(step)) return { status: "declined" };
  return { status: call.state === "closed" ? "skipped" : "planned" };
}
