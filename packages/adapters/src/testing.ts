import { type Capability, CapabilityError, type ExecutionContext, type Json } from "@paraph/core";

export function parseTestInput(capability: Capability, raw: Json): Json {
  const parsed = capability.parseInput(raw);
  if (parsed.kind === "invalid") throw new Error(parsed.faults.join("; "));
  return parsed.value;
}

/**
 * Returns the fault's kind and code, or "no fault". It rethrows any error that is not a CapabilityError, because such
 * an error is a bug.
 */
export async function readFault(body: Promise<unknown>): Promise<string> {
  try {
    await body;
    return "no fault";
  } catch (error) {
    if (error instanceof CapabilityError) return `${error.kind} ${error.code}`;
    throw error;
  }
}

/** Returns the context of an agent's first attempt, without a basis and without secrets. */
export function createTestContext(context: Partial<ExecutionContext> = {}): ExecutionContext {
  const call = context.call ?? "0198c0de-call";
  return {
    tenant: "acme",
    principal: { tenant: "acme", id: "agent", kind: "agent" },
    approvers: [],
    call,
    key: call,
    attempt: 1,
    basis: undefined,
    signal: new AbortController().signal,
    credential: () => Promise.reject(new Error("no credentials here")),
    progress: () => {},
    ...context,
  };
}

let callCount = 0;

/** Adds a new call id if the test sets none, because some adapters record calls. */
const withOwnCall = (context: Partial<ExecutionContext>): Partial<ExecutionContext> => ({
  call: context.call ?? `call-${++callCount}`,
  ...context,
});

export const createOwnTestContext = (context: Partial<ExecutionContext> = {}): ExecutionContext =>
  createTestContext(withOwnCall(context));

export const performOwnCall = (capability: Capability, raw: Json, context: Partial<ExecutionContext> = {}) =>
  performCapability(capability, raw, withOwnCall(context));

/**
 * Performs a call as the pipeline does. It parses the input, previews if the capability has a preview, applies, and
 * parses the output.
 */
export async function performCapability(
  capability: Capability,
  raw: Json,
  context: Partial<ExecutionContext> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read the output's fields by name.
): Promise<any> {
  const input = parseTestInput(capability, raw);
  const basis =
    "basis" in context
      ? context.basis
      : (await capability.preview?.(input, createTestContext(context)))?.basis;
  const output = capability.parseOutput(
    await capability.apply(input, createTestContext({ ...context, basis })),
  );
  if (output.kind === "invalid") throw new Error(output.faults.join("; "));
  return output.value;
}
