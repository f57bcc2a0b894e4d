import type { Call, Principal } from "@paraph/core";
import type { Context } from "hono";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { Env, RouteDeps } from "../context.ts";
import { requireStillAllowed } from "./authenticate.ts";
import { readPreferredWait } from "./prefer-wait.ts";

/**
 * Waits until the call is closed or offered to its requester. Stops waiting when `ms` have passed or the signal aborts.
 * Returns the current call.
 */
async function waitUntilClosed(
  service: ParaphService,
  principal: Principal,
  call: Call,
  ms: number,
  signal: AbortSignal,
): Promise<Call> {
  const end = performance.now() + ms;
  let here = call;
  for (;;) {
    const left = end - performance.now();
    if (here.state === "closed" || here.state === "offered" || left <= 0 || signal.aborted) return here;
    const moved = await service.waitForChange(principal, here.call, here.epoch, left, signal);
    here = moved ?? (await service.findCall(principal, here.call)) ?? here;
  }
}

/**
 * Returns the call after the wait that its caller prefers. [TRUST 21] [TRUST 33] Throws if the caller's key was
 * revoked, or the caller was frozen or disabled, during the wait.
 */
export async function waitAsPreferred(c: Context<Env>, call: Call, parts: RouteDeps): Promise<Call> {
  const { service } = parts;
  const now = await waitUntilClosed(
    service,
    c.get("principal"),
    call,
    applyPreferredWait(c),
    createWaitSignal(c, parts),
  );
  if (now !== call) await requireStillAllowed(c, service);
  return now;
}

/** Returns the wait that the caller prefers, and states the applied wait in a response header. */
function applyPreferredWait(c: Context<Env>): number {
  const { ms, applied } = readPreferredWait(c);
  if (applied !== undefined) c.header("preference-applied", applied);
  return ms;
}

/** Returns a signal that aborts when the caller disconnects or the server stops. */
export function createWaitSignal(c: Context<Env>, { stopping }: RouteDeps): AbortSignal {
  return AbortSignal.any([c.req.raw.signal, stopping]);
}
