import { type Call, lastPreview } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import type { Json, JsonObject } from "../../json.ts";
import type { Allow, Ask, Block } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import { sameJson } from "../../receipts/digest.ts";
import type { Transition } from "../../store.ts";
import { previewCall } from "../admission/preview-steps.ts";
import { type RuledCall, recordRuling } from "../admission/rule.ts";
import { rulePlan } from "../admission/rule-plan.ts";
import { validChecks } from "../admission/run-checks.ts";
import { closeCall } from "../close.ts";
import { concludeAttempt, nextAttemptNumber } from "../execution/conclude.ts";
import { commitTransition, createWake, type Rested, restCall, toRested } from "../transition.ts";
import { agreeingVotes } from "./agreement.ts";
import { digestForApproval, isPreviewIncomplete, maxRounds, newPreviewPayload, openRound } from "./ask.ts";
import { inheritedVotes } from "./inherited-approval.ts";

/** A call that was just previewed and ruled on again, and is still allowed. The intent depends on it. */
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
    // A preview has no effect, so nothing was performed, whatever stopped it.
    const kind = previewed.fault.kind === "permanent" ? "permanent" : "not-performed";
    const ran = { attempt: nextAttemptNumber(call), started: ports.clock.now() };
    const fault = { kind: "fault", fault: { ...previewed.fault, kind } } as const;
    return toRested(
      await commitTransition(call, await concludeAttempt(call, capability, fault, ran, ports), ports),
    );
  }
  const moved = !sameJson(previewed.value?.basis, lastPreview(call)?.basis);
  // While the basis is unchanged, exactly the preview that people saw stays in force.
  const current = moved ? previewed.value : lastPreview(call);
  const standing = moved ? undefined : validApproval(call, capability, ports);
  if (standing === "altered") return closeBeforeActing(call, "refused", "approval-mismatch", ports);

  const checks = validChecks(call, capability, current);
  const votes = standing?.votes ?? (moved ? [] : inheritedVotes(call, capability, current, ports));
  const ruledCall = await rulePlan(call, capability, { preview: current, votes, checks }, ports);
  const { ruling, request } = ruledCall;
  const code = moved
    ? "basis-changed"
    : call.barredVoters === undefined
      ? "not-applied-in-time"
      : "approver-barred";
  switch (ruling.kind) {
    case "allow":
      return {
        kind: "on",
        call,
        basis: current?.basis,
        ruledCall: { ruling, request },
        payloads: [...newPreviewPayload(call, current, ports), recordRuling(ruledCall, ports).payload],
      };
    case "block":
      return closeBlockedCall(call, { ruling, request }, ports);
    case "check":
      return checkAgain(call, ruledCall, current, standing ? undefined : code, ports);
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
  ruledCall: RuledCall,
  current: Preview | undefined,
  code: string | undefined,
  ports: Ports,
): Promise<Rested> {
  const at = ports.clock.now();
  const { event, payload } = recordRuling(ruledCall, ports);
  const move: Transition = {
    state: "checking",
    nextAt: at + ports.settings.sweepGraceMs,
    events: [...(code === undefined ? [] : roundVoidedEvents(call, code, at)), event],
    payloads: [...newPreviewPayload(call, current, ports), payload],
    unlock: call.lockKeys.length > 0,
    ...(code !== undefined && closeApprovedRound(call)),
  };
  const committed = await commitTransition(call, move, ports);
  return committed.kind === "rest"
    ? committed
    : restCall(committed.call, [...committed.wakes, createWake(committed.call)]);
}

/** Returns the approval in force: approved, for exactly these bytes, and not too old. */
export function validApproval(
  call: Call,
  capability: Capability,
  ports: Ports,
): Call["approval"] | "altered" {
  const { approval } = call;
  if (approval?.status !== "approved") return undefined;
  if (approval.digest !== digestForApproval(call, capability, lastPreview(call))) return "altered";
  const votes = agreeingVotes(call, approval);
  const decidedAt = Math.max(...votes.map(({ at }) => at));
  const isInTime = ports.clock.now() - decidedAt <= capability.contract.applyWithinMs;
  return isInTime ? { ...approval, votes } : undefined;
}

async function askAgain(
  call: Call,
  capability: Capability,
  ruledCall: RuledCall<Ask>,
  current: Preview | undefined,
  code: string,
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

/** Returns the write that voids an approved round. */
export function closeApprovedRound(call: Call): Pick<Transition, "closeRound"> {
  return call.approval?.status === "approved"
    ? { closeRound: { approval: call.approval.id, status: "void" } }
    : {};
}

/** Returns the event that an approved round is void. */
export function roundVoidedEvents(call: Call, code: string, at: number): Transition["events"] {
  if (call.approval?.status !== "approved") return [];
  return [{ kind: "round-closed", at, data: { round: call.approval.round, status: "void", code } }];
}

/** Closes a call before its intent, and voids its approved round. */
export async function closeBeforeActing(
  call: Call,
  kind: "refused" | "expired",
  code: string,
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
