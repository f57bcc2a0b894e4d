import type { Evaluation, Question } from "@paraph/core";
import type { ContextUse } from "./context-use.ts";
import type { Request } from "./request.ts";

/**
 * Everything that Cedar's answer to this request can depend on, as one text; undefined where that is the call
 * itself. It is made from the request, so whatever Cedar is told of principals one day is in it from that day on.
 */
export function answerKeyOf(question: Question, request: Request, use: ContextUse): string | undefined {
  if (use.seesCall || !isTakenByCedar(question)) return undefined;
  const met = new Set(question.discharged);
  const discharged = use.discharged ? [...use.discharged].filter((id) => met.has(id)) : [...met].sort();
  const { action, principal, resource, entities } = request;
  return JSON.stringify([action, principal, resource, entities, discharged]);
}

/**
 * [P11] Cedar refuses a request for a text that is none or is no Unicode, also where no policy looks at it. An
 * answer from memory must not pass such a request; of the input, the faults of `requestOf` have told already.
 */
function isTakenByCedar({ principal, preview, discharged }: Question): boolean {
  const { tenant, id, owner } = principal;
  return (
    [tenant, id].every(isText) &&
    (owner === undefined || isText(owner)) &&
    [...discharged].every(isText) &&
    [...(preview?.changes ?? [])].every((change) => isText(change?.kind) && isText(change?.target))
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}

/** Answers of one set of policies, which never change; the oldest goes when there are too many. */
export function answerMemo(most = 10_000): (key: string | undefined, ask: () => Evaluation) => Evaluation {
  const answers = new Map<string, Evaluation>();
  return (key, ask) => {
    const known = key === undefined ? undefined : answers.get(key);
    if (known) return known;
    const answer = ask();
    // An error is asked about anew each time: it may have passed.
    if (key === undefined || answer.errors.length > 0) return answer;
    for (const part of [answer, answer.policies, answer.errors]) Object.freeze(part);
    answers.set(key, answer);
    if (answers.size > most) answers.delete(answers.keys().next().value!);
    return answer;
  };
}
