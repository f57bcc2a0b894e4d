import { type Call, type CallRef, hasBegun, lastPreview, mayHaveActed } from "../call.ts";
import type { Capability } from "../capability/capability.ts";
import { lastEvent } from "../event.ts";
import type { Ports } from "../ports.ts";
import type { Transition, Wake } from "../store.ts";
import { type Evaluated, evaluateCall, toEvaluated, transitionAfterRuling } from "./admission/evaluate.ts";
import { rulePlan } from "./admission/rule-plan.ts";
import { recordChecks, runChecks, validChecks } from "./admission/run-checks.ts";
import { expireOffer } from "./agent/offer.ts";
import { maxRounds } from "./approval/ask.ts";
import { escalate } from "./approval/escalation.ts";
import { inheritedVotes } from "./approval/inherited-approval.ts";
import { closeApprovedRound, roundVoidedEvents, validApproval } from "./approval/revalidate.ts";
import { closeCall } from "./close.ts";
import { compose } from "./composite/compose.ts";
import { handleChangedContract, mayContractArrive } from "./execution/contract-changed.ts";
import { closeCrashing, hasCrashedTooOften } from "./execution/crashing-call.ts";
import { continueFromIntent, isWaitingForPlace, performCall } from "./execution/perform.ts";
import { recoverAttempt, recoverByContract } from "./execution/recover.ts";
import { handleFailedSegment, markStuck } from "./execution/segment-failed.ts";
import { closeIfUnproven } from "./execution/unproven.ts";
import { applyTransition, commitTransition, type Rested, restCall, toRested } from "./transition.ts";

/** The call after a segment, if the store has it, and the messages to send. */
export interface AdvanceResult {
  readonly call: Call | undefined;
  readonly wakes: readonly Wake[];
  /** Why this process did nothing although something is due. */
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
  // The effects of its steps remain, so a person decides whether the composite continues.
  if (hasCrashedTooOften(call)) return markStuck(call, "crashed-repeatedly", ports);
  return compose(call, capability, ports, (child) =>
    "epoch" in child ? continueCall(child, ports) : advance(child, ports),
  );
}

async function runState(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  switch (call.state) {
    case "previewing":
      return finishPreview(call, capability, ports);
    case "checking":
      return runDemandedChecks(call, capability, ports);
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
      return expireOffer(call, ports);
    case "performing":
      return recoverAttempt(call, capability, ports);
    case "composing":
    case "closed":
      return restCall(call);
  }
}

/** [P3] Finishes a preview that took longer than the requester waits, within the contract's timeout. */
async function finishPreview(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  const considered = await evaluateCall(call, capability, capability.contract.timeoutMs, ports);
  const committed = await commitTransition(
    call,
    await transitionAfterRuling(call, capability, considered, false, ports),
    ports,
  );
  if (committed.kind === "on" && committed.call.state === "ready")
    return performCall(committed.call, capability, ports);
  return toRested(committed);
}

/** Runs the checks that policy requires and that have no result, and asks policy again with the results. */
async function runDemandedChecks(call: Call, capability: Capability, ports: Ports): Promise<Rested> {
  const preview = lastPreview(call);
  const approval = validApproval(call, capability, ports);
  const votes =
    approval === "altered" ? [] : (approval?.votes ?? inheritedVotes(call, capability, preview, ports));
  const had = validChecks(call, capability, preview);
  const before = await rulePlan(call, capability, { preview, votes, checks: had }, ports);
  const wanted = before.ruling.kind === "check" ? before.ruling.checks : [];
  const results = [...had, ...(await runChecks(call, capability, wanted, preview, ports))];
  const ruledCall = await rulePlan(call, capability, { preview, votes, checks: results }, ports);

  // From here on the call counts as checked, so that a receipt that ends it includes the checks.
  const found = recordChecks(call, capability, results, preview, ports);
  const checked = applyTransition(call, { state: call.state, nextAt: call.nextAt, ...found }, call.epoch);
  const move = await transitionAfterChecks(checked, capability, toEvaluated(ruledCall, preview), ports);
  const committed = await commitTransition(
    call,
    {
      ...move,
      events: [...found.events, ...move.events],
      payloads: [...found.payloads, ...(move.payloads ?? [])],
    },
    ports,
  );
  if (committed.kind === "on" && committed.call.state === "ready")
    return performCall(committed.call, capability, ports);
  return toRested(committed);
}

/**
 * Returns the transition after the checks. Unlike at admission, earlier rounds may exist, and a new question voids an
 * approved round.
 */
async function transitionAfterChecks(
  call: Call,
  capability: Capability,
  considered: Evaluated,
  ports: Ports,
): Promise<Transition> {
  const asks = considered.kind === "ruled" && considered.ruledCall.ruling.kind === "ask";
  if (!asks && considered.kind !== "blocked")
    return transitionAfterRuling(call, capability, considered, false, ports);
  const tooOften = asks && (call.approval?.round ?? 0) >= maxRounds;
  const again = tooOften ? "asked-too-often" : "checked-again";
  const code = considered.kind === "blocked" ? considered.ruledCall.ruling.code : again;
  const over = { events: roundVoidedEvents(call, code, ports.clock.now()), ...closeApprovedRound(call) };
  const free = applyTransition(call, { state: call.state, nextAt: call.nextAt, ...over }, call.epoch);
  const move = await (tooOften
    ? closeCall(free, { outcome: { kind: "refused", code } }, ports)
    : transitionAfterRuling(free, capability, considered, false, ports));
  return { ...move, ...over, events: [...over.events, ...move.events] };
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
 * Returns whether the back-off is over. The event holds its end, because the sweeper changes `nextAt` whenever it runs.
 * A back-off that begins in the future was stamped by a clock that has since been corrected, so it is over.
 */
function isBackOffOver(call: Call, ports: Ports): boolean {
  const delayed = lastEvent(call.events, "delayed");
  if (!delayed) return false;
  const putRight = delayed.at > ports.clock.now() + clockTolerance;
  return putRight || isDue(delayed.at + delayed.data.waitMs, ports);
}

/** More than the clocks of processes ever differ, and short enough that a shortened back-off does no harm. */
const clockTolerance = 10_000;

/**
 * Returns whether a wait is over. A message that arrives early starts no new timer, because the timer of the wait is
 * still running and the sweeper backs it up. The tolerance is for engines whose clock runs slightly ahead.
 */
function isDue(at: number | undefined, ports: Ports): boolean {
  return at !== undefined && at <= ports.clock.now() + 50;
}
