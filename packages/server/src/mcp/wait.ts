import { type Call, lastEvent, type Principal } from "@paraph/core";
import type { McpService } from "./mcp-service.ts";

export interface CallWaitOptions {
  readonly principal: Principal;
  /** How long at most. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Where else than at its end waiting is over. */
  readonly shouldStop?: (call: Call) => boolean;
  /** Told how it stands when waiting begins, whenever it moves, and every now and then. */
  readonly reportProgress: (call: Call) => Promise<void>;
}

/** How often a client hears of what stands still, and of what is being done. */
const idleTickMs = 10_000;
const performingTickMs = 1_000;

/**
 * The call once it is closed, or as it stands when time is up or its client is gone. Where a person edited it, what is waited
 * for from then on is the call that took its place.
 */
export async function waitUntilClosed(
  call: Call,
  desk: McpService,
  attending: CallWaitOptions,
): Promise<Call> {
  const { principal, ms, signal, reportProgress: tick, shouldStop: until = () => false } = attending;
  const end = performance.now() + ms;
  let here = call;
  for (;;) {
    here = await findLatestCall(here, desk, principal);
    const left = end - performance.now();
    const isOver = here.state === "closed" || here.state === "offered" || until(here);
    if (isOver || left <= 0 || signal.aborted) return here;
    await tick(here);
    const pause = here.state === "performing" ? performingTickMs : idleTickMs;
    const moved = await desk.waitForChange(principal, here.call, here.epoch, Math.min(left, pause), signal);
    here = moved ?? (await desk.findCall(principal, here.call)) ?? here;
  }
}

/** The call itself or, where a person edited it, the one that took its place. */
export async function findLatestCall(call: Call, desk: McpService, principal: Principal): Promise<Call> {
  const next = readSuccessor(call);
  const found = next === undefined ? undefined : await desk.findCall(principal, next);
  return found ? findLatestCall(found, desk, principal) : call;
}

function readSuccessor({ outcome, events }: Call): string | undefined {
  if (outcome?.kind !== "superseded") return undefined;
  return lastEvent(events, "closed")?.data.successor;
}
