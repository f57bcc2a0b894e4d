import type { Call, Principal } from "@paraph/core";
import type { Service } from "./service.ts";

/** The call once it is closed, or as it stands after `ms`, or when the signal says that nobody waits any more. */
export async function untilClosed(
  service: Service,
  principal: Principal,
  call: Call,
  ms: number,
  signal: AbortSignal,
): Promise<Call> {
  const end = performance.now() + ms;
  let here = call;
  for (;;) {
    const left = end - performance.now();
    if (here.state === "closed" || left <= 0 || signal.aborted) return here;
    const moved = await service.changed(principal, here.call, here.epoch, left, signal);
    here = moved ?? (await service.find(principal, here.call)) ?? here;
  }
}
