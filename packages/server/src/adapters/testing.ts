import { type Capability, CapabilityError, type ExecutionContext, type Json } from "@paraph/core";

export function parseTestInput(capability: Capability, raw: Json): Json {
  const parsed = capability.parseInput(raw);
  if (parsed.kind === "invalid") throw new Error(parsed.faults.join("; "));
  return parsed.value;
}

/**
 * Returns the fault's kind and code, or "no fault". It rethrows any error but a CapabilityError, because that would be
 * a bug.
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
export function createTestContext(over: Partial<ExecutionContext> = {}): ExecutionContext {
  const call = over.call ?? "0198c0de-call";
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
    ...over,
  };
}

let callCount = 0;

/** Adds a new call id if the test sets none, for adapters that record calls. */
const withOwnCall = (over: Partial<ExecutionContext>): Partial<ExecutionContext> => ({
  call: over.call ?? `call-${++callCount}`,
  ...over,
});

export const createOwnTestContext = (over: Partial<ExecutionContext> = {}): ExecutionContext =>
  createTestContext(withOwnCall(over));

export const performOwnCall = (capability: Capability, raw: Json, over: Partial<ExecutionContext> = {}) =>
  performCapability(capability, raw, withOwnCall(over));

/** Performs a call as the pipeline does: it parses the input, previews if it can, applies, and parses the output. */
export async function performCapability(
  capability: Capability,
  raw: Json,
  over: Partial<ExecutionContext> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read the output's fields by name.
): Promise<any> {
  const input = parseTestInput(capability, raw);
  const basis =
    "basis" in over ? over.basis : (await capability.preview?.(input, createTestContext(over)))?.basis;
  const output = capability.parseOutput(await capability.apply(input, createTestContext({ ...over, basis })));
  if (output.kind === "invalid") throw new Error(output.faults.join("; "));
  return output.value;
}
