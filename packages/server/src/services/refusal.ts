import { type Call, lastEvent } from "@paraph/core";

/** The policies that refused a call, and their message. */
export interface Refusal {
  readonly policies: readonly string[];
  readonly sentence: string;
}

/** Returns the refusal, or undefined if policy did not refuse the call. */
export function findRefusal({ outcome, events }: Pick<Call, "outcome" | "events">): Refusal | undefined {
  const ruled = lastEvent(events, "ruled")?.data;
  if (outcome?.kind !== "refused" || ruled?.ruling !== "block") return undefined;
  return { policies: ruled.policies, sentence: ruled.sentence ?? "" };
}
