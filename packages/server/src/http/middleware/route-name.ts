import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import type { Env } from "../context.ts";

/** The pattern that matched, never the path: a path can hold anything. */
export function findRouteName(c: Context<Env>): string | undefined {
  return matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path;
}
