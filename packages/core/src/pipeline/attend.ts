import type { Approval } from "../approval.ts";
import type { Call } from "../call.ts";
import type { Event, NewEvent } from "../event.ts";
import type { Ports } from "../ports.ts";
import { strictest } from "../ruling.ts";
import { sealEvents } from "../seal.ts";
import type { EscalationStep } from "../settings.ts";
import { ending } from "./ending.ts";
import { commit, type Rest, rest, resting, restUntil } from "./move.ts";

/** A question that waits: those who were asked are reminded, others asked as well, and at its end it expires. Never allowed. */
export async function attend(call: Call, ports: Ports): Promise<Rest> {
  const { approval } = call;
  if (!approval) return rest(call);
  const now = ports.clock.now();
  if (approval.expiresAt <= now + tolerance) return expire(call, approval, ports);
  const due = stepsOf(call, approval, ports).filter(({ at, taken }) => !taken && at <= now + tolerance);
  if (due.length === 0) return restUntil(call, nextLook(call, approval, ports), ports);
  const taken = due.map(({ step }) => eventOf(step, approval, now));
  const events = sealEvents(call, taken, ports.sealer);
  const nextAt = nextLook(call, approval, ports, due.length);
  return resting(await commit(call, { state: "asking", nextAt, events }, ports));
}

/** When a question is next to be looked after: at its next step, or when it expires. `taken`: steps about to be taken. */
export function nextLook(
  call: Pick<Call, "events">,
  approval: Pick<Approval, "round" | "guards" | "expiresAt">,
  ports: Ports,
  taken = 0,
): number {
  const open = stepsOf(call, approval, ports).filter((step) => !step.taken);
  return Math.min(approval.expiresAt, ...open.slice(taken).map(({ at }) => at));
}

/** Groups that were asked as well in this round: their members' answers count as those of the groups a guard names. */
export function escalatedTo({ events }: Pick<Call, "events">, round: number): readonly string[] {
  return events
    .filter(({ kind, data }) => kind === "escalated" && data.round === round)
    .map(({ data }) => String(data.group));
}

interface Step {
  readonly step: EscalationStep;
  readonly at: number;
  readonly taken: boolean;
}

function stepsOf(
  { events }: Pick<Call, "events">,
  { round, guards }: Pick<Approval, "round" | "guards">,
  ports: Ports,
): Step[] {
  const asked = events.findLast(({ kind, data }) => kind === "asked" && data.round === round);
  const start = asked?.at ?? ports.clock.now();
  const taken = events.filter((event) => isStep(event, round)).length;
  return ports.settings.escalation[strictest(guards)].map((step, index) => ({
    step,
    at: start + step.afterMs,
    taken: index < taken,
  }));
}

function isStep({ kind, data }: Event, round: number): boolean {
  return (kind === "reminded" || kind === "escalated") && data.round === round;
}

function eventOf({ group }: EscalationStep, { round }: Approval, at: number): NewEvent {
  return group === undefined
    ? { kind: "reminded", at, data: { round } }
    : { kind: "escalated", at, data: { round, group } };
}

/** A question nobody answered in time ends expired. */
async function expire(call: Call, approval: Approval, ports: Ports): Promise<Rest> {
  const at = ports.clock.now();
  const move = await ending(
    call,
    {
      outcome: { kind: "expired", code: "no-answer" },
      events: [{ kind: "round-closed", at, data: { round: approval.round, status: "expired" } }],
      closeRound: { approval: approval.id, status: "expired" },
    },
    ports,
  );
  return resting(await commit(call, move, ports));
}

/** For engines whose clock runs a little ahead. */
const tolerance = 50;
