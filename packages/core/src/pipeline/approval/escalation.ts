import type { Approval } from "../../approval.ts";
import type { Call } from "../../call.ts";
import { type Event, eventsOfKind, type UnsealedEvent } from "../../event.ts";
import { strictestUrgency } from "../../policy/rule.ts";
import type { Ports } from "../../ports.ts";
import { sealEvents } from "../../receipts/seal.ts";
import type { EscalationStep } from "../../settings.ts";
import { closeCall } from "../close.ts";
import { commitTransition, type Rested, restCall, restUntil, toRested } from "../transition.ts";

/**
 * Advances a waiting round: reminds the approvers, asks further groups, and closes the round when it expires. It never
 * allows the call.
 */
export async function escalate(call: Call, ports: Ports): Promise<Rested> {
  const { approval } = call;
  if (!approval) return restCall(call);
  const now = ports.clock.now();
  if (approval.expiresAt <= now + clockToleranceMs) return expireRound(call, approval, ports);
  const due = listEscalationSteps(call, approval, ports).filter(
    ({ at, taken }) => !taken && at <= now + clockToleranceMs,
  );
  if (due.length === 0) return restUntil(call, nextEscalationAt(call, approval, ports), ports);
  const taken = due.map(({ step }) => toEscalationEvent(step, approval, now));
  const events = sealEvents(call, taken, ports.sealer);
  const nextAt = nextEscalationAt(call, approval, ports, due.length);
  return toRested(await commitTransition(call, { state: "asking", nextAt, events }, ports));
}

/**
 * Returns the time of the next escalation step or of the expiry. Skips the next `taken` steps, because the caller is
 * about to take them.
 */
export function nextEscalationAt(
  call: Pick<Call, "events">,
  approval: Pick<Approval, "round" | "guards" | "expiresAt">,
  ports: Ports,
  taken = 0,
): number {
  const open = listEscalationSteps(call, approval, ports).filter((step) => !step.taken);
  return Math.min(approval.expiresAt, ...open.slice(taken).map(({ at }) => at));
}

/**
 * Returns the groups that Paraph asked in this round in addition to the groups of the guards. The votes of their
 * members count like votes from the guards' groups.
 */
export function listEscalationGroups({ events }: Pick<Call, "events">, round: number): readonly string[] {
  return eventsOfKind(events, "escalated")
    .filter(({ data }) => data.round === round)
    .map(({ data }) => data.group);
}

interface Step {
  readonly step: EscalationStep;
  readonly at: number;
  readonly taken: boolean;
}

function listEscalationSteps(
  { events }: Pick<Call, "events">,
  { round, guards }: Pick<Approval, "round" | "guards">,
  ports: Ports,
): Step[] {
  const asked = events.findLast(({ kind, data }) => kind === "asked" && data.round === round);
  const start = asked?.at ?? ports.clock.now();
  const taken = events.filter((event) => isEscalationEvent(event, round)).length;
  const heldUntil = findHold(events, round);
  return ports.settings.escalation[strictestUrgency(guards)].map((step, index) => ({
    step,
    at: Math.max(start + step.afterMs, heldUntil),
    taken: index < taken,
  }));
}

/** Returns the time until which an acknowledgement holds the escalation of this round. It never delays the expiry. */
function findHold(events: readonly Event[], round: number): number {
  const acknowledged = eventsOfKind(events, "acknowledged").filter(({ data }) => data.round === round);
  return Math.max(0, ...acknowledged.map(({ data }) => data.until));
}

function isEscalationEvent({ kind, data }: Event, round: number): boolean {
  return (kind === "reminded" || kind === "escalated") && data.round === round;
}

function toEscalationEvent({ group }: EscalationStep, { round }: Approval, at: number): UnsealedEvent {
  return group === undefined
    ? { kind: "reminded", at, data: { round } }
    : { kind: "escalated", at, data: { round, group } };
}

/** Closes a round that expired without a decision. */
async function expireRound(call: Call, approval: Approval, ports: Ports): Promise<Rested> {
  const at = ports.clock.now();
  const move = await closeCall(
    call,
    {
      outcome: { kind: "expired", code: "no-answer" },
      events: [{ kind: "round-closed", at, data: { round: approval.round, status: "expired" } }],
      closeRound: { approval: approval.id, status: "expired" },
    },
    ports,
  );
  return toRested(await commitTransition(call, move, ports));
}

/** The tolerance for engines whose clock runs slightly ahead. */
const clockToleranceMs = 50;
