import { type Grant, isWithinBounds } from "../grant.ts";
import { conflictedPrincipals, type Evidence, isDischarged } from "./evidence.ts";
import { type Evaluation, type Guard, type Policy, type PolicySet, urgencies } from "./policy.ts";
import { answerGuard } from "./requirements.ts";
import {
  type Block,
  type BlockCode,
  type Enforcement,
  enforceAll,
  type HypotheticalRuling,
  type Ruling,
  type Subject,
} from "./ruling.ts";

/**
 * [P11] [P5] Returns policy's ruling on a call. Any error while evaluating policy blocks the call. This function is the
 * only place where policy fails closed.
 */
export function rule(
  policy: Pick<Policy, "current">,
  subject: Subject,
  evidence: Evidence,
  enforcement: Enforcement = enforceAll,
): Ruling {
  let version = "none";
  let ruling: Ruling;
  try {
    const set = policy.current(subject.principal.tenant);
    version = set.version;
    ruling = withShadow(set, subject, evidence, enforcement);
  } catch {
    ruling = createBlock("policy-error", [], version);
  }
  return enforcement.mode === "observe" && !needsAnswer(ruling) ? allowObserved(ruling) : ruling;
}

/**
 * Returns whether a ruling asks people for an answer. Observe mode still asks them, because the requester called the
 * capability to get an answer.
 */
function needsAnswer(ruling: Ruling): boolean {
  return ruling.kind === "ask" && ruling.guards.some(({ id }) => id === answerGuard.id);
}

/**
 * Adds the ruling that the set would make with its shadow policies, if it differs from the actual ruling. Shadow
 * policies do not affect the actual ruling.
 */
function withShadow(set: PolicySet, subject: Subject, evidence: Evidence, enforcement: Enforcement): Ruling {
  const ruling = withGrants(set, subject, evidence, enforcement);
  if (!set.withShadows) return ruling;
  const would = blockOnError(() => withGrants(set.withShadows!, subject, evidence, enforcement), set.version);
  const same = would.kind === ruling.kind && `${would.policies}` === `${ruling.policies}`;
  return same ? ruling : { ...ruling, shadow: toHypothetical(would) };
}

function blockOnError(body: () => Ruling, version: string): Ruling {
  try {
    return body();
  } catch {
    return createBlock("policy-error", [], version);
  }
}

/** Rules with the grants that cover the call, if people would otherwise have to approve it. */
function withGrants(set: PolicySet, subject: Subject, evidence: Evidence, enforcement: Enforcement): Ruling {
  const plain = ruleWith(set, subject, { ...evidence, grants: [] }, enforcement);
  const isOpen = plain.kind === "ask" || (plain.kind === "block" && plain.code === "not-confirmed");
  if (!isOpen) return plain;
  for (const grant of (evidence.grants ?? []).filter((one) => covers(one, subject))) {
    const granted = ruleWith(set, subject, { ...evidence, grants: [grant] }, enforcement);
    if (granted.kind === "allow") return { ...granted, grant };
  }
  return plain;
}

/**
 * Returns whether a grant covers this call. The function uses the grant as it was loaded, so the store checks the
 * expiry and the remainder when it writes the intent.
 */
function covers(grant: Grant, { principal, contract, input, cost }: Subject): boolean {
  return (
    grant.capability === contract.name &&
    (grant.principal === undefined || grant.principal === principal.id) &&
    (contract.effect !== "destroy" || grant.destroy === true) &&
    (grant.amountLeft === undefined || (cost !== undefined && cost <= grant.amountLeft)) &&
    grant.countLeft > 0 &&
    isWithinBounds(grant.bounds, input)
  );
}

function ruleWith(set: PolicySet, subject: Subject, evidence: Evidence, enforcement: Enforcement): Ruling {
  const involved = conflictedPrincipals(subject.principal);
  const isMet = (guard: Guard) => isDischarged(guard, evidence, involved);
  const discharged = [...set.guards.values()].filter(isMet).map(({ id }) => id);
  return { ...evaluateRuling(set, subject, evidence, enforcement, isMet, discharged), discharged };
}

function evaluateRuling(
  set: PolicySet,
  subject: Subject,
  evidence: Evidence,
  enforcement: Enforcement,
  isMet: (guard: Guard) => boolean,
  met: readonly string[],
): Ruling {
  const { requirements = [], cost: _cost, ...asked } = subject;
  const real = set.evaluate({ ...asked, discharged: met });
  const { policies } = real;
  const { version } = set;
  if (real.errors.length > 0) return createBlock("policy-error", policies, version);
  if (real.decision === "deny" && policies.length === 0)
    return createBlock("not-permitted", policies, version);

  const left = real.decision === "allow" ? [] : policies.map((id) => set.guards.get(id));
  if (!left.every((guard) => guard !== undefined)) {
    // A policy forbids the call, so a person's decision no longer matters. The ruling therefore shows only the
    // sentences of the forbidding policies and omits those of guards.
    const forbids = policies.filter((id) => !set.guards.has(id));
    return createBlock("forbidden", policies, version, joinSentences(set, forbids));
  }

  // If policy would not allow the call even with every guard satisfied, no approval can help, so Paraph blocks the
  // call.
  if (left.length > 0) {
    const { permits } = real;
    const hypothetical = permits
      ? toLiftedEvaluation(permits)
      : set.evaluate({ ...asked, discharged: [...set.guards.keys()] });
    if (!isCleanAllow(hypothetical)) return unapprovable(set, hypothetical);
  }
  const own = requirements.filter((guard) => !isMet(guard));
  const open = [...left, ...own];
  if (open.length > 0) return mergeGuards(set, open, evidence);
  const unconfirmed = enforcement.confirm && !isConfirmed(set, subject, evidence, policies);
  if (unconfirmed) return createBlock("not-confirmed", policies, version);
  return { kind: "allow", policies, version, sentence: joinSentences(set, policies), discharged: met };
}

/** Returns the evaluation with full evidence, if these permits apply and only guards forbid the call. */
function toLiftedEvaluation(permits: readonly string[]): Evaluation {
  return { decision: permits.length > 0 ? "allow" : "deny", policies: permits, errors: [] };
}

function unapprovable(set: PolicySet, { errors, policies }: Evaluation): Block {
  const code = errors.length > 0 ? "policy-error" : policies.length > 0 ? "forbidden" : "not-permitted";
  return createBlock(code, policies, set.version, joinSentences(set, policies));
}

/** Merges the demands of guards into the strictest ruling. Checks run first, so that people see their results. */
function mergeGuards(set: PolicySet, open: readonly Guard[], evidence: Evidence): Ruling {
  const policies = open.map(({ id }) => id);
  const sentence = open.map(({ sentence }) => sentence).join(" ");
  const base = { policies, version: set.version, sentence, discharged: [] };
  const results = new Map((evidence.checks ?? []).map((result) => [result.check, result]));
  const wanted = open.flatMap((guard) => (guard.ruling === "check" ? (guard.checks ?? []) : []));
  const missing = [...new Set(wanted)].filter((check) => !results.has(check));
  if (missing.length > 0) return { kind: "check", checks: missing, ...base };

  const failed = open.filter(({ ruling }) => ruling === "check");
  if (wanted.some((check) => results.get(check)?.error))
    return { kind: "block", code: "check-error", ...base };
  if (failed.some(({ onFail }) => onFail !== "ask")) return { kind: "block", code: "check-failed", ...base };
  const within = open.flatMap(({ withinMs }) => (withinMs === undefined ? [] : [withinMs]));
  return {
    kind: "ask",
    guards: open,
    urgency: strictestUrgency(open),
    ...(within.length > 0 && { withinMs: Math.min(...within) }),
    ...base,
  };
}

/**
 * Returns whether `features.executor_confirm` lets a change pass. It does if a person approved or requested the change,
 * or if a policy permits the change for unattended use.
 */
function isConfirmed(
  set: PolicySet,
  { principal, contract }: Subject,
  { votes, grants = [] }: Evidence,
  policies: readonly string[],
): boolean {
  // A composite needs no confirmation itself. It changes only what its steps change, and each step is checked
  // separately.
  if (contract.effect === "read" || contract.composite || principal.kind === "person") return true;
  const approved = votes.some(({ decision }) => decision === "approve") || grants.length > 0;
  return approved || policies.some((id) => set.unattended.has(id));
}

/** Allows the call in observe mode, and records the ruling that enforcement would have made. */
function allowObserved(ruling: Ruling): Ruling {
  if (ruling.kind === "allow") return ruling;
  const { policies, version, sentence, discharged, shadow } = ruling;
  return {
    kind: "allow",
    observed: toHypothetical(ruling),
    policies,
    version,
    sentence,
    discharged,
    ...(shadow && { shadow }),
  };
}

function toHypothetical(ruling: Ruling): HypotheticalRuling {
  const { kind, policies } = ruling;
  return { kind, policies, ...(ruling.kind === "block" && { code: ruling.code }) };
}

const blockSentences: Readonly<Record<BlockCode, string>> = {
  forbidden: "A policy forbids this.",
  "not-permitted": "No policy permits this.",
  "policy-error": "Paraph could not evaluate the policy, so it refused the call.",
  "check-failed": "A check that policy demands did not pass.",
  "check-error": "A check that policy demands could not be run.",
  "not-confirmed": "No person has approved this change, and no policy permits it for unattended use.",
  "step-invalid": "A step of the plan is invalid.",
};

function createBlock(code: BlockCode, policies: readonly string[], version: string, sentence = ""): Block {
  return {
    kind: "block",
    code,
    policies,
    version,
    sentence: sentence || blockSentences[code],
    discharged: [],
  };
}

function joinSentences(set: PolicySet, policies: readonly string[]): string {
  return policies
    .map((id) => set.guards.get(id)?.sentence ?? set.sentences?.get(id) ?? "")
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function isCleanAllow(evaluation: Evaluation): boolean {
  return evaluation.decision === "allow" && evaluation.errors.length === 0;
}

/** Returns the highest urgency of these guards. The list must not be empty. */
export function strictestUrgency(guards: readonly Guard[]): Guard["urgency"] {
  return guards
    .map((guard) => guard.urgency)
    .reduce((a, b) => (urgencies.indexOf(a) > urgencies.indexOf(b) ? a : b));
}
