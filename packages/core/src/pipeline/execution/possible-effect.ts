import { type Attempt, type Call, lastPreview } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { OutcomeCode } from "../../outcome-codes/outcome-codes.ts";
import type { Ports } from "../../ports.ts";
import { findDoubtSince, withoutDoubt } from "../../restore-doubt.ts";
import type { Transition } from "../../store.ts";
import { checkOutput, probe } from "../attempt/attempt.ts";
import { lostEvents, toAttemptTiming } from "../attempt/attempt-events.ts";
import { concludeAttempt, nextAttemptNumber } from "../attempt/conclude.ts";
import { closeUnknown } from "../attempt/unknown.ts";
import { commitTransition, type Rested, toRested } from "../transition.ts";

/**
 * The maximum number of probes of an external system that does not answer. They take about twenty minutes in total.
 * After that, a person must determine the outcome.
 */
const maxProbes = 9;

const firstProbePauseMs = 5_000;

const maxProbePauseMs = 10 * 60_000;

/**
 * [P7] Settles whether a call acted before the database was restored, by the rules of an attempt without an outcome.
 * Paraph performs the call only if the contract allows a second effect or the external system shows that there was none.
 */
export async function settleDoubt(
  call: Call,
  capability: Capability,
  ports: Ports,
  perform: (call: Call) => Promise<Rested>,
): Promise<Rested> {
  // An agent performed the call, so Paraph can neither probe nor repeat it.
  if (capability.contract.performer) return closeUnknown(call, undefined, "restored", ports);
  const { idempotency } = capability.contract;
  const settled = idempotency === "probe" ? withoutDoubt(call) : call;
  return repeatByContract(
    call,
    capability,
    { attempt: nextAttemptNumber(call), since: findDoubtSince(call) ?? 0, ifNone: "restored" },
    () => perform(settled),
    ports,
  );
}

/** An effect that may have happened. */
export interface PossibleEffect {
  readonly open?: Attempt;
  /** The number of the attempt that a probe confirms. */
  readonly attempt: number;
  /** The earliest time at which the external system may have seen the key. */
  readonly since: number;
  /** The outcome code if the contract allows neither a repetition nor a probe. */
  readonly ifNone: OutcomeCode;
}

/** [P7] Repeats an effect that may have happened, or asks the external system about it, as the contract allows. */
export async function repeatByContract(
  call: Call,
  capability: Capability,
  effect: PossibleEffect,
  repeat: () => Promise<Rested>,
  ports: Ports,
): Promise<Rested> {
  const { idempotency, keyTtlMs } = capability.contract;
  const { open, since, ifNone } = effect;
  switch (idempotency) {
    case "natural":
      return repeat();
    case "keyed":
      return ports.clock.now() - since < keyTtlMs ? repeat() : closeUnknown(call, open, "key-expired", ports);
    case "probe":
      return probeEffect(call, capability, effect, repeat, ports);
    case "none":
      return closeUnknown(call, open, ifNone, ports);
  }
}

/**
 * Asks the external system whether the effect happened. If that system cannot tell, a person must determine the
 * outcome.
 */
async function probeEffect(
  call: Call,
  capability: Capability,
  { open, attempt }: PossibleEffect,
  rerun: () => Promise<Rested>,
  ports: Ports,
): Promise<Rested> {
  const found = await probe(call, capability, lastPreview(call)?.basis, attempt, ports);
  if (found.kind === "fault") {
    const asked = countFailedProbes(call) + 1;
    const isOver = found.fault.kind === "permanent" || asked >= maxProbes;
    return isOver ? closeUnknown(call, open, "probe-failed", ports) : probeLater(call, open, asked, ports);
  }
  switch (found.value.kind) {
    case "absent":
      return rerun();
    case "present": {
      const applied = checkOutput(capability, found.value.output);
      const ran = open ? toAttemptTiming(open) : { attempt, started: ports.clock.now() };
      const move = await concludeAttempt(call, capability, { kind: "value", value: applied }, ran, ports);
      return toRested(await commitTransition(call, move, ports));
    }
    default:
      // The answer is unsure or invalid, so a person must determine the outcome.
      return closeUnknown(call, open, "probe-unsure", ports);
  }
}

/**
 * Records the wait before the next probe, with the number of the probe. One message then wakes the call after the wait,
 * and the sweeper does not send a second message.
 */
async function probeLater(
  call: Call,
  open: Attempt | undefined,
  probe: number,
  ports: Ports,
): Promise<Rested> {
  const at = ports.clock.now();
  const waitMs = Math.min(firstProbePauseMs * 2 ** (probe - 1), maxProbePauseMs);
  const move: Transition = {
    state: "delayed",
    nextAt: at + waitMs,
    events: [...lostEvents(open, "process-died", at), { kind: "delayed", at, data: { probe, waitMs } }],
    ...(open && { endAttempt: { attempt: open.number, as: "lost" } }),
  };
  return toRested(await commitTransition(call, move, ports));
}

/** Returns the number of failed probes since the last attempt. */
function countFailedProbes({ events }: Call): number {
  const begun = events.findLastIndex(({ kind }) => kind === "intended");
  return events.slice(begun + 1).filter(({ kind, data }) => kind === "delayed" && data.probe !== undefined)
    .length;
}
