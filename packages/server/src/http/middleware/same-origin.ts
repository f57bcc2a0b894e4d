import type { Context, MiddlewareHandler } from "hono";
import type { Env } from "../context.ts";
import { HttpProblem } from "../problem.ts";

/**
 * [TRUST 22] Rejects a request that comes from a page of another site and uses a method that can change data. A valid
 * key makes no difference.
 */
export const requireSameOrigin: MiddlewareHandler<Env> = async (c, next) => {
  const origin = c.req.header("origin");
  if (!isSafeMethod(c) && origin !== undefined && parseHost(origin) !== c.req.header("host")?.toLowerCase()) {
    throw new HttpProblem(
      "origin-not-allowed",
      "The request comes from a page of another site. Send it from a page of this server.",
    );
  }
  return next();
};

/** Returns whether the request's method changes nothing. */
export function isSafeMethod(c: Context): boolean {
  return c.req.method === "GET" || c.req.method === "HEAD";
}

function parseHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host || undefined : undefined;
}
