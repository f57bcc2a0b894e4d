import { type AuthorizationAnswer, statefulIsAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import { type Contract, digest, type Evaluation, type Question } from "@paraph/core";
import { answerKeyOf, answerMemo } from "./answer-memo.ts";
import { requestOf, textsOf } from "./request.ts";
import type { Action } from "./schema.ts";
import type { Slice } from "./slices.ts";

/**
 * [P11] Asks Cedar. Whatever goes wrong on the way is an error code, and an error code blocks: Cedar itself skips
 * a forbid that errs, which would allow. [P10] Cedar's own messages quote the context and go nowhere.
 */
export function evaluator(
  actions: readonly Action[],
  sliceFor: (action: Action) => Slice,
): (question: Question) => Evaluation {
  const byName = new Map(actions.map((action) => [action.contract.name, action]));
  const isSame = contractComparer();
  const remembered = answerMemo();
  return (question) => {
    try {
      const action = byName.get(question.contract.name);
      if (!action) return failed(["capability-unknown"]);
      if (!isSame(action.contract, question.contract)) return failed(["contract-changed"]);
      if (!textsOf(question).every(isText)) return failed(["text-unfit"]);
      const slice = sliceFor(action);
      const faults: string[] = [];
      const request = requestOf(question, action, slice, faults);
      if (faults.length > 0) return failed([...new Set(faults)]);
      return remembered(answerKeyOf(request, slice.use), () =>
        evaluationOf(statefulIsAuthorized({ ...request, ...slice.names })),
      );
    } catch {
      return failed(["engine-failed"]);
    }
  };
}

/**
 * [P11] Cedar throws on a lone surrogate and does not give back the stack it had taken: after some 1,500 of them
 * it fails every question until the process ends. So it never meets one. What is no text at all it would refuse,
 * but memory, and what it is not told, would pass it.
 */
function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}

function evaluationOf(answer: AuthorizationAnswer): Evaluation {
  if (answer.type === "failure") return failed(["request-refused"]);
  const { decision, diagnostics } = answer.response;
  const policies = [...diagnostics.reason].sort();
  const errors = diagnostics.errors.map((error) => `policy-failed:${error.policyId}`).sort();
  return errors.length > 0 ? failed(errors, policies) : { decision, policies, errors };
}

function failed(errors: readonly string[], policies: readonly string[] = []): Evaluation {
  return { decision: "deny", policies, errors };
}

/** The set was validated for the contracts it was loaded with; of another contract under the same name it knows nothing. */
function contractComparer(): (known: Contract, asked: Contract) => boolean {
  const digests = new WeakMap<Contract, string>();
  const digestOf = (contract: Contract): string => {
    const { effect, risk, input } = contract;
    const value = digests.get(contract) ?? digest({ effect, risk, input });
    digests.set(contract, value);
    return value;
  };
  return (known, asked) => known === asked || digestOf(known) === digestOf(asked);
}
