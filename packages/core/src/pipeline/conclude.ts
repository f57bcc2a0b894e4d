import { type Call, mayHaveActed } from "../call.ts";
import type { Capability } from "../capability.ts";
import { canonical } from "../digest.ts";
import type { Fault } from "../fault.ts";
import type { Json } from "../json.ts";
import type { Outcome } from "../outcome.ts";
import type { Move, NewPayload, Ports } from "../ports.ts";
import { retryDelay } from "../retry.ts";
import { type Applied, inputOf, type Result } from "./attempt.ts";
import { ending, hasReserved, payload } from "./ending.ts";
import { attempted, faulted, type Ran, tokensUsed } from "./figures.ts";
import { costOf } from "./judge.ts";

/** [P8] What an attempt's result means for the call: it ended, or it waits to try again. */
export async function conclusion(
  call: Call,
  capability: Capability,
  result: Result<Applied>,
  ran: Ran,
  ports: Ports,
): Promise<Move> {
  return result.kind === "fault" && mayRetry(call, capability, result.fault)
    ? delay(call, capability, result.fault, ran, ports)
    : lastWord(call, capability, result, ran, ports);
}

/** The same where nothing here could try again. */
export async function lastWord(
  call: Call,
  capability: Capability,
  result: Result<Applied>,
  ran: Ran,
  ports: Ports,
): Promise<Move> {
  return result.kind === "value"
    ? success(call, capability, result.value, ran, ports)
    : failure(call, capability, result.fault, ran, ports);
}

async function success(
  call: Call,
  capability: Capability,
  applied: Applied,
  ran: Ran,
  ports: Ports,
): Promise<Move> {
  const at = ports.clock.now();
  return ending(
    call,
    {
      outcome: { kind: "succeeded", code: applied.code },
      events: [attempted(ran, "succeeded", applied.code, at)],
      payloads: words(call, capability, applied.output, ports),
      spent: spentOn(call, capability, applied.output),
      tokens: tokensUsed(capability, inputOf(call), applied.output),
      ...endOf(call, ran, "succeeded"),
    },
    ports,
  );
}

async function failure(
  call: Call,
  capability: Capability,
  fault: Fault,
  ran: Ran,
  ports: Ports,
): Promise<Move> {
  const at = ports.clock.now();
  return ending(
    call,
    {
      outcome: verdictOnFailure(call, capability, fault),
      events: [faulted(ran, fault, at)],
      payloads: [payload("error", fault.message, ports)],
      ...endOf(call, ran, fault.kind),
    },
    ports,
  );
}

function delay(call: Call, capability: Capability, fault: Fault, ran: Ran, ports: Ports): Move {
  const at = ports.clock.now();
  const retry = retriesUsed(call) + 1;
  const waitMs = retryDelay(capability.contract.retry, retry, ports.random.chance(), fault.retryAfterMs);
  return {
    state: "delayed",
    nextAt: at + waitMs,
    events: [faulted(ran, fault, at), { kind: "delayed", at, data: { retry, waitMs } }],
    payloads: [payload("error", fault.message, ports)],
    // Nothing of it is under way, so others may have its place. The money stays reserved.
    ...(fault.kind === "not-performed" && hasReserved(call) && { settle: { spent: "unknown" } }),
    ...endOf(call, ran, fault.kind),
  };
}

/**
 * Not performed is retried; ambiguous only where a second run cannot double the effect [P7]; permanent never, and neither what
 * nobody recognised, unless a probe can tell first.
 */
function mayRetry(call: Call, { contract }: Capability, fault: Fault): boolean {
  if (fault.kind === "permanent" || retriesUsed(call) >= contract.retry.retries) return false;
  if (fault.unrecognised && contract.idempotency !== "probe") return false;
  return fault.kind === "not-performed" || contract.idempotency !== "none";
}

/** "Failed" claims that nothing happened: where an attempt may have acted, nobody knows. A read has no effect to doubt. */
function verdictOnFailure(call: Call, { contract }: Capability, fault: Fault): Outcome {
  const earlier = { attempts: call.attempts.filter(({ ended }) => ended !== undefined) };
  const doubtful = contract.effect !== "read" && (fault.kind === "ambiguous" || mayHaveActed(earlier));
  return { kind: doubtful ? "unknown" : "failed", code: fault.code };
}

export function retriesUsed(call: Pick<Call, "events">): number {
  return call.events.filter(
    ({ kind, data }) => kind === "attempted" && (data.as === "not-performed" || data.as === "ambiguous"),
  ).length;
}

/** The attempt's row, where it has one: reads write no intent. */
function endOf(
  call: Call,
  { attempt }: Ran,
  as: NonNullable<Move["endAttempt"]>["as"],
): Pick<Move, "endAttempt"> {
  return call.attempts.some(({ number }) => number === attempt) ? { endAttempt: { attempt, as } } : {};
}

/** [P9] What it says it cost, but never less than nothing; where it cannot say, what was reserved. */
function spentOn(call: Call, capability: Capability, output: Json | undefined): number {
  try {
    const spent = output === undefined ? undefined : capability.spent?.(inputOf(call), output);
    if (spent !== undefined && Number.isSafeInteger(spent) && spent >= 0) return spent;
  } catch {
    // What was reserved is what we know.
  }
  return costOf(call, capability);
}

/** The output and the way back, as far as there are any. */
function words(call: Call, capability: Capability, output: Json | undefined, ports: Ports): NewPayload[] {
  if (output === undefined) return [];
  return [payload("output", output, ports), ...undo(call, capability, output, ports)];
}

function undo(call: Call, capability: Capability, output: Json, ports: Ports): NewPayload[] {
  try {
    const back = capability.undo?.(call.payloads.input?.value ?? null, output);
    if (!back) return [];
    const { capability: name, input } = back;
    return [payload("undo", JSON.parse(canonical({ capability: name, input })) as Json, ports)];
  } catch {
    // [P9] An undo that cannot be computed is not offered; the effect stands all the same.
    return [];
  }
}

/** The number of the attempt that comes next. */
export function nextAttempt(call: Call): number {
  return (
    Math.max(
      0,
      ...call.events
        .filter(({ kind }) => kind === "attempted" || kind === "intended")
        .map(({ data }) => Number(data.attempt)),
    ) + 1
  );
}
