import type { Call, Principal } from "@paraph/core";
import type { Context } from "hono";
import type { Env, Parts } from "./context.ts";
import { preferredWait } from "./prefer.ts";
import type { Service } from "./service.ts";

/**
 * The call once it is closed, or waits for nobody but its asker to perform it, or as it stands after `ms`, or when the
 * signal says that nobody waits any more.
 */
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
    if (here.state === "closed" || here.state === "offered" || left <= 0 || signal.aborted) return here;
    const moved = await service.changed(principal, here.call, here.epoch, left, signal);
    here = moved ?? (await service.find(principal, here.call)) ?? here;
  }
}

/** How long this caller would wait; says in the answer what was made of it. */
export function waitOf(c: Context<Env>): number {
  const { ms, applied } = preferredWait(c);
  if (applied !== undefined) c.header("preference-applied", applied);
  return ms;
}

/** Waiting ends with the caller's connection, or with the server. */
export function waiter(c: Context<Env>, { stopping }: Parts): AbortSignal {
  return AbortSignal.any([c.req.raw.signal, stopping]);
}
