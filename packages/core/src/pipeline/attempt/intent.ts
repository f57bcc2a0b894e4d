import type { Attempt, Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { UnsealedEvent } from "../../event.ts";
import type { Allow } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import { sealEvent } from "../../receipts/seal.ts";
import type { Transition } from "../../store.ts";
import { commitPayloads } from "../close.ts";
import { createGate, reservesBudget } from "../gate.ts";
import { lostEvents } from "./attempt-events.ts";
import { nextAttemptNumber } from "./conclude.ts";

/** Returns the transition that records an intent before the effect. */
export function createIntent(
  call: Call,
  capability: Capability,
  going: { because: Allow | "again"; payloads?: Transition["payloads"]; lost?: Attempt; claimToken?: string },
  ports: Ports,
): Transition & Required<Pick<Transition, "intent">> {
  const at = ports.clock.now();
  const attempt = nextAttemptNumber(call);
  const deadline = at + capability.contract.timeoutMs;
  const reason =
    going.because === "again"
      ? ({ ruling: "again" } as const)
      : {
          policies: going.because.policies,
          version: going.because.version,
          ...(going.because.grant && { grant: going.because.grant.id }),
        };
  const performer = capability.contract.performer && { performer: capability.contract.performer };
  const gate = createGate(call, capability, going.because, ports);
  const intended: UnsealedEvent<"intended"> = {
    kind: "intended",
    at,
    data: {
      attempt,
      deadline,
      ...reason,
      ...(reservesBudget(gate) && { reserved: true }),
      ...performer,
      ...(going.claimToken !== undefined && { claimToken: going.claimToken }),
      ...commitPayloads(going.payloads ?? []),
    },
  };
  return {
    state: "performing",
    nextAt: deadline + ports.settings.sweepGraceMs,
    events: [...lostEvents(going.lost, "process-died", at), sealEvent(call, intended, ports.sealer)],
    intent: { attempt, at, deadline, ...performer },
    gate,
    ...(going.payloads && { payloads: going.payloads }),
    ...(going.lost && { endAttempt: { attempt: going.lost.number, as: "lost" } }),
  };
}
