import type { PlanRequest } from "@paraph/core";
import fc from "fast-check";

/**
 * The kinds of steps. `read` returns a name that `taking` takes, `breaks` fails, and `back` and `wary` can be undone.
 */
export type ModelStepKind = "free" | "asked" | "paired" | "breaks" | "back" | "wary" | "read" | "taking";

export type PlanAction =
  | { readonly kind: "place"; readonly plan: DrawnPlan }
  | {
      readonly kind: "vote";
      readonly by: "ana" | "bo" | "owner";
      readonly decision: "approve" | "deny";
      /** The steps of the plan that the approver declines, as a bit mask. */
      readonly declined: number;
      readonly stale: boolean;
    }
  | { readonly kind: "withdraw" }
  | { readonly kind: "undo" };

export interface DrawnPlan {
  readonly kinds: readonly ModelStepKind[];
  readonly onFailure: NonNullable<PlanRequest["onFailure"]>;
}

/** A plan as the model knows it. Its steps run one after another. */
export interface ModelPlan extends DrawnPlan {
  readonly state: "asking" | "composing" | "closed";
  readonly outcome?: string;
  /** The step that waits for an approval in the state `composing`. `-1` stands for the compensation. */
  readonly at?: number;
  /** The people who approved the current round, with the steps that each declined. */
  readonly yes: ReadonlyMap<string, readonly number[]>;
  readonly declined: readonly number[];
  /** The outcome of each step that has ended. */
  readonly ends: ReadonlyMap<number, string>;
  /** The outcome of the compensation. */
  readonly back?: string;
  readonly approvedAt?: number;
  /** The end of the open round. */
  readonly deadline: number;
}

const hourMs = 3_600_000;
const askedKinds: readonly ModelStepKind[] = ["asked", "paired"];

export function createModelPlan(drawn: DrawnPlan, now: number): ModelPlan {
  const plan: ModelPlan = {
    ...drawn,
    state: "asking",
    yes: new Map(),
    declined: [],
    ends: new Map(),
    deadline: now + 24 * hourMs,
  };
  return drawn.kinds.some((kind) => askedKinds.includes(kind)) ? plan : takeSteps(plan, 0, now);
}

/** Returns the next state of the plan, and whether Paraph accepts the action. */
export function applyPlanAction(
  plan: ModelPlan,
  deed: Exclude<PlanAction, { kind: "place" | "undo" }>,
  now: number,
): { readonly taken: boolean; readonly plan: ModelPlan } {
  const refused = { taken: false, plan };
  if (plan.state === "closed") return refused;
  if (deed.kind === "withdraw") return { taken: true, plan: withdrawPlan(plan) };
  if (deed.by === "owner" || deed.stale) return refused;
  if (deed.decision === "deny") return { taken: true, plan: denyPlan(plan, now) };
  const declined = plan.state === "asking" ? pickSteps(plan, deed.declined) : [];
  if (declined.length === plan.kinds.length) return refused;
  const yes = new Map([...plan.yes, [deed.by, declined]]);
  const union = [...new Set([...yes.values()].flat())];
  if (union.length === plan.kinds.length) return refused;
  const counted = { ...plan, yes };
  if (yes.size < countNeeded(plan, union)) return { taken: true, plan: counted };
  if (plan.state === "asking")
    return { taken: true, plan: takeSteps({ ...counted, declined: union, approvedAt: now }, 0, now) };
  return { taken: true, plan: endStep(counted, "succeeded", now) };
}

/** Applies the passage of time. A round without an answer expires. */
export function applyPlanTime(plan: ModelPlan, now: number): ModelPlan {
  if (plan.state === "closed" || plan.deadline > now) return plan;
  return plan.state === "asking" ? closePlan(plan, "expired no-answer") : endStep(plan, "expired", now);
}

/**
 * [P13] Returns the plan that undoes, in reverse order, the steps that can be undone. Returns undefined if no step can
 * be undone.
 */
export function buildModelUndo({ kinds, ends, state, back }: ModelPlan): DrawnPlan | undefined {
  if (state !== "closed" || back === "succeeded") return undefined;
  const done = listUndoable(kinds, ends).toReversed();
  if (done.length === 0) return undefined;
  return { kinds: done.map((index) => (kinds[index] === "wary" ? "asked" : "free")), onFailure: "continue" };
}

export const pickSteps = ({ kinds }: DrawnPlan, bits: number): number[] =>
  kinds.map((_, index) => index).filter((index) => (bits >> index) & 1);

/** Returns the quorum, which is two if a remaining step needs two people. */
function countNeeded({ state, kinds, at }: ModelPlan, declined: readonly number[]): number {
  if (state === "composing") return at !== undefined && kinds[at] === "paired" ? 2 : 1;
  return kinds.some((kind, index) => kind === "paired" && !declined.includes(index)) ? 2 : 1;
}

/** Runs one step after another, until one waits for people or the plan ends. */
function takeSteps(plan: ModelPlan, from: number, now: number): ModelPlan {
  const { kinds, declined, ends, onFailure, approvedAt = now } = plan;
  const index = from;
  const kind = kinds[index];
  const stopped = onFailure !== "continue" && [...ends.values()].some((end) => end !== "succeeded");
  if (kind === undefined || stopped) return endPlan(plan, now);
  const missing = kind === "taking" && ends.get(kinds.indexOf("read")) !== "succeeded";
  if (declined.includes(index) || missing) return takeSteps(plan, index + 1, now);
  const tooLate = askedKinds.includes(kind) && now - approvedAt > hourMs;
  if (kind === "taking" || tooLate) return waitForApproval(plan, index, now);
  const end = kind === "breaks" ? "failed" : "succeeded";
  return takeSteps({ ...plan, ends: new Map([...ends, [index, end]]) }, index + 1, now);
}

function waitForApproval(plan: ModelPlan, at: number, now: number): ModelPlan {
  return { ...plan, state: "composing", at, yes: new Map(), deadline: now + 24 * hourMs };
}

function endStep(plan: ModelPlan, end: string, now: number): ModelPlan {
  const { at = 0, ...rest } = plan;
  if (at === -1) return endPlan({ ...rest, back: end }, now);
  return takeSteps({ ...rest, ends: new Map([...plan.ends, [at, end]]) }, at + 1, now);
}

function denyPlan(plan: ModelPlan, now: number): ModelPlan {
  return plan.state === "asking" ? closePlan(plan, "denied denied") : endStep(plan, "denied", now);
}

function withdrawPlan(plan: ModelPlan): ModelPlan {
  const { at } = plan;
  const cancelled = closePlan(plan, "cancelled withdrawn");
  if (at === undefined) return cancelled;
  if (at === -1) return { ...cancelled, back: "cancelled" };
  return { ...cancelled, ends: new Map([...plan.ends, [at, "cancelled"]]) };
}

/** Ends the plan after all its steps, and after the compensation if the plan requires one. */
function endPlan(plan: ModelPlan, now: number): ModelPlan {
  const { kinds, ends, onFailure, back } = plan;
  if ([...ends.values()].every((end) => end === "succeeded")) return closePlan(plan, "succeeded done");
  const done = [...ends].filter(([, end]) => end === "succeeded");
  if (onFailure !== "compensate" || done.length === 0) return closePlan(plan, "failed step-failed");
  const reversible = listUndoable(kinds, ends);
  if (reversible.length === 0) return closePlan(plan, "failed no-way-back");
  if (back === undefined) {
    const isAsked = reversible.some((index) => kinds[index] === "wary");
    return isAsked ? waitForApproval(plan, -1, now) : endPlan({ ...plan, back: "succeeded" }, now);
  }
  if (back !== "succeeded") return closePlan(plan, "failed compensation-failed");
  return closePlan(
    plan,
    reversible.length === done.length ? "failed compensated" : "failed compensated-in-part",
  );
}

function listUndoable(kinds: readonly ModelStepKind[], ends: ReadonlyMap<number, string>): number[] {
  return [...ends]
    .filter(([index, end]) => end === "succeeded" && ["back", "wary"].includes(kinds[index]!))
    .map(([index]) => index);
}

function closePlan(plan: ModelPlan, outcome: string): ModelPlan {
  const { at: _, ...rest } = plan;
  return { ...rest, state: "closed", outcome };
}

const kindArbitrary = fc.constantFrom<ModelStepKind>(
  "free",
  "asked",
  "paired",
  "breaks",
  "back",
  "back",
  "wary",
  "taking",
);

/** Draws a plan of one to five steps. In some plans, the first step reads a name that other steps take. */
export const planArbitrary: fc.Arbitrary<DrawnPlan> = fc
  .record({
    reads: fc.boolean(),
    kinds: fc.array(kindArbitrary, { minLength: 1, maxLength: 4 }),
    onFailure: fc.constantFrom("stop", "continue", "compensate", "compensate"),
  })
  .map(({ reads, kinds, onFailure }) => ({
    kinds: reads ? ["read", ...kinds] : kinds.map((one) => (one === "taking" ? "back" : one)),
    onFailure,
  }));

export const planActions: fc.Arbitrary<Exclude<PlanAction, { kind: "place" }>> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant("vote" as const),
      by: fc.constantFrom("ana" as const, "ana" as const, "bo" as const, "bo" as const, "owner" as const),
      decision: fc.constantFrom<"approve" | "deny">("approve", "approve", "approve", "approve", "deny"),
      declined: fc.oneof(fc.constant(0), fc.nat({ max: 31 })),
      stale: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
    }),
    weight: 10,
  },
  { arbitrary: fc.constant({ kind: "withdraw" as const }), weight: 1 },
  { arbitrary: fc.constant({ kind: "undo" as const }), weight: 2 },
);
