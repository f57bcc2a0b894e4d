import { type Call, hasBegun } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Contract } from "../../capability/contract.ts";
import type { Ports } from "../../ports.ts";
import type { Transition } from "../../store.ts";
import { commitTransition, type Rested, toRested } from "../transition.ts";

/**
 * Parks a call that is frozen before its intent. The call does nothing until a person lifts the freeze, and then
 * continues by itself.
 */
export async function parkCall(
  call: Call,
  { contract }: Capability,
  freeze: string,
  ports: Ports,
): Promise<Rested> {
  const at = ports.clock.now();
  const isParked = call.state === "parked";
  const move: Transition = {
    state: "parked",
    nextAt: Math.min(at + parkedMs, Math.max(at + minParkedMs, approvalExpiresAt(call, contract))),
    events: isParked ? [] : [{ kind: "parked", at, data: { freeze } }],
    // A composite that has begun keeps the locks that it holds for its steps.
    unlock: call.lockKeys.length > 0 && !hasBegun(call),
  };
  return toRested(await commitTransition(call, move, ports));
}

/**
 * The maximum time until the sweeper picks up a parked call. A thaw wakes the call earlier, unless the message of the
 * thaw gets lost.
 */
const parkedMs = 10 * 60_000;
const minParkedMs = 10_000;

/**
 * [P5] Returns when the approval becomes too old to act on. After that time, the call needs a new approval anyway, so
 * it need not wait for a thaw.
 */
function approvalExpiresAt(call: Call, { applyWithinMs }: Contract): number {
  const { status, votes = [] } = call.approval ?? {};
  if (status !== "approved" || hasBegun(call)) return Number.POSITIVE_INFINITY;
  return Math.max(...votes.map(({ at }) => at)) + applyWithinMs;
}
