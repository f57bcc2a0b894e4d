import { type Call, lastEvent } from "@paraph/core";

/** Which policies refused a call, and what they say about it. */
export interface Refusal {
  readonly policies: readonly string[];
  readonly sentence: string;
}

/** Undefined unless policy refused the call. */
export function findRefusal({ outcome, events }: Pick<Call, "outcome" | "events">): Refusal | undefined {
  const ruled = lastEvent(events, "ruled")?.data;
  if (outcome?.kind !== "refused" || ruled?.ruling !== "block") return undefined;
  return { policies: ruled.policies, sentence: ruled.sentence ?? "" };
}
