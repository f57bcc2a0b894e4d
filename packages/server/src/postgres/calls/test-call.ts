import type { FencedTransition, NewCall } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";

let calls = 0;

/** Creates an ordinary new call for tests that are not about the call itself. */
export function createTestCall(tenant: string, newCall: Partial<NewCall> = {}): NewCall {
  const at = Date.now();
  const call = `call_${String(++calls).padStart(8, "0")}`;
  return {
    tenant,
    call,
    key: call,
    principal: { tenant, id: "bot", kind: "agent" },
    capability: "bench.act",
    version: 1,
    contractDigest: "c",
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: [],
    requirements: [],
    createdAt: at,
    state: "ready",
    nextAt: at + 60_000,
    events: [createRawEvent("accepted", at)],
    ...newCall,
  };
}

/** Creates a transition that writes the call's first intent. */
export function createIntentTransition(
  { tenant, call }: NewCall,
  given: Partial<FencedTransition> = {},
): FencedTransition {
  return { tenant, call, epoch: 1, events: [], ...createIntentWrites(), ...given };
}

/** Returns the writes of an opening or a transition that starts an attempt. */
export function createIntentWrites() {
  const at = Date.now();
  return {
    state: "performing",
    nextAt: at + 60_000,
    intent: { attempt: 1, at, deadline: at + 60_000 },
  } as const;
}

/** Creates the transition that closes the call after its first attempt. */
export function createClosingTransition(
  { tenant, call }: NewCall,
  given: Partial<FencedTransition> = {},
): FencedTransition {
  return {
    tenant,
    call,
    epoch: 2,
    state: "closed",
    nextAt: undefined,
    events: [],
    outcome: { kind: "succeeded", code: "ok" },
    endAttempt: { attempt: 1, as: "succeeded" },
    ...given,
  };
}
