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

/** Returns what an open call waits for, the end of the wait, and how its caller can wait. */
export function toWaitingView(call: Call): WaitingView {
  const { approval } = call;
  const awaited = call.stuck === undefined ? awaitedByState[call.state] : "stuck";
  const at = findWaitEnd(call, awaited);
  return {
    for: awaited,
    ...(at !== undefined && { until: new Date(at).toISOString() }),
    ...(awaited === "approval" && approval && { approval: toWaitingApproval(approval) }),
    how: `${waitExplanations[awaited]}. ${formatHowTo(call, awaited)}.`,
  };
}

function formatHowTo({ call }: Call, awaited: WaitingView["for"]): string {
  if (awaited === "stuck")
    return `Find the cause, then continue the call with \`paraph retry ${call}\` (\`POST /v1/calls/${call}/retry\`)`;
  if (awaited === "agent")
    return `Send \`POST /v1/calls/${call}/claim\`, perform the call, then send \`POST /v1/calls/${call}/report\``;
  return `\`GET /v1/calls/${call}\` with \`Prefer: wait=60\` responds when the call is closed or ready for you to perform`;
}

/** Returns the time by which the wait ends, or undefined if that time is unknown. */
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
  approval: "A person must decide. The call then continues without you",
  check: "Paraph is running the checks that policy demands",
  thaw: "The call is frozen until an administrator thaws it",
  lock: "Another call holds a lock that this one needs",
  retry: "Paraph will retry the call",
  agent: "The requester can perform the call now",
  steps: "The steps of the call are being performed",
  performing: "The call is being performed",
  preview: "Paraph is preparing the preview",
  stuck: "The call keeps failing, and Paraph has stopped retrying it",
};

/** Returns a guard without the fields that only the pipeline uses. */
export function toGuardView({ id, sentence, quorum, group, proof, steps }: Guard) {
  return {
    id,
    sentence,
    quorum,
    ...(group !== undefined && { group }),
    ...(proof !== undefined && { proof }),
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
