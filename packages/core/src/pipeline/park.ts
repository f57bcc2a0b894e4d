import { type Call, hasBegun } from "../call.ts";
import type { Move, Ports } from "../ports.ts";
import { commit, type Rest, resting } from "./move.ts";

/** Frozen before its intent: nothing of it happens until it is thawed, and then it goes on by itself. */
export async function park(call: Call, freeze: string, ports: Ports): Promise<Rest> {
  const at = ports.clock.now();
  const isParked = call.state === "parked";
  const move: Move = {
    state: "parked",
    nextAt: at + parkedMs,
    events: isParked ? [] : [{ kind: "parked", at, data: { freeze } }],
    // A composite that has begun keeps what it holds for its steps.
    unlock: call.lockKeys.length > 0 && !hasBegun(call),
  };
  return resting(await commit(call, move, ports));
}

/** A thaw wakes what it frees; this is for a message that got lost. */
const parkedMs = 10 * 60_000;
