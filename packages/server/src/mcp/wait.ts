import { type Call, lastEvent, type Principal } from "@paraph/core";
import type { ParaphService } from "../services/paraph-service.ts";

/** The options of `waitUntilClosed`. */
export interface CallWaitOptions {
  readonly principal: Principal;
  /** The maximum wait. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Returns whether to stop waiting although the call is open. */
  readonly shouldStop?: (call: Call) => boolean;
  /**
   * Reports the state of the call. It is called when the wait begins, at every change of the call, and at intervals in
   * between.
   */
  readonly reportProgress: (call: Call) => Promise<void>;
}

/**
 * The intervals at which Paraph reports to the client while the client waits. `idleTickMs` applies to an idle call, and
 * `performingTickMs` to a call that is performing.
 */
const idleTickMs = 10_000;
const performingTickMs = 1_000;

/**
 * Waits until the call is closed or offered, `shouldStop` returns true, the time limit has passed, or the client
 * disconnects. Returns the current call. If a person edits the call, the function waits for the call that replaces it.
 */
export async function waitUntilClosed(
  call: Call,
  service: ParaphService,
  attending: CallWaitOptions,
): Promise<Call> {
  const { principal, ms, signal, reportProgress, shouldStop = () => false } = attending;
  const end = performance.now() + ms;
  let here = call;
  for (;;) {
    here = await findLatestCall(here, service, principal);
    const left = end - performance.now();
    const isOver = here.state === "closed" || here.state === "offered" || shouldStop(here);
    if (isOver || left <= 0 || signal.aborted) return here;
    await reportProgress(here);
    const pause = here.state === "performing" ? performingTickMs : idleTickMs;
    const moved = await service.waitForChange(
      principal,
      here.call,
      here.epoch,
      Math.min(left, pause),
      signal,
    );
    here = moved ?? (await service.findCall(principal, here.call)) ?? here;
  }
}

/** Returns the call, or its latest successor if a person edited it. */
export async function findLatestCall(
  call: Call,
  service: ParaphService,
  principal: Principal,
): Promise<Call> {
  const next = readSuccessor(call);
  const found = next === undefined ? undefined : await service.findCall(principal, next);
  return found ? findLatestCall(found, service, principal) : call;
}

function readSuccessor({ outcome, events }: Call): string | undefined {
  if (outcome?.kind !== "superseded") return undefined;
  return lastEvent(events, "closed")?.data.successor;
}
