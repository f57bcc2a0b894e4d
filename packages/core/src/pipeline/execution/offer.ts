import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import { lastEvent } from "../../event.ts";
import type { Ports } from "../../ports.ts";
import { closeApprovedRound, roundVoidedEvents } from "../approval/approved-round.ts";
import { closeCall } from "../close.ts";
import { commitTransition, type Rested, restUntil, toRested } from "../transition.ts";

/** Offers an admitted call to the agent that performs it, and waits until the agent claims it. */
export async function offerToAgent(call: Call, { contract }: Capability, ports: Ports): Promise<Rested> {
  const at = ports.clock.now();
  const until = at + contract.applyWithinMs;
  const offered = { kind: "offered", at, data: { until } } as const;
  return toRested(
    await commitTransition(call, { state: "offered", nextAt: until, events: [offered] }, ports),
  );
}

/**
 * Returns the time until which the agent may claim the call. The event `offered` holds this time, because the sweeper
 * changes `nextAt` whenever it runs.
 */
export function offerEndsAt({ events }: Pick<Call, "events">): number {
  return lastEvent(events, "offered")?.data.until ?? 0;
}

/** [P4] Closes a call as expired if the agent did not claim its offer in time. Nothing was performed. */
export async function expireOffer(call: Call, ports: Ports): Promise<Rested> {
  const now = ports.clock.now();
  const until = offerEndsAt(call);
  if (until > now + clockToleranceMs) return restUntil(call, until, ports);
  const code = "not-claimed";
  const end = {
    outcome: { kind: "expired", code },
    events: roundVoidedEvents(call, code, now),
    ...closeApprovedRound(call),
  } as const;
  return toRested(
    await commitTransition(call, { ...(await closeCall(call, end, ports)), timely: { from: until } }, ports),
  );
}

/**
 * The tolerance for engines whose clock runs slightly ahead. The store's own clock decides whether the offer has
 * expired.
 */
const clockToleranceMs = 50;
