import type { Approval } from "../../approval.ts";
import type { Call } from "../../call.ts";

/** Steps that those who approved this round have approved the rest without: one person's no is enough, as it is for a whole. */
export function listDeclinedSteps(
  { events }: Pick<Call, "events">,
  round: Pick<Approval, "round"> | undefined,
): ReadonlySet<string> {
  const lastWords = new Map<string, readonly string[]>();
  for (const { kind, data } of events) {
    if (kind !== "voted" || data.round !== round?.round || data.decision !== "approve") continue;
    lastWords.set(data.by, data.declined ?? []);
  }
  return new Set([...lastWords.values()].flat());
}
