import type { Context } from "hono";

/** Returns the caller's W3C trace context, or undefined if it is missing or invalid. */
export function readTraceparentHeader(c: Context): string | undefined {
  const given = c.req.header("traceparent") ?? "";
  const [, trace, span] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(given) ?? [];
  const named = [trace, span].every((id) => id !== undefined && !/^0+$/.test(id));
  return named ? given : undefined;
}
