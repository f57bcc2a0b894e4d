import { type Call, type CallState, mayHaveActed } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Ports } from "../../ports.ts";
import { lostEvents } from "../attempt/attempt-events.ts";
import { isStillActing } from "../attempt/unknown.ts";
import { closeCall } from "../close.ts";
import { commitTransition, type Rested, toRested } from "../transition.ts";
import { recoverAttempt } from "./recover.ts";

/**
 * The maximum number of process deaths during one call. The limit keeps a call from killing its process after each
 * restart.
 */
const maxDeaths = 3;

/**
 * The maximum number of process deaths during one composite. Each step has its own count, and a step that reaches its
 * limit is closed. The composite has a higher limit, so that it survives such a step.
 */
const maxCompositeDeaths = 10;

/**
 * The states in which a segment runs code of a capability or a check. In other states a death is not the fault of the
 * call.
 */
const statesThatRunCode: readonly CallState[] = [
  ...(["previewing", "checking", "ready", "queued", "parked", "delayed", "performing", "composing"] as const),
];

/** [TRUST 29] Returns whether too many processes died while they ran this call, without any progress in between. */
export function hasCrashedTooOften({ deaths = 0, state }: Call): boolean {
  return (
    deaths >= (state === "composing" ? maxCompositeDeaths : maxDeaths) && statesThatRunCode.includes(state)
  );
}

/**
 * Closes a call that kills its processes. A read ends as `failed`. Any other call ends as `unknown` if an attempt may
 * have acted, and as `failed` if not. Runs none of the call's code, not even its probe, because any of that code may
 * kill the process.
 */
export async function closeCrashing(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  const open = call.attempts.findLast(({ ended }) => ended === undefined);
  if (open && (isStillActing(open, ports) || capability.contract.performer))
    return recoverAttempt(call, capability, ports);
  const isDoubtful = capability.contract.effect !== "read" && mayHaveActed(call);
  const move = await closeCall(
    call,
    {
      outcome: { kind: isDoubtful ? "unknown" : "failed", code: "crashed-repeatedly" },
      about: { deaths: call.deaths ?? 0 },
      events: lostEvents(open, "process-died", ports.clock.now()),
      ...(open && { endAttempt: { attempt: open.number, as: "lost" } }),
    },
    ports,
  );
  return toRested(await commitTransition(call, move, ports));
}
