import { type Call, mayHaveActed } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Fault } from "../../capability/fault.ts";
import { retryDelay } from "../../capability/retry.ts";
import type { Json } from "../../json.ts";
import type { Outcome } from "../../outcome.ts";
import type { NewPayload, Ports, Transition } from "../../ports.ts";
import { canonical } from "../../receipts/digest.ts";
import { callCost } from "../admission/rule.ts";
import { closeCall, createPayload, hasReservation } from "../close.ts";
import { type AppliedResult, callInput, type Result } from "./attempt.ts";
import { type AttemptTiming, attemptedEvent, faultedEvent, tokensUsed } from "./attempt-metrics.ts";

/** [P8] What an attempt's result means for the call: it ended, or it waits to try again. */
export async function concludeAttempt(
  call: Call,
  capability: Capability,
  result: Result<AppliedResult>,
  ran: AttemptTiming,
  ports: Ports,
): Promise<Transition> {
  return result.kind === "fault" && mayRetry(call, capability, result.fault)
    ? delayRetry(call, capability, result.fault, ran, ports)
    : closeAfterAttempt(call, capability, result, ran, ports);
}

/** The same where nothing here could try again. */
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

function delayRetry(
  call: Call,
  capability: Capability,
  fault: Fault,
  ran: AttemptTiming,
  ports: Ports,
): Transition {
  const at = ports.clock.now();
  const retry = countRetries(call) + 1;
  const waitMs = retryDelay(capability.contract.retry, retry, ports.random.chance(), fault.retryAfterMs);
  return {
    state: "delayed",
    nextAt: at + waitMs,
    events: [faultedEvent(ran, fault, at), { kind: "delayed", at, data: { retry, waitMs } }],
    payloads: [createPayload("error", fault.message, ports)],
    // Nothing of it is under way, so others may have its place. The money stays reserved.
    ...(fault.kind === "not-performed" && hasReservation(call) && { settle: { spent: "unknown" } }),
    ...endAttempt(call, ran, fault.kind),
  };
}

/**
 * Not performed is retried; ambiguous only where a second run cannot double the effect [P7]; permanent never, and neither what
 * nobody recognised, unless a probe can tell first.
 */
function mayRetry(call: Call, { contract }: Capability, fault: Fault): boolean {
  if (fault.kind === "permanent" || countRetries(call) >= contract.retry.retries) return false;
  if (fault.unrecognised && contract.idempotency !== "probe") return false;
  return fault.kind === "not-performed" || contract.idempotency !== "none";
}

/** "Failed" claims that nothing happened: where an attempt may have acted, nobody knows. A read has no effect to doubt. */
function failureOutcome(call: Call, { contract }: Capability, fault: Fault): Outcome {
  const earlier = { attempts: call.attempts.filter(({ ended }) => ended !== undefined) };
  const doubtful = contract.effect !== "read" && (fault.kind === "ambiguous" || mayHaveActed(earlier));
  return { kind: doubtful ? "unknown" : "failed", code: fault.code };
}

export function countRetries(call: Pick<Call, "events">): number {
  return call.events.filter(
    ({ kind, data }) => kind === "attempted" && (data.as === "not-performed" || data.as === "ambiguous"),
  ).length;
}

/** The attempt's row, where it has one: reads write no intent. */
function endAttempt(
  call: Call,
  { attempt }: AttemptTiming,
  as: NonNullable<Transition["endAttempt"]>["as"],
): Pick<Transition, "endAttempt"> {
  return call.attempts.some(({ number }) => number === attempt) ? { endAttempt: { attempt, as } } : {};
}

/** [P9] What it says it cost, but never less than nothing; where it cannot say, what was reserved. */
function actualCost(call: Call, capability: Capability, output: Json | undefined): number {
  try {
    const spent = output === undefined ? undefined : capability.spent?.(callInput(call), output);
    if (spent !== undefined && Number.isSafeInteger(spent) && spent >= 0) return spent;
  } catch {
    // What was reserved is what we know.
  }
  return callCost(call, capability);
}

/** The output and the way back, as far as there are any. */
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
    const back = capability.undo?.(call.payloads.input?.value ?? null, output);
    if (!back) return [];
    const { capability: name, input } = back;
    return [createPayload("undo", JSON.parse(canonical({ capability: name, input })) as Json, ports)];
  } catch {
    // [P9] An undo that cannot be computed is not offered; the effect stands all the same.
    return [];
  }
}

/** The number of the attempt that comes next. */
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
