import type { Evaluation, Guard, Policy, PolicySet, Question, Urgency } from "../policy/policy.ts";
import { digest } from "../receipts/digest.ts";

/** What a plain rule says of a capability: allow it, block it, or ask that many people. */
export type PlainRule =
  | "allow"
  | "block"
  | {
      readonly ask: number;
      readonly urgency?: Urgency;
      readonly when?: (question: Question) => boolean;
    };

/** A policy set in plain code: one rule per capability, and what has no rule is not permitted. */
export function createPlainPolicy(rules: Readonly<Record<string, PlainRule>>): Policy & PolicySet {
  const guards = new Map(
    Object.entries(rules).flatMap(([name, rule]) =>
      typeof rule === "string" ? [] : [[name, toGuard(name, rule)]],
    ),
  );
  const evaluate = (question: Question): Evaluation => {
    const { name } = question.contract;
    const rule = rules[name];
    if (rule === undefined) return { decision: "deny", policies: [], errors: [] };
    if (rule === "block") return { decision: "deny", policies: ["blocked"], errors: [] };
    const open = rule !== "allow" && (rule.when?.(question) ?? true) && !question.discharged.includes(name);
    return { decision: open ? "deny" : "allow", policies: [open ? name : "permitted"], errors: [] };
  };
  const set: PolicySet = {
    version: digest(JSON.stringify(rules)),
    guards,
    unattended: new Set(["permitted"]),
    readsEnvironment: () => false,
    evaluate,
  };
  return { ...set, current: () => set, refresh: async () => {} };
}

function toGuard(id: string, { ask, urgency }: Exclude<PlainRule, string>): Guard {
  const asked = { id, ruling: "ask", quorum: ask, urgency: urgency ?? "normal" } as const;
  return { ...asked, sentence: `${id} is asked about.` };
}
