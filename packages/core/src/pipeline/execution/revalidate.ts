import { type Call, lastPreview } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import type { Json } from "../../json.ts";
import type { OutcomeCode } from "../../outcome-codes/outcome-codes.ts";
import type { Allow, Ask, Block } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import { sameJson } from "../../receipts/digest.ts";
import type { Transition } from "../../store.ts";
import {
  closeApprovedRound,
  closeBeforeActing,
  roundVoidedEvents,
  validApproval,
} from "../approval/approved-round.ts";
import { isPreviewIncomplete, maxRounds, openRound } from "../approval/ask.ts";
import { inheritedVotes } from "../approval/inherited-approval.ts";
import { concludeAttempt, nextAttemptNumber } from "../attempt/conclude.ts";
import { closeCall } from "../close.ts";
import { newContentPayloads } from "../content-payloads.ts";
import { previewCall } from "../ruling/preview-steps.ts";
import { type RuledCall, recordRuling } from "../ruling/rule.ts";
import { rulePlan } from "../ruling/rule-plan.ts";
import { validChecks } from "../ruling/run-checks.ts";
import { commitTransition, createWake, type Rested, restCall, toRested } from "../transition.ts";

/**
 * A call that Paraph just previewed and ruled on again, and that policy still allows. Paraph writes the intent on the
 * basis of this result.
 */
export interface Revalidated {
  readonly kind: "on";
  readonly call: Call;
  readonly basis: Json | undefined;
  readonly ruledCall: RuledCall<Allow>;
  readonly payloads: Transition["payloads"];
}

/** [P5] Compares the approved basis with the current one, and asks policy again with the actual evidence. */
export async function revalidate(
  call: Call,
  capability: Capability,
  ports: Ports,
): Promise<Rested | Revalidated> {
  const previewed = await previewCall(call, capability, capability.contract.timeoutMs, ports);
  if (previewed.kind === "fault") {
    // A preview has no effect. If a preview fails, nothing was performed, so every fault that is not `permanent`
    // becomes `not-performed`.
    const kind = previewed.fault.kind === "permanent" ? "permanent" : "not-performed";
    const ran = { attempt: nextAttemptNumber(call), started: ports.clock.now() };
    const fault = { kind: "fault", fault: { ...previewed.fault, kind } } as const;
    return toRested(
      await commitTransition(call, await concludeAttempt(call, capability, fault, ran, ports), ports),
    );
  }
  const moved = !sameJson(previewed.value?.basis, lastPreview(call)?.basis);
  // If the basis is unchanged, Paraph keeps using exactly the preview that people saw.
  const current = moved ? previewed.value : lastPreview(call);
  const standing = moved ? undefined : validApproval(call, capability, ports);
  if (standing === "altered") return closeBeforeActing(call, "refused", "approval-mismatch", ports);

  const checks = validChecks(call, capability, current);
  const votes = standing?.votes ?? (moved ? [] : inheritedVotes(call, capability, current, ports));
  const ruledCall = await rulePlan(call, capability, { preview: current, votes, checks }, ports);
  const { ruling, request } = ruledCall;
  const code = moved
    ? "basis-changed"
    : call.barredVoters !== undefined
      ? "approver-barred"
      : standing
        ? "approval-insufficient"
        : "not-applied-in-time";
  switch (ruling.kind) {
    case "allow":
      return {
        kind: "on",
        call,
        basis: current?.basis,
        ruledCall: { ruling, request },
        payloads: [
          ...newContentPayloads(call, capability, current, ports),
          recordRuling(ruledCall, ports).payload,
        ],
      };
    case "block":
      return closeBlockedCall(call, { ruling, request }, ports);
    case "check":
      return checkAgain(call, capability, ruledCall, current, standing ? undefined : code, ports);
    case "ask":
      return askAgain(call, capability, { ruling, request }, current, code, ports);
  }
}

async function closeBlockedCall(call: Call, ruledCall: RuledCall<Block>, ports: Ports): Promise<Rested> {
  const { event, payload } = recordRuling(ruledCall, ports);
  const { code } = ruledCall.ruling;
  const events = [event, ...roundVoidedEvents(call, code, event.at)];
  const move = await closeCall(
    call,
    { outcome: { kind: "refused", code }, events, payloads: [payload], ...closeApprovedRound(call) },
    ports,
  );
  return toRested(await commitTransition(call, move, ports));
}

/** Runs the checks again before people are asked, because the earlier results were for another preview. */
async function checkAgain(
  call: Call,
  capability: Capability,
  ruledCall: RuledCall,
  current: Preview | undefined,
  code: OutcomeCode | undefined,
  ports: Ports,
): Promise<Rested> {
  const at = ports.clock.now();
  const { event, payload } = recordRuling(ruledCall, ports);
  const move: Transition = {
    state: "checking",
    nextAt: at + ports.settings.sweepGraceMs,
    events: [...(code === undefined ? [] : roundVoidedEvents(call, code, at)), event],
    payloads: [...newContentPayloads(call, capability, current, ports), payload],
    unlock: call.lockKeys.length > 0,
    ...(code !== undefined && closeApprovedRound(call)),
  };
  const committed = await commitTransition(call, move, ports);
  return committed.kind === "rest"
    ? committed
    : restCall(committed.call, [...committed.wakes, createWake(committed.call)]);
}

async function askAgain(
  call: Call,
  capability: Capability,
  ruledCall: RuledCall<Ask>,
  current: Preview | undefined,
  code: OutcomeCode,
  ports: Ports,
): Promise<Rested> {
  const now = ports.clock.now();
  if ((call.approval?.round ?? 0) >= maxRounds) return closeBeforeActing(call, "refused", code, ports);
  if (call.deadline !== undefined && call.deadline <= now)
    return closeBeforeActing(call, "expired", code, ports);
  if (isPreviewIncomplete(current)) return closeBeforeActing(call, "refused", "preview-incomplete", ports);
  const move = openRound(call, capability, ruledCall, current, ports);
  const committed = await commitTransition(
    call,
    {
      ...move,
      ...closeApprovedRound(call),
      events: [...roundVoidedEvents(call, code, now), ...move.events],
      unlock: call.lockKeys.length > 0,
    },
    ports,
  );
  return toRested(committed);
}
