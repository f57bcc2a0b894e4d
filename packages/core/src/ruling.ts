import type { Preview } from "./capability.ts";
import type { Contract } from "./contract.ts";
import type { Json } from "./json.ts";
import {
  type Evaluation,
  type Guard,
  type Policy,
  type PolicySet,
  type Question,
  urgencies,
} from "./policy.ts";
import type { Principal } from "./principal.ts";

/** Policy's answer. (`check` joins these with its own evidence; until then a guard that demands one blocks.) */
export type Ruling = Allow | Ask | Block;

interface RulingBase {
  /** Ids of the policies that determined it. */
  readonly policies: readonly string[];
  /** Digest of the policy set that was asked. */
  readonly version: string;
}
export interface Allow extends RulingBase {
  readonly kind: "allow";
}
export interface Ask extends RulingBase {
  readonly kind: "ask";
  readonly guards: readonly Guard[];
  readonly urgency: Guard["urgency"];
}
export interface Block extends RulingBase {
  readonly kind: "block";
  readonly code: "forbidden" | "not-permitted" | "policy-error";
}

/** A person's yes to one digest, as far as a guard cares. */
export interface Vote {
  readonly by: string;
  readonly decision: "approve" | "deny";
  readonly as: "approver" | "confirmation";
}

/** [P11] [P5] Fails closed in this one place: whatever goes wrong while asking policy is a block. */
export function rule(
  policy: Policy,
  subject: { principal: Principal; contract: Contract; input: Json; preview: Preview | undefined },
  votes: readonly Vote[],
): Ruling {
  let version = "none";
  try {
    const set = policy.current();
    version = set.version;
    return ruleWith(set, subject, votes);
  } catch {
    return { kind: "block", code: "policy-error", policies: [], version };
  }
}

function ruleWith(set: PolicySet, subject: Omit<Question, "discharged">, votes: readonly Vote[]): Ruling {
  const met = [...set.guards.values()].filter((guard) => isDischarged(guard, votes)).map((guard) => guard.id);
  const real = set.evaluate({ ...subject, discharged: met });
  const { policies } = real;
  const { version } = set;
  if (real.errors.length > 0) return { kind: "block", code: "policy-error", policies, version };
  if (real.decision === "allow") return { kind: "allow", policies, version };
  if (policies.length === 0) return { kind: "block", code: "not-permitted", policies, version };

  const guards = policies.map((id) => set.guards.get(id));
  if (!guards.every((guard) => guard !== undefined))
    return { kind: "block", code: "forbidden", policies, version };

  // Nobody is asked in vain: if every answer were yes, would it be allowed?
  const hypothetical = set.evaluate({ ...subject, discharged: [...set.guards.keys()] });
  if (!isCleanAllow(hypothetical)) {
    const code =
      hypothetical.errors.length > 0
        ? "policy-error"
        : hypothetical.policies.length > 0
          ? "forbidden"
          : "not-permitted";
    return { kind: "block", code, policies: hypothetical.policies, version };
  }
  return { kind: "ask", guards, urgency: strictest(guards), policies, version };
}

export function isDischarged(guard: Guard, votes: readonly Vote[]): boolean {
  const people = new Set(votes.filter((vote) => vote.decision === "approve").map((vote) => vote.by));
  return people.size >= guard.quorum;
}

function isCleanAllow(evaluation: Evaluation): boolean {
  return evaluation.decision === "allow" && evaluation.errors.length === 0;
}

function strictest(guards: readonly Guard[]): Guard["urgency"] {
  return guards
    .map((guard) => guard.urgency)
    .reduce((a, b) => (urgencies.indexOf(a) > urgencies.indexOf(b) ? a : b));
}
