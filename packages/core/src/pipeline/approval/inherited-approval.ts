import type { CastVote } from "../../approval.ts";
import { type Call, lastPreview } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import { lastEvent, type NewEvent, type UnsealedEvent } from "../../event.ts";
import type { Ports } from "../../ports.ts";
import { sealEvent } from "../../receipts/seal.ts";
import { agreeingVotes, digestForApproval, listDeclinedSteps } from "../round.ts";
import { findShownStep } from "../ruling/preview-steps.ts";
import { listRepresented } from "./reassignments.ts";

/**
 * [P13] Returns the event with which a step inherits the approval of its composite. People who approved the composite
 * approved its steps as shown. Their votes therefore apply to the step, bound to the step's own digest. A step that was
 * not shown, or has changed, needs its own approval.
 */
export function inheritApproval(
  call: Call,
  step: Call,
  capability: Capability,
  ports: Ports,
): NewEvent | undefined {
  const { approval } = call;
  const id = step.parent?.step ?? "";
  const shownStep = findShownStep(lastPreview(call), id);
  if (approval?.status !== "approved" || !shownStep?.inputKnown) return undefined;
  if (shownStep.version !== capability.contract.version) return undefined;
  if (listDeclinedSteps(call, approval).has(id)) return undefined;
  const cast = new Map(listRepresented(call, approval.round).map((one) => [one.by, one]));
  const votes = agreeingVotes(call, approval)
    .filter(({ decision }) => decision === "approve")
    .map((vote) => {
      const { inPlaceOf = [], declined = [] } = cast.get(vote.by) ?? {};
      return {
        ...vote,
        ...(inPlaceOf.length > 0 && { inPlaceOf }),
        // The assertion of a passkey covers these steps, so its verification needs them.
        ...(vote.proof && declined.length > 0 && { declined }),
      };
    });
  const covered: UnsealedEvent<"approval-inherited"> = {
    kind: "approval-inherited",
    at: ports.clock.now(),
    data: {
      by: call.call,
      round: approval.round,
      approval: approval.digest,
      digest: digestForApproval(step, capability, shownStep.preview),
      votes,
    },
  };
  return sealEvent(step, covered, ports.sealer);
}

/** Returns the inherited votes that cover this step with its current preview, unless they are too old. */
export function inheritedVotes(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
  ports: Ports,
): readonly CastVote[] {
  const covered = lastEvent(call.events, "approval-inherited");
  if (!covered || covered.data.digest !== digestForApproval(call, capability, preview)) return [];
  const votes = covered.data.votes.filter(({ by }) => !call.barredVoters?.includes(by));
  const decidedAt = Math.max(...votes.map(({ at }) => at));
  return ports.clock.now() - decidedAt <= capability.contract.applyWithinMs ? votes : [];
}
