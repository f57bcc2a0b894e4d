import type { Call } from "@paraph/core";

/** Which policies refused a call, and what they say about it. */
export interface Refusal {
  readonly policies: readonly string[];
  readonly sentence: string;
}

/** Undefined unless policy refused the call. */
export function refusalOf({ outcome, events }: Pick<Call, "outcome" | "events">): Refusal | undefined {
  const { ruling, sentence, policies } = events.findLast(({ kind }) => kind === "ruled")?.data ?? {};
  if (outcome?.kind !== "refused" || ruling !== "block") return undefined;
  return {
    policies: Array.isArray(policies) ? policies.map(String) : [],
    sentence: typeof sentence === "string" ? sentence : "",
  };
}
