import { type Call, type CallRef, hasBegun, mayHaveActed } from "../call.ts";
import type { Capability } from "../capability/capability.ts";
import { lastEvent } from "../event.ts";
import type { Ports } from "../ports.ts";
import { isInDoubt } from "../restore-doubt.ts";
import type { Wake } from "../store.ts";
import { finishPreview, runDemandedChecks } from "./admission/finish-admission.ts";
import { escalate } from "./approval/escalation.ts";
import { closeUnknown } from "./attempt/unknown.ts";
import { compose } from "./composite/compose.ts";
import { handleChangedContract, mayContractArrive } from "./contract-changed.ts";
import { closeCrashing, hasCrashedTooOften } from "./execution/crashing-call.ts";
import { expireOffer } from "./execution/offer.ts";
import { continueFromIntent, isWaitingForPlace, performCall } from "./execution/perform.ts";
import { recoverAttempt, recoverByContract } from "./execution/recover.ts";
import { handleFailedSegment, markStuck } from "./segment-failed.ts";
import { type CommitOutcome, type Rested, restCall, toRested } from "./transition.ts";
import { closeIfUnproven } from "./unproven.ts";

/** The call after a segment, if the store has it, and the messages to send. */
export interface AdvanceResult {
  readonly call: Call | undefined;
  readonly wakes: readonly Wake[];
  /** The reason why this process did nothing although a segment is due. */
  readonly skipped?: "contract-not-here" | "capability-unavailable";
}

/** Runs the segment inside the call's own trace, which began at its admission. */
export type TraceRunner = (
  trace: string | undefined,
  body: () => Promise<AdvanceResult>,
) => Promise<AdvanceResult>;

/**
 * Runs one segment: from the recorded state of the call to its next wait or its outcome. Any process may run it, any
 * number of times, with or without a message, because only the rows decide what is due.
 */
export async function advance(
  ref: CallRef,
  ports: Ports,
  within: TraceRunner = (_, body) => body(),
): Promise<AdvanceResult> {
  const call = await ports.store.begin(ref);
  if (!call || call.stuck !== undefined) return { call, wakes: [] };
  return runSegment(call, ports, within, (capability) => runState(call, capability, ports));
}

/**
 * Runs a segment for a call that this process has just admitted. If the admission wrote the intent as well, the segment
 * goes on to act.
 */
export async function continueCall(
  call: Call,
  ports: Ports,
  within: TraceRunner = (_, body) => body(),
): Promise<AdvanceResult> {
  return runSegment(call, ports, within, (capability) =>
    call.state === "performing"
      ? continueFromIntent(call, capability, ports)
      : runState(call, capability, ports),
  );
}

async function runSegment(
  call: Call,
  ports: Ports,
  within: TraceRunner,
  body: (capability: Capability) => Promise<Rested>,
): Promise<AdvanceResult> {
  if (call.state === "closed") return { call, wakes: [] };
  const capability = findExactCapability(call, ports);
  return within(call.trace, async () => {
    try {
      return await runOrCompose(call, capability, ports, body);
    } catch (error) {
      return handleFailedSegment(call, error, ports);
    }
  });
}

async function runOrCompose(
  call: Call,
  capability: Capability | undefined,
  ports: Ports,
  body: (capability: Capability) => Promise<Rested>,
): Promise<AdvanceResult> {
  const ended = await closeIfUnproven(call, ports);
  if (ended) return ended;
  if (hasBegun(call)) return runComposite(call, capability, ports);
  if (!capability) return handleChangedContract(call, ports);
  const stood = hasCrashedTooOften(call)
    ? await closeCrashing(call, capability, ports)
    : await body(capability);
  if (stood.call.state !== "composing") return stood;
  const { wakes, ...rested } = await runComposite(stood.call, capability, ports);
  return { ...rested, wakes: [...stood.wakes, ...wakes] };
}

/** [P13] Runs the steps of a composite in this process, with the same segments that any message would run. */
async function runComposite(
  call: Call,
  capability: Capability | undefined,
  ports: Ports,
): Promise<AdvanceResult> {
  if (!capability && mayContractArrive(call, ports))
    return { ...restCall(call), skipped: "contract-not-here" };
  // Marks the composite as stuck instead of closing it. The effects of its steps remain, so a person decides whether
  // the composite continues.
  if (hasCrashedTooOften(call)) return markStuck(call, "crashed-repeatedly", ports);
  return compose(call, capability, ports, (child) =>
    "epoch" in child ? continueCall(child, ports) : advance(child, ports),
  );
}

async function runState(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  switch (call.state) {
    case "previewing":
      return performIfReady(await finishPreview(call, capability, ports), capability, ports);
    case "checking":
      return performIfReady(await runDemandedChecks(call, capability, ports), capability, ports);
    case "asking":
      return escalate(call, ports);
    case "ready":
    case "queued":
    case "parked":
      return performCall(call, capability, ports);
    case "delayed":
      if (isWaitingForPlace(call)) return performCall(call, capability, ports);
      if (!isBackOffOver(call, ports)) return restCall(call);
      return mayHaveActed(call)
        ? recoverByContract(call, capability, undefined, ports)
        : performCall(call, capability, ports);
    case "offered":
      return isInDoubt(call, capability.contract)
        ? closeUnknown(call, undefined, "restored", ports)
        : expireOffer(call, ports);
    case "performing":
      return recoverAttempt(call, capability, ports);
    case "composing":
    case "closed":
      return restCall(call);
  }
}

/** Performs a call if its late admission ended in the state `ready`. */
async function performIfReady(
  admitted: CommitOutcome,
  capability: Capability,
  ports: Ports,
): Promise<Rested> {
  return admitted.kind === "on" && admitted.call.state === "ready"
    ? performCall(admitted.call, capability, ports)
    : toRested(admitted);
}

/**
 * Returns the capability only if its contract is exactly the one under which the call was admitted and approved, and
 * only while it is available.
 */
function findExactCapability(call: Call, ports: Ports): Capability | undefined {
  const capability = ports.catalog.find(call.tenant, call.capability);
  return capability?.contractDigest === call.contractDigest && !capability.unavailable
    ? capability
    : undefined;
}

/**
 * Returns whether the back-off is over. The end of the back-off comes from the event, because the sweeper changes
 * `nextAt` whenever it runs. If a back-off begins in the future, the clock that stamped it was corrected later. Such a
 * back-off counts as over.
 */
function isBackOffOver(call: Call, ports: Ports): boolean {
  const delayed = lastEvent(call.events, "delayed");
  if (!delayed) return false;
  const putRight = delayed.at > ports.clock.now() + clockTolerance;
  return putRight || isDue(delayed.at + delayed.data.waitMs, ports);
}

/**
 * The tolerance for clock differences between processes. It is larger than any such difference, and short enough that a
 * shortened back-off does no harm.
 */
const clockTolerance = 10_000;

/**
 * Returns whether a wait is over. A message that arrives early starts no new timer, because the timer of the wait is
 * still running and the sweeper backs it up. The tolerance is for engines whose clock runs slightly ahead.
 */
function isDue(at: number | undefined, ports: Ports): boolean {
  return at !== undefined && at <= ports.clock.now() + 50;
}
