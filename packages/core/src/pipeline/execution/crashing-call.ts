import { type Call, type CallState, mayHaveActed } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Ports } from "../../ports.ts";
import { closeCall } from "../close.ts";
import { commitTransition, type Rested, toRested } from "../transition.ts";
import { lostEvents } from "./attempt-metrics.ts";
import { isStillActing, recoverAttempt } from "./recover.ts";

/** A call that kills the process that runs it must not do so again after each restart. */
const maxDeaths = 3;

/** Each step of a composite has its own count, which ends the step. A composite is given more, so that it survives that. */
const maxCompositeDeaths = 10;

/** The states in which a segment runs code of a capability or of a check. In others no call is to blame for a death. */
const statesThatRunCode: readonly CallState[] = [
  ...(["previewing", "checking", "ready", "queued", "parked", "delayed", "performing", "composing"] as const),
];

/** [TRUST 29] So many processes died while they ran this call, and it made no progress in between. */
export function hasCrashedTooOften({ deaths = 0, state }: Call): boolean {
  return (
    deaths >= (state === "composing" ? maxCompositeDeaths : maxDeaths) && statesThatRunCode.includes(state)
  );
}

/**
 * Ends it by its contract: *unknown* where an attempt may have acted, *failed* for a read, or where no attempt began.
 * Nothing of its code is run for that, not even its probe: any of it may be what kills the process.
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
