import { type Call, lastPreview } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import type { Json, JsonObject } from "../../json.ts";
import type { Allow, Ask, Block } from "../../policy/ruling.ts";
import type { Ports, Transition } from "../../ports.ts";
import { sameJson } from "../../receipts/digest.ts";
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

/** What the intent rests on: seen a moment ago, and allowed. */
export interface Revalidated {
  readonly kind: "on";
  readonly call: Call;
  readonly basis: Json | undefined;
  readonly judged: RuledCall<Allow>;
  readonly payloads: Transition["payloads"];
}

/** [P5] What was approved is compared with the world as it is now, and policy is asked again with the real evidence. */
export async function revalidate(
  call: Call,
  capability: Capability,
  ports: Ports,
): Promise<Rested | Revalidated> {
  const previewed = await previewCall(call, capability, capability.contract.timeoutMs, ports);
  if (previewed.kind === "fault") {
    // Looking has no effect, so whatever stopped it, nothing was performed.
    const kind = previewed.fault.kind === "permanent" ? "permanent" : "not-performed";
    const ran = { attempt: nextAttemptNumber(call), started: ports.clock.now() };
    const fault = { kind: "fault", fault: { ...previewed.fault, kind } } as const;
    return toRested(
      await commitTransition(call, await concludeAttempt(call, capability, fault, ran, ports), ports),
    );
  }
  const moved = !sameJson(previewed.value?.basis, lastPreview(call)?.basis);
  // While the basis stands, what people saw stands, to the letter.
  const current = moved ? previewed.value : lastPreview(call);
  const standing = moved ? undefined : validApproval(call, capability, ports);
  if (standing === "altered") return closeBeforeActing(call, "refused", "approval-mismatch", ports);

  const checks = validChecks(call, capability, current);
  const votes = standing?.votes ?? (moved ? [] : inheritedVotes(call, capability, current, ports));
  const judged = await rulePlan(call, capability, { preview: current, votes, checks }, ports);
  const { ruling, request } = judged;
  const code = moved
    ? "basis-moved"
    : call.barredVoters === undefined
      ? "not-applied-in-time"
      : "approver-barred";
  switch (ruling.kind) {
    case "allow":
      return {
        kind: "on",
        call,
        basis: current?.basis,
        judged: { ruling, request },
        payloads: [...newPreviewPayload(call, current, ports), recordRuling(judged, ports).payload],
      };
    case "block":
      return closeBlockedCall(call, { ruling, request }, ports);
    case "check":
      return checkAgain(call, judged, current, standing ? undefined : code, ports);
    case "ask":
      return askAgain(call, capability, { ruling, request }, current, code, ports);
  }
}

async function closeBlockedCall(call: Call, judged: RuledCall<Block>, ports: Ports): Promise<Rested> {
  const { event, payload } = recordRuling(judged, ports);
  const { code } = judged.ruling;
  const events = [event, ...roundVoidedEvents(call, code, event.at)];
  const move = await closeCall(
    call,
    { outcome: { kind: "refused", code }, events, payloads: [payload], ...closeApprovedRound(call) },
    ports,
  );
  return toRested(await commitTransition(call, move, ports));
}

/** Checks were for what was seen before: what is seen now is checked anew, before anybody is asked about it. */
async function checkAgain(
  call: Call,
  judged: RuledCall,
  current: Preview | undefined,
  code: string | undefined,
  ports: Ports,
): Promise<Rested> {
  const at = ports.clock.now();
  const { event, payload } = recordRuling(judged, ports);
  const move: Transition = {
    state: "checking",
    nextAt: at + ports.settings.sweepGraceMs,
    events: [...(code === undefined ? [] : roundVoidedEvents(call, code, at)), event],
    payloads: [...newPreviewPayload(call, current, ports), payload],
    unlock: call.lockKeys.length > 0,
    ...(code !== undefined && closeApprovedRound(call)),
  };
  const moved = await commitTransition(call, move, ports);
  return moved.kind === "rest" ? moved : restCall(moved.call, [...moved.wakes, createWake(moved.call)]);
}

/** The approval in force, if one is: approved, for exactly these bytes, and not too long ago. */
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
  judged: RuledCall<Ask>,
  current: Preview | undefined,
  code: string,
  ports: Ports,
): Promise<Rested> {
  const now = ports.clock.now();
  if ((call.approval?.round ?? 0) >= maxRounds) return closeBeforeActing(call, "refused", code, ports);
  if (call.deadline !== undefined && call.deadline <= now)
    return closeBeforeActing(call, "expired", code, ports);
  if (isPreviewIncomplete(current)) return closeBeforeActing(call, "refused", "preview-incomplete", ports);
  const move = openRound(call, capability, judged, current, ports);
  const moved = await commitTransition(
    call,
    {
      ...move,
      ...closeApprovedRound(call),
      events: [...roundVoidedEvents(call, code, now), ...move.events],
      unlock: call.lockKeys.length > 0,
    },
    ports,
  );
  return toRested(moved);
}

export function closeApprovedRound(call: Call): Pick<Transition, "closeRound"> {
  return call.approval?.status === "approved"
    ? { closeRound: { approval: call.approval.id, status: "void" } }
    : {};
}

export function roundVoidedEvents(call: Call, code: string, at: number): Transition["events"] {
  if (call.approval?.status !== "approved") return [];
  return [{ kind: "round-closed", at, data: { round: call.approval.round, status: "void", code } }];
}

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
