import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { Env, RouteDeps } from "../context.ts";
import { findRouteName } from "./route-name.ts";
import { readTraceparentHeader } from "./traceparent.ts";

/**
 * The probes of supervisors. They repeat every few seconds, so an answered one is not worth a line of the log. They are
 * not counted either, because they would hide how many requests of users fail.
 */
const probes: readonly (string | undefined)[] = ["/healthz", "/readyz"];

/** Gives each request an id and a trace span, counts it, and logs one line about it. */
export function logRequests({
  log,
  countRequest,
  runInSpan,
  stopping,
  toErrorCode = () => "error",
}: RouteDeps): MiddlewareHandler<Env> {
  return async (c, next) => {
    const request = `req_${randomUUID()}`;
    const { method } = c.req;
    const route = findRouteName(c);
    const begun = performance.now();
    c.set("request", request);

    const about = { "http.request.method": method, "http.route": route ?? "none" };
    await (runInSpan
      ? runInSpan(`${method} ${route ?? "none"}`, readTraceparentHeader(c), about, next)
      : next());

    const { status } = c.res;
    c.res.headers.set("x-request-id", request);
    if (stopping.aborted) c.res.headers.set("connection", "close");
    if (!probes.includes(route)) countRequest?.(status);
    log({
      level: status >= 500 ? "error" : probes.includes(route) ? "debug" : "info",
      code: status === 500 ? "internal" : "request",
      ...(status >= 500 && c.error && { cause: toErrorCode(c.error) }),
      method,
      ...(route !== undefined && { route }),
      status,
      ms: Math.round(performance.now() - begun),
      request,
    });
  };
}
