import {
  type Approval,
  type Call,
  type CallState,
  fingerprint,
  type Guard,
  lastEvent,
  offerEndsAt,
} from "@paraph/core";
import type { Waiting } from "../schemas/call.ts";

/** What an open call waits for, until when, and how its caller can wait with it. */
export function waitingOf(call: Call): Waiting {
  const { approval } = call;
  const awaited = call.stuck === undefined ? reasons[call.state] : "stuck";
  const at = untilWhen(call, awaited);
  return {
    for: awaited,
    ...(at !== undefined && { until: new Date(at).toISOString() }),
    ...(awaited === "approval" && approval && { approval: asked(approval) }),
    how: `${why[awaited]}: ${howTo(call, awaited)}.`,
  };
}

function howTo({ call }: Call, awaited: Waiting["for"]): string {
  if (awaited === "stuck")
    return `find out why, then \`paraph retry ${call}\` (\`POST /v1/calls/${call}/retry\`) lets it go on`;
  if (awaited === "agent")
    return `\`POST /v1/calls/${call}/take\`, perform it, \`POST /v1/calls/${call}/report\``;
  return `\`GET /v1/calls/${call}\` with \`Prefer: wait=60\` answers as soon as it is closed, or yours to perform`;
}

/** When it goes on at the latest, as far as anybody can say. */
function untilWhen(call: Call, awaited: Waiting["for"]): number | undefined {
  if (awaited === "approval") return call.approval?.expiresAt;
  if (awaited === "agent") return offerEndsAt(call);
  if (awaited === "performing") return call.attempts.findLast(({ ended }) => ended === undefined)?.deadline;
  if (awaited !== "retry") return undefined;
  const delayed = lastEvent(call.events, "delayed");
  return delayed && delayed.at + delayed.data.waitMs;
}

const reasons: Record<CallState, Waiting["for"]> = {
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

const why: Record<Waiting["for"], string> = {
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

export function guardView({ id, sentence, quorum, group, steps }: Guard) {
  return {
    id,
    sentence,
    quorum,
    ...(group !== undefined && { group }),
    ...(steps && { steps: [...steps] }),
  };
}

function asked({ id, expiresAt, digest, guards }: Approval): NonNullable<Waiting["approval"]> {
  return {
    id,
    expiresAt: new Date(expiresAt).toISOString(),
    digest,
    fingerprint: fingerprint(digest),
    guards: guards.map(guardView),
  };
}
