import {
  type Approval,
  type Call,
  type CallState,
  fingerprint,
  type Guard,
  lastEvent,
  offerEndsAt,
} from "@paraph/core";
import type { WaitingView } from "../schemas/call.ts";

/** Returns what an open call waits for, until when, and how its caller can wait for it. */
export function toWaitingView(call: Call): WaitingView {
  const { approval } = call;
  const awaited = call.stuck === undefined ? awaitedByState[call.state] : "stuck";
  const at = findWaitEnd(call, awaited);
  return {
    for: awaited,
    ...(at !== undefined && { until: new Date(at).toISOString() }),
    ...(awaited === "approval" && approval && { approval: toWaitingApproval(approval) }),
    how: `${waitExplanations[awaited]}: ${formatHowTo(call, awaited)}.`,
  };
}

function formatHowTo({ call }: Call, awaited: WaitingView["for"]): string {
  if (awaited === "stuck")
    return `find out why, then \`paraph retry ${call}\` (\`POST /v1/calls/${call}/retry\`) lets it go on`;
  if (awaited === "agent")
    return `\`POST /v1/calls/${call}/take\`, perform it, \`POST /v1/calls/${call}/report\``;
  return `\`GET /v1/calls/${call}\` with \`Prefer: wait=60\` answers as soon as it is closed, or yours to perform`;
}

/** Returns the latest time at which the call continues, if that is known. */
function findWaitEnd(call: Call, awaited: WaitingView["for"]): number | undefined {
  if (awaited === "approval") return call.approval?.expiresAt;
  if (awaited === "agent") return offerEndsAt(call);
  if (awaited === "performing") return call.attempts.findLast(({ ended }) => ended === undefined)?.deadline;
  if (awaited !== "retry") return undefined;
  const delayed = lastEvent(call.events, "delayed");
  return delayed && delayed.at + delayed.data.waitMs;
}

const awaitedByState: Record<CallState, WaitingView["for"]> = {
  previewing: "preview",
  checking: "check",
  asking: "approval",
  ready: "performing",
  queued: "lock",
  parked: "thaw",
  offered: "agent",
  performing: "performing",
  composing: "steps",
  delayed: "retry",
  closed: "performing",
};

const waitExplanations: Record<WaitingView["for"], string> = {
  approval: "A person has to decide, and it goes on without you once they have",
  check: "Checks that policy demands are being run",
  thaw: "It is frozen, and goes on once an administrator has thawed it",
  lock: "Another call holds what this one needs",
  retry: "It will be tried again",
  agent: "It may be performed now, by whoever asked for it",
  steps: "Its steps are being taken",
  performing: "It is being performed",
  preview: "Its preview is still being made",
  stuck: "Its segments keep failing, and nothing is tried until a person lets it go on",
};

/** Returns a guard without the fields that only the pipeline uses. */
export function toGuardView({ id, sentence, quorum, group, steps }: Guard) {
  return {
    id,
    sentence,
    quorum,
    ...(group !== undefined && { group }),
    ...(steps && { steps: [...steps] }),
  };
}

function toWaitingApproval({
  id,
  expiresAt,
  digest,
  guards,
}: Approval): NonNullable<WaitingView["approval"]> {
  return {
    id,
    expiresAt: new Date(expiresAt).toISOString(),
    digest,
    fingerprint: fingerprint(digest),
    guards: guards.map(toGuardView),
  };
}
