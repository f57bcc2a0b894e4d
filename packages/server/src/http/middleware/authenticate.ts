import type { Caller } from "@paraph/core";
import type { Context, MiddlewareHandler } from "hono";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { Env, RouteDeps } from "../context.ts";
import { HttpProblem } from "../problem.ts";
import { isSafeMethod } from "./same-origin.ts";
import { readSessionCookie } from "./session-cookie.ts";

/** Authenticates the caller before any other part of the request is read. */
export function authenticate({
  service,
  budgets,
}: Pick<RouteDeps, "service" | "budgets">): MiddlewareHandler<Env> {
  return async (c, next) => {
    const caller = await findCaller(c, service);
    if (!caller) throw notAuthenticated();
    rejectBarred(caller);
    budgets?.countRequest(caller.principal);
    c.set("caller", caller);
    c.set("principal", caller.principal);
    return next();
  };
}

/**
 * [TRUST 33] Rejects a frozen or disabled principal before any route runs, so that no operation has to repeat the
 * check.
 */
export function rejectBarred({ principal: { barred } }: Caller): void {
  if (barred === "frozen")
    throw new HttpProblem(
      "principal-frozen",
      "This person is frozen. Ask an administrator to thaw them. `paraph freezes` lists the freezes.",
    );
  if (barred === "disabled")
    throw new HttpProblem(
      "principal-disabled",
      "This principal is disabled. Ask an administrator to enable it.",
    );
}

/**
 * Returns whether the caller of an open stream may still read. [TRUST 33] What a stream shows depends on the groups that
 * its reader had at its start, so a reader who lost one of them has to open it again.
 */
export async function isStillAllowed(c: Context<Env>, service: ParaphService): Promise<boolean> {
  const caller = await findCaller(c, service);
  if (caller === undefined || caller.principal.barred !== undefined) return false;
  const { groups = [] } = caller.principal;
  return (c.get("principal").groups ?? []).every((group) => groups.includes(group));
}

/** Throws `not-authenticated` if the caller may no longer read. */
export async function requireStillAllowed(c: Context<Env>, service: ParaphService): Promise<void> {
  if (!(await isStillAllowed(c, service))) throw notAuthenticated();
}

/** Yields the items for as long as the caller may read. */
export async function* takeWhileAllowed<T>(
  c: Context<Env>,
  service: ParaphService,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const item of items) {
    await requireStillAllowed(c, service);
    yield item;
  }
}

/**
 * Finds the caller by the key or token in the header, or by the browser session. Open streams repeat this lookup, so
 * that a revoked key ends them.
 */
export async function findCaller(c: Context<Env>, service: ParaphService): Promise<Caller | undefined> {
  const authorization = c.req.header("authorization");
  if (authorization !== undefined) {
    const bearer = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
    return bearer === undefined ? undefined : service.authenticate(bearer);
  }
  const session = readSessionCookie(c);
  if (session === undefined) return undefined;
  // [TRUST 22] Rejects a change that has a session cookie but no `Origin` header. A browser adds the cookie
  // automatically, so only the header proves that one of Paraph's pages sent the request.
  if (!isSafeMethod(c) && c.req.header("origin") === undefined) {
    throw new HttpProblem(
      "origin-not-allowed",
      "A request with a session cookie must have the `Origin` header of this server. Add the header, or use an API key.",
    );
  }
  return service.authenticateSession(session);
}

function notAuthenticated(): HttpProblem {
  return new HttpProblem(
    "not-authenticated",
    "Send `Authorization: Bearer <api key>` with a key that is in force, or log in at `/login`. A new key is in force after its approval.",
    {
      headers: { "www-authenticate": "Bearer" },
    },
  );
}
