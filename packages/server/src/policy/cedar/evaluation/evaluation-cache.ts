import type { Evaluation } from "@paraph/core";
import type { CedarRequest } from "./cedar-request.ts";
import type { PolicySlice } from "./slices.ts";

/**
 * Creates a cache for Cedar's answers about one policy set. These answers never change. For slices that do not read the call,
 * the cache keeps answers up to a maximum and drops the oldest first. For other slices, it keeps only the last answer.
 * That answer helps because a ruling often evaluates a question twice, with the present evidence and with all possible
 * evidence. If a slice reads no evidence, both requests are equal.
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
    return remembered(JSON.stringify([slice.getNames(), request]), ask);
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
