import type { MiddlewareHandler } from "hono";
import type { Env } from "../context.ts";

const defaultHeaders = {
  "content-security-policy":
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * [TRUST 22] Sets the security headers on every response, problems included. A page that needs other values sets them
 * itself.
 */
export const securityHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(defaultHeaders)) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
  if (/^\/(v1|mcp)(\/|$)/.test(c.req.path)) c.res.headers.set("cache-control", "no-store");
};
