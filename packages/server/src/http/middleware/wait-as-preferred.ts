import type { Call, Principal } from "@paraph/core";
import type { Context } from "hono";
import type { ParaphService } from "../../services/types/service-types.ts";
import type { Env, RouteDeps } from "../context.ts";
import { requireStillAllowed } from "./authenticate.ts";
import { readPreferredWait } from "./prefer-wait.ts";

/**
 * The call once it is closed, or waits for nobody but its asker to perform it, or as it stands after `ms`, or when the
 * signal says that nobody waits any more.
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
 * The call after the wait that its caller prefers. [TRUST 21] [TRUST 33] A caller whose key was revoked, or who was frozen or
 * disabled meanwhile, is told nothing of it.
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

/** How long this caller would wait; says in the answer what was made of it. */
function applyPreferredWait(c: Context<Env>): number {
  const { ms, applied } = readPreferredWait(c);
  if (applied !== undefined) c.header("preference-applied", applied);
  return ms;
}

/** Waiting ends with the caller's connection, or with the server. */
export function createWaitSignal(c: Context<Env>, { stopping }: RouteDeps): AbortSignal {
  return AbortSignal.any([c.req.raw.signal, stopping]);
}
