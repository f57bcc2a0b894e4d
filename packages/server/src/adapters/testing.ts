import { type Capability, CapabilityError, type Json } from "@paraph/core";

/** For the tests of adapters. */

export function inputOf(capability: Capability, raw: Json): Json {
  const parsed = capability.parseInput(raw);
  if (parsed.kind === "invalid") throw new Error(parsed.faults.join("; "));
  return parsed.value;
}

/** The fault's kind and code, or "no fault". Anything but a CapabilityError is passed on: it would be a bug. */
export async function faultIn(body: Promise<unknown>): Promise<string> {
  try {
    await body;
    return "no fault";
  } catch (error) {
    if (error instanceof CapabilityError) return `${error.kind} ${error.code}`;
    throw error;
  }
}
