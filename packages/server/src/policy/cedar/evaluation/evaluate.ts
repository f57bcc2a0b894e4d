import {
  type Contract,
  digest,
  type Evaluation,
  type PolicySet,
  type Principal,
  type Question,
} from "@paraph/core";
import { listQuestionTexts, toCallValues } from "./cedar-request.ts";
import { type ClosureTrust, processTrust } from "./closures/closure-trust.ts";
import { createFailedEvaluation, createSliceEvaluator } from "./evaluate-slice.ts";
import type { Action } from "./schema.ts";
import type { PolicySlice } from "./slices.ts";

/** A policy set that evaluates calls, and tells whether a call could ever be allowed. */
export interface Evaluator {
  readonly evaluate: (question: Question) => Evaluation;
  readonly evaluateContract: NonNullable<PolicySet["evaluateContract"]>;
  readonly couldAllow: (principal: Principal, contract: Contract, everyGuard: readonly string[]) => boolean;
}

/**
 * [P11] Creates an evaluator. Every failure becomes an error code, and an error code blocks the call. By itself, Cedar
 * would skip a forbid that fails, and could then allow the call. [P10] Cedar's messages quote the context, so Paraph
 * discards them.
 */
export function createEvaluator(
  actions: readonly Action[],
  slicesFor: (action: Action) => readonly PolicySlice[],
  trust: ClosureTrust = processTrust,
): Evaluator {
  const byName = new Map(actions.map((action) => [action.contract.name, action]));
  const isSame = createContractComparer();
  const prepare = createSliceEvaluator(trust);
  const known = (contract: Contract) => {
    const action = byName.get(contract.name);
    return action && isSame(action.contract, contract) ? action : undefined;
  };
  const evaluate = (question: Question): Evaluation => {
    try {
      const action = known(question.contract);
      if (!action)
        return createFailedEvaluation([
          byName.has(question.contract.name) ? "contract-changed" : "capability-unknown",
        ]);
      if (!listQuestionTexts(question).every(isWellFormedText)) return createFailedEvaluation(["text-unfit"]);
      const slices = slicesFor(action);
      const faults: string[] = [];
      const values = toCallValues(question, action, slices, faults);
      if (faults.length > 0) return createFailedEvaluation([...new Set(faults)]);
      const merged = mergeEvaluations(slices.map(prepare(question, action, values)));
      return slices.every(({ onlyLiftedByEvidence }) => onlyLiftedByEvidence) ? merged : omitPermits(merged);
    } catch {
      return createFailedEvaluation(["engine-failed"]);
    }
  };
  /** Returns whether a policy that reads the call can permit a call of the capability. */
  const othersPermit = (contract: Contract): boolean =>
    slicesFor(known(contract)!).some(({ use, canPermit }) => use.parts.size > 0 && canPermit);
  /** Evaluates the policies that do not read the call. */
  const evaluateContract: Evaluator["evaluateContract"] = (question) => {
    const plain = { ...question, input: null, preview: undefined };
    try {
      const action = known(question.contract);
      if (!action || !listQuestionTexts(plain).every(isWellFormedText))
        return { ...createFailedEvaluation(["capability-unknown"]), dependsOnCall: false };
      const slices = slicesFor(action);
      const settled = slices.filter(({ use }) => use.parts.size === 0);
      const merged = mergeEvaluations(settled.map(prepare(plain, action, {})));
      const evaluation = settled.every((slice) => slice.onlyLiftedByEvidence) ? merged : omitPermits(merged);
      return { ...evaluation, dependsOnCall: settled.length < slices.length };
    } catch {
      return { ...createFailedEvaluation(["engine-failed"]), dependsOnCall: false };
    }
  };
  /**
   * Whether policy could allow any call of the capability. Policies that do not read the call give the same answer for
   * every call. If one of them forbids, no call can be allowed. If none of them permits, only a policy that reads the
   * call can permit it. Without a call, the answer of such a policy is unknown, so the function assumes that a permit
   * could apply. The function evaluates once with every guard met and once with none, because a policy may also forbid
   * approved calls.
   */
  const couldAllow: Evaluator["couldAllow"] = (principal, contract, everyGuard) => {
    return [everyGuard, []].some((discharged) => {
      const { decision, policies, errors } = evaluateContract({ principal, contract, discharged });
      if (errors.length > 0) return false;
      return decision === "allow" || (policies.length === 0 && othersPermit(contract));
    });
  };
  return { evaluate, evaluateContract, couldAllow };
}

/**
 * Combines the answers of the slices as if Cedar had evaluated all policies together. A forbid wins over a permit.
 * Without either, the call is denied.
 */
function mergeEvaluations(parts: readonly Evaluation[]): Evaluation {
  const policiesOf = (some: readonly Evaluation[]) => some.flatMap((part) => part.policies).sort();
  const failing = parts.filter(({ errors }) => errors.length > 0);
  if (failing.length > 0)
    return createFailedEvaluation(failing.flatMap(({ errors }) => errors).sort(), policiesOf(failing));
  const forbids = policiesOf(parts.filter(({ decision }) => decision === "deny"));
  const permits = policiesOf(parts.filter(({ decision }) => decision === "allow"));
  if (forbids.length === 0 && permits.length > 0) return { decision: "allow", policies: permits, errors: [] };
  const known = parts.map((part) => part.permits ?? (part.decision === "allow" ? part.policies : undefined));
  const all = known.every((some) => some !== undefined) ? known.flat().sort() : undefined;
  return { decision: "deny", policies: forbids, errors: [], ...(all && { permits: all }) };
}

function omitPermits({ permits: _, ...evaluation }: Evaluation): Evaluation {
  return evaluation;
}

/**
 * [P11] Whether Cedar can safely receive the value. Cedar throws on a lone surrogate and leaks stack space. After about
 * 1,500 such errors, it fails every request until the process ends. A value that is not a string is also rejected here.
 * Cedar would reject it too, but Cedar never receives values that are omitted or cached.
 */
function isWellFormedText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}

/**
 * Creates a function that tells whether two contracts are the same to policy. A set is validated for the contracts it
 * was loaded with. It cannot rule on a different contract of the same name.
 */
function createContractComparer(): (known: Contract, asked: Contract) => boolean {
  const digests = new WeakMap<Contract, string>();
  const digestOf = (contract: Contract): string => {
    const { effect, risk, input } = contract;
    const value = digests.get(contract) ?? digest({ effect, risk, input });
    digests.set(contract, value);
    return value;
  };
  return (known, asked) => known === asked || digestOf(known) === digestOf(asked);
}
