import type { Call } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { Ports } from "../ports.ts";
import { ending } from "./ending.ts";
import { voided, voiding } from "./look-again.ts";
import { commit, type Rest, resting, restUntil } from "./move.ts";

/** Nothing stands before performing, and who performs is the agent: it waits for that one to take it. */
export async function offer(call: Call, { contract }: Capability, ports: Ports): Promise<Rest> {
  const at = ports.clock.now();
  const until = at + contract.applyWithinMs;
  const offered = { kind: "offered", at, data: { until } } as const;
  return resting(await commit(call, { state: "offered", nextAt: until, events: [offered] }, ports));
}

/** Until when the agent may take it: as the event says, since the sweeper moves `nextAt` whenever it has looked. */
export function offeredUntil({ events }: Pick<Call, "events">): number {
  return Number(events.findLast(({ kind }) => kind === "offered")?.data.until ?? 0);
}

/** [P4] What nobody took in time ends expired: nothing of it has happened. */
export async function lapse(call: Call, ports: Ports): Promise<Rest> {
  const now = ports.clock.now();
  const until = offeredUntil(call);
  if (until > now + tolerance) return restUntil(call, until, ports);
  const code = "not-taken";
  const end = {
    outcome: { kind: "expired", code },
    events: voided(call, code, now),
    ...voiding(call),
  } as const;
  return resting(await commit(call, { ...(await ending(call, end, ports)), timely: { from: until } }, ports));
}

/** For engines whose clock runs a little ahead; the store's own clock decides. */
const tolerance = 50;
