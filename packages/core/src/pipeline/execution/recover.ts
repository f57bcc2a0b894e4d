import { type Attempt, type Call, lastPreview } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Ports } from "../../ports.ts";
import { findDoubtSince } from "../../restore-doubt.ts";
import { lostEvents } from "../attempt/attempt-events.ts";
import { closeUnknown, isStillActing, nextRecheckAt } from "../attempt/unknown.ts";
import { closeCall } from "../close.ts";
import { commitTransition, createWake, type Rested, restCall, toRested } from "../transition.ts";
import { intendAndApply } from "./perform.ts";
import { repeatByContract } from "./possible-effect.ts";

/** The maximum number of lost attempts. The limit keeps a call from killing its processes without end. */
const maxLostAttempts = 10;

/**
 * [P7] Recovers an intent without an outcome. It waits while the process that wrote the intent may still act. After
 * that, it does only what cannot double the effect.
 */
export async function recoverAttempt(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  const open = call.attempts.findLast(({ ended }) => ended === undefined);
  if (open && capability.contract.performer)
    return isStillActing(open, ports) ? restCall(call) : closeUnreported(call, capability, open, ports);
  if (open && isStillActing(open, ports))
    return restCall(call, [createWake(call, nextRecheckAt(open, ports))]);
  return recoverByContract(call, capability, open, ports);
}

/**
 * Recovers an attempt that may have acted, as far as the contract allows. The end of the attempt is not recorded, or is
 * ambiguous.
 */
export async function recoverByContract(
  call: Call,
  capability: Capability,
  open: Attempt | undefined,
  ports: Ports,
): Promise<Rested> {
  const basis = lastPreview(call)?.basis;
  const rerun = async (): Promise<Rested> => {
    const going = { basis, because: "again", ...(open && { lost: open }) } as const;
    const acted = await intendAndApply(call, capability, going, ports);
    // A freeze or a limit rejected the intent. The rows are unchanged, and the sweeper brings the call back later.
    return acted.kind === "rest" ? acted : restCall(call);
  };
  if (call.attempts.filter(({ ended }) => ended === "lost").length >= maxLostAttempts)
    return closeUnknown(call, open, "lost-too-often", ports);
  const attempt = open?.number ?? call.attempts.at(-1)?.number ?? 1;
  const since = Math.min(call.attempts[0]?.at ?? 0, findDoubtSince(call) ?? Number.POSITIVE_INFINITY);
  return repeatByContract(
    call,
    capability,
    { ...(open && { open }), attempt, since, ifNone: "no-key-no-probe" },
    rerun,
    ports,
  );
}

/**
 * Closes a claimed call whose agent did not report in time. Paraph can neither probe nor repeat the call, so its
 * outcome is unknown. A read ends as failed instead, because it has no effect. The agent performs the call, so the
 * state of the process that wrote the intent does not matter.
 */
async function closeUnreported(
  call: Call,
  { contract }: Capability,
  open: Attempt,
  ports: Ports,
): Promise<Rested> {
  const kind = contract.effect === "read" ? "failed" : "unknown";
  const move = await closeCall(
    call,
    {
      outcome: { kind, code: "not-reported" },
      events: lostEvents(open, "not-reported", ports.clock.now()),
      endAttempt: { attempt: open.number, as: "lost" },
    },
    ports,
  );
  return toRested(await commitTransition(call, { ...move, timely: { from: open.deadline } }, ports));
}
