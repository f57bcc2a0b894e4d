import type { Evaluation } from "@paraph/core";
import type { CedarRequest } from "./cedar-request.ts";
import type { PolicySlice } from "./slices.ts";

/**
 * Answers of one set of policies, which never change. Those of slices that see nothing of the call are kept, the
 * oldest going when there are too many; of the others only the last, for a ruling often puts the same question
 * twice: first with the evidence there is, then with all that could be.
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

export function createBoundedCache(most: number): (key: string, ask: () => Evaluation) => Evaluation {
  const known = new Map<string, Evaluation>();
  return (key, ask) => {
    const answer = known.get(key) ?? ask();
    // An error is asked about anew each time: it may have passed.
    if (answer.errors.length > 0 || known.has(key)) return answer;
    for (const part of [answer, answer.policies, answer.errors]) Object.freeze(part);
    known.set(key, answer);
    if (known.size > most) known.delete(known.keys().next().value!);
    return answer;
  };
}
