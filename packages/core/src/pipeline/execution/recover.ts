import { type Attempt, type Call, lastPreview } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Ports } from "../../ports.ts";
import type { Transition } from "../../store.ts";
import { checkOutput, probe } from "../attempt/attempt.ts";
import { lostEvents, toAttemptTiming } from "../attempt/attempt-events.ts";
import { concludeAttempt } from "../attempt/conclude.ts";
import { closeUnknown, isStillActing, nextRecheckAt } from "../attempt/unknown.ts";
import { closeCall } from "../close.ts";
import { commitTransition, createWake, type Rested, restCall, toRested } from "../transition.ts";
import { intendAndApply } from "./perform.ts";

/** The maximum number of lost attempts. The limit keeps a call from killing its processes without end. */
const maxLostAttempts = 10;

/**
 * The maximum number of probes of an external system that does not answer. They take about twenty minutes in total.
 * After that, a person must determine the outcome.
 */
const maxProbes = 9;

const firstProbePauseMs = 5_000;

const maxProbePauseMs = 10 * 60_000;

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
  const { idempotency, keyTtlMs } = capability.contract;
  const rerun = async (): Promise<Rested> => {
    const going = { basis, because: "again", ...(open && { lost: open }) } as const;
    const acted = await intendAndApply(call, capability, going, ports);
    // A freeze or a limit rejected the intent. The rows are unchanged, and the sweeper brings the call back later.
    return acted.kind === "rest" ? acted : restCall(call);
  };
  if (call.attempts.filter(({ ended }) => ended === "lost").length >= maxLostAttempts)
    return closeUnknown(call, open, "lost-too-often", ports);

  switch (idempotency) {
    case "natural":
      return rerun();
    case "keyed": {
      const first = call.attempts[0]?.at ?? 0;
      return ports.clock.now() - first < keyTtlMs ? rerun() : closeUnknown(call, open, "key-expired", ports);
    }
    case "probe":
      return probeEffect(call, capability, open, rerun, ports);
    case "none":
      return closeUnknown(call, open, "no-key-no-probe", ports);
  }
}

/**
 * Asks the external system whether the effect happened. If that system cannot tell, a person must determine the
 * outcome.
 */
async function probeEffect(
  call: Call,
  capability: Capability,
  open: Attempt | undefined,
  rerun: () => Promise<Rested>,
  ports: Ports,
): Promise<Rested> {
  const attempt = open?.number ?? call.attempts.at(-1)?.number ?? 1;
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
