import type { Call, Principal } from "@paraph/core";
import type { Context } from "hono";
import type { Service } from "../../services/types/service-types.ts";
import type { Env, Parts } from "../context.ts";
import { demandStillAllowed } from "./authenticate.ts";
import { preferredWait } from "./prefer-wait.ts";

/**
 * The call once it is closed, or waits for nobody but its asker to perform it, or as it stands after `ms`, or when the
 * signal says that nobody waits any more.
 */
async function untilClosed(
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
    if (here.state === "closed" || here.state === "offered" || left <= 0 || signal.aborted) return here;
    const moved = await service.changed(principal, here.call, here.epoch, left, signal);
    here = moved ?? (await service.find(principal, here.call)) ?? here;
  }
}

/**
 * The call after the wait that its caller prefers. [TRUST 21] [TRUST 33] A caller whose key was revoked, or who was frozen or
 * disabled meanwhile, is told nothing of it.
 */
export async function afterWait(c: Context<Env>, call: Call, parts: Parts): Promise<Call> {
  const { service } = parts;
  const now = await untilClosed(service, c.get("principal"), call, waitOf(c), waiter(c, parts));
  if (now !== call) await demandStillAllowed(c, service);
  return now;
}

/** How long this caller would wait; says in the answer what was made of it. */
function waitOf(c: Context<Env>): number {
  const { ms, applied } = preferredWait(c);
  if (applied !== undefined) c.header("preference-applied", applied);
  return ms;
}

/** Waiting ends with the caller's connection, or with the server. */
export function waiter(c: Context<Env>, { stopping }: Parts): AbortSignal {
  return AbortSignal.any([c.req.raw.signal, stopping]);
}
