import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import type { Env } from "../context.ts";

/** Returns the pattern of the matched route. Logs and spans never use the path, because a path can contain any text. */
export function findRouteName(c: Context<Env>): string | undefined {
  return matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path;
}
