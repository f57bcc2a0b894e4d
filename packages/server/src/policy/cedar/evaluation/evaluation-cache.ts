import type { Evaluation } from "@paraph/core";
import type { CedarRequest } from "./cedar-request.ts";
import type { PolicySlice } from "./slices.ts";

/**
 * Creates a cache for the answers of one policy set, which never change. It keeps the answers of slices that do not
 * read the call, and drops the oldest answers above a maximum. For other slices it keeps only the last answer. A ruling
 * often evaluates a question twice, with the present evidence and with all possible evidence. For a slice that reads no
 * evidence, both requests are equal.
 */
export function createEvaluationCache(): (
  slice: PolicySlice,
  request: CedarRequest,
  ask: () => Evaluation,
) => Evaluation {
  const general = createBoundedCache(10_000);
  const last = createBoundedCache(1);
  return (slice, request, ask) => {
    const remembered = slice.use.parts.size === 0 ? general : last;
    return remembered(JSON.stringify([slice.names, request]), ask);
  };
}

export function createBoundedCache(max: number): (key: string, ask: () => Evaluation) => Evaluation {
  const known = new Map<string, Evaluation>();
  return (key, ask) => {
    const answer = known.get(key) ?? ask();
    // An error is never cached, because it may be temporary.
    if (answer.errors.length > 0 || known.has(key)) return answer;
    for (const part of [answer, answer.policies, answer.errors]) Object.freeze(part);
    known.set(key, answer);
    if (known.size > max) known.delete(known.keys().next().value!);
    return answer;
  };
}
