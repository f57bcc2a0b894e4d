import type { Evaluation, Guard, Policy, PolicySet, ProofKind, Question, Urgency } from "../policy/policy.ts";
import { digest } from "../receipts/digest.ts";

/** The rule for one capability: allow it, block it, or ask this many people. */
export type PlainRule =
  | "allow"
  | "block"
  | {
      readonly ask: number;
      readonly urgency?: Urgency;
      readonly group?: string;
      readonly proof?: ProofKind;
      readonly when?: (question: Question) => boolean;
    };

/** Creates a policy set from one rule per capability. It denies every capability without a rule. */
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

function toGuard(id: string, { ask, urgency, group, proof }: Exclude<PlainRule, string>): Guard {
  const asked = { id, ruling: "ask", quorum: ask, urgency: urgency ?? "normal" } as const;
  const demands = { ...(group !== undefined && { group }), ...(proof && { proof }) };
  return { ...asked, ...demands, sentence: `${id} is asked about.` };
}
