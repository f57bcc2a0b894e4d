import type { Call, Child } from "../../call.ts";
import type { Undo } from "../../capability/capability.ts";
import type { ChildEnd } from "../../capability/composite.ts";
import type { OutcomeCode } from "../../outcome-codes/outcome-codes.ts";
import type { ParaphErrorCode } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";

/**
 * Returns the current call of each step. If a person edited the step, its current call is the successor that the rows
 * name. The order in which the calls were opened is unreliable, because it depends on clocks, which get corrected.
 */
export function latestChildren(children: readonly Child[]): Child[] {
  const replaced = new Set(children.map(({ supersedes }) => supersedes));
  return children.filter(({ call }) => !replaced.has(call));
}

export function toChildEnd({ step, call, outcome, output, undo, closedAt }: Child): ChildEnd {
  return {
    step,
    call,
    outcome: outcome ?? failedOutcome("not-ended"),
    closedAt: closedAt ?? 0,
    ...(output !== undefined && { output }),
    ...(undo !== undefined && { undo: undo as unknown as Undo }),
  };
}

export function toChild(call: Call, step: string): Child {
  const { state, capability, requestDigest, lockKeys, outcome, payloads } = call;
  return {
    call: call.call,
    step,
    state,
    capability,
    requestDigest,
    lockKeys,
    ...(outcome && { outcome }),
    ...readClosedAt(call),
    ...(payloads.output && { output: payloads.output.value }),
    ...(payloads.undo && { undo: payloads.undo.value }),
  };
}

function readClosedAt({ events }: Call): Pick<Child, "closedAt"> {
  const closed = events.findLast(({ kind }) => kind === "closed");
  return closed ? { closedAt: closed.at } : {};
}

export function refusedChildEnd(step: string, code: OutcomeCode | ParaphErrorCode, ports: Ports): ChildEnd {
  return { step, outcome: { kind: "refused", code }, closedAt: ports.clock.now() };
}

export function failedOutcome(code: OutcomeCode) {
  return { kind: "failed", code } as const;
}
