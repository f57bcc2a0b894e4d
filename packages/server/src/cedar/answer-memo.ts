import type { Evaluation } from "@paraph/core";
import type { ContextUse } from "./context-use.ts";
import type { Request } from "./request.ts";

/**
 * Everything that Cedar's answer to this request can depend on, as one text; undefined where that is the call
 * itself. It is made from the request, so whatever Cedar is told of principals one day is in it from that day on.
 */
export function answerKeyOf(request: Request, use: ContextUse): string | undefined {
  if (use.parts.size > 0) return undefined;
  const { action, principal, resource, entities, context } = request;
  return JSON.stringify([action, principal, resource, entities, context.evidence]);
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
