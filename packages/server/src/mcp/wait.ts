import { type Call, lastEvent, type Principal } from "@paraph/core";
import type { Desk } from "./desk.ts";

export interface Attending {
  readonly principal: Principal;
  /** How long at most. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Where else than at its end waiting is over. */
  readonly until?: (call: Call) => boolean;
  /** Told how it stands when waiting begins, whenever it moves, and every now and then. */
  readonly tick: (call: Call) => Promise<void>;
}

/** How often a client hears of what stands still, and of what is being done. */
const everyMs = 10_000;
const performingMs = 1_000;

/**
 * The call once it is closed, or as it stands when time is up or its client is gone. Where a person edited it, what is waited
 * for from then on is the call that took its place.
 */
export async function attend(call: Call, desk: Desk, attending: Attending): Promise<Call> {
  const { principal, ms, signal, tick, until = () => false } = attending;
  const end = performance.now() + ms;
  let here = call;
  for (;;) {
    here = await latest(here, desk, principal);
    const left = end - performance.now();
    const isOver = here.state === "closed" || here.state === "offered" || until(here);
    if (isOver || left <= 0 || signal.aborted) return here;
    await tick(here);
    const pause = here.state === "performing" ? performingMs : everyMs;
    const moved = await desk.changed(principal, here.call, here.epoch, Math.min(left, pause), signal);
    here = moved ?? (await desk.find(principal, here.call)) ?? here;
  }
}

/** The call itself or, where a person edited it, the one that took its place. */
export async function latest(call: Call, desk: Desk, principal: Principal): Promise<Call> {
  const next = successorOf(call);
  const found = next === undefined ? undefined : await desk.find(principal, next);
  return found ? latest(found, desk, principal) : call;
}

function successorOf({ outcome, events }: Call): string | undefined {
  if (outcome?.kind !== "superseded") return undefined;
  return lastEvent(events, "closed")?.data.successor;
}
