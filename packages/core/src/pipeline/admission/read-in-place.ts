import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Ports, Transition } from "../../ports.ts";
import { apply } from "../execution/attempt.ts";
import { concludeAttempt } from "../execution/conclude.ts";
import { numberEvents } from "../transition.ts";
import { type RuledCall, recordRuling } from "./rule.ts";

/**
 * A read that policy allows is the segment run where the call arrived: same attempt, same conclusion, same
 * receipt, opened and closed in one transaction. If it has to be retried, it is opened as waiting for that.
 */
export async function readInPlace(
  call: Call,
  capability: Capability,
  judged: RuledCall,
  ports: Ports,
): Promise<Transition> {
  const started = ports.clock.now();
  const deadline = started + capability.contract.timeoutMs;
  const result = await apply(call, capability, { basis: undefined, attempt: 1, deadline }, ports);
  const { event, payload } = recordRuling(judged, ports);
  const { name, ...asked } = payload;
  const ready = {
    ...call,
    events: [...call.events, ...numberEvents(call, [event])],
    payloads: { ...call.payloads, [name]: asked },
  };
  const move = await concludeAttempt(ready, capability, result, { attempt: 1, started }, ports);
  return { ...move, events: [event, ...move.events], payloads: [payload, ...(move.payloads ?? [])] };
}
