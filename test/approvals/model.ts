import fc from "fast-check";

/** What people, callers and the world do to one call and to those that take its place. */
export type Deed =
  | { readonly kind: "ask"; readonly capability: Capability }
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

export type Capability = "asked.keyed" | "paired.keyed";

/** A call as the model knows it. */
export interface Modelled {
  readonly capability: Capability;
  readonly state: "asking" | "parked" | "closed";
  /** `succeeded done`, `denied returned`, … once it is closed. */
  readonly outcome?: string;
  readonly round: number;
  readonly yes: readonly string[];
  /** Who edited it, or what it succeeds: their approval is refused. */
  readonly editors: readonly string[];
  /** How often its name had moved when people were last asked. */
  readonly seen: number;
  readonly deadline: number;
  readonly approvedAt?: number;
}

/** The world around it. */
export interface Surroundings {
  readonly now: number;
  readonly frozen: boolean;
  /** How often its name has moved. */
  readonly moves: number;
}

const hour = 3_600_000;
const mostRounds = 3;
const quorum = { "asked.keyed": 1, "paired.keyed": 2 } as const;

export function asked(
  capability: Capability,
  around: Surroundings,
  deadline = around.now + 24 * hour,
  editors: readonly string[] = [],
): Modelled {
  return { capability, state: "asking", round: 1, yes: [], editors, seen: around.moves, deadline };
}

/** What may have become of the call, and whether the deed is taken. More than one where a freeze may not be known yet. */
export function after(
  call: Modelled,
  deed: Exclude<Deed, { kind: "ask" }>,
  around: Surroundings,
): { readonly taken: boolean; readonly calls: readonly Modelled[] } {
  const refused = { taken: false, calls: [call] };
  switch (deed.kind) {
    case "vote": {
      if (call.state !== "asking" || deed.stale || deed.by === "owner") return refused;
      if (deed.decision !== "approve")
        return {
          taken: true,
          calls: [closed(call, `denied ${deed.decision === "deny" ? "denied" : "returned"}`)],
        };
      if (call.editors.includes(deed.by)) return refused;
      const yes = [...new Set([...call.yes, deed.by])];
      const counted = { ...call, yes };
      const enough = yes.length >= quorum[call.capability];
      return {
        taken: true,
        calls: enough ? approved({ ...counted, approvedAt: around.now }, around) : [counted],
      };
    }
    case "edit": {
      const canBeApproved = ["ana", "bo"].some((one) => one !== deed.by && !call.editors.includes(one));
      const isTaken = call.state === "asking" && !deed.stale && !around.frozen && canBeApproved;
      return isTaken ? { taken: true, calls: [closed(call, "superseded edited")] } : refused;
    }
    case "withdraw":
      if (call.state === "closed" || deed.by !== "agent") return refused;
      return { taken: true, calls: [closed(call, "cancelled withdrawn")] };
    case "thaw":
      return { taken: true, calls: call.state === "parked" ? [performed(call, around)] : [call] };
    case "move":
    case "freeze":
      return { taken: true, calls: [call] };
  }
}

/** Once time has passed: a question expires, and a parked call is looked at again. */
export function later(call: Modelled, around: Surroundings): Modelled {
  if (call.state === "asking" && call.deadline <= around.now) return closed(call, "expired no-answer");
  if (call.state !== "parked") return call;
  return holds(call, around) ? call : askedAgain(call, around);
}

function approved(call: Modelled, around: Surroundings): Modelled[] {
  if (!around.frozen) return [performed(call, around)];
  const parked: Modelled = { ...call, state: "parked" };
  // Who does not know of the freeze yet looks at the world first, and asks again where it has moved.
  return holds(call, around) ? [parked] : [parked, askedAgain(call, around)];
}

function performed(call: Modelled, around: Surroundings): Modelled {
  return holds(call, around) ? closed(call, "succeeded done") : askedAgain(call, around);
}

/** [P5] What was approved is what is there, and was approved a short while ago. */
function holds({ seen, approvedAt = 0 }: Modelled, { moves, now }: Surroundings): boolean {
  return seen === moves && now - approvedAt <= hour;
}

function askedAgain(call: Modelled, { moves, now }: Surroundings): Modelled {
  const code = call.seen === moves ? "not-applied-in-time" : "basis-moved";
  if (call.round >= mostRounds) return closed(call, `refused ${code}`);
  if (call.deadline <= now) return closed(call, `expired ${code}`);
  const { approvedAt: _, ...rest } = call;
  return { ...rest, state: "asking", round: call.round + 1, yes: [], seen: moves };
}

const closed = (call: Modelled, outcome: string): Modelled => ({ ...call, state: "closed", outcome });

const capability = fc.constantFrom<Capability>("asked.keyed", "paired.keyed");
const rarely = fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0);
const decision = fc.oneof(
  { arbitrary: fc.constant("approve" as const), weight: 8 },
  { arbitrary: fc.constantFrom("deny" as const, "return" as const), weight: 2 },
);

export const deeds: fc.Arbitrary<Deed> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("ask" as const), capability }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant("vote" as const),
      by: fc.constantFrom("ana" as const, "bo" as const, "owner" as const),
      decision,
      stale: rarely,
    }),
    weight: 9,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("edit" as const),
      by: fc.constantFrom("ana" as const, "bo" as const),
      stale: rarely,
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
