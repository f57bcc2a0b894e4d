import {
  CapabilityError,
  type ExecutionContext,
  type Json,
  type ServedEffect,
  type ServingCall,
  toAttemptFault,
  toFault,
  tokensUsed,
} from "@paraph/core";
import type { ServiceAnswer } from "./answer-writer.ts";
import type { CallQueue } from "./call-queue.ts";
import type { HostedCapability } from "./hosted-capability.ts";

/** The parts of a service and a request that an operation needs. */
export interface PerformContext {
  readonly progress: ExecutionContext["progress"];
  /** The signals that can end the attempt. The attempt ends when any of them aborts. */
  readonly signals: readonly AbortSignal[];
  readonly callQueue: CallQueue;
  credential(tenant: string, name: string): Promise<string>;
}

/** [P9] Runs the requested operation. An error that the capability's code throws becomes a fault in the answer. */
export async function performOperation(
  asked: ServingCall,
  hosted: HostedCapability,
  context: PerformContext,
): Promise<ServiceAnswer> {
  const { timeoutMs } = hosted.capability.contract;
  const signal = AbortSignal.any([...context.signals, AbortSignal.timeout(timeoutMs)]);
  try {
    const attempt = () => runOperation(asked, hosted, createExecutionContext(asked, signal, context));
    const { tenant, call } = asked.world;
    const turn =
      asked.operation === "preview" ? attempt() : context.callQueue.run(`${tenant} ${call}`, signal, attempt);
    return await Promise.race([turn, rejectOnAbort(signal)]);
  } catch (error) {
    // [P15] An error that code throws after its signal aborted is reported as a timeout.
    const thrown = signal.aborted ? timeoutError() : error;
    const { contract } = hosted.capability;
    return {
      kind: "fault",
      fault: asked.operation === "apply" ? toAttemptFault(thrown, contract) : toFault(thrown),
    };
  }
}

async function runOperation(
  asked: ServingCall,
  hosted: HostedCapability,
  context: ExecutionContext,
): Promise<ServiceAnswer> {
  const { capability } = hosted;
  const input = requireAgreedInput(asked, hosted);
  switch (asked.operation) {
    case "preview": {
      if (!capability.preview) throw missingOperationError("preview");
      const { changes, basis } = await capability.preview(input, context);
      return { kind: "previewed", changes: [...changes], basis };
    }
    case "apply":
      return {
        kind: "applied",
        effect: toServedEffect(hosted, input, await capability.apply(input, context)),
      };
    case "probe": {
      if (!capability.probe) throw missingOperationError("probe");
      const found = await capability.probe(input, context);
      if (found.kind !== "present") return { kind: found.kind };
      return { kind: "present", effect: toServedEffect(hosted, input, found.output) };
    }
  }
}

/**
 * [P11] Parses the input with the capability's own schema. Rejects an input that needs more locks or a higher cost than
 * Paraph reserved.
 */
function requireAgreedInput(asked: ServingCall, { capability }: HostedCapability): Json {
  const input = capability.parseInput(asked.input);
  if (input.kind === "invalid")
    throw new CapabilityError(
      "permanent",
      "input-invalid",
      `The service does not accept this input: ${input.faults.join("; ")}.`,
    );
  if (!capability.locks(input.value).every((key) => asked.locks.includes(key)))
    throw undeclaredError("locks");
  if ((capability.cost?.(input.value) ?? 0) > asked.cost) throw undeclaredError("cost");
  return input.value;
}

/**
 * Adds the undo, the spent amount and the used tokens to the output. Only the service can compute these values, because
 * its code derives them from the input and the output.
 */
function toServedEffect({ capability }: HostedCapability, input: Json, raw: unknown): ServedEffect {
  const output = capability.parseOutput(raw);
  if (output.kind === "invalid") return { withheld: "output-invalid" };
  const undo = tryOrUndefined(() => capability.undo?.(input, output.value));
  const spent = tryOrUndefined(() => capability.spent?.(input, output.value));
  const tokens = tokensUsed(capability, input, output.value);
  return {
    output: output.value,
    ...(undo && { undo: { capability: undo.capability, input: undo.input } }),
    ...(Number.isSafeInteger(spent) && spent! >= 0 && { spent: spent! }),
    ...(tokens && { tokens }),
  };
}

/**
 * [P9] Returns the result of `body`, or undefined if `body` throws. The effect stands even if its undo cannot be
 * computed. Paraph then offers no undo.
 */
function tryOrUndefined<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}

function createExecutionContext(
  { world }: ServingCall,
  signal: AbortSignal,
  { progress, credential }: PerformContext,
): ExecutionContext {
  const { basis, ...rest } = world;
  return {
    ...(rest as Omit<ExecutionContext, "basis" | "signal" | "credential" | "progress">),
    basis,
    signal,
    credential: (name) => credential(world.tenant, name),
    progress: (said) => tryOrUndefined(() => progress(said)),
  };
}

/** [P15] Rejects when the signal aborts, so that code which ignores its signal cannot delay the answer. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(timeoutError());
    signal.addEventListener("abort", () => reject(timeoutError()), { once: true });
  });
}

const timeoutError = () =>
  new CapabilityError("ambiguous", "timeout", "The attempt was stopped at its deadline.");

const missingOperationError = (what: string) =>
  new CapabilityError("permanent", `no-${what}`, `The service has no ${what} for this capability.`);

const undeclaredError = (what: "locks" | "cost") =>
  new CapabilityError(
    "permanent",
    `${what}-undeclared`,
    `The service's code needs ${what} that it did not declare, so nothing was done. Declare them where you serve the capability.`,
  );
