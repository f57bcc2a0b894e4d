import { type Urgency, urgencies } from "@paraph/core";

const normal = urgencies.indexOf("normal");

/** Returns the order of an urgency: `normal` is 0, and a more urgent one is above. Notices are stored with it. */
export function toUrgencyRank(urgency: Urgency): number {
  return urgencies.indexOf(urgency) - normal;
}

/** Returns the urgency of a rank. A later version may have stored a rank that this one does not know. */
export function fromUrgencyRank(rank: number): Urgency {
  return urgencies[rank + normal] ?? "normal";
}
