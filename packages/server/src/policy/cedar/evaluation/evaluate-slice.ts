import { type StatefulAuthorizationCall, statefulIsAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import type { Evaluation, Question } from "@paraph/core";
import { type CallValues, toCedarRequest } from "./cedar-request.ts";
import { type ClosureRequest, toClosureRequest } from "./closures/closure-request.ts";
import type { ClosureTrust } from "./closures/closure-trust.ts";
import { isSampled } from "./closures/sampling.ts";
import { createEvaluationCache } from "./evaluation-cache.ts";
import type { Action } from "./schema.ts";
import type { PolicySlice } from "./slices.ts";

/** Evaluates the policies of a slice. */
export type EvaluateSlice = (slice: PolicySlice) => Evaluation;

/**
 * Creates a function that prepares the evaluation of one question. Closures evaluate the slices that they support.
 * Cedar evaluates all other slices and a sample of the questions.
 * [P11] If an answer of closures differs from Cedar's, the call is blocked, and only Cedar evaluates from then on.
 */
export function createSliceEvaluator(
  trust: ClosureTrust,
): (question: Question, action: Action, values: CallValues) => EvaluateSlice {
  const remembered = createEvaluationCache();
  return (question, action, values) => {
    const evaluateWithCedar: EvaluateSlice = (slice) => {
      const request = toCedarRequest(question, action, values, slice);
      return remembered(slice, request, () => askCedar({ ...request, ...slice.getNames() }));
    };
    if (!trust.isTrusted()) return evaluateWithCedar;
    const request = tryOrUndefined(() => toClosureRequest(question, action, values));
    const sampled = isSampled(question, values, trust.samplingInterval);
    return (slice) => {
      const answer = request && evaluateCompiled(slice, request);
      if (!answer) return evaluateWithCedar(slice);
      // An error is rare and blocks the call, so Cedar always confirms it.
      if (!sampled && answer.errors.length === 0) return answer;
      if (isSameEvaluation(answer, evaluateWithCedar(slice))) return answer;
      trust.withdraw();
      return createFailedEvaluation(["evaluators-disagree"]);
    };
  };
}

/** Returns undefined if Cedar must evaluate the slice, which includes every unexpected error. */
function evaluateCompiled({ compiled }: PolicySlice, request: ClosureRequest): Evaluation | undefined {
  return compiled && tryOrUndefined(() => compiled(request));
}

/** Returns undefined if the function throws. */
export function tryOrUndefined<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}

/** Whether two evaluations have the same decision, determining policies and errors. */
export function isSameEvaluation(a: Evaluation, b: Evaluation): boolean {
  return a.decision === b.decision && `${a.policies}` === `${b.policies}` && `${a.errors}` === `${b.errors}`;
}

/** Evaluates a request with Cedar itself. */
export function askCedar(request: StatefulAuthorizationCall): Evaluation {
  const answer = statefulIsAuthorized(request);
  if (answer.type === "failure") return createFailedEvaluation(["request-refused"]);
  const { decision, diagnostics } = answer.response;
  // If any policy fails, the whole evaluation fails, regardless of Cedar's decision.
  const failing = diagnostics.errors.map(({ policyId }) => policyId).sort();
  const errors = failing.map((id) => `policy-failed:${id}`);
  return errors.length > 0
    ? createFailedEvaluation(errors, failing)
    : { decision, policies: [...diagnostics.reason].sort(), errors };
}

export function createFailedEvaluation(
  errors: readonly string[],
  policies: readonly string[] = [],
): Evaluation {
  return { decision: "deny", policies, errors };
}
