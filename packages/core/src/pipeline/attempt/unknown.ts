import type { Attempt, Call } from "../../call.ts";
import type { OutcomeCode } from "../../outcome-codes/outcome-codes.ts";
import type { Ports } from "../../ports.ts";
import { closeCall } from "../close.ts";
import { commitTransition, createWake, type Rested, restCall, toRested } from "../transition.ts";
import { lostEvents } from "./attempt-events.ts";

/** The interval at which a segment checks whether the process that wrote an unfinished intent is still alive. */
const recheckMs = 1_000;

/**
 * Recovers a call whose contract this process does not have. This process can neither repeat nor probe the attempt, so
 * a person must determine the outcome.
 */
export async function closeUnknownContract(call: Call, code: OutcomeCode, ports: Ports): Promise<Rested> {
  const open = call.attempts.findLast(({ ended }) => ended === undefined);
  if (open && isStillActing(open, ports))
    return restCall(call, [createWake(call, nextRecheckAt(open, ports))]);
  return closeUnknown(call, open, code, ports);
}

/** Closes a call with an unknown outcome, and ends its open attempt as lost. */
export async function closeUnknown(
  call: Call,
  open: Attempt | undefined,
  code: OutcomeCode,
  ports: Ports,
): Promise<Rested> {
  const at = ports.clock.now();
  const move = await closeCall(
    call,
    {
      outcome: { kind: "unknown", code },
      events: lostEvents(open, "process-died", at),
      ...(open && { endAttempt: { attempt: open.number, as: "lost" } }),
    },
    ports,
  );
  return toRested(await commitTransition(call, move, ports));
}

/** Returns whether the process that wrote the intent may still be acting on it. */
export function isStillActing(open: Attempt, ports: Ports): boolean {
  return !open.writerGone && ports.clock.now() < open.deadline + ports.settings.sweepGraceMs;
}

/** Returns when to check again whether the process that wrote the intent still acts. */
export function nextRecheckAt(open: Attempt, ports: Ports): number {
  return Math.min(ports.clock.now() + recheckMs, open.deadline + ports.settings.sweepGraceMs);
}
