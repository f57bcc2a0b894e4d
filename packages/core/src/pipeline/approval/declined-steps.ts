import type { Approval } from "../../approval.ts";
import type { Call } from "../../call.ts";

/**
 * Returns the steps that the approvers of this round left out. One person is enough to leave a step out, as one person
 * is enough to deny the whole call.
 */
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
