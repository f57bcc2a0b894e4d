import { type Call, callInput, mayHaveActed } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Fault } from "../../capability/fault.ts";
import { countsAsNotBegun, faultKindRules } from "../../capability/fault-kind.ts";
import { chooseRetryWait, retryDelay } from "../../capability/retry.ts";
import type { Json } from "../../json.ts";
import { type ClosingOutcome, toFaultCode } from "../../outcome-codes/outcome-codes.ts";
import type { Ports } from "../../ports.ts";
import { canonical } from "../../receipts/digest.ts";
import type { NewPayload, Transition } from "../../store.ts";
import { closeCall, createPayload, hasReservation } from "../close.ts";
import { callCost } from "../gate.ts";
import type { AppliedResult, Result } from "./attempt.ts";
import { type AttemptTiming, attemptedEvent, faultedEvent, tokensUsed } from "./attempt-events.ts";

/** [P8] Returns the transition after an attempt: the call closes, or it waits for a retry. */
export async function concludeAttempt(
  call: Call,
  capability: Capability,
  result: Result<AppliedResult>,
  ran: AttemptTiming,
  ports: Ports,
): Promise<Transition> {
  if (result.kind === "fault" && mayRetry(call, capability, result.fault)) {
    const waitMs = retryWait(call, capability, result.fault, ports);
    if (waitMs !== "stop") return delayRetry(call, result.fault, waitMs, ran, ports);
  }
  return closeAfterAttempt(call, capability, result, ran, ports);
}

/** Returns the transition that closes the call, for attempts that Paraph cannot retry. */
export async function closeAfterAttempt(
  call: Call,
  capability: Capability,
  result: Result<AppliedResult>,
  ran: AttemptTiming,
  ports: Ports,
): Promise<Transition> {
  return result.kind === "value"
    ? closeSucceeded(call, capability, result.value, ran, ports)
    : closeFailed(call, capability, result.fault, ran, ports);
}

async function closeSucceeded(
  call: Call,
  capability: Capability,
  applied: AppliedResult,
  ran: AttemptTiming,
  ports: Ports,
): Promise<Transition> {
  const at = ports.clock.now();
  return closeCall(
    call,
    {
      outcome: { kind: "succeeded", code: applied.code },
      events: [attemptedEvent(ran, "succeeded", applied.code, at)],
      payloads: resultPayloads(call, capability, applied.output, ports),
      spent: actualCost(call, capability, applied.output),
      tokens: tokensUsed(capability, callInput(call), applied.output),
      ...endAttempt(call, ran, "succeeded"),
    },
    ports,
  );
}

async function closeFailed(
  call: Call,
  capability: Capability,
  fault: Fault,
  ran: AttemptTiming,
  ports: Ports,
): Promise<Transition> {
  const at = ports.clock.now();
  return closeCall(
    call,
    {
      outcome: failureOutcome(call, capability, fault),
      events: [faultedEvent(ran, fault, at)],
      payloads: [createPayload("error", fault.message, ports)],
      ...endAttempt(call, ran, fault.kind),
    },
    ports,
  );
}

function delayRetry(call: Call, fault: Fault, waitMs: number, ran: AttemptTiming, ports: Ports): Transition {
  const at = ports.clock.now();
  const retry = countRetries(call) + 1;
  return {
    state: "delayed",
    nextAt: at + waitMs,
    events: [faultedEvent(ran, fault, at), { kind: "delayed", at, data: { retry, waitMs } }],
    payloads: [createPayload("error", fault.message, ports)],
    // Frees the call's place under a concurrency limit for other calls, because no attempt runs during the wait. The
    // money stays reserved.
    ...(countsAsNotBegun(fault.kind) && hasReservation(call) && { settle: { spent: "unknown" } }),
    ...endAttempt(call, ran, fault.kind),
  };
}

/** Returns the wait before the next retry, or `stop` if the capability's own strategy stops. */
function retryWait(
  call: Call,
  { contract, retryStrategy }: Capability,
  { kind, code, retryAfterMs }: Fault,
  ports: Ports,
): number | "stop" {
  const retry = countRetries(call) + 1;
  const usualWaitMs = retryDelay(contract.retry, retry, ports.random.chance(), retryAfterMs);
  return chooseRetryWait(retryStrategy, { retry, kind, code, usualWaitMs }, retryAfterMs);
}

/**
 * Returns whether Paraph may retry. It may retry a fault of kind `not-performed`, and never a permanent one. It may
 * retry an ambiguous fault only if a second run cannot double the effect [P7]. It may retry after an unrecognised error
 * only if a probe can tell whether the effect happened.
 */
function mayRetry(call: Call, { contract }: Capability, fault: Fault): boolean {
  const { retry } = faultKindRules[fault.kind];
  if (retry === "no" || countRetries(call) >= contract.retry.retries) return false;
  if (fault.unrecognised && contract.idempotency !== "probe") return false;
  return retry === "yes" || contract.idempotency !== "none";
}

/**
 * Returns the outcome of a failed attempt. `failed` means that no effect happened, so an attempt that may have acted
 * makes the outcome unknown. A failed read is always `failed`, because it has no effect.
 */
function failureOutcome(call: Call, { contract }: Capability, fault: Fault): ClosingOutcome {
  const earlier = { attempts: call.attempts.filter(({ ended }) => ended !== undefined) };
  const doubtful =
    contract.effect !== "read" && (faultKindRules[fault.kind].mayHaveActed || mayHaveActed(earlier));
  return { kind: doubtful ? "unknown" : "failed", code: toFaultCode(fault) };
}

/** Counts the attempts that ended in a fault that allows a retry. */
export function countRetries({ events }: Pick<Call, "events">): number {
  return events.filter(
    ({ kind, data }) =>
      kind === "attempted" &&
      data.as !== "succeeded" &&
      data.as !== "lost" &&
      faultKindRules[data.as].retry !== "no",
  ).length;
}

/** Ends the attempt's row, if there is one. A read that wrote no intent has no row. */
function endAttempt(
  call: Call,
  { attempt }: AttemptTiming,
  as: NonNullable<Transition["endAttempt"]>["as"],
): Pick<Transition, "endAttempt"> {
  return call.attempts.some(({ number }) => number === attempt) ? { endAttempt: { attempt, as } } : {};
}

/** [P9] Returns the cost that the capability reports, if it is a valid amount, and the reserved cost otherwise. */
function actualCost(call: Call, capability: Capability, output: Json | undefined): number {
  try {
    const spent = output === undefined ? undefined : capability.spent?.(callInput(call), output);
    if (spent !== undefined && Number.isSafeInteger(spent) && spent >= 0) return spent;
  } catch {
    // The reserved cost applies.
  }
  return callCost(call, capability);
}

/** Returns the output and the undo as payloads, if there are any. */
function resultPayloads(
  call: Call,
  capability: Capability,
  output: Json | undefined,
  ports: Ports,
): NewPayload[] {
  if (output === undefined) return [];
  return [createPayload("output", output, ports), ...undoPayload(call, capability, output, ports)];
}

function undoPayload(call: Call, capability: Capability, output: Json, ports: Ports): NewPayload[] {
  try {
    const undo = capability.undo?.(call.payloads.input?.value ?? null, output);
    if (!undo) return [];
    const { capability: name, input } = undo;
    return [createPayload("undo", JSON.parse(canonical({ capability: name, input })) as Json, ports)];
  } catch {
    // [P9] If the undo cannot be computed, Paraph offers none. The outcome of the call does not change.
    return [];
  }
}

/** Returns the number of the next attempt. */
export function nextAttemptNumber(call: Call): number {
  return (
    Math.max(
      0,
      ...call.events.map(({ kind, data }) =>
        kind === "attempted" || kind === "intended" ? data.attempt : 0,
      ),
    ) + 1
  );
}
