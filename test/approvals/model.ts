import fc from "fast-check";

/** An action of people, callers or the external system on one call and its successors. */
export type ApprovalAction =
  | { readonly kind: "ask"; readonly capability: ModelCapability }
  | {
      readonly kind: "vote";
      readonly by: "ana" | "bo" | "owner";
      readonly decision: "approve" | "deny" | "return";
      readonly stale: boolean;
    }
  | {
      readonly kind: "edit";
      readonly by: "ana" | "bo";
      readonly stale: boolean;
    }
  | { readonly kind: "withdraw"; readonly by: "agent" | "ana" }
  | { readonly kind: "move" | "freeze" | "thaw" };

export type ModelCapability = "asked.keyed" | "paired.keyed";

export interface ModelCall {
  readonly capability: ModelCapability;
  readonly state: "asking" | "parked" | "closed";
  /** The outcome once the call is closed, such as `succeeded done` or `denied returned`. */
  readonly outcome?: string;
  readonly round: number;
  readonly yes: readonly string[];
  /** The people who edited the call or its predecessors. Paraph rejects their approval. */
  readonly editors: readonly string[];
  /** The number of changes of the basis when Paraph last asked for approval. */
  readonly seen: number;
  readonly deadline: number;
  readonly approvedAt?: number;
}

/** The state around the call. */
export interface ModelWorld {
  readonly now: number;
  readonly frozen: boolean;
  /** The number of changes of the basis of the name in the call's input. */
  readonly moves: number;
}

const hourMs = 3_600_000;
const maxRounds = 3;
const quorum = { "asked.keyed": 1, "paired.keyed": 2 } as const;

export function createModelCall(
  capability: ModelCapability,
  around: ModelWorld,
  deadline = around.now + 24 * hourMs,
  editors: readonly string[] = [],
): ModelCall {
  return { capability, state: "asking", round: 1, yes: [], editors, seen: around.moves, deadline };
}

/**
 * Returns whether Paraph accepts the action, and the possible states of the call. Several states are possible if a
 * process may not know of a freeze yet.
 */
export function applyAction(
  call: ModelCall,
  deed: Exclude<ApprovalAction, { kind: "ask" }>,
  around: ModelWorld,
): { readonly taken: boolean; readonly calls: readonly ModelCall[] } {
  const refused = { taken: false, calls: [call] };
  switch (deed.kind) {
    case "vote": {
      if (call.state !== "asking" || deed.stale || deed.by === "owner") return refused;
      if (deed.decision !== "approve")
        return {
          taken: true,
          calls: [closeCall(call, `denied ${deed.decision === "deny" ? "denied" : "returned"}`)],
        };
      if (call.editors.includes(deed.by)) return refused;
      const yes = [...new Set([...call.yes, deed.by])];
      const counted = { ...call, yes };
      const enough = yes.length >= quorum[call.capability];
      return {
        taken: true,
        calls: enough ? applyApproval({ ...counted, approvedAt: around.now }, around) : [counted],
      };
    }
    case "edit": {
      const canBeApproved = ["ana", "bo"].some((one) => one !== deed.by && !call.editors.includes(one));
      const isTaken = call.state === "asking" && !deed.stale && !around.frozen && canBeApproved;
      return isTaken ? { taken: true, calls: [closeCall(call, "superseded edited")] } : refused;
    }
    case "withdraw":
      if (call.state === "closed" || deed.by !== "agent") return refused;
      return { taken: true, calls: [closeCall(call, "cancelled withdrawn")] };
    case "thaw":
      return { taken: true, calls: call.state === "parked" ? [applyPerform(call, around)] : [call] };
    case "move":
    case "freeze":
      return { taken: true, calls: [call] };
  }
}

/** Applies the passage of time. A round expires, and a parked call is revalidated. */
export function applyTime(call: ModelCall, around: ModelWorld): ModelCall {
  if (call.state === "asking" && call.deadline <= around.now) return closeCall(call, "expired no-answer");
  if (call.state !== "parked") return call;
  return isStillApproved(call, around) ? call : askAgain(call, around);
}

function applyApproval(call: ModelCall, around: ModelWorld): ModelCall[] {
  if (!around.frozen) return [applyPerform(call, around)];
  const parked: ModelCall = { ...call, state: "parked" };
  // A process that does not know of the freeze yet revalidates first, and asks again if the basis has changed.
  return isStillApproved(call, around) ? [parked] : [parked, askAgain(call, around)];
}

function applyPerform(call: ModelCall, around: ModelWorld): ModelCall {
  return isStillApproved(call, around) ? closeCall(call, "succeeded done") : askAgain(call, around);
}

/** [P5] Returns whether the approval is recent and the basis has not changed since Paraph asked for it. */
function isStillApproved({ seen, approvedAt = 0 }: ModelCall, { moves, now }: ModelWorld): boolean {
  return seen === moves && now - approvedAt <= hourMs;
}

function askAgain(call: ModelCall, { moves, now }: ModelWorld): ModelCall {
  const code = call.seen === moves ? "not-applied-in-time" : "basis-changed";
  if (call.round >= maxRounds) return closeCall(call, `refused ${code}`);
  if (call.deadline <= now) return closeCall(call, `expired ${code}`);
  const { approvedAt: _, ...rest } = call;
  return { ...rest, state: "asking", round: call.round + 1, yes: [], seen: moves };
}

const closeCall = (call: ModelCall, outcome: string): ModelCall => ({ ...call, state: "closed", outcome });

const capability = fc.constantFrom<ModelCapability>("asked.keyed", "paired.keyed");
const rarelyTrue = fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0);
const decision = fc.oneof(
  { arbitrary: fc.constant("approve" as const), weight: 8 },
  { arbitrary: fc.constantFrom("deny" as const, "return" as const), weight: 2 },
);

export const approvalActions: fc.Arbitrary<ApprovalAction> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("ask" as const), capability }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant("vote" as const),
      by: fc.constantFrom("ana" as const, "bo" as const, "owner" as const),
      decision,
      stale: rarelyTrue,
    }),
    weight: 9,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("edit" as const),
      by: fc.constantFrom("ana" as const, "bo" as const),
      stale: rarelyTrue,
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("withdraw" as const),
      by: fc.constantFrom("agent" as const, "ana" as const),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ kind: fc.constantFrom("move" as const, "freeze" as const, "thaw" as const) }),
    weight: 5,
  },
);
