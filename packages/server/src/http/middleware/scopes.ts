import { hasScope, type Scope } from "@paraph/core";
import type { MiddlewareHandler } from "hono";
import { apiOperations } from "../api-operations.ts";
import type { Env } from "../context.ts";
import { scopeMissing } from "./authorization.ts";
import { findRouteName } from "./route-name.ts";

/**
 * [TRUST 21] Rejects a narrowed key that has none of the operation's scopes. The OpenAPI document names the scopes of
 * each operation. An operation without scopes is closed to narrowed keys.
 */
export const requireScopes: MiddlewareHandler<Env> = async (c, next) => {
  const caller = c.get("caller");
  const route = findRouteName(c);
  if (caller.scopes !== undefined && route !== undefined) {
    const method = c.req.method === "HEAD" ? "get" : c.req.method.toLowerCase();
    const enough = scopesByRoute.get(`${method} ${route}`) ?? [];
    if (!enough.some((scope) => hasScope(caller, scope))) throw scopeMissing(enough);
  }
  return next();
};

const scopesByRoute = new Map<string, readonly Scope[]>(
  apiOperations.map((operation) => [
    `${operation.method} ${operation.getRoutingPath()}`,
    "security" in operation ? operation.security.flatMap(({ key }) => key) : [],
  ]),
);
