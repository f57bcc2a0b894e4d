import type { Capability } from "../capability.ts";
import type { NewEvent } from "../event.ts";
import type { Ports } from "../ports.ts";
import { sealEvent } from "../seal.ts";
import { declinedIn } from "./declined.ts";
import { commitments } from "./ending.ts";
import { gateFor } from "./judge.ts";
import type { Look } from "./look-again.ts";
import { commitGated, type Rest, rest, type Stopped } from "./move.ts";

/** How long a composite is left alone before the sweeper looks after it: whoever ends one of its steps wakes it. */
export const composingMs = 30_000;

/** A composite writes no intent, since it acts only through its steps, but stands before the same gate. */
export async function begin(
  { call, judged, payloads }: Look,
  capability: Capability,
  ports: Ports,
): Promise<Rest | Stopped> {
  const at = ports.clock.now();
  const { adapter, policy } = gateFor(call, capability, judged.ruling, ports);
  const declined = [...declinedIn(call, call.approval)];
  const began: NewEvent = {
    kind: "began",
    at,
    data: {
      policies: judged.ruling.policies,
      version: judged.ruling.version,
      ...(declined.length > 0 && { declined }),
      ...commitments(payloads ?? []),
    },
  };
  const passed = await commitGated(
    call,
    {
      ...{ state: "composing", nextAt: at + composingMs, events: [sealEvent(call, began, ports.sealer)] },
      gate: { adapter, limits: [], ...(policy !== undefined && { policy }) },
      ...(payloads && { payloads }),
    },
    ports,
  );
  return passed.kind === "on" ? rest(passed.call, passed.wakes) : passed;
}
