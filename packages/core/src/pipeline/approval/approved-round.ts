import { type Call, lastPreview } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { lastHeadline } from "../../headline.ts";
import type { JsonObject } from "../../json.ts";
import type { OutcomeCode } from "../../outcome-codes/outcome-codes.ts";
import type { VoidCode } from "../../outcome-codes/void-round.ts";
import type { Ports } from "../../ports.ts";
import type { Transition } from "../../store.ts";
import { closeCall } from "../close.ts";
import { agreeingVotes, digestForApproval } from "../round.ts";
import { commitTransition, type Rested, toRested } from "../transition.ts";

/**
 * Returns the call's approval if its digest matches the call as it is now and the approval is not too old. Returns
 * `altered` if the digest differs.
 */
export function validApproval(
  call: Call,
  capability: Capability,
  ports: Ports,
): Call["approval"] | "altered" {
  const { approval } = call;
  if (approval?.status !== "approved") return undefined;
  if (approval.digest !== digestForApproval(call, capability, lastPreview(call), lastHeadline(call)))
    return "altered";
  const votes = agreeingVotes(call, approval);
  const decidedAt = Math.max(...votes.map(({ at }) => at));
  const isInTime = ports.clock.now() - decidedAt <= capability.contract.applyWithinMs;
  return isInTime ? { ...approval, votes } : undefined;
}

/** Returns the write that voids an approved round. */
export function closeApprovedRound(call: Call): Pick<Transition, "closeRound"> {
  return call.approval?.status === "approved"
    ? { closeRound: { approval: call.approval.id, status: "void" } }
    : {};
}

/** Returns the event that records that an approved round is void. */
export function roundVoidedEvents(call: Call, code: VoidCode, at: number): Transition["events"] {
  if (call.approval?.status !== "approved") return [];
  return [{ kind: "round-closed", at, data: { round: call.approval.round, status: "void", code } }];
}

/** Closes a call before its intent, and voids its approved round. */
export async function closeBeforeActing(
  call: Call,
  kind: "refused" | "expired",
  code: OutcomeCode,
  ports: Ports,
  about: JsonObject = {},
): Promise<Rested> {
  const events = roundVoidedEvents(call, code, ports.clock.now());
  return toRested(
    await commitTransition(
      call,
      await closeCall(call, { outcome: { kind, code }, events, about, ...closeApprovedRound(call) }, ports),
      ports,
    ),
  );
}
