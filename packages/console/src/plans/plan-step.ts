import { listReferencedSteps } from "@paraph/core/value-references";
import type { Change, Plan, Risk, Round } from "../api/types.ts";

/** One step of a plan, as a row shows it. */
export interface PlanStep {
  readonly id: string;
  readonly number: number;
  readonly headline: string;
  readonly capability: string;
  readonly risk: Risk | undefined;
  /** Whether the step only reads. */
  readonly isRead: boolean;
  readonly changes: readonly Change[];
  /** `later`: it is previewed once earlier steps are done. `never`: its capability has no preview. */
  readonly preview: "shown" | "later" | "never";
  readonly dependsOn: readonly string[];
  /** The earlier steps whose output it takes. Without one of them, Paraph skips it. */
  readonly needs: readonly string[];
  /** The state and outcome of the step. Missing while the plan waits for its approval. */
  readonly progress?: Pick<Plan["steps"][number], "status" | "state" | "outcome" | "call">;
}

export function isGrave({ risk }: PlanStep): boolean {
  return risk === undefined || risk === "high" || risk === "critical";
}

/** Returns the steps of a plan that waits for its approval. Returns undefined if the call is no plan. */
export function readSteps({
  preview,
  input,
}: Pick<Round, "preview" | "input">): readonly PlanStep[] | undefined {
  if (!preview?.steps) return undefined;
  const inputs = readInputs(input);
  let start = 0;
  return preview.steps.map((step, index) => {
    const { id, capability, headline = capability, risk, effect, previewed, inputKnown, dependsOn } = step;
    const changes = preview.changes.slice(start, start + step.changes);
    start += step.changes;
    return {
      ...{ id, number: index + 1, headline, capability, risk, changes, dependsOn },
      isRead: effect === "read",
      preview: toPreview(previewed, inputKnown, dependsOn),
      needs: listNeeds(inputs.get(id), inputKnown ? [] : dependsOn),
    };
  });
}

/** Returns the steps of a plan with what became of them. */
export function readPlan(plan: Pick<Plan, "steps">): readonly PlanStep[] {
  return plan.steps.map((step, index) => {
    const { capability, headline = capability, changes = [], previewed = true, inputKnown = true } = step;
    const { dependsOn = [], status, state, outcome, call, effect, risk, input } = step;
    return {
      ...{ id: step.step, number: index + 1, headline, capability, risk, changes, dependsOn },
      isRead: effect === "read",
      preview: toPreview(previewed, inputKnown, dependsOn),
      needs: listNeeds(input, inputKnown ? [] : dependsOn),
      progress: { status, state, outcome, call },
    };
  });
}

function toPreview(
  previewed: boolean,
  inputKnown: boolean,
  dependsOn: readonly string[],
): PlanStep["preview"] {
  if (previewed) return "shown";
  return !inputKnown || dependsOn.length > 0 ? "later" : "never";
}

/** Reads the references of an input. If the input is hidden, each step that it depends on may provide a value. */
function listNeeds(input: unknown, otherwise: readonly string[]): readonly string[] {
  if (typeof input !== "object" || input === null) return otherwise;
  return listReferencedSteps(input as Parameters<typeof listReferencedSteps>[0]);
}

function readInputs(input: unknown): ReadonlyMap<string, unknown> {
  const { steps } = (input ?? {}) as { readonly steps?: unknown };
  const list = Array.isArray(steps)
    ? (steps as readonly { readonly id?: unknown; readonly input?: unknown }[])
    : [];
  return new Map(list.map((step) => [String(step.id), step.input]));
}

/** Returns the steps that Paraph skips if these are left out, because they need a value of them. */
export function listSkipped(steps: readonly PlanStep[], leftOut: ReadonlySet<string>): readonly PlanStep[] {
  const missing = new Set(leftOut);
  return steps.filter(({ id, needs }) => {
    if (missing.has(id) || !needs.some((need) => missing.has(need))) return false;
    missing.add(id);
    return true;
  });
}
