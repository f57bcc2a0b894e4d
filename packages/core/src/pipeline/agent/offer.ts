import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { lastEvent } from "../../event.ts";
import type { Ports } from "../../ports.ts";
import { closeApprovedRound, roundVoidedEvents } from "../approval/revalidate.ts";
import { closeCall } from "../close.ts";
import { commitTransition, type Rested, restUntil, toRested } from "../transition.ts";

/** Nothing stands before performing, and who performs is the agent: it waits for that one to take it. */
export async function offerToAgent(call: Call, { contract }: Capability, ports: Ports): Promise<Rested> {
  const at = ports.clock.now();
  const until = at + contract.applyWithinMs;
  const offered = { kind: "offered", at, data: { until } } as const;
  return toRested(
    await commitTransition(call, { state: "offered", nextAt: until, events: [offered] }, ports),
  );
}

/** Until when the agent may take it: as the event says, since the sweeper moves `nextAt` whenever it has looked. */
export function offerEndsAt({ events }: Pick<Call, "events">): number {
  return lastEvent(events, "offered")?.data.until ?? 0;
}

/** [P4] What nobody took in time ends expired: nothing of it has happened. */
export async function expireOffer(call: Call, ports: Ports): Promise<Rested> {
  const now = ports.clock.now();
  const until = offerEndsAt(call);
  if (until > now + clockToleranceMs) return restUntil(call, until, ports);
  const code = "not-taken";
  const end = {
    outcome: { kind: "expired", code },
    events: roundVoidedEvents(call, code, now),
    ...closeApprovedRound(call),
  } as const;
  return toRested(
    await commitTransition(call, { ...(await closeCall(call, end, ports)), timely: { from: until } }, ports),
  );
}

/** For engines whose clock runs a little ahead; the store's own clock decides. */
const clockToleranceMs = 50;
