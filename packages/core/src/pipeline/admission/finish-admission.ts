import { type Call, lastPreview } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Ports } from "../../ports.ts";
import type { Transition } from "../../store.ts";
import { closeApprovedRound, roundVoidedEvents, validApproval } from "../approval/approved-round.ts";
import { maxRounds } from "../approval/ask.ts";
import { inheritedVotes } from "../approval/inherited-approval.ts";
import { closeCall } from "../close.ts";
import { rulePlan } from "../ruling/rule-plan.ts";
import { recordChecks, runChecks, validChecks } from "../ruling/run-checks.ts";
import { applyTransition, type CommitOutcome, commitTransition } from "../transition.ts";
import { type Evaluated, evaluateCall, toEvaluated, transitionAfterRuling } from "./evaluate.ts";

/**
 * [P3] Evaluates a call whose preview takes longer than the requester waits. The preview may take up to the contract's
 * timeout.
 */
export async function finishPreview(
  call: Call,
  capability: Capability,
  ports: Ports,
): Promise<CommitOutcome> {
  const considered = await evaluateCall(call, capability, capability.contract.timeoutMs, ports);
  const move = await transitionAfterRuling(call, capability, considered, false, ports);
  return commitTransition(call, move, ports);
}

/** Runs the checks that policy requires and that have no result yet. Then asks policy again with the results. */
export async function runDemandedChecks(
  call: Call,
  capability: Capability,
  ports: Ports,
): Promise<CommitOutcome> {
  const preview = lastPreview(call);
  const approval = validApproval(call, capability, ports);
  const votes =
    approval === "altered" ? [] : (approval?.votes ?? inheritedVotes(call, capability, preview, ports));
  const had = validChecks(call, capability, preview);
  const before = await rulePlan(call, capability, { preview, votes, checks: had }, ports);
  const wanted = before.ruling.kind === "check" ? before.ruling.checks : [];
  const results = [...had, ...(await runChecks(call, capability, wanted, preview, ports))];
  const ruledCall = await rulePlan(call, capability, { preview, votes, checks: results }, ports);

  // From here on the call counts as checked. If this transition closes the call, its receipt includes the checks.
  const found = recordChecks(call, capability, results, preview, ports);
  const checked = applyTransition(call, { state: call.state, nextAt: call.nextAt, ...found }, call.epoch);
  const move = await transitionAfterChecks(checked, capability, toEvaluated(ruledCall, preview), ports);
  return commitTransition(
    call,
    {
      ...move,
      events: [...found.events, ...move.events],
      payloads: [...found.payloads, ...(move.payloads ?? [])],
    },
    ports,
  );
}

/**
 * Returns the transition after the checks. Unlike at admission, the call may already have an approved round. A new
 * question or a block voids that round.
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
    ? closeCall(free, { outcome: { kind: "refused", code: "asked-too-often" } }, ports)
    : transitionAfterRuling(free, capability, considered, false, ports));
  return { ...move, ...over, events: [...over.events, ...move.events] };
}
