import type { Call } from "../../call.ts";
import type { Capability } from "../../capability/capability.ts";
import type { Ports } from "../../ports.ts";
import type { Transition } from "../../store.ts";
import { apply } from "../attempt/attempt.ts";
import { concludeAttempt } from "../attempt/conclude.ts";
import { newContentPayloads } from "../content-payloads.ts";
import { type RuledCall, recordRuling } from "../ruling/rule.ts";
import { mergePayloads, numberEvents } from "../transition.ts";

/**
 * Performs an allowed read during its admission, with the same attempt, conclusion and receipt as in a segment. One
 * transaction opens and closes the call. If the read must be retried, the call is opened in the state `delayed`.
 */
export async function readInPlace(
  call: Call,
  capability: Capability,
  ruledCall: RuledCall,
  ports: Ports,
): Promise<Transition> {
  const started = ports.clock.now();
  const deadline = started + capability.contract.timeoutMs;
  const result = await apply(call, capability, { basis: undefined, attempt: 1, deadline }, ports);
  const { event, payload } = recordRuling(ruledCall, ports);
  const payloads = [...newContentPayloads(call, capability, undefined, ports), payload];
  const ready = {
    ...call,
    events: [...call.events, ...numberEvents(call, [event])],
    payloads: mergePayloads(call.payloads, payloads),
  };
  const move = await concludeAttempt(ready, capability, result, { attempt: 1, started }, ports);
  return { ...move, events: [event, ...move.events], payloads: [...payloads, ...(move.payloads ?? [])] };
}
