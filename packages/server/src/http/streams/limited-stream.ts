import type { Context } from "hono";
import type { Env, RouteDeps } from "../context.ts";

/**
 * Responds with a stream that occupies one of its principal's slots. The slot is released when the stream ends, the
 * reader disconnects or the server stops. Throws `limit-reached` if no slot is free.
 */
export async function serveLimitedStream(
  c: Context<Env>,
  { budgets }: Pick<RouteDeps, "budgets">,
  signal: AbortSignal,
  serve: () => Promise<Response>,
): Promise<Response> {
  // The answer to a HEAD request has no body whose end could release a slot.
  if (c.req.method === "HEAD") {
    const response = await serve();
    await response.body?.cancel();
    return new Response(null, response);
  }
  const giveBack = budgets?.openStream(c.get("principal"));
  if (!giveBack) return serve();
  signal.addEventListener("abort", giveBack, { once: true });
  try {
    const response = await serve();
    if (!response.body) giveBack();
    const body = response.body?.pipeThrough(new TransformStream({ flush: giveBack, cancel: giveBack }));
    return new Response(body ?? null, response);
  } catch (error) {
    giveBack();
    throw error;
  }
}
