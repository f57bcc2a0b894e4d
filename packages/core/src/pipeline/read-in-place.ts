import type { Call } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { Move, Ports } from "../ports.ts";
import { apply } from "./attempt.ts";
import { conclusion } from "./conclude.ts";
import { type Judged, recorded } from "./judge.ts";
import { numbered } from "./move.ts";

/**
 * A read that policy allows is the segment run where the call arrived: same attempt, same conclusion, same
 * receipt, opened and closed in one transaction. If it has to be retried, it is opened as waiting for that.
 */
export async function readInPlace(
  call: Call,
  capability: Capability,
  judged: Judged,
  ports: Ports,
): Promise<Move> {
  const started = ports.clock.now();
  const deadline = started + capability.contract.timeoutMs;
  const result = await apply(call, capability, { basis: undefined, attempt: 1, deadline }, ports);
  const { event, payload } = recorded(judged, ports);
  const { name, ...asked } = payload;
  const ready = {
    ...call,
    events: [...call.events, ...numbered(call, [event])],
    payloads: { ...call.payloads, [name]: asked },
  };
  const move = await conclusion(ready, capability, result, { attempt: 1, started }, ports);
  return { ...move, events: [event, ...move.events], payloads: [payload, ...(move.payloads ?? [])] };
}
