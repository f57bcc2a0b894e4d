import type { Principal } from "@paraph/core";
import type { Context, MiddlewareHandler } from "hono";
import type { Env } from "./context.ts";
import { Problem } from "./problem.ts";
import type { Service } from "./service.ts";

/** Who asks is settled before anything else about a request is looked at. */
export function authenticate(service: Service): MiddlewareHandler<Env> {
  return async (c, next) => {
    const principal = await principalOf(c, service);
    if (!principal) throw notAuthenticated();
    c.set("principal", principal);
    return next();
  };
}

/** Asked again by whoever keeps a stream open: a revoked key ends it. */
export async function principalOf(c: Context<Env>, service: Service): Promise<Principal | undefined> {
  const key = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(c.req.header("authorization") ?? "")?.[1];
  return key === undefined ? undefined : service.authenticate(key);
}

function notAuthenticated(): Problem {
  return new Problem(
    "not-authenticated",
    "Send `Authorization: Bearer <api key>` with a key that is in force.",
    {
      headers: { "www-authenticate": "Bearer" },
    },
  );
}
