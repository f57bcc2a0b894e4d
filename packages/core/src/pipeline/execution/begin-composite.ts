import type { Capability } from "../../capability/capability.ts";
import type { UnsealedEvent } from "../../event.ts";
import type { Ports } from "../../ports.ts";
import { sealEvent } from "../../receipts/seal.ts";
import { commitPayloads } from "../close.ts";
import { createGate } from "../gate.ts";
import { listDeclinedSteps } from "../round.ts";
import { commitAtGate, type Rejected, type Rested, restCall } from "../transition.ts";
import type { Revalidated } from "./revalidate.ts";

/** The time after which the sweeper picks up a composite. A step that ends wakes it earlier. */
export const composingMs = 30_000;

/**
 * Begins a composite. Writes no intent, because a composite acts only through its steps. The beginning passes the same
 * gate as an intent.
 */
export async function beginComposite(
  { call, ruledCall, payloads }: Revalidated,
  capability: Capability,
  ports: Ports,
): Promise<Rested | Rejected> {
  const at = ports.clock.now();
  const { adapter, policy } = createGate(call, capability, ruledCall.ruling, ports);
  const declined = [...listDeclinedSteps(call, call.approval)];
  const began: UnsealedEvent<"began"> = {
    kind: "began",
    at,
    data: {
      policies: ruledCall.ruling.policies,
      version: ruledCall.ruling.version,
      ...(declined.length > 0 && { declined }),
      ...commitPayloads(payloads ?? []),
    },
  };
  const passed = await commitAtGate(
    call,
    {
      state: "composing",
      nextAt: at + composingMs,
      events: [sealEvent(call, began, ports.sealer)],
      gate: { adapter, limits: [], ...(policy !== undefined && { policy }) },
      ...(payloads && { payloads }),
    },
    ports,
  );
  return passed.kind === "on" ? restCall(passed.call, passed.wakes) : passed;
}
