import { type Approval, type Call, type CallState, fingerprint } from "@paraph/core";
import type { Waiting } from "./schemas/call.ts";

/** What an open call waits for, until when, and how its caller can wait with it. */
export function waitingOf(call: Call): Waiting {
  const { approval } = call;
  const awaited = reasons[call.state];
  const at = untilWhen(call, awaited);
  return {
    for: awaited,
    ...(at !== undefined && { until: new Date(at).toISOString() }),
    ...(awaited === "approval" && approval && { approval: asked(approval) }),
    how: `${why[awaited]}: \`GET /v1/calls/${call.call}\` with \`Prefer: wait=60\` answers as soon as it is closed.`,
  };
}

/** When it goes on at the latest, as far as anybody can say. */
function untilWhen(call: Call, awaited: Waiting["for"]): number | undefined {
  if (awaited === "approval") return call.approval?.expiresAt;
  if (awaited === "performing") return call.attempts.findLast(({ ended }) => ended === undefined)?.deadline;
  if (awaited !== "retry") return undefined;
  const delayed = call.events.findLast(({ kind }) => kind === "delayed");
  return delayed && delayed.at + Number(delayed.data.waitMs);
}

const reasons: Record<CallState, Waiting["for"]> = {
  previewing: "preview",
  checking: "check",
  asking: "approval",
  ready: "performing",
  queued: "lock",
  parked: "thaw",
  performing: "performing",
  delayed: "retry",
  closed: "performing",
};

const why: Record<Waiting["for"], string> = {
  approval: "A person has to decide, and it goes on without you once they have",
  check: "Checks that policy demands are being run",
  thaw: "It is frozen, and goes on once an administrator has thawed it",
  lock: "Another call holds what this one needs",
  retry: "It will be tried again",
  performing: "It is being performed",
  preview: "Its preview is still being made",
};

function asked({ id, expiresAt, digest, guards }: Approval): NonNullable<Waiting["approval"]> {
  return {
    id,
    expiresAt: new Date(expiresAt).toISOString(),
    digest,
    fingerprint: fingerprint(digest),
    guards: guards.map(({ id, sentence, quorum, group }) => ({
      ...{ id, sentence, quorum },
      ...(group !== undefined && { group }),
    })),
  };
}
